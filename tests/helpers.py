"""What the tests share: tables, packs put together by hand, play by names, random play, and strategies."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from marriage_env import boxes_v0, saucers_v0
from marriage_env.aec import TableEnv
from marriage_env.cards import CARD_NAMES, CARDS, card_id, card_ids, card_set
from marriage_env.errors import OptionError

MODULES: tuple[ModuleType, ...] = (boxes_v0, saucers_v0)


def label(thing: Any) -> str:
    """A test's name for a parameter: a game by its name."""
    return thing.raw_env.game.name if isinstance(thing, ModuleType) else str(thing)


class Table(NamedTuple):
    """A game's module with a number of players."""

    module: ModuleType
    players: int

    def __str__(self) -> str:
        return f"{self.module.raw_env.game.name}-{self.players}"

    def raw_env(self, **options: Any) -> TableEnv:
        return self.module.raw_env(players=self.players, **options)

    def env(self, **options: Any) -> TableEnv:
        return self.module.env(players=self.players, **options)


TABLES = tuple(
    Table(module, players)
    for module in MODULES
    for players in range(module.raw_env.game.min_players, module.raw_env.game.max_players + 1)
)
#: The smallest and the largest table of each game.
FEW_TABLES = tuple(
    Table(module, players)
    for module in MODULES
    for players in (module.raw_env.game.min_players, module.raw_env.game.max_players)
)


# Packs put together by hand


def cards(text: str) -> list[int]:
    """Card ids from their names: ``cards("KH QH")``."""
    return [card_id(name) for name in text.split()]


#: Cards that can be declared, or that marry on the table, or meet the jester: dealt last where the test does not care.
LOUD = frozenset(cards("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH KC QC KD QD KS QS JD"))


def quiet_first(pack_size: int) -> list[int]:
    """The cards of a pack, those that do nothing by themselves first."""
    return sorted(range(CARDS - pack_size, CARDS), key=lambda card: (card in LOUD, card))


def fill_hands(hands: Mapping[int, str], sizes: Sequence[int], rest: Iterable[int]) -> list[list[int]]:
    """The hands by seats counted from eldest, filled up to their sizes from `rest`, which loses what is used."""
    filled = [cards(hands.get(place, "")) for place in range(len(sizes))]
    used = [card for hand in filled for card in hand]
    assert len(set(used)) == len(used), "a card stands in two hands"
    spare = iter([card for card in rest if card not in used])
    for hand, size in zip(filled, sizes, strict=True):
        assert len(hand) <= size, "a hand is too large"
        hand.extend(next(spare) for _ in range(size - len(hand)))
    return filled


def boxes_pack(players: int, pack_size: int, hands: Mapping[int, str], turn_up: str) -> list[int]:
    """A pack for Boxes 2.2 from hands by places (0: eldest) and the turn-up."""
    trump = card_id(turn_up)
    filled = fill_hands(hands, [5] * players, [card for card in quiet_first(pack_size) if card != trump])
    pack = [card for hand in filled for card in hand[:3]] + [card for hand in filled for card in hand[3:]] + [trump]
    assert len(set(pack)) == len(pack), "the turn-up stands in a hand"
    return pack + [card for card in quiet_first(pack_size) if card not in pack]


