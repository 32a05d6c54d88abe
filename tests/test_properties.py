"""What must hold in every match, whatever the options and the play."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marriage_env.aec import TableEnv
from marriage_env.cards import CARD_NAMES, CARDS, card_set
from marriage_env.fields import CHIPS
from marriage_env.observation import read_chips, write_chips
from tests.helpers import (
    MODULES,
    actor,
    chips_in_all,
    deal_anew,
    hands,
    label,
    legal_actions,
    matches,
    names,
    over,
    plain,
    play_random,
    random_step,
    reset_options,
    rule_options,
    shown_cards,
    shuffled,
)

# Chips, and the course of a match


@given(matches())
def test_9_1_chips_only_move_and_no_pot_is_ever_short(match: tuple[TableEnv, random.Random]) -> None:
    env, rng = match
    chips = chips_in_all(env)
    while not over(env):
        random_step(env, rng)
        assert chips_in_all(env) == chips
        assert min(env.pots.values()) >= 0
        assert (
            sum(env.rewards.values())
            + sum(entry.chips * ((entry.payee in env.pots) - (entry.payer in env.pots)) for entry in env.ledger)
            == 0
        )


@given(st.data())
def test_9_1_a_match_starts_with_the_chips_given(data: st.DataObject) -> None:
    module = data.draw(st.sampled_from(MODULES))
    env = module.raw_env(**data.draw(rule_options(module)))
    options = data.draw(reset_options(env))
    env.reset(seed=data.draw(st.integers(0, 99)), options=options)
    assert chips_in_all(env) == sum(options.get("pots", [0]))


@given(matches())
def test_who_is_to_act_can_act_and_every_deal_ends(match: tuple[TableEnv, random.Random]) -> None:
    env, rng = match
    limit = 9 * env.rules.players + 2 * CARDS  # claims and passes; cards, and answers to some of them
    steps, deal = 0, 0
    while not over(env):
        assert legal_actions(env)
        assert env.agents == env.possible_agents and not any(env.truncations.values())
        random_step(env, rng)
        steps += 1
        if env.table["deals"] != deal:
            deal, steps = int(env.table["deals"]), 0
        assert steps < limit
    assert env.table["deals"] == env.rules.deals and not legal_actions(env)


@given(matches())
def test_only_cards_in_hand_are_played_and_none_is_lost(match: tuple[TableEnv, random.Random]) -> None:
    env, rng = match
    while not over(env):
        seat = actor(env)
        held, deal = hands(env), int(env.table["deals"])
        assert len({card for hand in held for card in hand}) == sum(map(len, held))
        assert {action for action in legal_actions(env) if action < CARDS} <= set(held[seat])
        action = random_step(env, rng)
        if env.table["deals"] == deal:
            if action < CARDS:
                held[seat].remove(action)
            assert hands(env) == held


# What a player knows


@given(matches())
def test_an_observation_does_not_tell_what_the_player_has_not_seen(match: tuple[TableEnv, random.Random]) -> None:
    env, rng = match
    changed = False
    while not over(env):
        seat = rng.randrange(env.rules.players)
        agent = env.possible_agents[seat]
        twin = env.clone()
        deal_anew(twin, seat, rng)
        changed |= hands(twin) != hands(env)
        assert plain(twin.observe(agent)) == plain(env.observe(agent))
        random_step(env, rng)
    assert changed


def seen_by(env: TableEnv, seat: int, party: str) -> int | str:
    """A party of the ledger as a seat counts it."""
    if party in env.pots:
        return party
    return (env.possible_agents.index(party) - seat) % env.rules.players


class Historian:
    """Keeps, for every seat, all that it has been shown in the deal under way."""

    def __init__(self, env: TableEnv) -> None:
        self.env = env
        self.deal = -1
        self.histories: list[tuple[Any, ...]] = []
        self.open_deal()

    def shown(self, seat: int) -> tuple[tuple[int, ...], ...]:
        """The cards that all have seen, seat by seat from `seat` on."""
        players = self.env.rules.players
        cards = [tuple(shown_cards(self.env, other)) for other in range(players)]
        return tuple(cards[(seat + place) % players] for place in range(players))

    def payments(self, seat: int, since: str | None = None) -> tuple[Any, ...]:
        """The last step's payments as a seat counts them; from the first one for the reason `since` on."""
        entries = self.env.ledger
        if since is not None:
            entries = entries[[entry.reason for entry in entries].index(since) :]
        return tuple(
            sorted(
                (str(seen_by(self.env, seat, entry.payer)), str(seen_by(self.env, seat, entry.payee)), *entry[2:])
                for entry in entries
            )
        )

    def actor(self, seat: int) -> int:
        """Who is to act, as a seat counts; nobody after the end."""
        return -1 if over(self.env) else (actor(self.env) - seat) % self.env.rules.players

    def open_deal(self) -> None:
        env, table = self.env, self.env.table
        players = env.rules.players
        self.deal = int(table["deals"])
        self.histories = [
            (
                "deal",
                self.deal,
                (int(table["dealer"]) - seat) % players,
                tuple(hands(env)[seat]),
                int(table["turn_up"]) if "turn_up" in env.game.table.names else None,
                tuple(table["opening_pots"].tolist()),
                tuple(int(table["opening_balances"][(seat + place) % players]) for place in range(players)),
                tuple(table["misdeals"].tolist()) if "misdeals" in env.game.table.names else None,  # in their order
                self.payments(seat, "contribution"),
                self.shown(seat),
                self.actor(seat),
            )
            for seat in range(players)
        ]

    def step(self, action: int) -> None:
        """Take an action, and write it down."""
        by = actor(self.env)
        self.env.step(action)
        if int(self.env.table["deals"]) != self.deal and not over(self.env):
            self.open_deal()
            return
        players = self.env.rules.players
        self.histories = [
            (
                hash(history),
                (by - seat) % players,
                action,
                self.payments(seat),
                self.shown(seat),
                self.actor(seat),
            )
            for seat, history in enumerate(self.histories)
        ]


