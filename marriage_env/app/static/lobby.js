// The page on which a table is chosen: game, players, rules, and who sits where.
"use strict";

(() => {
  const { element, button } = Table;
  const { ME, GUEST } = Kept;
  const TELLING = {
    boxes: "Five cards, five boxes, trumps that the queen of hearts beats, and kings that call for their queens.",
    saucers: "All cards are dealt; rows rise to the ace. Be first to be rid of yours, and mind the staked clubs.",
  };
  const AGENTS = { rules: "plays by good habits", trained: "has learned by playing", random: "plays anything", search: "thinks ahead" };
  const NAMES = ["Ada", "Anton", "Boris", "Clara", "Dmitri", "Elena", "Felix", "Greta", "Henri", "Irina"];
  const part = (id) => document.getElementById(id);

  let choices = null;

  const clauses = {}; // of each game's rules, by numbers

  async function begin() {
    showKept();
    choices = await (await fetch("/api/choices")).json();
    for (const { name } of choices.games) clauses[name] = await (await fetch(`/api/clauses/${name}`)).json();
    part("games").replaceChildren(...choices.games.map(gameChoice));
    part("games").addEventListener("change", showGame);
    part("players").addEventListener("change", showSeats);
    part("order").addEventListener("submit", sitDown);
    part("order").addEventListener("invalid", unfold, { capture: true });
    showGame();
    part("start").disabled = false;
  }

  // The tables that this browser knows

  function showKept() {
    const tables = Kept.tables();
    part("kept").hidden = !tables.length;
    part("kept-tables").replaceChildren(...tables.map(({ key, title, when }) => {
      const link = element("a", { href: Kept.address(key) }, title);
      const forget = button("Forget", () => { Kept.forget(key); showKept(); }, { ariaLabel: `Forget ${title}` });
      return element("li", {}, link, element("span", { className: "when" }, new Date(when).toLocaleString()), forget);
    }));
  }

  // The form

  function gameChoice({ name, title }, place) {
    const radio = element("input", { type: "radio", name: "game", value: name, checked: place === 0 });
    return element("label", { className: "game" }, radio, element("strong", {}, title), element("span", {}, TELLING[name] ?? ""));
  }

  function game() {
    const chosen = new FormData(part("order")).get("game");
    return choices.games.find(({ name }) => name === chosen);
  }

  function showGame() {
    const { least, most, default: usual } = game().options.find(({ name }) => name === "players");
    const counts = Array.from({ length: most - least + 1 }, (_, more) => least + more);
    part("players").replaceChildren(...counts.map((count) => element("option", { value: count }, String(count))));
    part("players").value = usual;
    part("rules").replaceChildren(...game().options.filter(({ name }) => name !== "players").map(ruleField));
    showSeats();
  }

  function showSeats() {
    const before = seats();
    const count = Number(part("players").value);
    part("seats").replaceChildren(...Array.from({ length: count }, (_, seat) => seatField(seat, before[seat])));
  }

  function seatField(seat, before) {
    const players = [[ME, "me"], [GUEST, "someone I invite"], ...choices.agents.map((agent) => [agent, agentWords(agent)])];
    const who = element("select", { ariaLabel: `Who plays at seat ${seat + 1}`, className: "who-plays" }, ...players.map(([value, text]) => element("option", { value }, text)));
    who.value = before?.player ?? (seat === 0 ? ME : choices.agents[0]);
    who.addEventListener("change", () => { if (who.value === ME) onlyMe(who); });
    const name = element("input", {
      ariaLabel: `Name at seat ${seat + 1}`, className: "name-of", value: before?.name ?? NAMES[seat], maxLength: choices.longest_name, required: true,
    });
    return element("li", {}, name, who);
  }

  function agentWords(agent) {
    return `${agent}: ${AGENTS[agent.split(":")[0]] ?? "an agent"}`;
  }

  /** There is one seat for me: whoever else was me becomes a guest. */
  function onlyMe(mine) {
    for (const other of part("seats").querySelectorAll("select")) {
      if (other !== mine && other.value === ME) other.value = GUEST;
    }
  }

  function seats() {
    return [...part("seats").children].map((seat) => ({
      player: seat.querySelector("select").value, name: seat.querySelector("input").value,
    }));
  }

  function ruleField(option) {
    const id = `rule-${option.name}`;
    const control = ruleControl(option);
    Object.assign(control, { id, name: option.name });
    control.setAttribute("aria-describedby", `${id}-help`);
    const label = element("label", { htmlFor: id }, option.name.replaceAll("_", " "));
    return element("div", { className: "rule" }, label, control, element("p", { id: `${id}-help` }, ...Table.rich(option.help, Table.opener(clauses[game().name]))));
  }

  function ruleControl(option) {
    if (option.kind === "whole" || option.kind === "rate") {
      const step = option.kind === "rate" ? "any" : 1;
      return element("input", { type: "number", min: option.least, max: option.most, step, value: option.default, required: true });
    }
    const usual = option.default === null ? [element("option", { value: "null" }, "as usual")] : [];
    const words = (value) => value === true ? "yes" : value === false ? "no" : String(value).replaceAll("_", " ");
    const allowed = option.allowed.map((value) => element("option", { value: JSON.stringify(value) }, words(value)));
    const made = element("select", {}, ...usual, ...allowed);
    made.value = JSON.stringify(option.default);
    return made;
  }

  /** What is to be mended must be seen: a field in closed details gets no message from the browser. */
  function unfold({ target }) {
    const closed = target.closest("details");
    if (closed) closed.open = true;
  }

  function chosen(control) {
    return control.type === "number" ? control.valueAsNumber : JSON.parse(control.value);
  }

  /** The rules that were changed; the server knows the others. */
  function rules() {
    const asked = { players: Number(part("players").value) };
    for (const option of game().options) {
      const control = part(`rule-${option.name}`);
      const value = control && chosen(control);
      if (control && value !== option.default) asked[option.name] = value;
    }
    return asked;
  }

  // To the table

  async function sitDown(event) {
    event.preventDefault();
    part("wrong").textContent = "";
    part("start").disabled = true;
    try {
      await Kept.begin({ game: game().name, title: game().title, rules: rules(), seats: seats() });
    } catch (error) {
      part("wrong").textContent = error.message;
    } finally {
      part("start").disabled = false;
    }
  }

  addEventListener("pageshow", ({ persisted }) => { if (persisted) showKept(); }); // come back to, as it was left
  begin().catch((error) => { part("wrong").textContent = `The server does not answer: ${error.message}`; });
})();
