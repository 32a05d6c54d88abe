"""What a tournament plays: its line-ups, and blocks of deals that depend on each other only in who is still asked."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.duplicate import ordered_by_place, places_at, play_lineups
from experiments.match_records import told
from experiments.referee import Conduct, Referee
from marriage_env import Agent
from marriage_env.games import rule_options
from marriage_env.records import Record

DEALS_AT_ONCE = 20  # in a block; with all rotations, no more tables than play_lineups plays side by side
PAIRS, MIXED, COMPANIES, SUBSTITUTES, AGENTS = range(5)  # what is drawn from the tournament's seed, each by itself


@dataclass(frozen=True)
class Tournament:
    """What makes a tournament: the same again, the same results, as far as the agents repeat themselves.

    Attributes:
        game, rules: what is played; all rule options by name.
        agents: their names, no two the same.
        deals: for each line-up.
        seed: of deals, companies and the agents' own choices.
        time_limit: seconds an agent is given for a decision.
    """

    game: str
    rules: Mapping[str, Any]
    agents: tuple[str, ...]
    deals: int
    seed: int
    time_limit: float

    @property
    def seats(self) -> int:
        """How many play at a table."""
        return int(rule_options(self.game, dict(self.rules)).players)

    def drawn(self, what: int, block: int) -> int:
        """A seed for a block of deals."""
        return int(np.random.SeedSequence([self.seed, what, block]).generate_state(1, np.uint64)[0])

    def agent_seed(self, number: int) -> int:
        """A seed that every library takes, to make an agent with: not the tournament's, which tells all deals."""
        return self.drawn(AGENTS, number) % 2**32


class Part(NamedTuple):
    """A block of deals of one line-up: what is played, and kept, whole or not at all.

    Attributes:
        agent, company: numbers of who sits at one seat, and of who sits at all others; None at mixed tables.
        block: the deals ``DEALS_AT_ONCE * block`` and on.
    """

    agent: int | None
    company: int | None
    block: int

    @property
    def name(self) -> str:
        """Fit for a file."""
        who = "mixed" if self.agent is None else f"{self.agent}-among-{self.company}"
        return f"{who}-{self.block}"

    def line_up(self, agents: Sequence[str]) -> str:
        """Who plays, in words."""
        if self.agent is None or self.company is None:
            return "mixed"
        return f"{agents[self.agent]} among {agents[self.company]}"


class Result(NamedTuple):
    """How a part came out.

    Attributes:
        lineups: int64 (deals, seats), the agent at each place.
        chips: float64 (deals, rotations, seats), chips per deal by places; those who forfeited are last.
        forfeited: bool of the same shape.
        conduct: of each agent that was asked, by his number.
        records: of all matches, deal by deal, if they were wanted.
    """

    lineups: NDArray[np.int64]
    chips: NDArray[np.float64]
    forfeited: NDArray[np.bool_]
    conduct: dict[int, Conduct]
    records: tuple[Record, ...] = ()


