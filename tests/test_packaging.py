"""The wheel: it brings the library alone, with its types, and plays in an environment that has nothing else."""

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PLAY = """
import sys
from marriage_env import boxes_v0, make_agent, saucers_v0
for module in (boxes_v0, saucers_v0):
    env = module.env(render_mode="ansi")
    players = {name: make_agent(kind, seed=1) for name, kind in zip(env.possible_agents, ["rules", "random"] * 5)}
    env.reset(seed=1)
    for name in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        env.step(None if termination or truncation else players[name].act(observation))
    assert sum(env.balances.values()) + sum(env.pots.values()) == 0
    assert env.render()
assert not {"torch", "stable_baselines3", "rich", "agents", "experiments"} & set(sys.modules)
print(sorted(sys.modules["marriage_env"].agent_names()))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_brings_the_library_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata, entries = (
            archive.read(next(name for name in names if name.endswith(ending))).decode().strip()
            for ending in ("METADATA", "entry_points.txt")
        )
    assert {name.split("/")[0].split("-")[0] for name in names} == {"marriage_env"}
    assert "marriage_env/py.typed" in names
    assert {f"marriage_env/app/static/{page}.html" for page in ("index", "table")} < set(names)
    needed_files = ("boxes/scripted.py", "rulebook/boxes.md", "app/static/table.js", "app/static/replay.js")
    assert {f"marriage_env/{name}" for name in needed_files} <= set(names)
    assert entries == "[console_scripts]\nmarriage-env = marriage_env.app.cli:main"
    needed = [line.split(": ")[1] for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    bare = {name.split(">")[0] for name in needed if "extra ==" not in name}
    assert bare == {"gymnasium", "pettingzoo", "numpy", "numba"}
    extras = {line.split(": ")[1] for line in metadata.splitlines() if line.startswith("Provides-Extra")}
    pipelines = {"ray", "openspiel", "rllib", "tianshou", "torchrl", "agilerl", "supersuit"}
    people = {"pictures", "play"}
    assert extras == {"train", "measure", "bench", "test", "docs", "browser", "dev", "all"} | pipelines | people


def test_the_wheel_plays_in_a_bare_environment(wheel, tmp_path):
    venv.create(tmp_path / "bare", with_pip=True)
    python = tmp_path / "bare" / "bin" / "python"
    pins = os.environ.get("PIP_CONSTRAINT", str(ROOT / "constraints.txt"))  # a session's own, if it has some
    install = [python, "-I", "-m", "pip", "install", "--quiet", "-c", pins, str(wheel)]
    subprocess.run(install, check=True, cwd=tmp_path, capture_output=True, text=True)
    run = subprocess.run([python, "-I", "-c", PLAY], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "['random', 'rules']"


def test_the_lowest_versions_tested_are_the_lowest_allowed():
    """Of all that `lowest` in noxfile.py installs; PyTorch, which has one pin everywhere, comes with the rest."""
    tomllib = pytest.importorskip("tomllib")
    library, players = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in (".", "agents")
    )
    extras = library["optional-dependencies"]
    tested_extras = ("train", "measure", "pictures", "play", "test")
    wanted = [
        *library["dependencies"],
        *players["dependencies"],
        *(name for key in tested_extras for name in extras[key]),
    ]
    bounds = dict(re.fullmatch(r"([\w-]+)(?:>=([\d.]+))?", name).groups() for name in wanted)
    del bounds["marriage-env"]
    text = (ROOT / "constraints" / "lowest.txt").read_text(encoding="utf-8")
    tested = {name.lower().replace("_", "-"): version for name, version in re.findall(r"^([\w-]+)==(.*)$", text, re.M)}
    del tested["torch"]
    assert {name.replace("_", "-") for name in bounds} == set(tested)
    for name, bound in bounds.items():
        assert Version(tested[name.replace("_", "-")]) == Version(bound), name