RULE_SETS: dict[str, dict[str, Any]] = {
    "plain": {},
    "auto": {"declaring": "auto", "deals": 2},
    "all": {
        "deals": 2,
        "conduct": "fined",
        "marriage_order": "either",
        "must_trump": True,
        "misdeal_rate": 0.3,
        "faulty_pack_rate": 0.5,
        "row_start": "lowest",
        "court_points": "low",
    },
}


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("module", MODULES, ids=label)
def test_observations_are_equal_exactly_when_the_player_was_shown_the_same(module: ModuleType, rules: str) -> None:
    """Perfect recall within a deal, and nothing else: observation and history determine each other."""
    options = {
        name: value
        for name, value in RULE_SETS[rules].items()
        if name in module.raw_env.game.rules.__dataclass_fields__
    }
    env = module.raw_env(**options)
    players, size = env.rules.players, env.rules.pack_size
    rng = random.Random(1)
    packs = [shuffled(size, rng) for _ in range(2)]
    for pack in packs[:2]:  # packs that differ little: another turn-up or talon, two cards of other hands exchanged
        for _ in range(3):
            near = pack.copy()
            one, other = rng.sample(range(size), 2)
            near[one], near[other] = near[other], near[one]
            packs.append(near)
    history_of: dict[bytes, tuple[Any, ...]] = {}
    observation_of: dict[tuple[Any, ...], bytes] = {}
    met = 0
    for game in range(120):
        deal = rng.randrange(len(packs))
        env.reset(seed=game % 40, options={"dealer": rng.randrange(players), "packs": [packs[deal]] * env.rules.deals})
        historian = Historian(env)
        while True:
            for seat, agent in enumerate(env.possible_agents):
                seen = env.observe(agent)
                vector = seen["observation"].tobytes() + seen["action_mask"].tobytes()
                history = historian.histories[seat]
                met += vector in history_of
                assert history_of.setdefault(vector, history) == history, "two histories look alike"
                assert observation_of.setdefault(history, vector) == vector, "one history looks like two"
            if over(env):
                break
            claims = [action for action in legal_actions(env) if CARDS <= action < 60]
            historian.step(rng.choice(claims if claims and rng.random() < 0.7 else legal_actions(env)))
    assert met > 500  # histories did meet again