def parts(tournament: Tournament) -> list[Part]:
    """All that is played, in order."""
    numbers = range(len(tournament.agents))
    blocks = range(-(-tournament.deals // DEALS_AT_ONCE))
    lineups: list[tuple[int | None, int | None]] = [*itertools.product(numbers, numbers), (None, None)]
    return [Part(*lineup, block) for block in blocks for lineup in lineups]


def lineups_of(tournament: Tournament, part: Part) -> NDArray[np.int64]:
    """The agent at each place of each deal, (deals, seats)."""
    deals = slice(part.block * DEALS_AT_ONCE, min((part.block + 1) * DEALS_AT_ONCE, tournament.deals))
    if part.agent is None:
        return companies(tournament)[deals]
    lineup = [part.agent, *[part.company] * (tournament.seats - 1)]
    return np.tile(np.array(lineup, np.int64), (deals.stop - deals.start, 1))


def companies(tournament: Tournament) -> NDArray[np.int64]:
    """Who meets at the mixed tables, (deals, seats): drawn from shuffled decks of all agents, one after the other."""
    random = np.random.default_rng([tournament.seed, COMPANIES])
    seats, agents = tournament.deals * tournament.seats, len(tournament.agents)
    decks = [random.permutation(agents) for _ in range(-(-seats // agents))]
    return np.concatenate(decks)[:seats].reshape(tournament.deals, tournament.seats).astype(np.int64)


def rotations_of(tournament: Tournament, part: Part) -> int:
    """How often a deal is played: where one agent has all seats, every rotation would be the same match again."""
    return 1 if part.agent is not None and part.agent == part.company else tournament.seats


def matches_of(tournament: Tournament, part: Part) -> int:
    """How many matches a part has."""
    return len(lineups_of(tournament, part)) * rotations_of(tournament, part)


def play(
    tournament: Tournament,
    agents: Sequence[Agent],
    part: Part,
    unasked: Collection[int] = (),
    *,
    with_records: bool = False,
) -> Result:
    """Play a part, in which some agents may not be asked. All line-ups of two agents have the same deals.

    The agents are seeded for it: what was played before makes no difference to those who repeat their play by a seed.
    """
    lineups, rotations = lineups_of(tournament, part), rotations_of(tournament, part)
    deals, seats = lineups.shape
    numbers = list(dict.fromkeys(lineups.ravel().tolist()))
    players = [agents[number] for number in numbers]
    seated = np.zeros(len(agents), np.int64)
    seated[numbers] = np.arange(len(numbers))
    shape, substitutes = (deals * rotations, seats), tournament.drawn(SUBSTITUTES, part.block)
    silent = [place for place, number in enumerate(numbers) if number in unasked]
    referee = Referee(players, shape, tournament.time_limit, substitutes, silent)
    seed = tournament.drawn(MIXED if part.agent is None else PAIRS, part.block)
    game, rules = tournament.game, tournament.rules
    records: dict[int, Record] = {}

    def keep(match: int, record: Record) -> None:
        deal, rotation = divmod(match, rotations)
        names = [tournament.agents[number] for number in lineups[deal, places_at(seats)[rotation]]]
        about = about_match(tournament, part, deal, rotation, np.flatnonzero(referee.forfeited[match]))
        records[match] = told(record, names, about)

    chips = play_lineups(
        game,
        rules,
        players,
        seated[lineups],
        seed,
        rotations=rotations,
        ask=referee.ask,
        keep=keep if with_records else None,
    )
    forfeited = ordered_by_place(referee.forfeited.reshape(deals, rotations, seats))
    chip = 1 / rule_options(game, dict(rules)).deals
    conduct = dict(zip(numbers, referee.conduct, strict=True))
    kept = tuple(records[match] for match in sorted(records))
    return Result(lineups, settled(chips, forfeited, chip), forfeited, conduct, kept)


def about_match(
    tournament: Tournament, part: Part, deal: int, rotation: int, forfeited: NDArray[np.int64]
) -> dict[str, Any]:
    """What the record of a match says about it: which of the tournament's it is, and who has forfeited it."""
    about = {
        "tournament seed": tournament.seed,
        "line-up": part.line_up(tournament.agents),
        "deal": part.block * DEALS_AT_ONCE + deal,
        "rotation": rotation,
    }
    return about | ({"forfeited at seats": " ".join(map(str, forfeited))} if len(forfeited) else {})


class Piece(NamedTuple):
    """A part to be played, who is not asked in it, and whether records are wanted."""

    part: Part
    unasked: frozenset[int]
    with_records: bool = False


def play_piece(tournament: Tournament, agents: Sequence[Agent], piece: Piece) -> Result:
    """See `play`."""
    return play(tournament, agents, piece.part, piece.unasked, with_records=piece.with_records)


def settled(chips: NDArray[np.float64], forfeited: NDArray[np.bool_], chip: float) -> NDArray[np.float64]:
    """Chips with those who forfeited one chip below the lowest of their match: to forfeit never pays."""
    return np.where(forfeited, chips.min(axis=2, keepdims=True) - chip, chips)
