"""RLlib: every chip arrives, no illegal action is taken, and both ways of training run."""

from collections import defaultdict

import numpy as np
import pytest

ray = pytest.importorskip("ray")
torch = pytest.importorskip("torch")
pytest.importorskip("ray.rllib")

import gymnasium  # noqa: E402
from ray.rllib.algorithms.algorithm import Algorithm  # noqa: E402
from ray.rllib.algorithms.ppo import PPOConfig  # noqa: E402
from ray.rllib.callbacks.callbacks import RLlibCallback  # noqa: E402
from ray.rllib.core.columns import Columns  # noqa: E402
from ray.rllib.core.rl_module.rl_module import RLModuleSpec  # noqa: E402
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner  # noqa: E402
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner  # noqa: E402

from marriage_env import GAMES, IllegalActionError, OptionError, ResetNeededError, SingleSeatVectorEnv  # noqa: E402
from marriage_env.interop.rllib import TableMultiAgentEnv  # noqa: E402
from marriage_env.interop.rllib_module import MaskedPPOModule  # noqa: E402
from marriage_env.table import ACTIONS  # noqa: E402

TABLES = 8
SMALLEST = [(game.name, game.min_players) for game in GAMES.values()]
ALL_SIZES = [(game.name, players) for game in GAMES.values() for players in (game.min_players, game.max_players)]


class NotingWhoActs(TableMultiAgentEnv):
    """Notes whose actions a match has taken."""

    def reset(self, **arguments):
        self.actors = set()
        return super().reset(**arguments)

    def step(self, action_dict):
        self.actors |= set(action_dict)
        return super().step(action_dict)


class Balances(RLlibCallback):
    """Notes what every seat has won in the match that has just ended, by the episode's id."""

    def on_episode_end(self, *, episode, env_runner, env, env_index, **kwargs):
        tables = env.tables.records[env_index] if hasattr(env, "tables") else env.envs[env_index].unwrapped.env.table
        env_runner.balances = {**getattr(env_runner, "balances", {}), episode.id_: tables["balances"].tolist()}
        if not hasattr(env, "tables"):
            actors = env.envs[env_index].unwrapped.actors
            env_runner.actors = {**getattr(env_runner, "actors", {}), episode.id_: actors}


def small(config):
    """A configuration with a small network, that learns from few steps, in this process alone."""
    return (
        config.env_runners(num_env_runners=0, num_envs_per_env_runner=TABLES, rollout_fragment_length=32)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule, model_config={"fcnet_hiddens": [32]}))
        .training(train_batch_size_per_learner=32 * TABLES, minibatch_size=64, num_epochs=1)
        .callbacks(Balances)
        .debugging(seed=1)
    )


def one_seat(game="saucers", players=3):
    """One seat learns, at the tables of one batch."""
    options = {"players": players, "opponents": ["random"], "mask_in": "observation"}
    config = PPOConfig().environment(f"marriage_env:marriage_env/{game.capitalize()}-v0", env_config=options)
    return small(config.env_runners(gym_env_vectorize_mode="vector_entry_point"))


def all_seats(game="saucers", players=3):
    """All seats play and learn, with one network."""
    config = PPOConfig().environment(
        NotingWhoActs, env_config={"game": game, "players": players}, disable_env_checking=True
    )
    return small(config.multi_agent(policies={"player"}, policy_mapping_fn=lambda *args, **kwargs: "player"))


