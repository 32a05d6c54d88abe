// The page of a table under way: what the server tells is shown step by step; what the player does is sent to it.
"use strict";

(() => {
  const { element, button } = Table;
  const PACES = [["at once", 0], ["quick", 350], ["steady", 900], ["slow", 2000]];
  const PACE = "marriage-pace";
  const LIKELY = 0.01; // of a choice, to be told in words
  const MOST_BEHIND = 12; // steps, before the pace quickens
  const FIRST_WAIT = 300; // milliseconds before a lost connection is tried again
  const LONGEST_WAIT = 5000;
  const FINAL = { 4400: "This link opens no table: ask for it again.", 4401: "" }; // closed for good, by code; "" has a reason
  const TOO_OFTEN = 4429;
  const LOOPBACK = /^(localhost|127\..*|\[::1\])$/;
  const part = (id) => document.getElementById(id);
  const table = part("table");

  /** What has come and is not shown yet: one scene after the other. */
  class Steps {
    constructor(show) {
      this.show = show;
      this.waiting = [];
      this.timer = null;
    }

    add(step) {
      this.waiting.push(step);
      if (this.timer === null) this.next();
    }

    clear() {
      this.waiting = [];
      clearTimeout(this.timer);
      this.timer = null;
    }

    next() {
      this.timer = null;
      const step = this.waiting.shift();
      if (!step) return;
      this.show(step);
      this.timer = setTimeout(() => this.next(), this.pause());
    }

    pause() {
      if (document.hidden) return 0;
      return Number(part("pace").value) * Math.min(1, MOST_BEHIND / (this.waiting.length + 1));
    }
  }

  class Game {
    constructor(key) {
      this.key = key;
      this.wait = FIRST_WAIT;
      this.clauses = null;
      this.seats = [];
      this.inOrder = Promise.resolve(); // what was told before has been taken in
      this.shown = null; // the scene, and after which step it is
      this.answered = null; // the step to which an action has been sent
      this.steps = new Steps((step) => this.showStep(step));
      this.handlers = {
        table: (told) => this.tableTold(told), scene: (told) => this.steps.add(told), hint: (told) => this.hintTold(told),
        notice: (told) => this.noticeTold(told), error: (told) => this.errorTold(told),
      };
    }

    // The connection

    connect() {
      const scheme = location.protocol === "https:" ? "wss:" : "ws:";
      this.socket = new WebSocket(`${scheme}//${location.host}/ws`);
      this.socket.addEventListener("open", () => this.send({ type: "hello", key: this.key }));
      this.socket.addEventListener("message", ({ data }) => this.told(JSON.parse(data)));
      this.socket.addEventListener("close", ({ code, reason }) => this.closed(code, reason));
    }

    send(message) {
      if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    }

    closed(code, reason) {
      if (code in FINAL) {
        part("connection").textContent = FINAL[code] || reason;
        return;
      }
      part("connection").textContent = code === TOO_OFTEN ? reason : "The connection is lost; trying again …";
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    }

    /** Whether what is shown is how things stand, so that the player can answer to it. */
    upToDate() {
      return this.shown !== null && !this.steps.waiting.length && this.socket.readyState === WebSocket.OPEN;
    }

    // What the server tells

    told(message) {
      this.inOrder = this.inOrder.then(() => this.handlers[message.type]?.(message));
    }

    async tableTold(told) {
      this.wait = FIRST_WAIT;
      part("connection").textContent = "";
      this.clauses ??= await this.fetchClauses(told.scene.game);
      this.steps.clear();
      this.answered = null;
      this.seats = told.seats;
      part("undo").hidden = !told.undo;
      this.logAll(told.earlier, told.lines);
      this.show(told);
    }

    async fetchClauses(game) {
      try {
        return await (await fetch(`/api/clauses/${game}`)).json();
      } catch {
        return null; // the server has gone; they are asked for again when it is back
      }
    }

    hintTold({ step, agent, choices }) {
      if (step !== this.shown.step) return;
      Table.hint(table, choices);
      const likely = choices.slice(0, 3).filter(({ chance }) => chance >= LIKELY).map(({ words, chance }) => `${words} ${Table.percent(chance)}`);
      this.say(`${agent} would ${likely.join(", or ")}.`);
    }

    noticeTold({ text, seats }) {
      this.seats = seats;
      this.say(`${text}.`);
      this.log(`${text}.`, "notice");
    }

    errorTold({ text }) {
      this.answered = null;
      this.say(`${text}.`);
    }

    // What is shown

    showStep(step) {
      this.log(step.line);
      this.show(step);
    }

    show({ step, scene }) {
      this.shown = { step, scene };
      const labels = this.seats.map((player, seat) => seat === scene.viewer ? "you" : player === "human" ? "" : player);
      Table.draw(table, scene, { labels, clauses: this.clauses, onAct: (action) => this.act(action) });
      part("hint").disabled = !this.mine();
      part("hint").hidden = scene.over;
      part("new").hidden = !scene.over;
      part("again").hidden = !scene.over || !kept(this.key)?.order;
      document.title = `${this.mine() ? "Your turn: " : ""}${scene.title}, Marriage`;
    }

    mine() {
      const { scene } = this.shown;
      return scene.actor !== null && scene.actor === scene.viewer;
    }

    say(text) {
      if (this.shown) Table.say(table, text, this.clauses);
      else part("connection").textContent = text;
    }

    log(text, className = "") {
      part("lines").append(element("li", { className }, ...Table.rich(text, Table.opener(this.clauses))));
      part("log").scrollTop = part("log").scrollHeight;
    }

    /** Bring the log to what the server has: lines that stand there already stay, and are not told again. */
    logAll(earlier, lines) {
      const list = part("lines");
      const steps = () => list.querySelectorAll("li:not(.notice)").length; // notices are of no step
      if (!steps()) list.start = earlier + 1;
      const begun = list.start - 1;
      while (steps() > earlier + lines.length - begun) list.lastChild.remove();
      if (begun + steps() < earlier) {
        list.replaceChildren();
        list.start = earlier + 1;
      }
      for (const line of lines.slice(list.start - 1 + steps() - earlier)) this.log(line);
    }

    // What the player does

    act(action) {
      const { step } = this.shown;
      if (!this.upToDate() || this.answered === step) return; // a double click is one
      this.answered = step;
      this.send({ type: "act", step, action });
    }

    ask(type) {
      if (this.upToDate()) this.send({ type, step: this.shown.step });
    }
  }

  // Keys

  function pressed(event, game) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea, dialog")) return;
    if (event.key === "h") part("hint").click();
    else if (event.key === "u" && !part("undo").hidden) part("undo").click();
    else if (event.key === "?") part("keys").showModal();
    else if (event.key.startsWith("Arrow") && !event.target.closest(".own, #log")) toCards(event);
  }

  /** From anywhere on the page, an arrow key leads to what can be played. */
  function toCards(event) {
    const first = table.querySelector(".choice, .hand .legal") ?? table.querySelector(".hand button");
    if (!first) return;
    event.preventDefault();
    first.focus();
  }

  // The page

  /** What this browser keeps of a table, if it has begun it. */
  function kept(key) {
    return Kept.tables().find((table) => table.key === key);
  }

  function showLinks(key) {
    const links = kept(key)?.links ?? [];
    part("invite").hidden = !links.length;
    part("invite").open = links.length > 1; // somebody is waited for
    part("loopback").hidden = !LOOPBACK.test(location.hostname);
    part("links").replaceChildren(...links.map(({ name, key: own }) => {
      const link = element("a", { href: Kept.address(own) }, name);
      if (!navigator.clipboard) return element("li", {}, link); // there is none without https, but on this machine
      const copy = button("Copy", async () => {
        await navigator.clipboard.writeText(Kept.address(own));
        copy.textContent = "Copied";
      }, { ariaLabel: `Copy the link for ${name}` });
      return element("li", {}, link, " ", copy);
    }));
  }

  function showPaces() {
    part("pace").replaceChildren(...PACES.map(([name, pause]) => element("option", { value: pause }, name)));
    const pace = Kept.read(PACE);
    part("pace").value = PACES.some(([, pause]) => String(pause) === pace) ? pace : PACES[2][1];
    part("pace").addEventListener("change", () => Kept.write(PACE, part("pace").value));
  }

  /** The same game with the same players, at a table of its own. */
  async function playAgain(game) {
    part("again").disabled = true;
    try {
      await Kept.begin(kept(game.key).order);
    } catch (error) {
      game.say(`${error.message}.`);
    } finally {
      part("again").disabled = false;
    }
  }

  function begin() {
    showPaces();
    const key = location.hash.slice(1);
    addEventListener("hashchange", () => location.reload());
    if (!key) {
      part("connection").textContent = "This address has no key: begin a table first, or ask for a link.";
      return;
    }
    showLinks(key);
    const game = new Game(key);
    game.connect();
    part("hint").addEventListener("click", () => game.ask("hint"));
    part("undo").addEventListener("click", () => game.ask("undo"));
    part("again").addEventListener("click", () => playAgain(game));
    part("help").addEventListener("click", () => part("keys").showModal());
    part("close-keys").addEventListener("click", () => part("keys").close());
    document.addEventListener("keydown", (event) => pressed(event, game));
  }

  begin();
})();