@given(st.data())
def test_turning_the_seats_turns_the_game(data: st.DataObject) -> None:
    module = data.draw(st.sampled_from(MODULES))
    rules = data.draw(rule_options(module))
    env, turned = module.raw_env(**rules), module.raw_env(**rules)
    players = env.rules.players
    options = data.draw(reset_options(env))
    dealer, turn = data.draw(st.integers(0, players - 1)), data.draw(st.integers(1, players - 1))
    seed = data.draw(st.integers(0, 1000))
    env.reset(seed=seed, options={**options, "dealer": dealer})
    turned.reset(seed=seed, options={**options, "dealer": (dealer + turn) % players})
    rng = random.Random(seed)
    while True:
        for seat in range(players):
            there = (seat + turn) % players
            agent, other = f"player_{seat}", f"player_{there}"
            assert plain(env.observe(agent)) == plain(turned.observe(other))
            assert env.balances[agent] == turned.balances[other] and env.rewards[agent] == turned.rewards[other]
        assert env.pots == turned.pots
        if over(env):
            break
        assert turned.agent_selection == f"player_{(actor(env) + turn) % players}"
        turned.step(random_step(env, rng))
    assert over(turned)


def give_hands(table: Any, seen: dict[str, Any], pack_size: int) -> None:
    """Give the others, whose hands a recalled table does not know, as many unseen cards as they are seen to hold."""
    known = {CARD_NAMES.index(name) for name in [*seen["hand"], *seen["played_by"]]}
    unseen = [card for card in range(CARDS - pack_size, CARDS) if card not in known]
    for other, count in seen.get("hand_sizes", {}).items():
        if other:
            table["hands"][other] = card_set(unseen[:count])
            del unseen[:count]


@given(matches())
def test_what_is_recalled_from_an_observation_looks_the_same(match: tuple[TableEnv, random.Random]) -> None:
    env, rng = match
    game, layout = env.game, env.layout
    scratch = game.new_tables(1, env.rules)
    again = np.empty(layout.size, np.float32)
    while True:
        for agent in env.possible_agents:
            seen = env.observe(agent)
            game.recall(seen["observation"], layout.at, scratch[0])
            assert not scratch["hands"][0, 1 : env.rules.players].any()
            give_hands(scratch[0], env.decode(seen), env.rules.pack_size)
            again.fill(np.nan)
            game.observe(scratch[0], 0, layout.blank, layout.at, again)
            assert np.array_equal(again, seen["observation"]), env.decode(seen) | {"again": env.decode(again)}
            if agent == env.agent_selection and not over(env):
                legal = int(scratch["legal"][0])
                assert [action for action in range(61) if legal >> action & 1] == legal_actions(env)
            else:
                assert scratch["legal"][0] == 0
        if over(env):
            break
        random_step(env, rng)


