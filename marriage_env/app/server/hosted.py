"""A table at which people sit: whoever is connected is told each step, as he may see it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import anyio
from anyio import to_thread

from marriage_env.app.match import HUMAN, Match
from marriage_env.app.replaying import views
from marriage_env.app.server.table_files import SavedTable, TableFiles
from marriage_env.errors import MessageError, TableError
from marriage_env.render.scene import Scene
from marriage_env.render.view import Viewer

PUBLIC: Viewer = "public"
PATIENCE = 60.0  # seconds an agent has for an action
MOST_LINES = 300  # of the log that a newcomer is told
SAVE_AGAIN = 5.0  # seconds until agents try again what could not be saved
FALLBACK, LAST_RESORT = "rules", "random"  # who takes the place of an agent that fails
logger = logging.getLogger("marriage_env.server")

#: Takes a message as text, to send it.
Listener = Callable[[str], None]


class HostedTable:
    """A match with its listeners; everything in it happens one after the other.

    A step is saved before anybody is told of it.

    Args:
        saved: the table as it was kept.
        match: the match of its record.
        files: where it is saved.
        turns: lets so many agents think at once, at all tables together.
        patience: seconds an agent has for an action.
    """

    def __init__(
        self,
        saved: SavedTable,
        match: Match,
        files: TableFiles,
        turns: asyncio.Semaphore,
        patience: float = PATIENCE,
    ) -> None:
        self.saved = saved
        self.listeners: dict[Listener, Viewer] = {}
        self._match = match
        self._files = files
        self._turns = turns
        self._patience = patience
        self._lock = asyncio.Lock()
        self._agents: asyncio.Task[None] | None = None
        #: A line for each step so far, and one for the deal before them.
        self._lines: list[str] = []
        self._contributions: tuple[str, ...] = ()
        for view in views(saved.record, PUBLIC):
            self._add_line(view.last(), view.payments())
        self._scenes = self._all_scenes()

    @property
    def idle(self) -> bool:
        """Whether nobody listens and nothing is under way, so that the table can be forgotten."""
        return not self.listeners and not self._lock.locked() and (self._agents is None or self._agents.done())

    # Coming and going

    def join(self, listener: Listener, viewer: Viewer) -> None:
        """Tell a newcomer how things stand, and everything from now on."""
        self.listeners[listener] = viewer
        listener(self._standing(viewer))
        self._wake_agents()

    def leave(self, listener: Listener) -> None:
        """Tell somebody no more. Agents go on only while somebody listens."""
        self.listeners.pop(listener, None)

    # What people do

    async def act(self, seat: int, step: int, action: int) -> None:
        """Let a seat take an action after so many steps.

        Raises:
            MessageError: it is not this seat's turn, or not this step's: a click that came late, or twice.
            IllegalActionError: the rules do not allow it. In both cases nothing has changed.
        """
        self._check_turn(seat, step)
        async with self._lock:
            self._check_turn(seat, step)
            self._match.act(action)
            await self._publish()
        self._wake_agents()

    async def hint(self, seat: int, step: int) -> str:
        """What an agent would do in a seat's place, as a message for it alone; MessageError as for `act`."""
        self._check_turn(seat, step)
        async with self._lock:
            self._check_turn(seat, step)
            hint = await to_thread.run_sync(self._match.hint)
            words = {choice.action: choice.words for choice in self._scenes[seat].choices}
        chances = [{"action": action, "words": words[action], "chance": chance} for action, chance in hint.choices]
        return message("hint", step=step, agent=hint.agent, choices=chances)

    async def undo(self, seat: int, step: int) -> None:
        """Take back a seat's last action; MessageError if others play here, or if there is none."""
        self._check_undo(seat, step)
        async with self._lock:
            self._check_undo(seat, step)
            if not self._match.undo():
                raise MessageError("there is nothing to take back")
            await self._save()
            del self._lines[self._match.steps + 1 :]
        for listener, viewer in self.listeners.items():
            listener(self._standing(viewer))
        self._wake_agents()

    # Within

    def _check_turn(self, seat: int, step: int) -> None:
        if self._match.steps != step:
            raise MessageError("that was meant for an earlier step: the table has gone on")
        if self._match.actor != seat:
            raise MessageError(f"it is not your turn: {self._scenes[PUBLIC].now}")

    def _check_undo(self, seat: int, step: int) -> None:
        if self._match.humans != (seat,):
            raise MessageError("steps are taken back only where one person plays with agents")
        if self._match.steps != step or self._agents_to_act():
            raise MessageError("wait until the others have played")

    def _agents_to_act(self) -> bool:
        actor = self._match.actor
        return actor is not None and self._match.seats[actor] != HUMAN

    def _wake_agents(self) -> None:
        if self._agents_to_act() and (self._agents is None or self._agents.done()):
            self._agents = asyncio.create_task(self._play_agents())

    async def _play_agents(self) -> None:
        try:
            while self.listeners and self._agents_to_act():
                try:
                    async with self._lock:
                        if await self._agent_acts():
                            await self._publish()
                except TableError as error:
                    self._tell(message("error", text=str(error)))
                    await asyncio.sleep(SAVE_AGAIN)
        except Exception:  # a fault of ours: it is logged, and whoever comes back finds the table as it was saved
            logger.exception("table %s has stopped", self.saved.id)
            self._tell(message("error", text="something went wrong at this table: load the page again"))

    async def _agent_acts(self) -> bool:
        """Let the agent act that is to; False if it failed, and another has taken its place."""
        seat, match = self._match.actor, self._match
        assert seat is not None
        try:
            async with self._turns:
                with anyio.fail_after(self._patience):
                    return await to_thread.run_sync(match.agent_step, abandon_on_cancel=True)
        except Exception as error:  # whatever an agent does wrong, the table goes on
            logger.warning("table %s: agent %s failed: %r", self.saved.id, match.seats[seat], error)
            await self._replace_agent(seat)
            return False

    async def _replace_agent(self, seat: int) -> None:
        """Go on with another agent, in a match of its own: the one that failed may still be thinking about the old."""
        failed = self._match.seats[seat]
        instead = LAST_RESORT if failed == FALLBACK else FALLBACK
        seats = [*self._match.seats[:seat], instead, *self._match.seats[seat + 1 :]]
        self._match = await to_thread.run_sync(Match.of_record, self.saved.record, seats)
        text = f"{failed} has failed, and {instead} plays for {self._match.names[seat]} from now on"
        self._tell(message("notice", text=text, seats=seats))

    async def _publish(self) -> None:
        """Save the step just taken, then tell everybody of it."""
        await self._save()
        public = self._scenes[PUBLIC]
        self._add_line(public.last, public.paid)
        step, line = self._match.steps, self._lines[-1]
        for listener, viewer in self.listeners.items():
            listener(message("scene", step=step, line=line, scene=self._scenes[viewer].as_dict()))

    def _add_line(self, last: str, paid: Sequence[str]) -> None:
        """Add a step to the log.

        The payments of the first step have the contributions once more: the line of the deal has told of them.
        """
        if not self._lines:
            self._contributions = tuple(paid)
        told = self._contributions if len(self._lines) == 1 else ()
        self._lines.append(line_of(self._match.names, last, [text for text in paid if text not in told]))

    async def _save(self) -> None:
        """Save how things stand; TableError if that fails: then they stand as they did before."""
        try:
            self.saved, self._scenes = await to_thread.run_sync(self._saved)
        except OSError as error:
            logger.error("table %s cannot be saved: %s", self.saved.id, error)
            self._match = Match.of_record(self.saved.record, self._match.seats)
            raise TableError("the server cannot save this table, and has taken the last step back") from error

    def _saved(self) -> tuple[SavedTable, dict[Viewer, Scene]]:
        saved = SavedTable(self.saved.id, self.saved.digests, self._match.record)
        self._files.save(saved)
        return saved, self._all_scenes()

    def _all_scenes(self) -> dict[Viewer, Scene]:
        return {viewer: self._match.scene(viewer) for viewer in (*self._match.humans, PUBLIC)}

    def _standing(self, viewer: Viewer) -> str:
        """How things stand, for a newcomer."""
        lines = self._lines[-MOST_LINES:]
        return message(
            "table",
            step=len(self._lines) - 1,
            scene=self._scenes[viewer].as_dict(),
            seats=self._match.seats,
            undo=self._match.humans == (viewer,),
            lines=lines,
            earlier=len(self._lines) - len(lines),
        )

    def _tell(self, text: str) -> None:
        for listener in self.listeners:
            listener(text)


def message(kind: str, **fields: Any) -> str:
    """A message to a browser."""
    return json.dumps({"type": kind, **fields}, separators=(",", ":"))


def line_of(names: Sequence[str], last: str, paid: Iterable[str]) -> str:
    """A step in one line: what was done, and what was paid for it. The names of players stay as they are."""
    return " ".join(
        f"{text if text.startswith(tuple(names)) else text[0].upper() + text[1:]}." for text in (last, *paid)
    )
