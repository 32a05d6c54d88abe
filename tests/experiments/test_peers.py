"""The peers: they play by their rules, make their observations, and fail in plain words."""

import functools
import subprocess
import sys

import pytest

from experiments import peers

HASTE = 0.05
PGX = """
from experiments import peers
jax, pgx = peers.start_pgx(2)
masks = jax.random.bernoulli(jax.random.key(0), 0.5, (1000, 5)).at[:, 3].set(True)
actions = peers.random_legal(jax.random.key(1), masks)
assert masks[jax.numpy.arange(1000), actions].all()
assert set(actions.tolist()) == {0, 1, 2, 3, 4}
for same_deals in (False, True):
    deal, play = peers.pgx_play(pgx.make("kuhn_poker"), 8, 50, same_deals)
    states, key, totals = jax.jit(play)(deal(jax.random.key(2)), jax.random.key(3))
    won = totals - 3 * 50  # an observation has three ones: a card, and the chips of both
    assert (abs(won) <= 2 * 50).all() and won.any(), totals
assert peers.PEERS["pgx/kuhn_poker/same-deals"].run(0.01, 65) > 100
"""


class Checked:
    """A state that takes only legal actions, and counts the games."""

    games = 0

    def __init__(self, state):
        self.state = state
        Checked.games += 1

    def __getattr__(self, name):
        return getattr(self.state, name)

    def apply_action(self, action):
        self.state.apply_action_with_legality_check(action)


def skip_unless_installed(name):
    if missing := peers.PEERS[name].missing():
        pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.fixture
def spiel():
    return pytest.importorskip("pyspiel")


@pytest.mark.parametrize("name", [name for name, peer in peers.PEERS.items() if not peer.batched])
def test_every_peer_plays(name, monkeypatch):
    skip_unless_installed(name)
    monkeypatch.setattr(peers, "WARM_UP", HASTE)
    assert peers.PEERS[name].run(HASTE, 1) > 100


@pytest.mark.nightly
def test_pgx_plays_legally_and_makes_every_observation():
    skip_unless_installed("pgx/kuhn_poker")
    subprocess.run([sys.executable, "-c", PGX], cwd=peers.ROOT, check=True)


@pytest.mark.parametrize("name", ["hearts", "leduc_poker"])
def test_openspiel_plays_legally_and_observes_every_decision(name, spiel, monkeypatch):
    game = spiel.load_game(name)
    observer, sums = peers.openspiel_observer(game), []

    def observe(state, player):
        assert player == state.current_player() >= 0
        observer.set_from(state.state, player)
        sums.append(observer.tensor.sum())

    class CheckedGame:
        new_initial_state = staticmethod(lambda: Checked(game.new_initial_state()))

    monkeypatch.setattr(Checked, "games", 0)
    peers.openspiel_loop(CheckedGame, observe, HASTE)
    assert min(sums) > 0
    assert len(sums) >= {"hearts": 52, "leduc_poker": 2}[name] * Checked.games > 0


@pytest.mark.parametrize("name", ["hearts", "leduc_poker"])
def test_what_chance_may_do_in_openspiel_is_equally_likely(name, spiel):
    assert int(spiel.PlayerId.TERMINAL) == peers.GAME_OVER
    state = spiel.load_game(name).new_initial_state()
    while not state.is_terminal():
        legal = state.legal_actions()
        if state.is_chance_node():
            assert state.chance_outcomes() == [(action, pytest.approx(1 / len(legal))) for action in legal]
        state.apply_action(legal[0])


def test_observing_is_part_of_what_is_timed(spiel):
    game = spiel.load_game("hearts")
    speeds = [
        max(peers.openspiel_loop(game, observe, HASTE) for _ in range(5))
        for observe in (None, peers.openspiel_observer(game).set_from)
    ]
    assert speeds[1] < speeds[0]


def test_rlcard_plays_legally():
    env = pytest.importorskip("rlcard").make("limit-holdem", config={"seed": 0})
    step, steps = env.step, []

    def checked(action):
        assert action in env.get_state(env.get_player_id())["legal_actions"]
        steps.append(action)
        return step(action)

    env.step = checked
    peers.rlcard_loop(env, HASTE)
    assert len(set(steps)) == 4


def test_a_peer_is_measured_in_a_process_on_its_own_cores():
    pytest.importorskip("rlcard")
    assert peers.measure("rlcard/leduc-holdem", HASTE, cores=1) > 100


def test_the_last_words_of_a_failed_process_are_passed_on():
    pytest.importorskip("rlcard")
    with pytest.raises(ChildProcessError, match=r"^rlcard/leduc-holdem: .*--cores 1000000: allowed is .* from 1 to"):
        peers.measure("rlcard/leduc-holdem", HASTE, cores=1_000_000)


def test_a_missing_package_is_reported_and_not_measured(monkeypatch, capsys):
    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: None if name == "pgx" else name)
    assert peers.measure("pgx/kuhn_poker", HASTE) is None
    assert peers.best("pgx/kuhn_poker", HASTE, 1, [1]) is None
    peers.main(["--list"])
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines["pgx/kuhn_poker"] == "not installed: pgx, batched"
    assert lines["openspiel/hearts"] == "installed"
    with pytest.raises(SystemExit):
        peers.main(["pgx/kuhn_poker"])
    assert "pgx/kuhn_poker: not installed: pgx" in capsys.readouterr().err


def test_an_unknown_name_is_told_what_is_allowed(capsys):
    for ask in (functools.partial(peers.measure, "chess", 1.0), functools.partial(peers.best, "chess", 1.0, 1, [1])):
        with pytest.raises(ValueError, match=r"'chess': allowed is marriage/boxes/5, .*openspiel/hearts"):
            ask()
    with pytest.raises(SystemExit):
        peers.main(["chess"])
    assert "openspiel/hearts" in capsys.readouterr().err


def test_the_best_batch_is_the_fastest(monkeypatch):
    speeds = {1: 10.0, 32: 30.0, 64: 20.0}
    monkeypatch.setattr(peers, "measure", lambda name, seconds, cores, batch: speeds[batch])
    assert peers.best("pgx/kuhn_poker", 1.0, None, [1, 32, 64]) == (32, 30.0)
    assert peers.best("openspiel/hearts", 1.0, None, [32, 64]) == (1, 10.0)
