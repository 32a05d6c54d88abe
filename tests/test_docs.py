"""The pages say what the code does: generated pages are up to date, links lead somewhere, Python blocks run."""

import importlib
import importlib.util
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import marriage_env
from marriage_env import boxes_v0, errors, records, saucers_v0

ROOT = Path(__file__).parent.parent
MADE = ROOT / "docs" / "_build"  # by `make docs`
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if MADE not in page.parents),
]
#: What pages use that an environment may lack: each by a module that is there with all of it alone.
NOT_EVERYWHERE = {
    "agilerl": "agilerl",
    "open_spiel": "pyspiel",
    "pyspiel": "pyspiel",
    "ray": "tree",  # RLlib's own; Ray itself may be there without it
    "sb3_contrib": "sb3_contrib",
    "supersuit": "supersuit",
    "tianshou": "tianshou",
    "torch": "torch",
    "torchrl": "torchrl",
}
BLOCKS = [
    pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_python_blocks_run(block, tmp_path):
    for package, module in NOT_EVERYWHERE.items():
        if re.search(rf"^(from|import) {package}\b", block, re.MULTILINE) and not importlib.util.find_spec(module):
            pytest.skip(f"{package} is not installed here; nox runs every page where it is")
    run = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_there_are_blocks_to_run():
    assert len(BLOCKS) >= 6


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def script(name):
    """A script of the pages, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_up_to_date():
    pages = script("pages")
    for name in pages.GAMES:
        assert (pages.FOLDER / f"{name}.md").read_text(encoding="utf-8") == pages.page(name), "run: make pages"
        assert (ROOT / "docs" / "rules" / f"{name}.md").read_text(encoding="utf-8") == pages.rules(name), (
            "run: make pages"
        )


def test_the_schema_of_records_is_up_to_date():
    pages = script("pages")
    assert pages.SCHEMA.read_text(encoding="utf-8") == pages.schema(), "run: make pages"


def test_pictures_of_the_rules_are_drawn_and_small():
    image = pytest.importorskip("PIL.Image")
    pages, drawn = script("pages"), {shot.name for shot in script("pictures").SHOTS}
    shown = {f"{picture}.png" for pictures in pages.PICTURES.values() for picture, _ in pictures.values()}
    assert shown == drawn == {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    for name in drawn:
        path = ROOT / "docs" / "pictures" / name
        assert path.stat().st_size < 150_000, "run: make pages"
        with image.open(path) as picture:
            assert picture.size == (1000, 625), "run: make pages"


def documented():
    """What the pages of the API are made from: the names in their directives, and those of modules with members."""
    for page in (ROOT / "docs" / "api").glob("*.md"):
        directives = re.findall(r"\.\. auto(\w+):: ([\w.]+)((?:\n   :.*)*)", page.read_text(encoding="utf-8"))
        for kind, name, options in directives:
            found = pkgutil.resolve_name(name)
            yield found
            if kind == "module" and ":members:" in options:
                yield from (vars(found)[member] for member in getattr(found, "__all__", vars(found)))


@pytest.mark.parametrize(
    "module", [marriage_env, boxes_v0, saucers_v0, records, errors], ids=lambda module: module.__name__
)
def test_the_pages_of_the_api_have_every_public_name(module):
    have = {id(found) for found in documented()}
    for name in getattr(module, "__all__", vars(module)):
        if not name.startswith("_"):
            assert id(vars(module)[name]) in have, f"{module.__name__}.{name} is in none of docs/api"


@pytest.mark.parametrize("game", ["boxes", "saucers"])
def test_rules_pages_have_every_clause_that_the_code_names(game):
    page = (ROOT / "docs" / "rules" / f"{game}.md").read_text(encoding="utf-8")
    told = set(re.findall(r"(?<![\d.])(\d+(?:\.\d+)?)(?![\d.]*\d)", page))
    for source in (ROOT / "marriage_env" / game).glob("*.py"):
        for clause in re.findall(r"\(([1-9]\.\d)[),]", source.read_text(encoding="utf-8")):
            assert clause in told, f"{source.name} names clause {clause}"


def test_the_readme_shows_what_its_ten_lines_print():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    code = next(block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "env.render()" in block)
    shown = re.search(r"```text\n(.*?)\n```", page, re.DOTALL).group(1)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown in run.stdout


def commands(*program):
    """Each line of a bash block that calls a program, as its arguments; a line that ends in a backslash goes on."""
    for page in PAGES:
        for block in re.findall(r"```bash\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line.strip().removeprefix(".venv/bin/"), comments=True)
                if tuple(words[: len(program)]) == program:
                    yield page, words[len(program) :]


def test_make_has_the_targets_of_the_pages():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    found = list(commands("make"))
    assert len(found) > 8
    for page, (target, *_) in found:
        assert target in targets, f"{page.name}: make {target}"


def test_commands_of_marriage_env_are_such_as_it_takes():
    click = pytest.importorskip("click")
    program = pytest.importorskip("marriage_env.app.commands").program
    found = list(commands("marriage-env"))
    assert len(found) > 8
    for page, words in found:
        command = program
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            assert words[0] in command.commands, f"{page.name}: marriage-env {' '.join(words)}"
            command, words = command.commands[words[0]], words[1:]
        command.make_context("documented", list(words))  # raises for what it does not take


def test_commands_of_experiments_have_the_options_they_are_given(capsys):
    pytest.importorskip("torch")
    found = [(page, words) for page, words in commands("python", "-m") if words[0].startswith("experiments.")]
    assert len(found) > 8
    helped = {}
    for page, (module, *words) in found:
        if module == "experiments.rllib_scaling" and not importlib.util.find_spec(NOT_EVERYWHERE["ray"]):
            continue  # it wants an environment with RLlib
        if module not in helped:
            with pytest.raises(SystemExit):
                importlib.import_module(module).main(["--help"])
            helped[module] = capsys.readouterr().out
        own = words[: words.index("--train")] if "--train" in words else words  # what follows is for another script
        for option in [word.partition("=")[0] for word in own if word.startswith("--")]:
            assert option in helped[module], f"{page.name}: {module} has no {option}"
