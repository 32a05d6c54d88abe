"""The commands of ``marriage-env``.

Exit codes: 0, all is well; 1, something was wrong with a file, an agent or a rule, as the message says; 2, the command
line was; 130, Ctrl-C.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from marriage_env import __version__
from marriage_env.agents import allowed_agents
from marriage_env.app import checking, info, replaying, rules_text, terminal
from marriage_env.app.match import HUMAN, Match
from marriage_env.errors import MarriageError, OptionError
from marriage_env.games import GAMES
from marriage_env.options import make_rules, parse_rule

FILE = click.Path(path_type=Path)
GAME = click.Choice(list(GAMES))
SEED = click.IntRange(0, 2**64 - 1)


class Program(click.Group):
    """Ends with one line, not with a traceback, for what its user can put right."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read the output has seen enough: click knows how to end
        except (MarriageError, OSError) as error:
            raise click.ClickException(str(error)) from error
        except KeyboardInterrupt:
            click.echo("stopped by Ctrl-C", err=True)
            sys.exit(130)


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="marriage-env")
def program() -> None:
    """Marriage: two old card games, to play, to watch, and to check."""


# play


def complete_agent(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The names of agents, for a shell."""
    names = ("random", "rules", "trained", "search:2000")
    return [CompletionItem(name) for name in names if name.startswith(begun)]


def seating(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say who sits where."""
    options = (
        click.option("--seat", type=click.IntRange(0, 9), default=None, metavar="N", help="Yours.  [default: 0]"),
        click.option("--watch", is_flag=True, help="Let agents have all seats."),
        click.option(
            "--agents",
            multiple=True,
            metavar="AGENT",
            shell_complete=complete_agent,
            help=f"Who plays on your left, and so on; fewer are repeated: human, {allowed_agents()}.  [default: rules]",
        ),
    )
    return functools.reduce(lambda made, option: option(made), reversed(options), command)


def seats_asked(players: int, seat: int | None, watch: bool, agents: tuple[str, ...]) -> list[str]:
    """Who sits at each seat."""
    if watch and seat is not None:
        raise click.UsageError("--seat and --watch: allowed is one of them")
    if seat is not None and seat >= players:
        raise click.UsageError(f"--seat {seat}: allowed is 0 to {players - 1}, as {players} play")
    company = agents or ("rules",)
    first = 0 if watch else (seat or 0) + 1
    seats = [HUMAN] * players
    for place in range(players if watch else players - 1):
        seats[(first + place) % players] = company[place % len(company)]
    return seats


def rules_asked(rules: tuple[str, ...]) -> dict[str, Any]:
    """The rule options given, by names."""
    options: dict[str, Any] = {}
    for name, value in map(parse_rule, rules):
        if name == "players":
            raise click.UsageError("--rule players: allowed is --players")
        if name in options:
            raise click.UsageError(f"--rule {name} is given twice: allowed is each rule once")
        options[name] = value
    return options


@program.group()
def play() -> None:
    """Play in this terminal, against agents.

    \b
    marriage-env play boxes --players 5 --seat 0 --agents trained
    marriage-env play saucers --rule deals=4 --record evening.jsonl
    marriage-env play resume evening.jsonl
    """  # noqa: D301  (\b is click's mark for lines to leave as they are)


def play_command(game: str) -> click.Command:
    """The command that plays a game."""
    limits = GAMES[game]

    @click.option(
        "--players",
        type=click.IntRange(limits.min_players, limits.max_players),
        default=limits.min_players,
        show_default=True,
        help="How many play.",
    )
    @click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="NAME=VALUE",
        help="A rule option by the rulebook's name, such as deals=4; may be given several times.",
    )
    @seating
    @click.option("--seed", type=SEED, help="The same seed, the same cards.  [default: new cards]")
    @click.option("--record", type=FILE, help="Keep the match in this new file, step by step; `play resume` goes on.")
    def command(
        players: int,
        rules: tuple[str, ...],
        seat: int | None,
        watch: bool,
        agents: tuple[str, ...],
        seed: int | None,
        record: Path | None,
    ) -> None:
        options = {"players": players, **rules_asked(rules)}
        make_rules(limits.rules, options)
        terminal.new_file(record)
        match = Match(game, options, seats_asked(players, seat, watch, agents), seed=seed)
        terminal.play(match, record)

    return click.command(game, help=f"Play {game.capitalize()}.")(command)


