// The tables whose keys this browser keeps, so that their owner finds back to them.
"use strict";

const Kept = (() => {
  const PLACE = "marriage-tables";
  const MOST = 30;

  /** All tables: `{key, title, when, links: [{name, key}]}`, the newest first. Links are for those who were invited. */
  function tables() {
    try {
      const kept = JSON.parse(localStorage.getItem(PLACE) ?? "[]");
      return Array.isArray(kept) ? kept.filter((table) => typeof table?.key === "string" && Array.isArray(table.links)) : [];
    } catch {
      return []; // damaged, or the browser keeps nothing
    }
  }

  function write(kept) {
    try {
      localStorage.setItem(PLACE, JSON.stringify(kept.slice(0, MOST)));
    } catch {
      // the browser keeps nothing: the links still work
    }
  }

  function keep(table) {
    write([table, ...tables().filter(({ key }) => key !== table.key)]);
  }

  function forget(key) {
    write(tables().filter((table) => table.key !== key));
  }

  /** The address of a key's table. The key is behind the #, so that it is never sent with a request. */
  function address(key) {
    return `${location.origin}/table#${key}`;
  }

  return { tables, keep, forget, address };
})();
