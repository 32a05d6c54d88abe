"""A player that searches: information-set Monte-Carlo tree search on what its seat has been shown."""

from __future__ import annotations

import hashlib
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.agents import BatchAgent, match_is_over, origin_of_all
from marriage_env.cards import NONE
from marriage_env.errors import AgentError
from marriage_env.fields import Layout
from marriage_env.game import Game
from marriage_env.knowledge import KNOWLEDGE
from marriage_env.randomness import STREAM
from marriage_env.record_arrays import new_records
from marriage_env.search_engine import NODE, ROOT, TREE
from marriage_env.table import ACTIONS

DEFAULT_PLAYOUTS = 2000
MOST_PLAYOUTS = 10_000_000
MOST_MILLISECONDS = 600_000
MOST_THREADS = 256
MOST_NODES = 200_000  # of a tree; then it grows no more
TREES = 2  # for each decision, however many threads there are, so that these do not change what is chosen
SLICE = 8  # worlds at a time, where the clock is the limit


@dataclass(frozen=True)
class Budget:
    """What a decision may cost: so many playouts, or so many seconds."""

    playouts: int | None = DEFAULT_PLAYOUTS
    seconds: float | None = None

    def nodes(self) -> int:
        """How many nodes a tree can need."""
        return MOST_NODES if self.playouts is None else min(self.playouts // TREES + ACTIONS + 1, MOST_NODES)


class SearchAgent(BatchAgent):
    """Plays what has brought most chips in playouts of worlds that agree with all its seat has seen.

    Args:
        playouts: for each decision, at most; but each tree makes one at least for each legal action.
        milliseconds: for each decision, instead of playouts; then speed counts, and moves need not repeat.
        threads: over which decisions, or the two trees of a single one, are spread.
        seed: of its choices; None for a new one each time. The move is a function of seed, playouts and observation.

    Raises AgentError for numbers that cannot be.
    """

    def __init__(
        self,
        playouts: int | None = None,
        *,
        milliseconds: int | None = None,
        threads: int = 1,
        seed: int | None = None,
    ) -> None:
        if playouts is not None and milliseconds is not None:
            raise AgentError(f"search with playouts={playouts} and milliseconds={milliseconds}: allowed is one of them")
        if milliseconds is None:
            playouts = DEFAULT_PLAYOUTS if playouts is None else playouts
            self.budget = Budget(within("playouts", playouts, MOST_PLAYOUTS))
        else:
            self.budget = Budget(None, within("milliseconds", milliseconds, MOST_MILLISECONDS) / 1000)
        self.threads = within("threads", threads, MOST_THREADS)
        self.seed(int(np.random.default_rng().integers(2**63)) if seed is None else seed)

    def seed(self, seed: int) -> None:
        """See `Agent.seed`."""
        self._key = within("seed", seed, 2**64 - 1, least=0).to_bytes(8, "little")

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`. All observations must be of one game under the same rules."""
        game, rules, layout = origin_of_all(vectors, masks, "search")
        actions = np.asarray(masks.argmax(1), np.int64)
        rows = np.flatnonzero((np.count_nonzero(masks, 1) > 1) & ~match_is_over(vectors, layout))
        game.warm_up_search()
        vectors = np.ascontiguousarray(vectors, np.float32)
        at_once = min(self.threads, TREES * len(rows))
        budget = self.budget
        if budget.seconds is not None and at_once < TREES:
            budget = Budget(None, budget.seconds / TREES)  # one tree after the other

        def grow(job: tuple[int, int]) -> NDArray[np.float64]:
            row, number = job
            return Tree(game, rules, layout, budget).grow(vectors[row], self._seed_of(vectors[row], number), masks[row])

        jobs = [(row, number) for row in rows.tolist() for number in range(TREES)]
        if at_once > 1:
            with ThreadPoolExecutor(at_once) as team:
                grown = list(team.map(grow, jobs))
        else:
            grown = [grow(job) for job in jobs]
        for index, row in enumerate(rows):
            actions[row] = best_action(sum(grown[TREES * index : TREES * (index + 1)]))  # type: ignore[arg-type]
        return actions

    def _seed_of(self, vector: NDArray[np.float32], number: int) -> int:
        """Of a decision's tree: a function of what is seen, so that it does not matter when or beside what that is."""
        digest = hashlib.blake2b(vector.tobytes(), digest_size=8, key=self._key, salt=number.to_bytes(8, "little"))
        return int.from_bytes(digest.digest(), "little")


class Tree:
    """One tree of a decision, and the worlds it is grown in."""

    def __init__(self, game: Game, rules: Any, layout: Layout, budget: Budget) -> None:
        self.game, self.at, self.budget = game, layout.at, budget
        self.tables = game.new_tables(2, rules)
        self.known, self.tree, self.stream = (new_records(1, kind) for kind in (KNOWLEDGE, TREE, STREAM))
        self.nodes = np.empty(budget.nodes(), NODE)

    def grow(self, vector: NDArray[np.float32], seed: int, allowed: NDArray[Any] | None = None) -> NDArray[np.float64]:
        """How often each action was played out, and the sum of what it brought: float64 of shape (2, 61).

        The actions that have brought less are left out by halves (sequential halving), each round having the same
        share of the budget. `allowed` is a mask that may leave out some from the start.

        Raises AgentError for an observation that nobody can have seen who is to act, or that does not go with the mask.
        """
        begun = time.perf_counter()
        self.stream[0]["seed"] = seed
        legal = self.game.open_search(vector, self.at, self.tables, self.known, self.nodes, self.tree, self.stream)
        if legal == NONE:
            raise AgentError("an observation in which its seat is not to act, or that nobody can have seen")
        candidates = [
            action for action in range(ACTIONS) if int(legal) >> action & 1 and (allowed is None or allowed[action])
        ]
        if not candidates:
            raise AgentError("an observation and a mask that do not agree: nothing is legal and allowed")
        rounds = max((len(candidates) - 1).bit_length(), 1)
        for number in range(rounds):
            self._play_round(candidates, rounds, number, begun)
            visits, totals = self.results()
            means = totals[candidates] / visits[candidates]
            order = np.argsort(-means, kind="stable")[: (len(candidates) + 1) // 2]
            if number < rounds - 1:
                candidates = sorted(candidates[place] for place in order)
        return self.results()

    def _play_round(self, candidates: list[int], rounds: int, number: int, begun: float) -> None:
        """Play out the candidates in the round's share of worlds."""
        chosen = np.uint64(sum(1 << action for action in candidates))
        if self.budget.playouts is not None:
            self._play(chosen, max(self.budget.playouts // (TREES * rounds * len(candidates)), 1))
            return
        assert self.budget.seconds is not None
        until = begun + self.budget.seconds * (number + 1) / rounds
        self._play(chosen, 1)
        while time.perf_counter() < until:
            self._play(chosen, SLICE)

    def _play(self, chosen: np.uint64, worlds: int) -> None:
        if not self.game.play_worlds(self.tables, self.known, self.nodes, self.tree, self.stream, chosen, worlds):
            raise AgentError("an observation that nobody can have seen: no cards of the others agree with it")

    def results(self) -> NDArray[np.float64]:
        """How often each action was played out so far, and the sum of what it brought: float64 of shape (2, 61)."""
        found = np.zeros((2, ACTIONS))
        child = int(self.nodes[ROOT]["child"])
        while child >= 0:
            node = self.nodes[child]
            found[:, int(node["action"])] = node["visits"], node["total"]
            child = int(node["sibling"])
        return found


def best_action(results: NDArray[np.float64]) -> int:
    """The action with the highest mean of those that were played out at least half as often as any."""
    visits, totals = results
    tried = np.flatnonzero(visits >= visits.max() / 2)
    return int(tried[np.argmax(totals[tried] / visits[tried])])


def within(name: str, value: Any, most: int, least: int = 1) -> int:
    """A whole number from `least` to `most`; AgentError otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise AgentError(f"search with {name}={value!r:.50}: allowed is a whole number from {least} to {most}")
    return int(value)


def make(argument: str | None, seed: int | None = None) -> SearchAgent:
    """The player of a name such as ``"search:2000"``, ``"search:50ms"`` or ``"search:2000,threads=2"``."""
    form = re.fullmatch(r"(?:([0-9]{1,12})(ms)?)?(?:(?:^|,)threads=([0-9]{1,6}))?", argument or "")
    if form is None:
        allowed = "'search:2000' (playouts), 'search:50ms', and with ',threads=2' to use more cores"
        raise AgentError(f"agent 'search:{argument:.50}': allowed is {allowed}")
    number, unit, threads = form.groups()
    amount = None if number is None else int(number)
    return SearchAgent(
        None if unit else amount,
        milliseconds=amount if unit else None,
        threads=int(threads or 1),
        seed=seed,
    )
