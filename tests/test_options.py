"""Options: what can be is taken, what cannot is refused by name, with what is allowed, and nothing changes."""

from __future__ import annotations

import dataclasses
import random
import re
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from marriage_env import boxes_v0, saucers_v0
from marriage_env.errors import MarriageError, OptionError
from marriage_env.opening import POT_LIMIT
from marriage_env.options import MOST_SHOWN
from tests.helpers import FEW_TABLES, MODULES, OPTION_VALUES, Table, face, label, over, random_step

NAN, INFINITY = float("nan"), float("inf")
#: What no whole number is.
NOT_WHOLE = ["5", 5.0, 5.5, True, False, np.float64(5), np.True_, NAN, [5], b"5", 5 + 0j]
#: What no rate is.
NOT_RATES = [10**400, "0.5", True, np.True_, NAN, INFINITY, -0.1, 1.0001, -1, 2, [0.5], 0.5j, None]
BOXES_WHOLE = {"trick_pay": (0, 100), "deals": (1, 1000), "faulty_pack_fine": (0, 100)}
CHOICES = ("declaring", "conduct", "marriage_order", "row_start", "court_points")


def whole_options(module: ModuleType) -> dict[str, tuple[int, int]]:
    """The whole-number options of a game, with their bounds."""
    game = module.raw_env.game
    known = {field.name for field in dataclasses.fields(game.rules)}
    bounds = {"players": (game.min_players, game.max_players), **BOXES_WHOLE}
    return {name: value for name, value in bounds.items() if name in known}


def refused(module: ModuleType, option: str, value: Any) -> str:
    """The message with which an option is refused; it names the option, the value and what is allowed."""
    with pytest.raises(OptionError) as raised:
        module.raw_env(**{option: value})
    message = str(raised.value)
    assert message.startswith(option) and repr(value)[:MOST_SHOWN] in message and "allowed is " in message
    return message


def test_an_option_error_is_a_value_error() -> None:
    assert issubclass(OptionError, ValueError) and issubclass(OptionError, MarriageError)


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_every_rule_option_is_tried_here(module: ModuleType) -> None:
    known = {field.name for field in dataclasses.fields(module.raw_env.game.rules)}
    assert known <= {"players", *OPTION_VALUES}


@pytest.mark.parametrize("module", MODULES, ids=label)
@pytest.mark.parametrize("option", ["player", "Players", "seed", "dealer", "pots", "packs", ""])
def test_an_unknown_option_is_refused(module: ModuleType, option: str) -> None:
    with pytest.raises(OptionError, match=f"^{option} is not a rule option: allowed are players, pack_size, declaring"):
        module.raw_env(**{option: 1})


@pytest.mark.parametrize(
    ("module", "option"), [(boxes_v0, "row_start"), (boxes_v0, "court_points"), (saucers_v0, "conduct")]
)
def test_an_option_of_the_other_game_is_refused(module: ModuleType, option: str) -> None:
    with pytest.raises(OptionError, match=f"^{option} is not a rule option"):
        module.raw_env(**{option: "any"})


WHOLE = [(module, option) for module in MODULES for option in whole_options(module)]


@pytest.mark.parametrize(("module", "option"), WHOLE, ids=label)
@pytest.mark.parametrize("value", [*NOT_WHOLE, None], ids=repr)
def test_a_whole_number_is_wanted(module: ModuleType, option: str, value: Any) -> None:
    low, high = whole_options(module)[option]
    assert f"a whole number from {low} to {high}" in refused(module, option, value)


@pytest.mark.parametrize(("module", "option"), WHOLE, ids=label)
def test_a_whole_number_out_of_range_is_refused(module: ModuleType, option: str) -> None:
    low, high = whole_options(module)[option]
    for value in (low - 1, high + 1, -(10**30), 10**30, np.int64(high + 1)):
        assert f"a whole number from {low} to {high}" in refused(module, option, value)


@pytest.mark.parametrize(("module", "option"), WHOLE, ids=label)
@pytest.mark.parametrize("kind", [int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint64, np.array])
def test_whole_numbers_of_any_kind_are_taken(module: ModuleType, option: str, kind: Any) -> None:
    low, _ = whole_options(module)[option]
    for number in (low, low + 1):
        rules = module.raw_env(**{option: kind(number)}).rules
        assert getattr(rules, option) == number and type(getattr(rules, option)) is int


@pytest.mark.parametrize("option", ["misdeal_rate", "faulty_pack_rate", "fault_noticed_rate"])
@pytest.mark.parametrize("value", NOT_RATES, ids=lambda value: f"{value!r:.20}")
def test_what_is_no_rate_is_refused(option: str, value: Any) -> None:
    assert "a number from 0" in refused(boxes_v0, option, value)


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), 1 - 1e-8], ids=repr)
def test_a_misdeal_rate_that_would_hardly_ever_end_is_refused(value: Any) -> None:
    assert "a number from 0 to 0.99" in refused(boxes_v0, "misdeal_rate", value)