@given(matches())
def test_a_decoded_observation_agrees_with_the_table(match: tuple[TableEnv, random.Random]) -> None:
    env, rng = match
    players, game = env.rules.players, env.game
    phases = ("chance", "declare", "play", "answer", "over")
    while True:
        table = env.table
        seat = rng.randrange(players)
        seen = env.decode(env.observe(f"player_{seat}"))
        relative = {(seat + place) % players: place for place in range(players)}
        assert seen["hand"] == names(hands(env)[seat])
        assert seen["pots"] == env.pots
        assert seen["balances"] == {relative[other]: chips for other, chips in enumerate(env.balances.values())}
        assert seen["gains"] == {
            relative[other]: int(table["balances"][other] - table["opening_balances"][other])
            for other in range(players)
        }
        assert seen["opening_pots"] == dict(zip(game.pot_names, table["opening_pots"].tolist(), strict=True))
        assert seen["actor"] == (None if over(env) else relative[actor(env)])
        assert seen["dealer"] == relative[int(env.dealer.removeprefix("player_"))]
        assert seen["phase"] == phases[table["phase"]]
        assert seen["deal"] == {"deals played": int(table["deals"])}
        rules = {"game": game.name} | {name: getattr(env.rules, name) for name in seen["rules"] if name != "game"}
        assert seen["rules"] == rules and len(rules) == 1 + len(env.rules.__dataclass_fields__)
        shown = {CARD_NAMES[card]: relative[other] for other in range(players) for card in shown_cards(env, other)}
        assert seen["shown_by"] == shown
        claim_orders = table["claim_order"].reshape(-1, len(game.claim_names))
        assert seen["claims"] == {
            (relative[other], claim): int(order)
            for other in range(players)
            for claim, order in zip(game.claim_names, claim_orders[other], strict=True)
            if order
        }
        assert sorted(seen["gave_up"]) == sorted(relative[other] for other in range(players) if table["gave_up"][other])
        plays = int(table["plays"])
        played = {CARD_NAMES[card]: relative[int(table["played_by"][card])] for card in table["played_card"][:plays]}
        by, at = (seen[name] for name in ("played_by", "play_order"))
        assert at == {name: number for number, name in enumerate(played, 1)}
        assert by == played
        if "hand_sizes" in seen:
            assert seen["hand_sizes"] == {relative[other]: len(hand) for other, hand in enumerate(hands(env))}
        if "turn_up" in seen:
            turn_up = CARD_NAMES[table["turn_up"]]
            assert seen["turn_up"] + seen["trumps"][0].upper() == turn_up
        if "tricks" in seen:
            assert seen["tricks"] == {relative[other]: int(table["tricks"][other]) for other in range(players)}
        if over(env):
            break
        random_step(env, rng)


@given(matches(misdeal_rate=0.0))
def test_the_next_deal_tells_nothing_of_the_one_before_but_the_chips(match: tuple[TableEnv, random.Random]) -> None:
    """Perfect recall is within a deal: an observation at a deal's start has no card of the last deal in it."""
    env, rng = match
    deal = 0
    while not over(env):
        random_step(env, rng)
        if env.table["deals"] != deal and not over(env):
            deal = int(env.table["deals"])
            for agent in env.possible_agents:
                seen = env.decode(env.observe(agent))
                assert not any(seen.get(name) for name in ("played_by", "play_order", "gave_up", "trick"))
                assert env.rules.declaring == "auto" or not (seen["claims"] or seen["shown_by"])
                assert not any(seen.get("tricks", {}).values()) and seen.get("row") is None
                assert not seen.get("revokes") and not seen.get("lost_marriages") and not seen.get("declined")


@given(st.integers(-10_000, 10_000))
def test_the_code_of_chips_is_exact_up_to_ten_thousand(chips: int) -> None:
    assert CHIPS.read(float(np.float32(CHIPS.write(chips)))) == chips
    assert read_chips(write_chips(chips)) == chips
    assert CHIPS.read(float(write_chips(chips))) == chips
    assert 0 < write_chips(chips) < 1


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_the_layout_accounts_for_every_element(module: ModuleType) -> None:
    for players in range(module.raw_env.game.min_players, module.raw_env.game.max_players + 1):
        env = module.raw_env(players=players)
        layout = env.layout
        assert layout.at[0] == 0 and layout.at[-1] == layout.size == len(layout.blank)
        lengths = [len(field.labels) for field in layout.fields]
        assert np.diff(layout.at).tolist() == lengths
        assert len({field.name for field in layout.fields}) == len(layout.fields)
        assert all(len(set(field.labels)) == len(field.labels) and field.meaning for field in layout.fields)


@given(st.sampled_from(MODULES), st.integers(0, 2**64 - 1))
def test_a_match_is_a_function_of_seed_and_actions(module: ModuleType, seed: int) -> None:
    env, twin = module.raw_env(deals=2), module.env(deals=2)
    env.reset(seed=seed)
    actions = play_random(env, random.Random(seed))
    twin.reset(seed=seed)
    for action in actions:
        twin.step(action)
    assert twin.balances == env.balances and twin.pots == env.pots and over(twin)
