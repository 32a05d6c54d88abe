"""The pipelines' pages: each is there, of one form, and its code runs longer where it learns."""

import re
from pathlib import Path

import pytest
import tomllib

from experiments import pipelines
from marriage_env import MarriageError

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(path for path in pipelines.PAGES.glob("*.md") if path.stem != "README")
NAMES = {"sb3", "rllib", "tianshou", "torchrl", "agilerl", "openspiel", "supersuit", "gymnasium", "pytorch"}
LEARN = {"sb3", "rllib", "tianshou", "torchrl", "pytorch"}
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def test_every_pipeline_has_its_page_and_its_tests():
    assert {page.stem for page in PAGES} == NAMES
    index = (pipelines.PAGES / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\w+)\.md\)", index)) == NAMES
    for name in NAMES:
        assert (Path(__file__).parent / f"test_{name}.py").exists()
    assert set(pipelines.learning_pages()) >= LEARN


@by_page
def test_an_example_is_short_and_its_install_line_names_an_extra_there_is(page):
    text = page.read_text(encoding="utf-8")
    lines = [line for line in pipelines.block_of(text).splitlines() if line.strip()]
    assert 15 <= len(lines) <= 40
    (install,) = re.findall(r"```bash\n(pip install [^\n]*)\n```", text)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for names in re.findall(r"\.\[([\w,]+)\]", install):
        assert set(names.split(",")) <= set(extras)
    assert "## Watch out" in text


def fake_page(monkeypatch, tmp_path, code):
    (tmp_path / "fake.md").write_text(f"# Fake\n\n```python\n{code}```\n\n<!-- learned -->\n<!-- end of learned -->\n")
    monkeypatch.setattr(pipelines, "PAGES", tmp_path)
    return tmp_path / "fake.md"


def test_a_pages_code_runs_for_the_steps_asked_for_and_its_player_is_measured(monkeypatch, tmp_path, capsys):
    made = "make_agent('rules' if steps == 77 else 'random')"
    code = f"from marriage_env import make_agent\nsteps = 1_000\nplayer = {made}\n"
    page = fake_page(monkeypatch, tmp_path, code)
    pipelines.main(["fake", "--steps", "77", "--deals", "60", "--pages"])
    assert "77" in capsys.readouterr().out
    told = page.read_text()
    assert "for 77 steps" in told and "60 duplicate deals" in told and code in told
    assert float(re.search(r"([+-][\d.]+) ±", told).group(1)) > 5


@pytest.mark.parametrize("code", ["steps = 1\nsteps = 2\n", "steps = 1\n```\n```python\nplayer = 0\n"])
def test_a_page_that_is_not_of_the_form_is_refused(monkeypatch, tmp_path, code):
    fake_page(monkeypatch, tmp_path, code)
    with pytest.raises(MarriageError, match="allowed is"):
        pipelines.run_page("fake", 5)


def test_a_page_without_marks_is_refused_before_the_work(monkeypatch, tmp_path):
    page = fake_page(monkeypatch, tmp_path, "steps = 1\nraise AssertionError\n")
    page.write_text(page.read_text().replace("<!-- learned -->", ""))
    with pytest.raises(SystemExit, match=r"fake\.md: allowed is one with <!-- learned -->"):
        pipelines.main(["fake", "--pages"])


def test_an_unknown_pipeline_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        pipelines.main(["jumanji"])
    assert "sb3" in capsys.readouterr().err


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(LEARN))
def test_a_page_learns_to_beat_random_play_in_under_five_minutes(name):
    pytest.importorskip({"sb3": "sb3_contrib", "rllib": "ray.rllib", "pytorch": "torch"}.get(name, name))
    found = pipelines.measure(name, 100_000, 500, 0)
    assert found.ahead.clear_of_zero and found.ahead.mean > 0
    assert found.seconds < 300