@pytest.mark.parametrize("option", ["misdeal_rate", "faulty_pack_rate", "fault_noticed_rate"])
@pytest.mark.parametrize("value", [0, 0.0, 0.25, np.float32(0.25), np.float64(0.25), np.int64(0)], ids=repr)
def test_rates_of_any_kind_are_taken(option: str, value: Any) -> None:
    taken = getattr(boxes_v0.raw_env(**{option: value}).rules, option)
    assert taken == float(value) and type(taken) is float


@pytest.mark.parametrize("option", ["faulty_pack_rate", "fault_noticed_rate"])
def test_the_other_rates_may_be_one(option: str) -> None:
    assert getattr(boxes_v0.raw_env(**{option: 1}).rules, option) == 1.0


@pytest.mark.parametrize("module", MODULES, ids=label)
@pytest.mark.parametrize("option", CHOICES)
@pytest.mark.parametrize("value", ["", "Choice", "never", None, 0, True, b"auto", ["auto"]], ids=repr)
def test_a_choice_is_one_of_its_words(module: ModuleType, option: str, value: Any) -> None:
    defaults = {field.name: field.default for field in dataclasses.fields(module.raw_env.game.rules)}
    if option in defaults:
        assert repr(defaults[option]) in refused(module, option, value)
    else:
        with pytest.raises(OptionError):
            module.raw_env(**{option: value})


@pytest.mark.parametrize("value", [0, 1, "yes", None, np.int64(1), 1.0], ids=repr)
def test_must_trump_is_true_or_false(value: Any) -> None:
    assert "allowed is False or True" in refused(boxes_v0, "must_trump", value)


@pytest.mark.parametrize("value", [True, np.True_])
def test_must_trump_takes_numpys_bool(value: Any) -> None:
    assert boxes_v0.raw_env(must_trump=value).rules.must_trump is True


@pytest.mark.parametrize("module", MODULES, ids=label)
@pytest.mark.parametrize("value", [0, 32, 35, 53, -36, "36", 36.0, True, np.float64(52)], ids=repr)
def test_a_pack_has_36_or_52_cards(module: ModuleType, value: Any) -> None:
    assert "allowed is 36 or 52" in refused(module, "pack_size", value)


@pytest.mark.parametrize("value", [36, np.int32(36), np.uint8(36), np.int64(52)], ids=repr)
@pytest.mark.parametrize("module", MODULES, ids=label)
def test_pack_sizes_of_any_kind_are_taken(module: ModuleType, value: Any) -> None:
    assert module.raw_env(pack_size=value).rules.pack_size == int(value)


@pytest.mark.parametrize("players", [8, 9, 10])
def test_a_small_pack_is_not_for_many(players: int) -> None:
    with pytest.raises(OptionError, match=rf"pack_size=36 with players={players}: .*allowed is 52"):
        boxes_v0.raw_env(players=players, pack_size=36)


@pytest.mark.parametrize("module", MODULES, ids=label)
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("render_mode", "rgb"),
        ("render_mode", 1),
        ("render_mode", ""),
        ("render_width", 319),
        ("render_width", 3841),
        ("render_width", 640.0),
        ("render_width", None),
        ("mask_in", "obs"),
        ("mask_in", None),
        ("viewer", "player_99"),
        ("viewer", 0),
        ("viewer", "nobody"),
    ],
)
def test_a_bad_argument_of_the_environment_is_refused(module: ModuleType, option: str, value: Any) -> None:
    refused(module, option, value)


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_options_are_named_not_counted(module: ModuleType) -> None:
    with pytest.raises(TypeError):
        module.raw_env(5)
    with pytest.raises(TypeError):
        module.raw_env.game.rules(5)


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_rules_are_frozen_and_compare(module: ModuleType) -> None:
    rules = module.raw_env().rules
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.deals = 3
    assert rules == module.raw_env.game.rules()


# Reset


def started(seats: Table, deals: int = 2) -> Any:
    """An environment in mid-match."""
    env = seats.raw_env(deals=deals)
    env.reset(seed=3)
    rng = random.Random(3)
    for _ in range(5):
        random_step(env, rng)
    return env


def reset_refused(env: Any, **arguments: Any) -> str:
    """The message with which a reset is refused; the match under way goes on as it was."""
    before, packs = face(env), env._packs
    with pytest.raises(OptionError) as raised:
        env.reset(**arguments)
    assert face(env) == before and env._packs is packs
    assert "allowed " in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("seed", [-1, 2**64, "1", 1.0, True, np.float64(3), [1], NAN], ids=repr)