@pytest.fixture(scope="module")
def cluster():
    """Ray on this machine, for the tests that train."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield
    ray.shutdown()


# One seat


@pytest.mark.parametrize(("game", "players"), ALL_SIZES)
def test_one_seat_gets_every_chip_and_obeys_its_masks(game, players):
    runner = SingleAgentEnvRunner(config=one_seat(game, players), worker_index=0)
    assert isinstance(runner.env.unwrapped, SingleSeatVectorEnv) and runner.env.num_envs == TABLES
    arrived, seats = defaultdict(float), {}
    for _ in range(5):
        for episode in runner.sample():
            arrived[episode.id_] += episode.get_return()
            seats[episode.id_] = episode.get_infos(-1)["seat"]
            assert_legal(episode)
    assert len(runner.balances) > 40
    assert len(set(seats.values())) == players
    for episode, balances in runner.balances.items():
        assert arrived[episode] == balances[seats[episode]]


# All seats


@pytest.mark.parametrize(("game", "players"), ALL_SIZES)
def test_all_seats_get_every_chip_and_obey_their_masks(game, players):
    runner = MultiAgentEnvRunner(config=all_seats(game, players), worker_index=0)
    arrived = defaultdict(lambda: defaultdict(float))
    for _ in range(5):
        for episode in runner.sample():
            for agent, own in episode.agent_episodes.items():
                arrived[episode.id_][agent] += own.get_return()
                assert_legal(own)
    assert len(runner.balances) > 20
    for episode, balances in runner.balances.items():
        assert arrived[episode].keys() == runner.actors[episode]  # a match can be over before everybody has acted
        for agent, chips in arrived[episode].items():
            assert chips == balances[int(agent.removeprefix("player_"))]


@pytest.mark.parametrize(("game", "players"), ALL_SIZES)
def test_a_first_observation_brings_no_reward_and_the_sums_are_the_balances(game, players):
    random = np.random.default_rng(0)
    env = TableMultiAgentEnv({"game": game, "players": players})
    for seed in range(30):
        observations, infos = env.reset(seed=seed)
        sums, acted, over = dict.fromkeys(env.possible_agents, 0.0), set(), False
        while not over:
            ((agent, seen),) = observations.items()
            assert infos.keys() == {agent} and env.observation_spaces[agent].contains(seen)
            acted.add(agent)
            action = random.choice(np.flatnonzero(seen["action_mask"]))
            observations, rewards, terminated, truncated, infos = env.step({agent: action})
            over = terminated["__all__"]
            assert over or rewards.keys() == observations.keys() & acted
            for agent, reward in rewards.items():
                sums[agent] += reward
        assert all(terminated.values()) and not any(truncated.values())
        assert observations.keys() == rewards.keys() == infos.keys() == set(env.possible_agents)
        assert list(sums.values()) == env.env.table["balances"][:players].tolist()


def test_the_same_seed_plays_the_same_and_the_table_can_be_seen():
    envs = [TableMultiAgentEnv({"game": "boxes", "players": 5, "render_mode": "ansi"}) for _ in range(2)]
    first, second = (env.reset(seed=3)[0] for env in envs)
    assert first.keys() == second.keys()
    for agent, seen in first.items():
        assert all((seen[key] == second[agent][key]).all() for key in seen)
    assert envs[0].render() == envs[1].render() != ""


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (None, "game=None: allowed is 'boxes' or 'saucers'"),
        ("saucers", "config='saucers': allowed is a dict"),
        ({"players": 3}, "game=None: allowed is"),
        ({"game": "whist"}, "game='whist': allowed is 'boxes' or 'saucers'"),
        ({"game": "saucers", "players": 7}, "players=7: allowed is"),
        ({"game": "saucers", "chips": 7}, "chips is not a rule option: allowed are players"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(config, message):
    with pytest.raises(OptionError, match=message):
        TableMultiAgentEnv(config)


def test_actions_that_cannot_be_change_nothing():
    env = TableMultiAgentEnv({"game": "saucers"})
    with pytest.raises(ResetNeededError):
        env.step({"player_0": 60})
    ((agent, seen),) = env.reset(seed=0)[0].items()
    before = env.env.table.tobytes()
    other = next(name for name in env.possible_agents if name != agent)
    illegal = int(np.flatnonzero(seen["action_mask"] == 0)[0])
    wrong = {agent: 60, other: 60}, {agent: illegal}, {agent: ACTIONS}, {agent: None}, {0: 1, "b": 2}, None, [agent]
    for actions in ({}, {other: 60}, *wrong):
        with pytest.raises(IllegalActionError, match="allowed"):
            env.step(actions)
    assert env.env.table.tobytes() == before


# The module


def new_module(**spaces):
    """A module for a vector of 4 numbers and 3 actions."""
    seen = {"observation": gymnasium.spaces.Box(0, 1, (4,)), "action_mask": gymnasium.spaces.Box(0, 1, (3,), np.int8)}
    spaces = {"observation_space": gymnasium.spaces.Dict(seen), "action_space": gymnasium.spaces.Discrete(3), **spaces}
    return RLModuleSpec(module_class=MaskedPPOModule, model_config={"fcnet_hiddens": [8]}, **spaces).build()


@pytest.mark.parametrize("forward", ["forward_inference", "forward_exploration", "forward_train"])
def test_what_the_mask_forbids_has_no_chance_at_all(forward):
    module = new_module()
    with torch.no_grad():
        module.pi.net.mlp[-1].bias[:] = torch.tensor([0.0, 0.0, 1e6])  # it wants what is forbidden, very much
    masks = torch.tensor([[1, 1, 0], [0, 1, 0]], dtype=torch.int8)
    batch = {Columns.OBS: {"observation": torch.rand(2, 4), "action_mask": masks}}
    logits = getattr(module, forward)(batch)[Columns.ACTION_DIST_INPUTS]
    chances = torch.softmax(logits, 1)
    assert (chances[masks == 0] == 0).all() and (chances[masks == 1] > 0).all()
    assert torch.isfinite(torch.distributions.Categorical(logits=logits).entropy()).all()
    assert batch[Columns.OBS].keys() == {"observation", "action_mask"}  # as it was
    assert module.compute_values(batch).shape == (2,)


def test_a_module_goes_on_from_anothers_state():
    one, other = new_module(), new_module()
    batch = {Columns.OBS: {"observation": torch.rand(5, 4), "action_mask": torch.ones(5, 3, dtype=torch.int8)}}
    logits = [module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS] for module in (one, other)]
    assert not torch.equal(*logits)
    other.set_state(one.get_state())
    assert torch.equal(logits[0], other.forward_inference(batch)[Columns.ACTION_DIST_INPUTS])
    assert torch.equal(one.compute_values(batch), other.compute_values(batch))


def test_spaces_without_a_mask_for_each_action_are_refused():
    with pytest.raises(OptionError, match="make the environment with mask_in='observation'"):
        new_module(observation_space=gymnasium.spaces.Box(0, 1, (4,)))
    with pytest.raises(OptionError, match=r"allowed is Discrete, of as many actions as \(3,\)"):
        new_module(action_space=gymnasium.spaces.Discrete(4))


# Training


@pytest.mark.parametrize(("configure", "module"), [(one_seat, "default_policy"), (all_seats, "player")])
def test_training_changes_the_module_and_is_kept_in_checkpoints(cluster, configure, module, tmp_path):
    algorithm = configure().build_algo()
    before = weights(algorithm.get_module(module))
    learned = algorithm.train()["learners"][module]
    assert np.isfinite(learned["total_loss"]) and learned["entropy"] > 0
    after = weights(algorithm.get_module(module))
    assert any((after[name] != before[name]).any() for name in before)
    algorithm.save_to_path(tmp_path)
    algorithm.stop()
    restored = Algorithm.from_checkpoint(tmp_path)
    kept = weights(restored.get_module(module))
    assert all((kept[name] == after[name]).all() for name in after)
    assert np.isfinite(restored.train()["learners"][module]["total_loss"])
    restored.stop()


def test_remote_runners_find_the_environment_and_the_module_here_is_theirs(cluster):
    algorithm = one_seat().env_runners(num_env_runners=1).build_algo()
    sampled = algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"]
    here = weights(algorithm.get_module())
    (there,) = algorithm.env_runner_group.foreach_env_runner(
        lambda runner: weights(runner.module), local_env_runner=False
    )
    algorithm.stop()
    assert sampled >= 32 * TABLES
    assert all((there[name] == here[name]).all() for name in there)


def weights(module):
    """A module's weights, by their names."""
    return {name: values.detach().cpu().numpy().copy() for name, values in module.state_dict().items()}


def assert_legal(episode):
    """Every action of an agent's episode was allowed by the mask he then saw."""
    actions = episode.get_actions()
    if len(actions):
        masks = episode.get_observations()["action_mask"][: len(actions)]
        assert masks[np.arange(len(actions)), actions].all()
