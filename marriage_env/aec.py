"""One AEC environment over any game."""

from __future__ import annotations

import operator
import os
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from marriage_env.cards import CARDS
from marriage_env.chips import Payment, payments
from marriage_env.engine import ENDED, ILLEGAL, PAID, SEAT_BITS
from marriage_env.errors import IllegalActionError, OptionError, ResetNeededError
from marriage_env.fields import Layout
from marriage_env.game import Game
from marriage_env.mask_place import MASK_IN, observation_of, observation_space
from marriage_env.opening import Opening, check_packs, check_pots
from marriage_env.options import make_rules, one_of, shown, whole
from marriage_env.record_arrays import copy_records
from marriage_env.records import Record, append_record, check, record_of, record_path
from marriage_env.records.record import checked_players
from marriage_env.render.needed import need_pygame
from marriage_env.render.scene import scene_of
from marriage_env.render.text import describe, view_of
from marriage_env.table import ACTIONS

if TYPE_CHECKING:
    from marriage_env.render.pictures.window import Window

PICTURE_MODES = ("human", "rgb_array")
RENDER_MODES = ("ansi", *PICTURE_MODES)
NARROWEST, WIDEST = 320, 3840  # pixels
RESET_OPTIONS = ("dealer", "pots", "packs")
IGNORED_RESET_OPTION = "options"  # PettingZoo's own tests pass it to every environment