def test_a_bad_seed_is_refused(seats: Table, seed: Any) -> None:
    message = reset_refused(started(seats), seed=seed)
    assert message == f"seed={seed!r}: allowed is a whole number from 0 to {2**64 - 1}"


@pytest.mark.parametrize("seed", [0, 2**64 - 1, 2**63, np.int32(4), np.uint64(2**64 - 1)], ids=repr)
def test_any_seed_of_64_bits_is_taken(seats: Table, seed: Any) -> None:
    env = seats.raw_env()
    env.reset(seed=seed)
    assert int(env.table["seed"]) == int(seed)


@pytest.mark.parametrize("dealer", [*NOT_WHOLE, -1, 99, "player_1"], ids=repr)
def test_a_bad_dealer_is_refused(seats: Table, dealer: Any) -> None:
    message = reset_refused(started(seats), options={"dealer": dealer})
    assert message == f"dealer={dealer!r}: allowed is a whole number from 0 to {seats.players - 1}"


def test_the_dealer_is_a_seat_at_this_table(seats: Table) -> None:
    env = started(seats)
    reset_refused(env, options={"dealer": seats.players})
    env.reset(options={"dealer": np.int64(seats.players - 1)})
    assert env.dealer == f"player_{seats.players - 1}"


@pytest.mark.parametrize("options", [[("dealer", 1)], "dealer", 3, {"dealer"}], ids=repr)
def test_options_are_a_dict(seats: Table, options: Any) -> None:
    assert "dealer, pots, packs" in reset_refused(started(seats), options=options)


@pytest.mark.parametrize("name", ["deal", "players", "Dealer", "deck", 1])
def test_an_unknown_reset_option_is_refused(seats: Table, name: Any) -> None:
    message = reset_refused(started(seats), options={name: 1, "dealer": 0})
    assert message == f"{name!r} is not a reset option: allowed are dealer, pots, packs"


@pytest.mark.parametrize("pots", [0, "00000", {}, [], None.__class__, range(5), ["0"] * 40], ids=repr)
def test_pots_are_a_list_of_one_number_for_each(seats: Table, pots: Any) -> None:
    message = reset_refused(started(seats), options={"pots": pots})
    assert message.startswith("pots=") and ", ".join(seats.module.raw_env.game.pot_names) in message


@pytest.mark.parametrize("more", [-1, 1])
def test_a_wrong_number_of_pots_is_refused(seats: Table, more: int) -> None:
    pots = [0] * (len(seats.module.raw_env.game.pot_names) + more)
    assert f"a list of {len(pots) - more} numbers of chips" in reset_refused(started(seats), options={"pots": pots})


@pytest.mark.parametrize("chips", [-1, POT_LIMIT + 1, 10**30, 1.0, "1", True, None, NAN], ids=repr)
def test_a_pot_holds_from_0_to_1000_chips(seats: Table, chips: Any) -> None:
    pots = [0] * len(seats.module.raw_env.game.pot_names)
    pots[2] = chips
    message = reset_refused(started(seats), options={"pots": pots})
    assert message == f"pots[2]={chips!r}: allowed is a whole number from 0 to {POT_LIMIT}"


@pytest.mark.parametrize("kind", [list, tuple, np.array, np.uint8])
def test_pots_of_any_kind_are_taken(seats: Table, kind: Any) -> None:
    env = seats.raw_env()
    env.reset(options={"dealer": 0})
    contributed = list(env.pots.values())
    pots = [3, 0, 7, *[1] * (len(contributed) - 3)]
    env.reset(options={"pots": kind(pots) if kind is not np.uint8 else [np.uint8(chips) for chips in pots]})
    assert list(env.pots.values()) == [a + b for a, b in zip(contributed, pots, strict=True)]


def sound_pack(seats: Table) -> list[int]:
    size = seats.raw_env().rules.pack_size
    return list(range(52 - size, 52))


def test_a_pack_with_a_card_twice_is_refused(seats: Table) -> None:
    pack = sound_pack(seats)
    pack[3] = pack[7]
    message = reset_refused(started(seats), options={"packs": [pack]})
    assert re.match(rf"packs\[0\] has {pack[3]} \(.*\) twice: allowed is each of {52 - len(pack)} to 51 once", message)


@pytest.mark.parametrize("wrong", ["short", "long", "empty", "text", "number", "none", "set", "dict"])
def test_a_pack_that_is_no_whole_pack_is_refused(seats: Table, wrong: str) -> None:
    pack = sound_pack(seats)
    packs = {
        "short": pack[:-1],
        "long": [*pack, 51],
        "empty": [],
        "text": "2C 3C",
        "number": 7,
        "none": None,
        "set": set(pack),
        "dict": dict.fromkeys(pack),
    }
    message = reset_refused(started(seats), options={"packs": [pack, packs[wrong]]})
    assert message.startswith("packs[1] is ") and f"allowed is a list of all {len(pack)} card ids" in message