for name in GAMES:
    play.add_command(play_command(name))


@play.command()
@click.argument("file", type=FILE)
@seating
def resume(file: Path, seat: int | None, watch: bool, agents: tuple[str, ...]) -> None:
    """Go on with the match in FILE, which keeps it.

    Who sits where is as before, unless --seat, --watch or --agents says otherwise.
    """
    record = terminal.only_record(file)
    anew = seat is not None or watch or agents
    seats = seats_asked(record.opening.rules.players, seat, watch, agents) if anew else None
    terminal.play(Match.of_record(record, seats), file)


# serve


@program.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen; others than this machine's own address let others in.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any that is free.")
@click.option("--folder", type=FILE, default=Path("marriage-tables"), show_default=True, help="Where tables are kept.")
@click.option(
    "--name", "names", multiple=True, help="By which browsers know a proxy before it; may be given several times."
)
def serve(host: str, port: int, folder: Path, names: tuple[str, ...]) -> None:
    """Play in the browser: serve tables, and print their address."""
    from marriage_env.app.server import serve as serve_tables

    serve_tables(host=host, port=port, folder=folder, names=names)


# replay, check


@program.command()
@click.argument("file", type=FILE)
@click.option(
    "--match", "number", type=click.IntRange(1), default=1, show_default=True, help="Which match of the file."
)
@click.option("--viewer", default="all", show_default=True, metavar="SEAT|all|actor", help="Whose cards are shown.")
@click.option("--html", type=FILE, metavar="OUT", help="Write a page that needs nothing else, instead.")
@click.option("--video", type=FILE, metavar="OUT", help="Write a film, .gif or .mp4, instead (extra `pictures`).")
@click.option(
    "--width", type=click.IntRange(320, 3840), default=1000, show_default=True, help="Of the film, in pixels."
)
@click.option(
    "--fps", type=click.FloatRange(0.1, 60), default=1.0, show_default=True, help="Of the film, steps a second."
)
def replay(file: Path, number: int, viewer: str, html: Path | None, video: Path | None, width: int, fps: float) -> None:
    """Step through a match in FILE, a file of records."""
    record = replaying.nth_record(file, number)
    seat = replaying.viewer_asked(viewer, record.opening.rules.players)
    if html is not None and video is not None:
        raise click.UsageError("--html and --video: allowed is one of them")
    replaying.check_target(html or video, file)
    if html is not None:
        from marriage_env.app.replay_page import write_page

        write_page(record, html, seat)
    elif video is not None:
        replaying.film(record, video, seat, width=width, fps=fps)
    else:
        replaying.step_through(record, seat)
        return
    click.echo(f"{html or video}")


@program.command()
@click.argument("files", type=FILE, nargs=-1, required=True)
def check(files: tuple[Path, ...]) -> None:
    """Play each match in FILES again through the rules, and report the first difference of each."""
    if not checking.check_files(files):
        sys.exit(1)


# rules, info, completion


@program.command()
@click.argument("game", type=GAME)
@click.argument("clause", required=False)
def rules(game: str, clause: str | None) -> None:
    """Show the rules of GAME, or one CLAUSE of them, such as 4.2."""
    rules_text.show(game, clause)


@program.command("info")
def show_info() -> None:
    """Show the games, the agents, and the versions of what is installed."""
    info.show()


@program.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes SHELL complete this program's commands.

    \b
    bash:  eval "$(marriage-env completion bash)"
    """  # noqa: D301
    made = get_completion_class(shell)
    if made is None:
        raise OptionError(f"shell {shell!r}: there is no completion for it")
    click.echo(made(program, {}, "marriage-env", "_MARRIAGE_ENV_COMPLETE").source())