class ActionSpace(gymnasium.spaces.Discrete):
    """`Discrete` whose masked `sample`, which takes several times as long as our `step`, is made quick."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """A random action: with a mask one of those it allows, each equally likely. See `Discrete.sample`."""
        usual = isinstance(mask, np.ndarray) and mask.dtype == np.int8 and mask.shape == (self.n,)
        if usual and probability is None:
            allowed = mask.nonzero()[0]
            if len(allowed):
                return allowed[int(self.np_random.random() * len(allowed))]
        return super().sample(mask, probability)


class TableEnv(AECEnv[str, Any, int]):  # type: ignore[misc]
    """One table of a game as a PettingZoo AEC environment; a game's module makes a class of it.

    Args:
        render_mode: None; ``"ansi"``: `render` returns text; ``"rgb_array"``: it returns a picture; ``"human"``: each
            step draws the picture in a window, at most ``metadata["render_fps"]`` of them a second. Pictures need
            ``pip install 'marriage-env[pictures]'``.
        render_width: of pictures, in pixels, 320 to 3840; 16 to 10 is their shape.
        mask_in: ``"observation"``: observations are dicts of ``observation`` and ``action_mask``; ``"info"``: they are
            the vector alone. The mask is in ``infos[agent]["action_mask"]`` in both.
        viewer: whose hand `render` shows: an agent, ``"all"``, or None for whoever is to act.
        record: a file to which the record of each match is added when it is over, or left (`reset`, `close`) after a
            step at least: see `marriage_env.records`. Copies (`clone`, `deepcopy`, pickle) add none to it.
        **options: the game's rule options.

    Raises:
        OptionError: an option is unknown or cannot be; the message says what is allowed. Or a picture is asked for, and
            pygame is not installed.
        RecordFileError: no record can be added to that file. Later, too: `step` raises it when the step is taken,
            `reset` and `close` before they change anything; each tries again.
    """

    game: ClassVar[Game]
    #: Whether an illegal action ends the match, as in PettingZoo's wrapped environments, or raises.
    illegal_ends_match: ClassVar[bool] = False

    def __init__(
        self,
        *,
        render_mode: str | None = None,
        mask_in: str = "observation",
        viewer: str | None = None,
        render_width: int = 1000,
        record: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.rules = make_rules(self.game.rules, options)
        self.render_mode = one_of("render_mode", render_mode, (None, *RENDER_MODES))
        if render_mode in PICTURE_MODES:
            need_pygame(f"render_mode={render_mode!r}")
        self.render_width = whole("render_width", render_width, NARROWEST, WIDEST)
        self._window: Window | None = None
        self.mask_in = one_of("mask_in", mask_in, MASK_IN)
        self.possible_agents: list[str] = [f"player_{seat}" for seat in range(self.rules.players)]
        self.viewer = one_of("viewer", viewer, (None, *self.possible_agents, "all"))
        self.game.warm_up_rules()
        self.layout: Layout = self.game.layout(self.rules)
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._tables = self.game.new_tables(1, self.rules)
        self._record_path = record_path(record)
        self._names = tuple(self.possible_agents)
        self._actions: list[int] = []  # taken in this match
        self._broken_off = False  # by the last of them, which was illegal
        self._unsaved = False  # whether steps have been taken that are in no file yet
        self._begun = False
        self._paid = False  # whether rewards are not all 0
        #: What the agent that is to act sees, with its mask, until it is handed out.
        self._seen: tuple[NDArray[np.float32], NDArray[np.int8]] | None = None
        self._action_spaces = [ActionSpace(ACTIONS) for _ in self.possible_agents]
        self._observation_spaces = [self._new_observation_space() for _ in self.possible_agents]
        state_size = self.layout.size + (self.rules.players - 1) * self.rules.pack_size
        self.state_space = gymnasium.spaces.Box(0.0, 1.0, (state_size,), np.float32)

    def _new_observation_space(self) -> gymnasium.spaces.Space[Any]:
        vectors = gymnasium.spaces.Box(0.0, 1.0, (self.layout.size,), np.float32)
        return observation_space(vectors, ACTIONS, self.mask_in)

    # PettingZoo's interface

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The space of an agent's observations."""
        return self._observation_spaces[self._seat(agent)]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        """`Discrete(61)`: 0-51 a card, 52-59 the claims in the rulebook's order, 60 pass."""
        return self._action_spaces[self._seat(agent)]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a match.

        Args:
            seed: of the table's random stream, 0 or more. Without one, the stream goes on where it is; the very first
                time it begins anywhere.
            options: each alone or with others: ``dealer``, a seat; ``pots``, the chips in each pot, 0 to 10,000;
                ``packs``, for each of the first deals of the match the ids of all cards, top first.

        Raises:
            OptionError: the seed or an option cannot be; the match under way, if any, is left as it was.
        """
        seed = None if seed is None else whole("seed", seed, 0, 2**64 - 1)
        dealer, pots, packs = self._reset_options({} if options is None else options)
        self._save_record()
        table = self._tables[0]
        draws = 0
        if seed is None and self._begun:
            seed, draws = int(table["seed"]), int(table["draws"])
        elif seed is None:
            seed = secrets.randbits(64)
        self._begin(Opening(self.game.name, self.rules, seed, draws, dealer, pots, packs))

    def resume(self, record: Record) -> None:
        """Go on where a record ends, as if its match had been played here, by the players named there (`names`).

        Raises:
            OptionError: it is no record, or one of another game or of other rules than this environment.
            RecordMismatchError: the rules do not bear the record out. In both cases nothing has changed.
        """
        if not isinstance(record, Record):
            raise OptionError(f"record={shown(record)}: allowed is a Record")
        opening = record.opening
        if (opening.game, opening.rules) != (self.game.name, self.rules):
            raise OptionError(
                f"record of {opening.game} under {opening.rules}: allowed is {self.game.name}, {self.rules}"
            )
        check(record)
        self._save_record()
        self._names = record.players
        render_mode, path = self.render_mode, self._record_path
        self.render_mode = self._record_path = None
        self._begin(opening)
        for step in record.steps:
            if step.illegal:
                self._forfeit(step.action)
            else:
                self.step(step.action)
        self.render_mode, self._record_path, self._unsaved = render_mode, path, False
        if self.render_mode == "human":
            self.render()

    def _begin(self, opening: Opening) -> None:
        """Begin a match."""
        table = self._tables[0]
        table["seed"], table["draws"], table["pots"] = opening.seed, opening.draws, opening.pots
        self._opening = opening
        self._actions, self._broken_off, self._unsaved = [], False, False
        self._packs = opening.pack_array
        mask = np.zeros(ACTIONS, np.int8)
        actor = self.game.begin(self._tables, opening.first_dealer, self._packs, mask)
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._idle_infos = {agent: {"action_mask": np.zeros(ACTIONS, np.int8)} for agent in self.agents}
        self.infos = self._idle_infos.copy()
        self.agent_selection = self.possible_agents[actor]
        self.infos[self.agent_selection] = {"action_mask": mask}
        self._seen = None
        self._paid = False
        self._begun = True
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Let `agent_selection` take an action; None for an agent whose match is over.

        Raises:
            IllegalActionError: `action` is no action, or (in `raw_env`) not a legal one. Nothing has changed.
            ResetNeededError: no match is under way.
        """
        if not self.agents:
            raise ResetNeededError("step: no match is under way; call reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise IllegalActionError(
                    f"action {action!r} of {agent}: the match is over; allowed is None, or reset()"
                )
            self._leave()
            return
        try:
            number = operator.index(action)  # type: ignore[arg-type]
            if isinstance(action, (bool, np.bool_)):
                raise TypeError
        except TypeError:
            raise IllegalActionError(
                f"action {action!r} of {agent} is not a whole number: allowed are {self._allowed()}"
            ) from None
        layout = self.layout
        vector, mask = np.empty(layout.size, np.float32), np.empty(ACTIONS, np.int8)
        outcome = ILLEGAL
        if 0 <= number < ACTIONS:
            outcome = self.game.advance(self._tables, number, self._packs, layout.blank, layout.at, vector, mask)
        if outcome == ILLEGAL:
            self._refuse(number)
            return
        self._actions.append(number)
        self._unsaved = True
        self._seen = vector, mask
        self.infos[agent] = self._idle_infos[agent]
        self._cumulative_rewards[agent] = 0.0
        if outcome >= PAID or self._paid:
            self._settle_account(outcome & PAID != 0)
        if outcome >= ENDED:
            self._end()
        else:
            self.agent_selection = actor = self.possible_agents[outcome & SEAT_BITS]
            self.infos[actor] = {"action_mask": mask.copy()}
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Any:
        """What an agent sees now, in fresh arrays: see the game's page for the fields.

        Returns:
            A dict of ``observation``, float32 of shape (layout.size,), and ``action_mask``, int8 of shape (61,); or the
            first alone, by `mask_in`. The mask is all zeros for an agent that is not to act.
        """
        self._need_match("observe")
        seen = self._seen
        if seen is not None and agent == self.agent_selection:
            vector, mask = seen
            self._seen = None
        else:
            layout = self.layout
            vector, mask = np.empty(layout.size, np.float32), np.empty(ACTIONS, np.int8)
            self.game.perceive(self._tables, self._seat(agent), layout.blank, layout.at, vector, mask)
        return observation_of(vector, mask, self.mask_in)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, rewards since his last action, termination, truncation and info of `agent_selection`."""
        if not self.agents:
            raise ResetNeededError("last: no match is under way; call reset() first")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Yield `agent_selection` until nobody is left."""
        self._need_match("agent_iter")
        return super().agent_iter(max_iter)

    def state(self) -> NDArray[np.float32]:
        """The whole table, for a centralised critic: what player_0 sees, then the hands of the others, card by card.

        float32 in [0, 1], of shape (layout.size + (players - 1) * pack_size,).
        """
        self._need_match("state")
        state = np.zeros(self.state_space.shape, np.float32)
        size, pack_size = self.layout.size, self.rules.pack_size
        mask = np.empty(ACTIONS, np.int8)
        self.game.perceive(self._tables, 0, self.layout.blank, self.layout.at, state[:size], mask)
        hands = self._tables[0]["hands"][1 : self.rules.players].astype("<u8")
        cards = np.unpackbits(hands.view(np.uint8), bitorder="little").reshape(-1, 64)
        state[size:] = cards[:, CARDS - pack_size : CARDS].ravel()
        return state

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table as `viewer` sees it.

        Returns:
            In mode ``"ansi"`` some twenty lines of text; in mode ``"rgb_array"`` a picture, uint8 of shape
            (render_width * 5 / 8, render_width, 3); None in mode ``"human"``, where the window shows it.
        """
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() was called without a render_mode; make the environment with one, such as 'ansi'"
            )
            return None
        self._need_match("render")
        if self.render_mode == "ansi":
            return describe(self)
        from marriage_env.render.pictures import Window, picture

        scene = scene_of(view_of(self))
        if self.render_mode == "rgb_array":
            return picture(scene, self.render_width)
        if self._window is None:
            self._window = Window(self.render_width, self.metadata["render_fps"])
        self._window.show(scene)
        return None

    def close(self) -> None:
        """Close the window, if there is one (the next picture opens another); save the record of a match under way."""
        if self._window is not None:
            self._window.close()
            self._window = None
        self._save_record()

    # What is seen from outside the game

    @property
    def pots(self) -> dict[str, int]:
        """The chips in each pot, by the rulebook's names."""
        self._need_match("pots")
        return dict(zip(self.game.pot_names, self._tables[0]["pots"].tolist(), strict=True))

    @property
    def balances(self) -> dict[str, int]:
        """What each player has won or lost in the match so far, contributions and fines included (9.2)."""
        self._need_match("balances")
        return dict(zip(self.possible_agents, self._tables[0]["balances"].tolist(), strict=False))

    @property
    def dealer(self) -> str:
        """Who has dealt."""
        self._need_match("dealer")
        dealer: str = self.possible_agents[self._tables[0]["dealer"]]
        return dealer

    @property
    def ledger(self) -> list[Payment]:
        """Who paid whom in the last step, how much and why. The first step's includes the first contributions."""
        self._need_match("ledger")
        return payments(self._tables[0], self.game.pot_names, self.game.reasons)

    @property
    def record(self) -> Record:
        """The record of the match so far. See `marriage_env.records`."""
        self._need_match("record")
        last = len(self._actions) - 1
        return record_of(
            self._opening,
            [(action, self._broken_off and place == last) for place, action in enumerate(self._actions)],
            self.names,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """What records call the players, by seats (as the agents are called, until they are set).

        Raises RecordFieldError, or RecordSizeError, for others than a text of 1 to 200 printable characters each.
        """
        return self._names

    @names.setter
    def names(self, names: Sequence[str]) -> None:
        self._names = checked_players(names, self.rules.players)

    @property
    def table(self) -> Any:
        """A copy of the table's record (dtype `game.table`)."""
        return copy_records(self._tables)[0]

    def action_name(self, action: int) -> str:
        """An action in the rulebook's words: a card such as ``"QH"``, a claim, or ``"pass"``."""
        names: tuple[str, ...] = self.game.action_names
        return names[whole("action", action, 0, ACTIONS - 1)]

    def decode(self, observation: Any) -> dict[str, Any]:
        """An observation of this environment, field by field, by names."""
        vector = observation["observation"] if isinstance(observation, Mapping) else observation
        return self.layout.decode(vector)

    def clone(self) -> TableEnv:
        """An environment that goes on exactly like this one, and apart from it; many times faster than `deepcopy`.

        The spaces are shared, and with them the random stream of `action_space(agent).sample`. A clone holds all that
        the original holds: the hands of others, and the cards to come. What is tried on the clone of an environment
        with a window is not shown: its `render_mode` is None. So it is with copies of other kinds.
        """
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._leave_window()
        twin._tables = copy_records(self._tables)
        twin.agents = self.agents.copy()
        twin._actions = self._actions.copy()
        twin._record_path = None
        if self._begun:
            for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
                setattr(twin, name, getattr(self, name).copy())
            twin._seen = None
            twin._idle_infos = {agent: {"action_mask": np.zeros(ACTIONS, np.int8)} for agent in self.possible_agents}
            twin.infos = {agent: twin._idle_infos[agent] for agent in self.agents}
            if not self.terminations.get(self.agent_selection, True):
                mask = self.infos[self.agent_selection]["action_mask"]
                twin.infos[self.agent_selection] = {"action_mask": mask.copy()}
        return twin

    # Within

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("layout", "_window")}
        return state | {"_record_path": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._leave_window()
        self.layout = self.game.layout(self.rules)

    def _leave_window(self) -> None:
        """What a copy does: the window stays with the original."""
        self._window = None
        if self.render_mode == "human":
            self.render_mode = None

    def _reset_options(
        self, options: Mapping[str, Any]
    ) -> tuple[int | None, tuple[int, ...], tuple[tuple[int, ...], ...]]:
        """Dealer (None: to be drawn), pots and packs of a reset, checked."""
        if not isinstance(options, Mapping):
            raise OptionError(f"options={options!r}: allowed is a dict with any of {', '.join(RESET_OPTIONS)}")
        for name in options:
            if name not in (*RESET_OPTIONS, IGNORED_RESET_OPTION):
                raise OptionError(f"{name!r} is not a reset option: allowed are {', '.join(RESET_OPTIONS)}")
        dealer, pots, packs = (options.get(name) for name in RESET_OPTIONS)
        return (
            None if dealer is None else whole("dealer", dealer, 0, self.rules.players - 1),
            (0,) * len(self.game.pot_names) if pots is None else check_pots(pots, self.game.pot_names),
            () if packs is None else check_packs(packs, self.rules.pack_size, self.rules.deals),
        )

    def _seat(self, agent: str) -> int:
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            allowed = ", ".join(self.possible_agents)
            raise OptionError(f"agent {agent!r} is not at this table: allowed are {allowed}") from None

    def _need_match(self, what: str) -> None:
        if not self._begun:
            raise ResetNeededError(f"{what}: no match has begun; call reset() first")

    def _allowed(self) -> str:
        legal = int(self._tables[0]["legal"])
        names = enumerate(self.game.action_names)
        return ", ".join(f"{action} ({name})" for action, name in names if legal >> action & 1)

    def _refuse(self, action: int) -> None:
        """An illegal action: it raises; or, if it is an action at all, it ends the match of an `env`."""
        agent = self.agent_selection
        if not (self.illegal_ends_match and 0 <= action < ACTIONS):
            name = f" ({self.game.action_names[action]})" if 0 <= action < ACTIONS else ""
            said = f"action {shown(action)}{name} of {agent}"
            raise IllegalActionError(f"{said} is not legal: allowed are {self._allowed()}")
        EnvLogger.warn_on_illegal_move()
        self._forfeit(action)
        if self.render_mode == "human":
            self.render()

    def _forfeit(self, action: int) -> None:
        """An illegal action ends the match."""
        agent = self.agent_selection
        self._actions.append(action)
        self._broken_off = self._unsaved = True
        self.game.forfeit_match(self._tables)
        self.infos[agent] = self._idle_infos[agent]
        self._cumulative_rewards[agent] = 0.0
        self._settle_account(True)
        self._end()
        self.truncations = dict.fromkeys(self.agents, True)  # as PettingZoo's wrapper does

    def _settle_account(self, paid: bool) -> None:
        """The rewards of the step just taken, in which chips moved or did not."""
        self._paid = paid
        changes = self._tables[0]["rewards"].tolist() if paid else [0] * len(self.agents)
        for agent, change in zip(self.agents, changes, strict=False):
            self.rewards[agent] = float(change)
            self._cumulative_rewards[agent] += change

    def _leave(self) -> None:
        """The first agent leaves a match that is over."""
        agent = self.agents.pop(0)
        for of_each in (self.terminations, self.truncations, self.rewards, self._cumulative_rewards, self.infos):
            del of_each[agent]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]

    def _end(self) -> None:
        """The match is over for everybody."""
        self._seen = None
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]
        self._save_record()

    def _save_record(self) -> None:
        """Add what has been played of the match to the file of records, if there is one, and it is not there yet."""
        if self._record_path is not None and self._unsaved:
            append_record(self._record_path, self.record)
        self._unsaved = False
