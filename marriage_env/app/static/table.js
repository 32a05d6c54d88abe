// Draws a table as its viewer sees it: a scene, as `Scene.as_dict()` tells it. It knows neither server nor replay.
"use strict";

const Table = (() => {
  const RANKS = {
    2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten",
    J: "jack", Q: "queen", K: "king", A: "ace",
  };
  const SUITS = {
    C: { name: "clubs", sign: "♣", shape: "M50 5a21 21 0 0 1 17 34a22 22 0 1 1-12 34q2 16 13 23h-36q11-7 13-23a22 22 0 1 1-12-34a21 21 0 0 1 17-34z" },
    D: { name: "diamonds", sign: "♦", shape: "M50 3q13 25 35 47q-22 22-35 47q-13-25-35-47q22-22 35-47z" },
    H: { name: "hearts", sign: "♥", shape: "M50 93c-10-16-45-38-45-64c0-14 10-24 23-24c11 0 19 7 22 17c3-10 11-17 22-17c13 0 23 10 23 24c0 26-35 48-45 64z" },
    S: { name: "spades", sign: "♠", shape: "M50 4c9 18 44 34 44 58c0 13-9 22-20 22c-9 0-16-5-19-12q2 17 13 24h-36q11-7 13-24c-3 7-10 12-19 12c-11 0-20-9-20-22c0-24 35-40 44-58z" },
  };
  // What sets the courts apart beside their letters: a crown, a coronet, a feathered cap.
  const HEADGEAR = {
    K: "M10 88V30l20 26L50 12l20 44l20-26v58z",
    Q: "M12 88L8 42l20 18l8-34l14 26l14-26l8 34l20-18l-4 46zM36 10a7 7 0 1 1-.1 0zM64 10a7 7 0 1 1-.1 0z",
    J: "M8 84q4-40 44-44q34 2 40 44zM58 42q6-34 34-36q-2 30-26 44z",
  };
  const SIGNS = /(10|[2-9JQKA])([♣♦♥♠])|\((\d\.\d)\)/g;
  const MOST_DISCS = 6;
  const MOST_IN_ROW = 8; // of another's cards that are seen
  const SVG = "http://www.w3.org/2000/svg";

  /** What is remembered of each table that has been drawn: its parts, and the scene it shows. */
  const drawn = new WeakMap();

  // Elements

  function element(name, properties = {}, ...children) {
    const { dataset, ...rest } = properties;
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(rest)) {
      if (key in made && key !== "role") made[key] = value;
      else made.setAttribute(key, value);
    }
    Object.assign(made.dataset, dataset);
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  }

  function shape(path, className) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 100 100");
    svg.setAttribute("class", className);
    svg.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", path);
    svg.append(line);
    return svg;
  }

  function button(text, act, properties = {}) {
    const made = element("button", { type: "button", ...properties }, text);
    made.addEventListener("click", act);
    return made;
  }

  function hiddenWords(text) {
    return element("span", { className: "for-ears" }, text);
  }

  function signed(chips) {
    return chips > 0 ? `+${chips}` : chips < 0 ? `−${-chips}` : "0";
  }

  // Cards

  function cardWords(card) {
    return `${RANKS[card[0]]} of ${SUITS[card[1]].name}`;
  }

  function rankSign(card) {
    return card[0] === "T" ? "10" : card[0];
  }

  function colour(card) {
    return "DH".includes(card[1]) ? "red" : "black";
  }

  /** What is printed on a card. */
  function face(card) {
    const suit = SUITS[card[1]].shape;
    const index = element("span", { className: "index" }, rankSign(card), shape(suit, "suit"));
    const middle = element("span", { className: "pip" });
    if (card[0] in HEADGEAR) middle.append(shape(HEADGEAR[card[0]], "headgear"));
    middle.append(shape(suit, "suit"));
    for (const part of [index, middle]) part.setAttribute("aria-hidden", "true");
    return [index, middle];
  }

  /** A card to look at. */
  function picture(card, className = "") {
    const made = element("span", { className: `card ${colour(card)} ${className}`, role: "img", dataset: { card } });
    made.setAttribute("aria-label", cardWords(card));
    made.append(...face(card));
    return made;
  }

  function back() {
    return element("span", { className: "card back", role: "presentation" });
  }

  /** The cards of another player: those seen, and backs. */
  function fan(player) {
    const hidden = player.hidden ? `${player.hidden} unseen` : "";
    const words = [...player.hand.map(cardWords), hidden].filter(Boolean).join(", ");
    const cards = [...player.hand.map((card) => picture(card)), ...Array.from({ length: player.hidden }, back)];
    const slots = cards.map((card) => element("span", { className: card.classList.contains("back") ? "slot" : "slot seen" }, card));
    const made = element("div", { className: player.hand.length > MOST_IN_ROW ? "fan many" : "fan", role: "img" }, ...slots);
    made.setAttribute("aria-label", words ? `holds ${words}` : "holds no cards");
    return made;
  }

  // Texts

  /** A text whose cards are coloured and can be heard, and whose clause numbers open the clause. */
  function rich(text, showClause = null) {
    const nodes = [];
    let end = 0;
    for (const found of text.matchAll(SIGNS)) {
      nodes.push(text.slice(end, found.index));
      end = found.index + found[0].length;
      nodes.push(found[3] ? clauseLink(found[3], showClause) : cardSign(found[1], found[2]));
    }
    nodes.push(text.slice(end));
    return nodes.filter(Boolean);
  }

  /** A text as a sentence; the names of players stay as they are. */
  function sentence(text, players) {
    const named = players.some(({ name }) => text.startsWith(name));
    return `${named ? text[0] : text[0].toUpperCase()}${text.slice(1)}.`;
  }

  function cardSign(rank, sign) {
    const suit = Object.keys(SUITS).find((letter) => SUITS[letter].sign === sign);
    const card = (rank === "10" ? "T" : rank) + suit;
    const made = element("span", { className: `sign ${colour(card)}`, role: "img" }, rank + sign);
    made.setAttribute("aria-label", cardWords(card));
    return made;
  }

  function clauseLink(number, showClause) {
    if (showClause === null) return `(${number})`;
    const made = button(`(${number})`, () => showClause(number), { className: "clause-link" });
    made.setAttribute("aria-label", `why? rule ${number}`);
    return made;
  }

  /** Open a clause of the rules; `clauses`: their texts by number. */
  function clause(number, clauses) {
    const dialog = element("dialog", { className: "clause", ariaLabel: `Rule ${number}` });
    const close = button("Close", () => dialog.close());
    dialog.append(element("h2", {}, `Rule ${number}`), ...markdown(clauses[number] ?? "There is no such rule."), close);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  /** What opens a clause, given the texts of all; null without them. */
  function opener(clauses) {
    return clauses ? (number) => clause(number, clauses) : null;
  }

  /** The rulebook's Markdown, as far as it goes: paragraphs, tables, lists; bold, slanted, and code. */
  function markdown(text) {
    return text.split(/\n\s*\n/).map((block) => {
      const lines = block.split("\n");
      if (lines[0].startsWith("|")) return tableOf(lines);
      if (/^[-*] /.test(lines[0])) return element("ul", {}, ...block.split(/\n?^[-*] /m).filter(Boolean).map((item) => element("li", {}, ...inline(item))));
      return element("p", {}, ...inline(block));
    });
  }

  function tableOf(lines) {
    const cells = (line) => line.replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
    const row = (line, kind) => element("tr", {}, ...cells(line).map((cell) => element(kind, {}, ...inline(cell))));
    const [head, , ...body] = lines;
    return element("table", {}, element("thead", {}, row(head, "th")), element("tbody", {}, ...body.map((line) => row(line, "td"))));
  }

  function inline(text) {
    const kinds = { "*": "em", "**": "strong", "`": "code" };
    return text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).map((part) => {
      const mark = /^(\*\*|\*|`)/.exec(part);
      return mark ? element(kinds[mark[0]], {}, part.slice(mark[0].length, -mark[0].length)) : part;
    });
  }

  // Parts of the table

  function stack(chips) {
    const made = element("span", { className: "chips" });
    const discs = element("span", { className: "discs" });
    discs.setAttribute("aria-hidden", "true");
    for (let disc = 0; disc < Math.min(chips, MOST_DISCS); disc += 1) discs.append(element("span", { className: "disc" }));
    made.append(discs, element("span", { className: "number" }, String(chips)), hiddenWords(chips === 1 ? " chip" : " chips"));
    return made;
  }

  function pot(pot) {
    const kind = pot.card ? "staked" : pot.title.endsWith("saucer") ? "saucer" : "box";
    const title = element("span", { className: "pot-title" }, ...(pot.card ? [] : [pot.title.replace(" saucer", "")]));
    if (kind === "saucer") title.append(hiddenWords(" saucer"));
    if (kind === "box") title.append(hiddenWords(" box"));
    const made = element("li", { className: `pot ${kind}`, dataset: { pot: pot.name } });
    if (pot.card) made.append(picture(pot.card, "small"));
    else made.append(title);
    made.append(stack(pot.chips));
    return made;
  }

  function mark(word) {
    return element("span", { className: `mark ${word.replaceAll(" ", "-")}` }, word);
  }

  function seat(player, scene, label = "", change = 0) {
    const own = player.seat === scene.viewer;
    const made = element("li", { className: "seat", dataset: { seat: player.seat } });
    made.classList.toggle("acting", player.acting);
    made.classList.toggle("own-seat", own);
    made.append(
      element("div", { className: "who" }, element("strong", { className: "name", title: player.name }, player.name),
        element("span", { className: "label" }, label)),
      element("div", { className: "account" }, ...account(player, scene)),
      element("div", { className: "marks" }, ...["dealer", "eldest"].filter((role) => player[role]).map(mark),
        player.acting ? mark("to act") : null, isBest(player, scene) ? mark("best") : null),
    );
    if (!own) made.append(fan(player));
    const said = [...player.claims, ...(player.passed ? ["passed"] : [])];
    if (said.length) made.append(element("div", { className: "claims", title: said.join(", ") }, hiddenWords("declared: "), said.join(", ")));
    if (change) made.append(element("span", { className: `change ${change > 0 ? "won" : "lost"}`, ariaHidden: "true" }, signed(change)));
    return made;
  }

  /** Whether a player has come out best in the match. */
  function isBest(player, scene) {
    return scene.over && scene.players.every(({ balance }) => balance <= player.balance);
  }

  function account(player, scene) {
    const noun = player.count === 1 ? scene.counted.replace(/s$/, "") : scene.counted;
    const parts = [
      element("span", { className: "balance" }, hiddenWords("balance "), signed(player.balance)),
      element("span", { className: "count" }, `${player.count} ${noun}`),
    ];
    if (scene.deals > 1) parts.splice(1, 0, element("span", { className: "gain" }, `${signed(player.gain)} this deal`));
    return parts;
  }

  /** Where the others sit: some at the left, some across, as many at the right. In hundredths of the board. */
  function places(count) {
    const side = count < 6 ? 1 : count < 9 ? 2 : 3;
    const across = Math.max(0, count - 2 * side);
    const heights = { 1: [42], 2: [64, 33], 3: [77, 51, 25] }[side];
    const left = heights.map((height) => [10, height]);
    const right = heights.map((height) => [90, height]).reverse();
    const top = Array.from({ length: across }, (_, place) => {
      const x = across === 1 ? 50 : 29 + (42 * place) / (across - 1);
      return [across > 3 ? 23 + (54 * place) / (across - 1) : x, 10];
    });
    return [...left, ...top, ...right].slice(0, count);
  }

  function seats(scene, options, before) {
    const bottom = typeof scene.viewer === "number" ? scene.viewer : 0;
    const count = scene.players.length;
    const round = scene.players.map((_, place) => scene.players[(bottom + place) % count]);
    const spots = [[50, bottom === scene.viewer ? 91 : 88], ...places(count - 1)];
    return round.map((player, place) => {
      const earlier = before?.players[player.seat];
      const made = seat(player, scene, options.labels?.[player.seat], earlier ? player.balance - earlier.balance : 0);
      made.style.setProperty("--x", `${spots[place][0]}%`);
      made.style.setProperty("--y", `${spots[place][1]}%`);
      return made;
    });
  }

  function middle(scene, showClause) {
    const parts = [element("ul", { className: "pots", ariaLabel: scene.game === "boxes" ? "Boxes" : "Staked cards and saucers" }, ...scene.pots.map(pot))];
    if (scene.turn_up) {
      const trumps = element("span", { className: "trumps" }, `${scene.trumps} are trumps`);
      parts.push(element("div", { className: "turn-up" }, picture(scene.turn_up, "small"), trumps));
    }
    parts.push(element("div", { className: "played" }, ...played(scene, showClause)));
    return parts;
  }

  function played(scene, showClause) {
    if (!scene.played.length) return [];
    const cards = scene.played.map(({ seat: by, card }) => {
      const name = scene.players[by].name;
      return element("li", {}, picture(card, "laid"), element("span", { className: "by", title: name }, name));
    });
    const title = element("h3", {}, scene.played_title, scene.outcome ? element("span", { className: "outcome" }, " · ", ...rich(scene.outcome, showClause)) : null);
    return [title, element("ol", { className: "row" }, ...cards)];
  }

  function happening(scene, showClause) {
    const paid = scene.paid.map((text) => element("li", {}, ...rich(sentence(text, scene.players), showClause)));
    return [
      element("p", { className: "last" }, ...rich(sentence(scene.last, scene.players), showClause)),
      element("ul", { className: "paid", ariaLabel: "Payments of the last step" }, ...paid),
    ];
  }

  // The viewer's own cards and claims

  function own(scene, options, say) {
    const player = scene.players[scene.viewer];
    const moves = Object.fromEntries(scene.choices.map((choice) => [choice.name, choice]));
    const cards = player.hand.map((card) => element("span", { className: "slot" }, handCard(card, scene, moves[card], options, say)));
    const others = scene.choices.filter((choice) => !player.hand.includes(choice.name));
    const actions = others.map((choice) => button(choice.words, () => options.onAct?.(choice.action), {
      className: "choice", dataset: { focus: choice.name, action: choice.action },
    }));
    return {
      actions,
      hand: cards.length ? cards : [element("p", { className: "no-cards" }, "No cards in your hand.")],
    };
  }

  function handCard(card, scene, choice, options, say) {
    const why = choice ? "" : scene.refusals[card] ?? (scene.over ? "the match is over" : `it is not your turn: ${scene.now}`);
    const act = () => choice ? options.onAct?.(choice.action) : say(`Not ${rankSign(card)}${SUITS[card[1]].sign}: ${why}.`);
    const made = button("", act, { className: `card ${colour(card)} ${choice ? "legal" : "illegal"}`, dataset: { focus: card, card } });
    if (choice) made.dataset.action = choice.action;
    made.setAttribute("aria-disabled", choice ? "false" : "true");
    const open = scene.players[scene.viewer].open.includes(card) ? ", seen by all" : "";
    made.setAttribute("aria-label", `${cardWords(card)}${open}`);
    if (open) made.classList.add("open");
    made.append(...face(card));
    return made;
  }

  /** The arrow keys go from card to card and from claim to claim. */
  function arrows(event) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const stops = [...event.currentTarget.querySelectorAll("button[data-focus]")];
    const here = stops.indexOf(document.activeElement);
    if (here < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const there = event.key === "Home" ? 0 : event.key === "End" ? stops.length - 1 : here + (steps[event.key] ?? 0);
    if (there === here) return;
    event.preventDefault();
    event.stopPropagation();
    stops[(there + stops.length) % stops.length].focus();
  }

  // The whole

  /** The parts of a table that stay as they are, while what is in them changes. */
  function build(root) {
    const parts = {
      title: element("h2", { className: "title" }),
      seats: element("ol", { className: "seats", ariaLabel: "Players" }),
      middle: element("div", { className: "middle" }),
      happening: element("div", { className: "happening" }),
      now: element("p", { className: "now", role: "status" }),
      say: element("p", { className: "say", role: "status" }),
      actions: element("div", { className: "actions", role: "group", ariaLabel: "What you may do" }),
      hand: element("div", { className: "hand", role: "group", ariaLabel: "Your cards" }),
    };
    parts.own = element("section", { className: "own", ariaLabel: "Your hand", tabIndex: -1 }, parts.say, parts.actions, parts.hand);
    parts.own.addEventListener("keydown", arrows);
    const board = element("div", { className: "board" }, element("div", { className: "felt" }), parts.seats, parts.middle);
    root.classList.add("table");
    root.replaceChildren(parts.title, board, element("div", { className: "news" }, parts.happening, parts.now), parts.own);
    return parts;
  }

  /** Put the focus back where it was; if that card is gone, on its neighbour; else on the hand as a whole. */
  function restoreFocus(parts, focused, place) {
    const stops = [...parts.own.querySelectorAll("button[data-focus]")];
    const same = stops.find((stop) => stop.dataset.focus === focused);
    (same ?? stops[Math.min(place, stops.length - 1)] ?? parts.own).focus({ preventScroll: true });
  }

  /**
   * Draw a scene in `root`, which is the table's alone.
   *
   * Options, each of which can be missing: `onAct(action)`: the viewer has chosen; `clauses`: the texts of the rules by
   * their numbers, for "why?"; `labels`: what is said beside the players' names, by seats.
   */
  function draw(root, scene, options = {}) {
    const state = drawn.get(root) ?? { parts: build(root), scene: null };
    const { parts } = state;
    const why = opener(options.clauses);
    const active = parts.own.contains(document.activeElement) ? document.activeElement : null;
    const place = [...parts.own.querySelectorAll("button[data-focus]")].indexOf(active);
    const seated = typeof scene.viewer === "number";
    const mine = seated && scene.actor === scene.viewer;

    root.dataset.game = scene.game;
    root.dataset.players = scene.players.length;
    root.classList.toggle("my-turn", mine);
    root.classList.toggle("over", scene.over);
    parts.title.textContent = `${scene.title} · deal ${scene.deal} of ${scene.deals}`;
    parts.seats.replaceChildren(...seats(scene, options, state.scene));
    parts.middle.replaceChildren(...middle(scene, why));
    parts.happening.replaceChildren(...happening(scene, why));
    parts.now.replaceChildren(...rich(`${mine && options.onAct ? "Your turn: " : ""}${sentence(scene.now, scene.players)}`, why));
    parts.own.hidden = !seated;
    if (seated) {
      const held = own(scene, options, (text) => parts.say.replaceChildren(...rich(text, why)));
      parts.say.replaceChildren();
      parts.actions.replaceChildren(...held.actions);
      parts.hand.replaceChildren(...held.hand);
      if (active) restoreFocus(parts, active.dataset.focus, Math.max(place, 0));
    }
    drawn.set(root, { parts, scene });
  }

  /** Show a message to the viewer beside the cards, with cards and clauses as in all texts. */
  function say(root, text, clauses = null) {
    const { parts } = drawn.get(root);
    parts.say.replaceChildren(...rich(text, opener(clauses)));
  }

  /** Show on the viewer's cards and claims how likely an agent would choose each: `[{action, chance}]`. */
  function hint(root, choices) {
    for (const { action, chance } of choices) {
      const place = root.querySelector(`button[data-action="${Number(action)}"]`);
      if (place) place.dataset.chance = percent(chance);
    }
  }

  function percent(chance) {
    return chance < 0.01 ? "<1 %" : `${Math.round(100 * chance)} %`;
  }

  return { draw, say, hint, percent, rich, opener, element, button };
})();
