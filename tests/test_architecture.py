"""Imports run one way, and every clause of the rules has its test."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "marriage_env"
#: From the ground up: a module imports none of a higher layer.
LAYERS = [
    {"errors", "options", "fields", "compiled", "memory", "record_arrays", "thread_team"},
    {"cards", "chips", "randomness", "table", "declaring", "knowledge"},
    {"observation", "compact", "engine", "batch_engine", "world_engine", "search_engine", "game"},
    {"boxes", "saucers"},
    {"games", "agents", "tables", "worlds", "opening"},
    {"rulebook", "records", "render"},
    {"mask_place", "aec", "boxes_v0", "saucers_v0", "single_seat"},
    {"batch", "batch_checks", "batch_saving", "batch_agents", "recorded_tables", "single_seat_vector", "sb3", "video"},
    {"registration"},
    {"interop", "app"},
]


def layer(module):
    """The layer of a module of the package, by the first part of its name."""
    (found,) = [number for number, names in enumerate(LAYERS) if module in names]
    return found


def imports(path):
    """The modules of the project that a file imports when it is run, by the parts of their names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in typing_only:
            if node.module == "marriage_env":
                yield from (["marriage_env", name.name] for name in node.names if name.name != "__version__")
            else:
                yield (node.module or "").split(".")


def test_the_package_holds_code_alone():
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    static = {path for path in files if path.parent == PACKAGE / "app" / "static"}  # what browsers are given
    assert {path.suffix for path in static} == {".html", ".js", ".css", ".svg"}
    found = {path.suffix for path in set(files) - static}
    assert found == {".py", ".typed", ".md"}, found  # the rulebook is read by programs, too


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_one_way(path):
    own = path.relative_to(PACKAGE).with_suffix("").parts[0]
    for parts in imports(path):
        assert parts[0] not in ("agents", "experiments", "tests"), "the library knows nothing of who uses it"
        if parts[0] == "marriage_env" and own != "__init__":
            other = parts[1]
            assert layer(other) <= layer(own), f"{own} imports {other}"
            assert {own, other} != {"boxes", "saucers"}, "the games know nothing of each other"


def test_the_library_imports_no_pipeline():
    """Nothing imports `interop` (the layers see to that), and nothing of a pipeline comes with the library."""
    code = "import sys, marriage_env; print(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "marriage_env" in loaded
    assert not loaded & {
        "pygame",
        "imageio",
        "torch",
        "stable_baselines3",
        "ray",
        "tianshou",
        "torchrl",
        "pyspiel",
        "agilerl",
        "supersuit",
    }


@pytest.mark.parametrize("game", ["boxes", "saucers"])
def test_every_clause_has_a_test_by_its_number(game):
    page = (ROOT / "docs" / "rules" / f"{game}.md").read_text(encoding="utf-8")
    clauses = re.findall(r"^\*\*(\d\.\d)\*\*", page, re.MULTILINE)
    assert len(clauses) > 15
    files = [ROOT / "tests" / game / "test_rules.py", ROOT / "tests" / "test_properties.py"]
    named = re.findall(r"def (test_\w+)", "".join(path.read_text(encoding="utf-8") for path in files))
    tested = {f"{a}.{b}" for name in named for a, b in re.findall(r"_(\d)_(\d)_", name)}
    assert set(clauses) <= tested
