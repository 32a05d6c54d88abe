// The tables whose keys this browser keeps, so that their owner finds back to them; and how one is begun.
"use strict";

const Kept = (() => {
  const PLACE = "marriage-tables";
  const MOST = 30;
  const ME = "me"; // beside the names of agents: who sits here, and who is sent a link
  const GUEST = "guest";

  /** What is kept at a place, as text; null if nothing is. */
  function read(place) {
    try {
      return localStorage.getItem(place);
    } catch {
      return null; // the browser keeps nothing
    }
  }

  function write(place, text) {
    try {
      localStorage.setItem(place, text);
    } catch {
      // the browser keeps nothing: the links still work
    }
  }

  /**
   * All tables, the newest first: `{key, title, when, links: [{name, key}], order}`. Links are for those who were
   * invited; the order is what `begin` was called with.
   */
  function tables() {
    try {
      const kept = JSON.parse(read(PLACE) ?? "[]");
      return Array.isArray(kept) ? kept.filter((table) => typeof table?.key === "string" && Array.isArray(table.links)) : [];
    } catch {
      return []; // damaged
    }
  }

  function keep(table) {
    const others = tables().filter(({ key }) => key !== table.key);
    write(PLACE, JSON.stringify([table, ...others].slice(0, MOST)));
  }

  function forget(key) {
    write(PLACE, JSON.stringify(tables().filter((table) => table.key !== key)));
  }

  /**
   * Set up a table, keep its keys, and go there: to my seat, or to look on if I have none.
   *
   * `order`: `{game, title, rules, seats: [{player, name}]}`, where a player is `ME`, `GUEST`, or an agent.
   */
  async function begin(order) {
    const { game, title, rules, seats } = order;
    const asked = seats.map(({ player, name }) => ({ player: [ME, GUEST].includes(player) ? "human" : player, name }));
    const response = await fetch("/api/tables", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ game, rules, seats: asked }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error);
    const key = answer.keys[seats.findIndex(({ player }) => player === ME)] ?? answer.keys.watch;
    const guests = seats.flatMap(({ player, name }, seat) => player === GUEST ? [{ name, key: answer.keys[seat] }] : []);
    const links = [...guests, { name: "who only looks on", key: answer.keys.watch }];
    keep({ key, title: `${title}: ${seats.map(({ name }) => name).join(", ")}`, when: Date.now(), links, order });
    location.assign(address(key));
  }

  /** The address of a key's table. The key is behind the #, so that it is never sent with a request. */
  function address(key) {
    return `${location.origin}/table#${key}`;
  }

  return { ME, GUEST, read, write, tables, forget, address, begin };
})();
