"""A match in the terminal, against agents."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.document import Document

from marriage_env.app.match import Match
from marriage_env.app.moves import typed_action
from marriage_env.app.typed import somebody_types, typed_line
from marriage_env.errors import AgentError, IllegalActionError, MarriageError, OptionError, RecordFileError
from marriage_env.records import Record, read_records, save_records
from marriage_env.render.scene import Choice
from marriage_env.render.text import for_terminal, in_its_characters
from marriage_env.render.view import WIDEST, Viewer
from marriage_env.rulebook import clause_text

HELP = """\
Type a card (QH, 10d, q♥), a claim (marriage clubs), pass, or the number before it; Tab completes. Besides:
  hint          what the trained agent would do, with its probabilities
  why CARD      why a card may not be played
  rule 4.2      a clause of the rules
  undo          take your last action back, and what has happened since
  table         show the table again
  quit          leave; with --record the match is kept, and `marriage-env play resume FILE` goes on with it"""
COMMANDS = ("hint", "why", "rule", "undo", "table", "help", "quit")
SUBSTITUTE = "rules"  # plays on for an agent that fails


def new_file(path: Path | None) -> None:
    """RecordFileError if a match cannot be kept in a new file there."""
    if path is None or not os.path.lexists(path):
        return
    if not path.is_file():
        raise RecordFileError(f"{path} is no file: allowed is the name of a new one")
    raise RecordFileError(f"{path} is there already: `marriage-env play resume {path}` goes on with a match in it")


def only_record(path: Path) -> Record:
    """The one match that a file keeps; RecordFileError if it keeps none, or several."""
    records = read_records(path)
    record = next(records, None)
    if record is None or next(records, None) is not None:
        raise RecordFileError(f"{path}: allowed is a file with one match, as `play --record` keeps it")
    return record


def play(match: Match, path: Path | None) -> None:
    """Play a match to its end, or until its player leaves; keep it in a file after every action."""
    TerminalTable(match, path).play()


class Moves(Completer):
    """Completes what can be typed: the legal actions, and commands."""

    def __init__(self) -> None:
        self.choices: tuple[Choice, ...] = ()

    def get_completions(self, document: Document, complete_event: Any) -> Iterable[Completion]:
        """See prompt_toolkit."""
        begun = document.text_before_cursor.lstrip().lower()
        for choice in self.choices:
            for text in (choice.name, choice.words):
                if text.lower().startswith(begun):
                    yield Completion(text, -len(begun), display_meta=choice.words)
                    break
        for command in COMMANDS:
            if command.startswith(begun):
                yield Completion(command, -len(begun))


class TerminalTable:
    """A match as it is played in the terminal."""

    def __init__(self, match: Match, path: Path | None) -> None:
        self.match, self.path = match, path
        self.moves = Moves()
        self._session: PromptSession[str] | None = PromptSession(completer=self.moves) if somebody_types() else None
        self._sitting = -1  # the seat of the human who was asked last
        self._behind = False  # whether the file lacks the last actions

    def play(self) -> None:
        """Play until the match is over, or its player leaves; RecordFileError if it cannot be kept."""
        if not self.match.over:
            self.keep()
        try:
            self.play_on()
        finally:
            if self.path and not self.match.over:
                self.say(f"`marriage-env play resume {self.path}` goes on with this match.")
        if self._behind:
            self.keep()

    def play_on(self) -> None:
        """Play until the match is over, or its player leaves."""
        if self.match.actor not in self.match.humans:
            self.show_table()
        while not self.match.over:
            if self.match.actor in self.match.humans:
                if not self.ask():
                    break
            else:
                self.let_agent_act()
        if self.match.over:
            self.show_table()

    def let_agent_act(self) -> None:
        """The agent that is to act does; one that fails is replaced, and it is said."""
        seat = int(self.match.actor or 0)
        try:
            self.match.agent_step()
        except (AgentError, IllegalActionError) as error:
            self.match.replace_agent(seat, SUBSTITUTE)
            self.say(f"{self.match.names[seat]} has failed ({error}); `{SUBSTITUTE}` plays on in his seat.")
        else:
            self.acted()

    def acted(self) -> None:
        """An action has been taken: it is kept, and told."""
        self.try_to_keep()
        scene = self.match.scene(self.viewer)
        self.say("  " + "\n      ".join([f"{scene.last}.", *scene.paid]))

    def keep(self) -> None:
        """Keep the match in its file; RecordFileError if that fails: what was kept before is there still."""
        if self.path is not None:
            save_records(self.path, [self.match.record])
        self._behind = False

    def try_to_keep(self) -> None:
        """Keep the match; if that fails, say so once: play goes on, and every action tries again."""
        try:
            self.keep()
        except RecordFileError as error:
            if not self._behind:
                self.say(f"{error}; the match goes on, and every action tries again.")
            self._behind = True

    def ask(self) -> bool:
        """Ask the human who is to act, until an action is taken; False when he leaves."""
        seat = int(self.match.actor or 0)
        steps = self.match.steps
        self.moves.choices = self.match.scene(seat).choices
        try:
            self.seat(seat)
            self.show_table()
            while self.match.steps == steps:
                self.say("  ".join(f"{place} {choice.words}" for place, choice in enumerate(self.moves.choices, 1)))
                line = self.read(f"{self.match.names[seat]}> ").strip()
                if line in ("quit", "q", "exit"):
                    return False
                try:
                    self.answer(line)
                except MarriageError as error:
                    self.say(str(error))
        except EOFError:
            return False
        return True

    def seat(self, seat: int) -> None:
        """Let a human take the keyboard from another, who is not to see his cards."""
        if len(self.match.humans) > 1 and seat != self._sitting:
            self.read(f"{self.match.names[seat]} is to act: Enter, when nobody else looks. ")
            click.clear()
        self._sitting = seat

    def answer(self, line: str) -> None:
        """Do what was typed; a MarriageError says why not."""
        command, _, argument = line.partition(" ")
        if command in ("", "table"):
            self.show_table()
        elif command in ("help", "?"):
            self.say(HELP)
        elif command == "hint":
            self.say(self.hint())
        elif command == "why":
            self.say(self.why(argument))
        elif command == "rule":
            self.say(clause_text(self.match.game, argument.strip()))
        elif command == "undo":
            if not self.match.undo():
                raise OptionError("there is nothing to take back")
            self.try_to_keep()
        else:
            seat = self.match.actor
            self.match.act(typed_action(line, self.moves.choices, self.match.view(seat)))
            self.acted()

    def hint(self) -> str:
        """What an agent would do."""
        agent, choices = self.match.hint()
        view = self.match.view(self.viewer)
        told = ", ".join(f"{view.action_words(action)} {chance:.0%}" for action, chance in choices[:5])
        return f"{agent}: {told}"

    def why(self, argument: str) -> str:
        """Why not."""
        try:
            typed_action(argument, self.moves.choices, self.match.view(self.match.actor))
        except IllegalActionError as error:
            return str(error)
        return f"{argument} is legal."

    @property
    def viewer(self) -> Viewer:
        """Whose hand is shown: that of the only human, or, of several, of the one who is to act; else the actor's."""
        humans = self.match.humans
        if len(humans) == 1:
            return humans[0]
        return "public" if humans and self.match.actor not in humans else None

    def show_table(self) -> None:
        """Print the table, as wide as the terminal, from 80 to 100 columns."""
        columns = shutil.get_terminal_size((WIDEST, 24)).columns
        self.say("\n" + "\n".join(self.match.view(self.viewer, columns).lines()) + "\n")

    def say(self, text: str) -> None:
        """Print a text."""
        click.echo(for_terminal(text))

    def read(self, prompt: str) -> str:
        """A line that is typed; EOFError when there is none to come."""
        if self._session is not None:
            return self._session.prompt(in_its_characters(prompt))
        return typed_line(prompt)