@pytest.mark.parametrize("card", [-1, 52, 255, 256 + 20, 10**30, "20", 20.0, True, None, NAN], ids=repr)
def test_what_is_no_card_of_the_pack_is_refused(seats: Table, card: Any) -> None:
    pack: list[Any] = sound_pack(seats)
    low = pack[0]
    pack[5] = card
    message = reset_refused(started(seats), options={"packs": [pack]})
    assert message == f"packs[0][5]={card!r}: allowed is a whole number from {low} to 51"


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_cards_outside_a_small_pack_are_refused(module: ModuleType) -> None:
    env = module.raw_env(pack_size=36)
    env.reset(seed=1)
    message = reset_refused(env, options={"packs": [list(range(36))]})
    assert message == "packs[0][0]=0: allowed is a whole number from 16 to 51"


def test_no_more_packs_than_deals(seats: Table) -> None:
    packs = [sound_pack(seats)] * 3
    assert "allowed is a list of at most 2 packs" in reset_refused(started(seats, deals=2), options={"packs": packs})


@pytest.mark.parametrize("packs", ["", 3, {0: []}, range(16, 52)], ids=repr)
def test_packs_are_a_list(seats: Table, packs: Any) -> None:
    assert reset_refused(started(seats), options={"packs": packs}).startswith("packs=")


def test_an_array_without_length_is_no_list() -> None:
    for seats in FEW_TABLES:
        for options in ({"pots": np.array(5)}, {"packs": np.array(5)}, {"packs": [np.array(5)]}):
            reset_refused(started(seats), options=options)


def test_packs_of_any_kind_are_taken(seats: Table) -> None:
    pack = sound_pack(seats)[::-1]
    env = seats.raw_env(deals=2)
    dealt = []
    for packs in ([pack], (tuple(pack),), np.array([pack]), np.array([pack], np.uint8), [np.array(pack, np.int16)]):
        env.reset(options={"dealer": 1, "packs": packs})
        dealt.append(env.table["hands"].tolist())
    assert all(hands == dealt[0] for hands in dealt)


def test_packs_given_are_not_kept_by_reference(seats: Table) -> None:
    pack = np.array([sound_pack(seats)] * 2, np.uint8)
    twin = pack.copy()
    env, other = seats.raw_env(deals=2), seats.raw_env(deals=2)
    env.reset(seed=1, options={"dealer": 0, "packs": pack})
    other.reset(seed=1, options={"dealer": 0, "packs": twin})
    pack[:] = 0
    while int(env.table["deals"]) == 0:
        action = int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0])
        env.step(action)
        other.step(action)
    assert face(env) == face(other)


@pytest.mark.parametrize("name", ["dealer", "pots", "packs"])
def test_each_reset_option_may_stand_alone_or_be_none(seats: Table, name: str) -> None:
    pack, pots = sound_pack(seats), len(seats.module.raw_env.game.pot_names)
    value = {"dealer": 1, "pots": [1] * pots, "packs": [pack]}[name]
    env = seats.raw_env()
    env.reset(seed=1, options={name: value})
    env.reset(seed=1, options={name: None})
    with_none = face(env)
    env.reset(seed=1)
    assert face(env) == with_none


def test_reset_options_are_for_one_match(seats: Table) -> None:
    pots = len(seats.module.raw_env.game.pot_names)
    env, plain = seats.raw_env(deals=2), seats.raw_env(deals=2)
    env.reset(seed=1, options={"dealer": 0, "pots": [9] * pots, "packs": [sound_pack(seats)] * 2})
    env.reset(seed=2)
    plain.reset(seed=2)
    rng = random.Random(2)
    while not over(env):
        assert face(env) == face(plain)
        plain.step(random_step(env, rng))


def test_an_unknown_agent_is_named(seats: Table) -> None:
    env = started(seats)
    for agent in ("player_99", 0, None, ["player_0"]):
        for ask in (env.observe, env.observation_space, env.action_space):
            with pytest.raises(OptionError, match="allowed are player_0, player_1"):
                ask(agent)


@pytest.mark.parametrize("action", [-1, 61, 1.5, "QH", None, True])
def test_action_name_knows_61_actions(seats: Table, action: Any) -> None:
    env = seats.raw_env()
    with pytest.raises(OptionError, match=r"^action="):
        env.action_name(action)
    assert [env.action_name(number) for number in range(61)] == list(env.game.action_names)
    assert env.action_name(42) == "QH" and env.action_name(60) == "pass"


def test_an_observation_of_another_size_is_refused(seats: Table) -> None:
    env = started(seats)
    with pytest.raises(OptionError, match="observation of shape"):
        env.decode(np.zeros(3, np.float32))
