"""A table's random stream. Seeds are fixed: no test here depends on luck."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from marriage_env import randomness
from tests.helpers import MODULES, Table


def stream(seed: int) -> Any:
    """A record with a random stream."""
    table = MODULES[0].raw_env.game.new_tables(1, MODULES[0].raw_env.game.rules())[0]
    table["seed"], table["draws"] = seed, 0
    return table


def chi_square(counts: Any) -> float:
    """Pearson's statistic against equal shares."""
    observed = np.asarray(counts, float).ravel()
    return float(((observed - observed.mean()) ** 2).sum() / observed.mean())


def limit(degrees: int) -> float:
    """A value that chi-square of so many degrees passes once in 30,000 times (Wilson and Hilferty)."""
    return degrees * (1 - 2 / (9 * degrees) + 4.0 * (2 / (9 * degrees)) ** 0.5) ** 3


def split_mix(seed: int, draw: int) -> int:
    """Draw number `draw` of a seed, in plain Python integers."""

    def mix(x: int) -> int:
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
        return x ^ (x >> 31)

    return mix(seed ^ mix((draw * 0x9E3779B97F4A7C15) & (2**64 - 1)))


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_draws_are_splitmix_of_seed_and_count(seed: int) -> None:
    table = stream(seed)
    for number in range(1, 50):
        assert int(randomness.draw(table)) == split_mix(seed, number)
        assert table["draws"] == number


def test_neighbouring_seeds_have_nothing_in_common() -> None:
    flips = np.zeros(64, int)
    for seed in range(500):
        different = int(randomness.draw(stream(seed))) ^ int(randomness.draw(stream(seed + 1)))
        flips += [different >> bit & 1 for bit in range(64)]
    assert np.all(abs(flips - 250) < 4.5 * 500**0.5 / 2)


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 6, 7, 10, 36, 52])
def test_below_favours_nothing(bound: int) -> None:
    table = stream(bound)
    counts = np.bincount([randomness.below(table, bound) for _ in range(300 * bound)], minlength=bound)
    assert len(counts) == bound
    assert bound == 1 or chi_square(counts) < limit(bound - 1)


def test_below_reaches_to_two_to_the_32() -> None:
    table = stream(1)
    drawn = [randomness.below(table, 2**32) for _ in range(2000)]
    assert min(drawn) < 2**32 // 100 and 2**32 - 2**32 // 100 < max(drawn) < 2**32


def test_below_rejects_what_would_favour_some() -> None:
    """With a bound of 3 * 2**30 a quarter of the raw products must be drawn anew."""
    table = stream(4)
    for _ in range(2000):
        randomness.below(table, 3 * 2**30)
    assert 2000 * 4 / 3 - 200 < table["draws"] < 2000 * 4 / 3 + 200


@pytest.mark.parametrize("rate", [0.01, 0.25, 0.5, 0.9])
def test_happens_at_its_rate(rate: float) -> None:
    table = stream(7)
    times = sum(bool(randomness.happens(table, rate)) for _ in range(10_000))
    assert abs(times - 10_000 * rate) < 4 * (10_000 * rate * (1 - rate)) ** 0.5


def test_what_cannot_happen_draws_nothing_and_what_must_always_does() -> None:
    table = stream(7)
    assert not any(randomness.happens(table, 0.0) for _ in range(100)) and table["draws"] == 0
    assert all(randomness.happens(table, 1.0) for _ in range(1000)) and table["draws"] == 1000


@pytest.mark.parametrize("count", [4, 5])
def test_shuffle_makes_every_order_equally_often(count: int) -> None:
    table = stream(5)
    orders = dict.fromkeys(itertools.permutations(range(5)), 0)
    for _ in range(120 * 60):
        pack = np.arange(5, dtype=np.uint8)
        randomness.shuffle(table, pack, count)
        orders[tuple(pack.tolist())] += 1
    assert chi_square(list(orders.values())) < limit(119)


def test_a_part_shuffle_selects_fairly() -> None:
    table = stream(6)
    counts = np.zeros((3, 36), int)
    for _ in range(7200):
        pack = np.arange(36, dtype=np.uint8)
        randomness.shuffle(table, pack, 3)
        assert sorted(pack.tolist()) == list(range(36))
        counts[range(3), pack[:3]] += 1
    for row in counts:
        assert chi_square(row) < limit(35)


def test_every_card_comes_to_every_seat_equally_often(seats: Table) -> None:
    env = seats.raw_env()
    size, players = env.rules.pack_size, seats.players
    counts = np.zeros((players, 52), int)
    deals = 1500
    for seed in range(deals):
        env.reset(seed=seed, options={"dealer": 0})
        for seat in range(players):
            hand = int(env._tables[0]["hands"][seat])
            counts[seat] += [hand >> card & 1 for card in range(52)]
    for row in counts[:, 52 - size :]:
        share = row.sum() / deals / size
        scaled = ((row - deals * share) ** 2 / (deals * share * (1 - share))).sum() * (size - 1) / size
        assert scaled < limit(size - 1)


def test_the_dealer_is_drawn_fairly(seats: Table) -> None:
    env = seats.raw_env()
    counts = [0] * seats.players
    for seed in range(400 * seats.players):
        env.reset(seed=seed)
        counts[int(env._tables[0]["dealer"])] += 1
    assert chi_square(counts) < limit(seats.players - 1)


def test_the_turn_up_is_drawn_fairly() -> None:
    """Boxes turns up a card: each of them equally often."""
    for module in MODULES:
        env = module.raw_env(pack_size=52)
        if "turn_up" not in env.game.table.names:
            continue
        counts = np.zeros(52, int)
        for seed in range(5200):
            env.reset(seed=seed)
            counts[env._tables[0]["turn_up"]] += 1
        assert chi_square(counts) < limit(51)


def test_global_random_states_are_not_touched(seats: Table) -> None:
    random.seed(1)
    np.random.seed(1)
    plain, arrays = random.getstate(), np.random.get_state()[1].tolist()
    env = seats.raw_env()
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    assert random.getstate() == plain
    assert np.random.get_state()[1].tolist() == arrays
