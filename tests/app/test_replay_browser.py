"""The page of a replay in a real browser: it steps, plays, and runs nothing of the record."""

import dataclasses
import random

import pytest

pytest.importorskip("starlette")  # that all is there where it is needed, is asked in test_browser.py
pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from marriage_env import saucers_v0
from tests.app.test_browser import NARROW, WIDE, Axe, chromium, expect, pytestmark  # noqa: F401
from tests.helpers import play_random

HOSTILE = ("</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "{{7*7}}${7*7}")


@pytest.fixture(params=[WIDE, NARROW], ids=["wide", "narrow"])
def replay(request, chromium, tmp_path):  # noqa: F811
    """The page of a match of players with hostile names, opened from its file; and the match."""
    from marriage_env.app.replay_page import write_page

    env = saucers_v0.raw_env(players=3)
    env.reset(seed=5)
    play_random(env, random.Random(5))
    record = dataclasses.replace(env.record, players=HOSTILE)
    path = tmp_path / "match.html"
    write_page(record, path)
    context = chromium.new_context(viewport=request.param)
    page, asked, said = context.new_page(), [], []
    page.on("request", lambda wanted: asked.append(wanted.url))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector(".ledger tbody tr")
    yield page, record
    context.close()
    assert asked == [path.as_uri()], "it asks for nothing"
    assert said == [], "nothing of the record runs"


def test_it_steps_and_tells_the_ledger_to_the_last_chip(replay):
    page, record = replay
    last = len(record.steps)
    page.keyboard.press("ArrowRight")
    expect(page.locator("output.where")).to_have_text(f"1 of {last}")
    page.keyboard.press("End")
    expect(page.locator("output.where")).to_have_text(f"{last} of {last}")
    rows = page.locator(".ledger tbody tr").all_inner_texts()
    assert len(rows) == sum(len(step.paid) for step in record.steps)
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator("output.where")).to_have_text(f"{last - 1} of {last}")
    for name in HOSTILE:
        assert page.get_by_text(name, exact=True).count()


def test_it_plays_by_itself_to_the_end(replay):
    page, record = replay
    last = len(record.steps)
    page.get_by_label("Pace").select_option("fast")
    for _ in range(last - 2):
        page.get_by_role("button", name="On", exact=True).click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("output.where")).to_have_text(f"{last} of {last}")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_seat_sees_its_own_cards_and_what_all_have_seen(replay):
    page, _ = replay
    assert page.locator(".back").count() == 0
    page.get_by_label("Shown:").select_option("0")
    assert page.locator(".back").count() > 0


@pytest.mark.parametrize("viewer", [1, None])
def test_a_page_written_for_one_viewer_shows_no_others_cards(chromium, tmp_path, viewer):  # noqa: F811
    from marriage_env.app.replay_page import write_page

    env = saucers_v0.raw_env(players=3)
    env.reset(seed=1)
    write_page(env.record, tmp_path / "match.html", viewer)
    page = chromium.new_page()
    page.goto((tmp_path / "match.html").as_uri())
    expect(page.get_by_label("Shown:").locator("option")).to_have_count(1)
    expect(page.locator(".card.back")).to_have_count(24)
    page.close()


def test_it_is_accessible_and_does_not_scroll_sideways(replay):
    page, _ = replay
    found = Axe().run(page).response["violations"]
    assert not [fault["id"] for fault in found if fault["impact"] in ("serious", "critical")]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
