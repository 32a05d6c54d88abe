// A recorded match, stepped through: its moments lie in the page, compressed, as scenes in which all hands are seen, or
// those of one viewer alone.
"use strict";

(() => {
  const PACES = [["slow", 2500], ["steady", 1200], ["fast", 400]];

  /** The scenes of the match: JSON, compressed, as text. */
  async function unpacked() {
    const packed = atob(document.getElementById("match").textContent.trim());
    const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  /** A scene as one seat sees it: of the other hands, only what all know. */
  function asSeenBy(scene, viewer) {
    if (viewer === "all") return scene;
    const players = scene.players.map((player) => player.seat === viewer ? player : {
      ...player, hand: player.open, hidden: player.hidden + player.hand.length - player.open.length,
    });
    const own = scene.actor === viewer;
    return { ...scene, viewer, players, choices: own ? scene.choices : [], refusals: own ? scene.refusals : {} };
  }

  function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  function option(value, text) {
    return element("option", { value, textContent: text });
  }

  function labelled(text, control) {
    return element("label", {}, `${text} `, control);
  }

  class Replay {
    constructor(root, scenes) {
      this.scenes = scenes;
      this.step = 0;
      this.timer = null;
      this.table = element("section", { className: "table-place", ariaLabel: "The table" });
      this.ledger = element("tbody");
      root.replaceChildren(this.controls(), this.table, this.ledgerSection());
      document.addEventListener("keydown", (event) => this.key(event));
      this.show(0);
    }

    controls() {
      const last = this.scenes.length - 1;
      this.slider = element("input", { type: "range", min: 0, max: last, value: 0 });
      this.slider.addEventListener("input", () => { this.pause(); this.show(Number(this.slider.value)); });
      this.where = element("output", { className: "where" });
      this.playing = element("button", { type: "button", textContent: "Play" });
      this.playing.addEventListener("click", () => this.timer === null ? this.play() : this.pause());
      this.viewer = element("select", {}, ...this.viewers());
      this.viewer.addEventListener("change", () => this.show(this.step));
      this.pace = element("select", {}, ...PACES.map(([name, pause]) => option(pause, name)));
      this.pace.value = PACES[1][1];
      this.pace.addEventListener("change", () => { if (this.timer !== null) this.play(); });
      return element("nav", { className: "replay-controls", ariaLabel: "Steps" },
        this.button("First", () => 0), this.button("Back", () => this.step - 1), this.playing,
        this.button("On", () => this.step + 1), this.button("Last", () => last),
        labelled("Step", this.slider), this.where, labelled("Shown:", this.viewer), labelled("Pace", this.pace));
    }

    /** Whose cards can be shown: anybody's where the page has them all, or else those it was written with. */
    viewers() {
      const { viewer, players } = this.scenes[0];
      const seats = players.map((player) => option(player.seat, `${player.name}'s cards`));
      if (viewer === "all") return [option("all", "all cards"), ...seats];
      return [viewer === null ? option("all", "cards of whoever is to act") : seats[viewer]];
    }

    button(text, step) {
      const made = element("button", { type: "button", textContent: text });
      made.addEventListener("click", () => { this.pause(); this.show(step()); });
      return made;
    }

    ledgerSection() {
      const heads = ["step", "from", "to", "chips", "why", "clause"].map((head) => element("th", { scope: "col", textContent: head }));
      const caption = element("caption", { textContent: "Ledger: every payment up to this step" });
      const table = element("table", {}, caption, element("thead", {}, element("tr", {}, ...heads)), this.ledger);
      const place = element("section", { className: "ledger", tabIndex: 0, ariaLabel: "Ledger" }, table);
      return place;
    }

    play() {
      this.pause();
      if (this.step === this.scenes.length - 1) this.show(0);
      this.timer = setInterval(() => {
        this.show(this.step + 1);
        if (this.step === this.scenes.length - 1) this.pause();
      }, Number(this.pace.value));
      this.playing.textContent = "Pause";
    }

    pause() {
      clearInterval(this.timer);
      this.timer = null;
      this.playing.textContent = "Play";
    }

    show(step) {
      this.step = Math.max(0, Math.min(step, this.scenes.length - 1));
      const viewer = this.viewer.value === "all" ? "all" : Number(this.viewer.value);
      const scene = asSeenBy(this.scenes[this.step], viewer);
      Table.draw(this.table, scene);
      this.slider.value = this.step;
      this.where.textContent = `${this.step} of ${this.scenes.length - 1}`;
      this.ledger.replaceChildren(...this.rows());
    }

    rows() {
      // the first step tells the contributions again, which the deal before it has told
      const steps = this.scenes.slice(0, this.step + 1).map((scene, step) => [step, scene.transfers]);
      const told = this.step > 0 ? steps.slice(1) : steps;
      return told.flatMap(([step, transfers]) => transfers.map((paid) => this.row(step, paid))).reverse();
    }

    row(step, paid) {
      const cells = [step, this.parties(paid.payers), this.parties(paid.payees), paid.chips, paid.reason, paid.clause];
      return element("tr", {}, ...cells.map((cell) => element("td", { textContent: cell })));
    }

    parties(parties) {
      const names = this.scenes[0].players.map((player) => player.name);
      return parties.map((party) => typeof party === "number" ? names[party] : party).join(", ");
    }

    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select, button")) return;
      const steps = { ArrowRight: this.step + 1, ArrowLeft: this.step - 1, Home: 0, End: this.scenes.length - 1 };
      if (event.key in steps) {
        this.pause();
        this.show(steps[event.key]);
      } else if (event.key === " ") {
        this.playing.click();
      } else {
        return;
      }
      event.preventDefault();
    }
  }

  unpacked().then((scenes) => new Replay(document.getElementById("replay"), scenes));
})();
