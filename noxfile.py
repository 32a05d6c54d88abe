"""Checks in environments of their own: every pipeline's page, and the lowest and the newest versions.

`nox -l` lists them, ``nox -s "page(rllib)"`` runs one. What lives together is tested by `make test` as well. What
follows ``--`` goes to pytest.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import nox

ROOT = Path(__file__).parent
PAGES = ROOT / "docs" / "pipelines"
#: Pipelines that cannot live with the pins of all others, and so have their own.
OWN_PINS = {"agilerl": "constraints/agilerl.txt", "rllib": "constraints/rllib.txt"}
PIPELINES = sorted(page.stem for page in PAGES.glob("*.md") if page.stem != "README")
TESTS = ("tests/pipelines", "tests/experiments/test_scaling.py")  # those of a pipeline have its name
WITH_TORCH = "3.11"  # the Python for which PyTorch is pinned; others test what needs none
NEED_TORCH = ("tests/agents", "tests/experiments", "tests/pipelines")

nox.options.error_on_missing_interpreters = False  # of Pythons other than 3.11, those are tested that are there


def pin(session: nox.Session, file: str) -> None:
    """Keep to the versions in a file, and compiled code apart from that of other versions."""
    session.env["PIP_CONSTRAINT"] = str(ROOT / file)
    session.env["NUMBA_CACHE_DIR"] = str(Path(session.virtualenv.location) / "numba")


@nox.session
@nox.parametrize("pipeline", [nox.param(name, id=name) for name in PIPELINES])
def page(session: nox.Session, pipeline: str) -> None:
    """Install what a page says, run its code as it stands, and run the pipeline's tests."""
    pin(session, OWN_PINS.get(pipeline, "constraints.txt"))
    text = (PAGES / f"{pipeline}.md").read_text(encoding="utf-8")
    (install,) = re.findall(r"```bash\n(pip install [^\n]*)\n```", text)
    session.run("bash", "-c", f"python -m {install}", external=True)
    with tempfile.TemporaryDirectory() as folder, session.chdir(folder):  # not the checkout: what is installed runs
        for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            session.run("python", "-c", code, log=False)
    session.install("pytest", "hypothesis", "rich")
    session.run("pytest", *TESTS, "-k", pipeline, *session.posargs)


@nox.session(python=["3.10", WITH_TORCH])
def lowest(session: nox.Session) -> None:
    """The lowest versions that `pyproject.toml` allows; of what needs PyTorch, on Python 3.11."""
    test_with(session, "constraints/lowest.txt")


@nox.session(python=[WITH_TORCH, "3.13"])
def newest(session: nox.Session) -> None:
    """Whatever is newest today, but for PyTorch."""
    test_with(session, "constraints/newest.txt")


def test_with(session: nox.Session, file: str) -> None:
    """Run the tests with the versions in a file: all of them where PyTorch is, or else what needs none.

    httpx is what the test client of older versions of Starlette speaks with.
    """
    pin(session, file)
    if session.python == WITH_TORCH:
        session.install("-e", ".[train,measure,pictures,play,test]", "-e", "./agents", "httpx")
        session.run("pytest", "-n", "auto", *session.posargs)
    else:
        session.install("-e", ".[pictures,play,test]", "-e", "./agents", "httpx")
        elsewhere = (f"--ignore={folder}" for folder in NEED_TORCH)
        session.run("pytest", "-n", "auto", *elsewhere, *session.posargs)