def saucers_pack(players: int, pack_size: int, hands: Mapping[int, str]) -> list[int]:
    """A pack for Saucers 2.2 from hands by places (0: eldest)."""
    sizes = [len(range(place, pack_size, players)) for place in range(players)]
    filled = fill_hands(hands, sizes, quiet_first(pack_size))
    return [filled[place % players][place // players] for place in range(pack_size)]


# Play by names


def begin(env: TableEnv, packs: list[list[int]] | None = None, **options: Any) -> TableEnv:
    """Reset, with the last seat as dealer unless told otherwise: seat 0 is eldest."""
    given: dict[str, Any] = {"dealer": env.rules.players - 1, **options}
    if packs is not None:
        given["packs"] = packs
    env.reset(seed=0, options=given)
    return env


def actor(env: TableEnv) -> int:
    """The seat that is to act."""
    return env.possible_agents.index(env.agent_selection)


def legal(env: TableEnv) -> set[str]:
    """The legal actions of who is to act, by name."""
    return {env.game.action_names[action] for action in legal_actions(env)}


def legal_actions(env: TableEnv) -> list[int]:
    """The legal actions of who is to act."""
    return np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist()


def act(env: TableEnv, *names: str) -> TableEnv:
    """Take actions one after the other, by name, whoever is to act."""
    for name in names:
        env.step(env.game.action_names.index(name))
    return env


def play(env: TableEnv, *moves: tuple[int, str]) -> TableEnv:
    """Take actions by name, and check whose they are: ``play(env, (0, "KC"), (3, "QC"))``."""
    for seat, name in moves:
        assert actor(env) == seat, f"{name}: expected seat {seat} to act, but it is {actor(env)}"
        act(env, name)
    return env


def over(env: TableEnv) -> bool:
    """Whether the match is over."""
    return all(env.terminations.values())


def pass_all(env: TableEnv) -> TableEnv:
    """Let everybody pass until play begins."""
    while env.decode(env.observe("player_0"))["phase"] == "declare":
        act(env, "pass")
    return env


def ledger(env: TableEnv, *reasons: str) -> list[tuple[int | str, int | str, int]]:
    """The last step's payments, sorted: payer, payee, chips; players by seat, pots by name. All, or of some reasons."""
    seat_of = {agent: seat for seat, agent in enumerate(env.possible_agents)}
    return sorted(
        (
            (seat_of.get(entry.payer, entry.payer), seat_of.get(entry.payee, entry.payee), entry.chips)
            for entry in env.ledger
            if not reasons or entry.reason in reasons
        ),
        key=str,
    )


def reasons(env: TableEnv) -> list[str]:
    """Why chips moved in the last step, each reason once, in order."""
    return list(dict.fromkeys(entry.reason for entry in env.ledger))


def payments(*entries: tuple[int | str, int | str, int]) -> list[tuple[int | str, int | str, int]]:
    """Payments as `ledger` gives them."""
    return sorted(entries, key=str)


def from_each(payers: Iterable[int], payee: int | str, chips: int = 1) -> list[tuple[int | str, int | str, int]]:
    """A payment of each of `payers`."""
    return payments(*((payer, payee, chips) for payer in payers))


def to_each(payer: int, payees: Iterable[int], chips: int = 1) -> list[tuple[int | str, int | str, int]]:
    """A payment to each of `payees`."""
    return payments(*((payer, payee, chips) for payee in payees))


def balances(env: TableEnv) -> list[int]:
    """The balances by seat."""
    return list(env.balances.values())


def hands(env: TableEnv) -> list[list[int]]:
    """The hands by seat, low to high."""
    bits = [int(hand) for hand in env.table["hands"][: env.rules.players]]
    return [[card for card in range(CARDS) if hand >> card & 1] for hand in bits]


def names(ids: Iterable[int]) -> list[str]:
    """The names of cards."""
    return [CARD_NAMES[card] for card in ids]


# State, compared


def contents(env: TableEnv) -> dict[str, bytes]:
    """The table's record, field by field, without what lies between the fields or beyond what is in use."""
    tables = env._tables.copy()
    tables["ledger"][:, int(tables["entries"][0]) :] = 0
    tables["played_card"][:, int(tables["plays"][0]) :] = 0
    tables["played_by"][tables["play_order"] == 0] = 0

    def fields(dtype: np.dtype[Any], path: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        for name in dtype.names or ():
            inner = dtype[name]
            yield from fields(inner, (*path, name)) if inner.names else [(*path, name)]

    found = {}
    for path in fields(tables.dtype, ()):
        array = tables
        for name in path:
            array = array[name]
        found[".".join(path)] = array.tobytes()
    return found


def plain(thing: Any) -> Any:
    """Dicts and arrays as something that compares with ``==``."""
    if isinstance(thing, Mapping):
        return {key: plain(value) for key, value in thing.items()}
    if isinstance(thing, tuple):
        return tuple(map(plain, thing))
    if isinstance(thing, np.ndarray):
        return (thing.dtype.str, thing.shape, thing.tobytes())
    return thing


def face(env: TableEnv) -> dict[str, Any]:
    """All that an environment shows of itself, as something that compares with ``==``."""
    return {
        "agents": list(env.agents),
        "actor": env.agent_selection,
        "rewards": dict(env.rewards),
        "cumulative": dict(env._cumulative_rewards),
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
        "infos": plain(env.infos),
        "observations": {agent: plain(env.observe(agent)) for agent in env.possible_agents},
        "state": plain(env.state()),
        "pots": env.pots,
        "balances": env.balances,
        "ledger": env.ledger,
        "table": contents(env),
    }


# Random play


def random_step(env: TableEnv, rng: random.Random) -> int:
    """Take a random legal action; the action."""
    action = rng.choice(legal_actions(env))
    env.step(action)
    return action


def play_random(env: TableEnv, rng: random.Random, limit: int = 100_000) -> list[int]:
    """Play on at random to the end of the match, or `limit` steps; the actions."""
    taken: list[int] = []
    while not over(env) and len(taken) < limit:
        taken.append(random_step(env, rng))
    return taken


def shuffled(pack_size: int, rng: random.Random) -> list[int]:
    """A random pack."""
    return rng.sample(range(CARDS - pack_size, CARDS), pack_size)


def chips_in_all(env: TableEnv) -> int:
    """What balances and pots add up to."""
    return sum(env.balances.values()) + sum(env.pots.values())


# Strategies

#: Values for each rule option of any game (players apart: the game says how many).
OPTION_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "pack_size": st.sampled_from((None, 36, 52)),
    "declaring": st.sampled_from(("choice", "auto")),
    "conduct": st.sampled_from(("strict", "fined")),
    "marriage_order": st.sampled_from(("king_first", "either")),
    "must_trump": st.booleans(),
    "trick_pay": st.integers(0, 8),
    "deals": st.integers(1, 3),
    "misdeal_rate": st.sampled_from((0.0, 0.3, 0.7)),
    "faulty_pack_rate": st.sampled_from((0.0, 0.5, 1.0)),
    "fault_noticed_rate": st.sampled_from((0.0, 0.5, 1.0)),
    "faulty_pack_fine": st.integers(0, 5),
    "row_start": st.sampled_from(("any", "lowest")),
    "court_points": st.sampled_from(("ten", "low")),
}


@st.composite
def rule_options(draw: st.DrawFn, module: ModuleType) -> dict[str, Any]:
    """Random rule options of a game, every one of them."""
    game = module.raw_env.game
    options: dict[str, Any] = {"players": draw(st.integers(game.min_players, game.max_players))}
    for field in dataclasses.fields(game.rules):
        if field.name != "players":
            options[field.name] = draw(OPTION_VALUES[field.name])
    try:
        game.rules(**options)
    except OptionError:  # a small pack with too many players
        options["pack_size"] = None
    return options


@st.composite
def reset_options(draw: st.DrawFn, env: TableEnv) -> dict[str, Any]:
    """Random reset options for an environment: each there or not."""
    options: dict[str, Any] = {}
    if draw(st.booleans()):
        options["dealer"] = draw(st.integers(0, env.rules.players - 1))
    if draw(st.booleans()):
        pots = len(env.game.pot_names)
        options["pots"] = draw(st.lists(st.integers(0, 40), min_size=pots, max_size=pots))
    packs = draw(st.integers(0, env.rules.deals))
    if packs:
        rng = random.Random(draw(st.integers(0, 2**32)))
        options["packs"] = [shuffled(env.rules.pack_size, rng) for _ in range(packs)]
    return options


@st.composite
def matches(draw: st.DrawFn, **fixed: Any) -> tuple[TableEnv, random.Random]:
    """A raw environment of either game with random options, reset, and a generator to play it at random."""
    module = draw(st.sampled_from(MODULES))
    options = draw(rule_options(module))
    known = {field.name for field in dataclasses.fields(module.raw_env.game.rules)}
    options |= {name: value for name, value in fixed.items() if name in known}
    env = module.raw_env(**options)
    env.reset(seed=draw(st.integers(0, 2**64 - 1)), options=draw(reset_options(env)))
    return env, random.Random(draw(st.integers(0, 2**32)))


def hands_of(env: TableEnv, seat: int) -> int:
    """A seat's hand as a set of cards."""
    return int(env._tables[0]["hands"][seat])


def shown_cards(env: TableEnv, seat: int) -> list[int]:
    """The cards a seat has shown by declaring."""
    return [int(card) for card in np.flatnonzero(env.table["shown_by"] == seat)]


def located(env: TableEnv) -> list[tuple[int, int]]:
    """Seats with cards that all know them to hold without having seen them: called for a marriage, or kept from one."""
    table = env.table
    found = []
    if "lost_by" in table.dtype.names:  # Boxes 8.2, 5.1
        found += [(int(seat), card_id("Q" + suit)) for suit, seat in zip("CDHS", table["lost_by"], strict=True)]
        if env.decode(env.observe(env.agent_selection))["phase"] == "answer":
            found.append((int(table["actor"]), int(table["played_card"][table["plays"] - 1]) - 4))
    if "declined" in table.dtype.names:  # Saucers 4.5
        found.append((int(table["declined"]), card_id("KC")))
        if env.decode(env.observe(env.agent_selection))["phase"] == "answer":
            found.append((int(table["actor"]), card_id("KC")))
    return found


def deal_anew(env: TableEnv, seat: int, rng: random.Random) -> None:
    """Deal what a seat has not seen otherwise: hands keep their sizes and the cards that were shown."""
    table = env._tables[0]
    players = env.rules.players
    shown = [card_set(shown_cards(env, other)) for other in range(players)]
    others = [other for other in range(players) if other != seat]
    kept = {other: card_set(card for card in hands(env)[other] if shown[other] >> card & 1) for other in others}
    for other, card in located(env):
        if other in kept:
            kept[other] |= hands_of(env, other) & 1 << card
    hidden = {other: [card for card in hands(env)[other] if not kept[other] >> card & 1] for other in others}
    known = set(hands(env)[seat]) | set(table["played_card"][: int(table["plays"])].tolist())
    known |= {card for other in others for card in card_ids(kept[other])}
    if "turn_up" in env.game.table.names:
        known.add(int(table["turn_up"]))
    unseen = [card for card in range(CARDS - env.rules.pack_size, CARDS) if card not in known]
    rng.shuffle(unseen)
    for other in others:
        size = len(hidden[other])
        table["hands"][other] = kept[other] | card_set(unseen[:size])
        del unseen[:size]
        if table["actor"] != other:
            table["open_claims"][other] = rng.randrange(256)  # what others could declare is theirs to know
    if "missing" in env.game.table.names and table["missing"] != 255 and unseen:
        table["missing"] = unseen[0]
    table["seed"], table["draws"] = rng.getrandbits(64), rng.randrange(1000)  # nor can chance be foreseen


def dealt_otherwise(env: TableEnv, rng: random.Random, most: int = 1) -> Iterator[tuple[TableEnv, int]]:
    """Play a match at random: before each run of `most` steps or fewer, a twin that a seat cannot tell from it."""
    while not over(env):
        seat = rng.randrange(env.rules.players)
        twin = env.clone()
        deal_anew(twin, seat, rng)
        yield twin, seat
        play_random(env, rng, limit=rng.randint(1, most))
