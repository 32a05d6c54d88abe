"""The pipelines' pages: each is there, of one form, and its code runs longer where it learns."""

import os
import re
from pathlib import Path

import pytest
import tomllib

from experiments import pipelines
from marriage_env import MarriageError

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(path for path in pipelines.PAGES.glob("*.md") if path.stem != "README")
NAMES = {"sb3", "rllib", "tianshou", "torchrl", "agilerl", "openspiel", "supersuit", "gymnasium", "pytorch"}
LEARN = {"sb3", "rllib", "tianshou", "torchrl", "agilerl", "pytorch"}
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def test_every_pipeline_has_its_page_and_its_tests():
    assert {page.stem for page in PAGES} == NAMES
    index = (pipelines.PAGES / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\w+)\.md\)", index)) == NAMES
    for name in NAMES:
        assert (Path(__file__).parent / f"test_{name}.py").exists()
    assert set(pipelines.learning_pages()) == LEARN


@by_page
def test_an_example_is_short_and_its_install_line_names_an_extra_there_is(page):
    text = page.read_text(encoding="utf-8")
    lines = [line for line in pipelines.block_of(text).splitlines() if line.strip()]
    assert 15 <= len(lines) <= 40
    (install,) = re.findall(r"```bash\n(pip install [^\n]*)\n```", text)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for names in re.findall(r"\.\[([\w,]+)\]", install):
        assert set(names.split(",")) <= set(extras)
    places = [text.index(part) for part in (install, "\n\nTested with ", "```python", "\n## Watch out\n")]
    assert places == sorted(places)


@by_page
def test_every_warning_has_a_short_head(page):
    warnings = page.read_text(encoding="utf-8").split("\n## Watch out\n")[1].split("\n## ")[0]
    points = re.findall(r"^- .*", warnings, re.MULTILINE)
    assert len(points) > 2
    for point in points:
        assert re.match(r"- \*\*.{3,40}\.\*\* ", point), point


@pytest.mark.parametrize("name", sorted(LEARN))
def test_an_example_that_learns_is_seeded_and_leaves_its_player(name):
    text = (pipelines.PAGES / f"{name}.md").read_text(encoding="utf-8")
    code = pipelines.block_of(text)
    assert "seed" in code
    assert re.search(r"^class Player\((marriage_env\.)?BatchAgent\):$", code, re.MULTILINE)
    assert re.search(r"^player = Player\(", code, re.MULTILINE)
    assert re.search(r"print\(.*chips a match against two (random|rule-based) players: ", code)
    assert "## Watch out" in text.split("<!-- end of learned -->")[1]


def fake_page(monkeypatch, tmp_path, code):
    (tmp_path / "fake.md").write_text(f"# Fake\n\n```python\n{code}```\n\n<!-- learned -->\n<!-- end of learned -->\n")
    monkeypatch.setattr(pipelines, "PAGES", tmp_path)
    return tmp_path / "fake.md"


def test_a_pages_code_runs_for_the_steps_asked_for_and_its_player_is_measured(monkeypatch, tmp_path, capsys):
    made = "make_agent('rules' if steps == 77 else 'random')"
    code = f"import os\nfrom marriage_env import make_agent\nsteps = 1_000\nplayer = {made}\n"
    where = tmp_path / "process"
    page = fake_page(monkeypatch, tmp_path, f"{code}print(os.getpid(), file=open({str(where)!r}, 'w'))\n")
    pipelines.main(["fake", "--steps", "77", "--deals", "60", "--pages"])
    assert "77" in capsys.readouterr().out
    told = page.read_text()
    assert "for about 77 steps" in told and "60 duplicate deals" in told and code in told
    assert float(re.search(r"([+-][\d.]+) ±", told).group(1)) > 5
    assert int(where.read_text()) != os.getpid()  # in a process of its own


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("steps = 1\nsteps = 2\n", "allowed is a page whose example has one line"),
        ("steps = 1\n", "allowed is a page whose example leaves a `player`"),
        ("steps = 1\nint('one')\n", r"ValueError: invalid literal for int\(\) with base 10: 'one'$"),
        ("steps = 1\nimport no_such_pipeline\n", "ModuleNotFoundError: No module named 'no_such_pipeline'$"),
        ("steps = 1\nif\n", "SyntaxError: invalid syntax$"),
        ("steps = 1\nraise SystemExit('enough')\n", "SystemExit: enough$"),
        ("steps = 1\nimport os\nos._exit(3)\n", "its process has ended before its example did"),
    ],
)
def test_a_page_that_fails_is_one_clear_error(monkeypatch, tmp_path, code, message):
    page = fake_page(monkeypatch, tmp_path, code)
    with pytest.raises(MarriageError, match=rf"^fake\.md: {message}"):
        (pipelines.measure_apart if "_exit" in code else pipelines.measure)(page, 5, 10, 0)


def test_the_first_block_of_a_page_is_its_example(monkeypatch, tmp_path):
    page = fake_page(monkeypatch, tmp_path, "steps = 1\n```\n```python\nsteps = 2\n")
    assert pipelines.code_of(page, 5) == "steps = 5\n"
    page.write_text("# Fake\n")
    with pytest.raises(MarriageError, match="without a block of Python"):
        pipelines.code_of(page, 5)


def test_all_marks_are_looked_for_before_the_work(monkeypatch, tmp_path):
    whole = fake_page(monkeypatch, tmp_path, "steps = 1\nraise AssertionError\n").read_text()
    (tmp_path / "other.md").write_text(whole.replace("<!-- learned -->", ""))
    with pytest.raises(SystemExit, match=r"other\.md: allowed is one with <!-- learned -->"):
        pipelines.main(["fake", "other", "--pages"])


def test_an_unknown_pipeline_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        pipelines.main(["jumanji"])
    assert "sb3" in capsys.readouterr().err


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(LEARN))
def test_a_page_learns_to_beat_random_play_in_under_five_minutes(name):
    pytest.importorskip({"sb3": "sb3_contrib", "rllib": "ray.rllib", "pytorch": "torch"}.get(name, name))
    found = pipelines.measure_apart(pipelines.PAGES / f"{name}.md", 100_000, 500, 0)
    assert found.ahead.clear_of_zero and found.ahead.mean > 0
    assert found.seconds < 300
