"""The pages in a real browser: whole matches by clicks and by keys, wide and narrow, for eyes and for ears."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from marriage_env.rulebook import clauses

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
SERVE = """
import sys
from pathlib import Path
from marriage_env.app.server import serve
serve(port=int(sys.argv[1]), folder=Path(sys.argv[2]))
"""
PATIENCE = 60_000  # milliseconds: rules may have to be compiled first

try:
    import starlette  # noqa: F401
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import expect, sync_playwright
except ModuleNotFoundError as error:
    MISSING = f"{error.name} is missing"
else:
    MISSING = "" if CHROMIUM else "there is no chromium"
    expect.set_options(timeout=PATIENCE)
NEEDED = bool(os.environ.get("MARRIAGE_NEEDS_BROWSER"))
pytestmark = pytest.mark.skipif(bool(MISSING) and not NEEDED, reason=MISSING or "all is there")


def test_there_is_a_browser():
    assert not MISSING, MISSING


class Server:
    """A server in a process of its own, which can be killed and started again at the same address."""

    def __init__(self, folder):
        self.folder, self.port = folder, 0
        self.start()

    def start(self):
        command = [sys.executable, "-c", SERVE, str(self.port), str(self.folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = re.search(r"http://\S+", self.process.stdout.readline())[0]
        self.port = int(self.address.rstrip("/").rsplit(":", 1)[1])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("tables"))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, server):
    """Opens the lobby in a window of a size; whatever goes wrong on a page fails the test."""
    contexts, faults = [], []

    def opened(size=WIDE, **settings):
        context = chromium.new_context(viewport=size, **settings)
        contexts.append(context)
        context.add_init_script("localStorage.setItem('marriage-pace', '0')")
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if "Content Security" in message.text else None)
        page.goto(server.address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not faults


def sit_down(page, game="Boxes"):
    """From the lobby to a table, by clicks."""
    page.get_by_role("radio", name=re.compile(game)).check()
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_selector("#table.table")


MAY_PLAY = ".choice, .hand .legal"
TURN_OR_END = f"main.my-turn :is({MAY_PLAY}), main.over"


def is_over(page):
    page.wait_for_selector(TURN_OR_END)
    return page.locator("main.over").count() > 0


def steps(page):
    return page.locator("#lines li").count()


def click_on(page):
    """Play whatever can be played first; wait until it shows."""
    before = steps(page)
    page.locator(MAY_PLAY).first.click()
    page.wait_for_function("before => document.querySelectorAll('#lines li').length > before", arg=before)


def fits(page):
    """Nothing has to be scrolled sideways."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def check_for_all(page):
    """No serious finding of axe."""
    found = Axe().run(page).response["violations"]
    serious = [
        (rule["id"], [node["html"][:200] for node in rule["nodes"]])
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]
    assert not serious


# Whole matches


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("game", ["Boxes", "Saucers"])
def test_a_match_is_played_by_clicks(open_page, game, size):
    page = open_page(size)
    check_for_all(page)
    assert fits(page)
    sit_down(page, game)
    checked = False
    while not is_over(page):
        if page.locator("main .played .card").count() and not checked:
            check_for_all(page)
            checked = True
        assert fits(page)
        click_on(page)
    assert checked and fits(page)
    check_for_all(page)
    expect(page.get_by_text("The match is over")).to_be_visible()


@pytest.mark.parametrize("game", ["Boxes", "Saucers"])
def test_a_match_is_played_by_keys(open_page, game):
    page = open_page()
    page.get_by_role("radio", name="Boxes").focus()
    if game == "Saucers":
        page.keyboard.press("ArrowDown")
    for _ in range(60):
        if page.evaluate("document.activeElement.id") == "start":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#table.table")
    while not is_over(page):
        before = steps(page)
        page.keyboard.press("ArrowRight")
        for _ in range(40):
            if page.evaluate("'action' in document.activeElement.dataset"):
                break
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.wait_for_function("before => document.querySelectorAll('#lines li').length > before", arg=before)
        assert page.evaluate("document.querySelector('.own').contains(document.activeElement)"), "the focus is lost"


# What helps


def test_an_illegal_card_says_why_and_opens_the_rule(open_page):
    page = open_page()
    sit_down(page, "Saucers")
    while not page.locator("main.my-turn .hand .legal").count() or not page.locator(".hand .illegal").count():
        assert not is_over(page)
        click_on(page)
    before = steps(page)
    page.locator(".hand .illegal").first.click(force=True)  # it says itself that it is disabled
    why = page.locator(".say")
    expect(why).to_contain_text(re.compile(r"Not .*\(\d\.\d\)\."))
    clause = re.search(r"\((\d\.\d)\)", why.inner_text())[1]  # by the cards: of a row that rises, of K♣ after Q♣ …
    why.get_by_role("button", name=f"rule {clause}").click()
    rule = page.get_by_role("dialog", name=f"Rule {clause}")
    expect(rule).to_contain_text(" ".join(re.findall(r"\w+", clauses("saucers")[clause])[:2]))
    page.keyboard.press("Escape")
    expect(rule).to_have_count(0)
    assert steps(page) == before


def test_a_hint_shows_how_sure_it_is(open_page):
    page = open_page()
    sit_down(page)
    assert not is_over(page)
    page.keyboard.press("h")
    page.wait_for_selector("button[data-chance]")
    expect(page.locator(".say")).to_contain_text(re.compile(r"would .* \d+ %"))


def test_help_lists_the_keys_and_a_step_is_taken_back(open_page):
    page = open_page()
    sit_down(page)
    assert not is_over(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="How to play")).to_be_visible()
    page.keyboard.press("Escape")
    hand, before = page.locator(".hand").inner_text(), steps(page)
    click_on(page)
    is_over(page)
    page.keyboard.press("u")
    page.wait_for_function("before => document.querySelectorAll('#lines li').length == before", arg=before)
    assert page.locator(".hand").inner_text() == hand


def test_rules_of_the_house_are_kept_to_and_wrong_ones_told(open_page):
    page = open_page()
    page.get_by_role("radio", name="Boxes").check()
    page.get_by_label("Players").select_option("7")
    page.get_by_text("Rules of the house").click()
    page.get_by_label("deals").fill("3")
    page.get_by_label("Who plays at seat 2").select_option("trained")
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("alert")).to_contain_text(re.compile("agent 'trained' .*"))
    page.get_by_label("Who plays at seat 2").select_option("random")
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("heading", name="Boxes · deal 1 of 3")).to_be_visible()
    page.goto(page.url.split("table#")[0])
    page.get_by_role("link", name=re.compile("Boxes: Ada, Anton")).click()
    expect(page.get_by_role("heading", name="Boxes · deal 1 of 3")).to_be_visible()


def test_a_field_in_closed_details_is_shown_where_it_is_wrong(open_page):
    page = open_page()
    summary, deals = page.get_by_text("Rules of the house"), page.get_by_label("deals")
    summary.click()
    deals.fill("")
    summary.click()
    expect(deals).to_be_hidden()
    page.get_by_role("button", name="Sit down").click()
    expect(deals).to_be_focused()
    deals.evaluate("field => { field.value = '02' }")  # a number, though no JSON
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("heading", name="deal 1 of 2")).to_be_visible()


def test_nobody_sits_down_before_the_choices_have_come(open_page):
    page = open_page()
    held = []
    page.route("**/api/choices", lambda route: held.append(route))
    page.reload(wait_until="commit")
    start = page.get_by_role("button", name="Sit down")
    expect(start).to_be_disabled()
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(start).to_be_enabled()


def test_the_same_players_play_again(open_page):
    page = open_page()
    page.get_by_label("Name at seat 1").fill("Zoë")
    sit_down(page, "Saucers")
    before = page.url
    while not is_over(page):
        expect(page.get_by_role("button", name="Play again")).to_be_hidden()
        click_on(page)
    page.get_by_role("button", name="Play again").click()
    page.wait_for_url(lambda url: url != before)
    page.wait_for_selector("main.table:not(.over)")
    expect(page.locator(".own-seat .name")).to_have_text("Zoë")


def test_a_browser_that_keeps_nothing_plays(open_page):
    page = open_page()
    refusing = (
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError') } })"
    )
    page.context.add_init_script(refusing)
    context = page.context.new_page()
    context.goto(page.url)
    sit_down(context)
    is_over(context)


def test_a_double_click_is_one(open_page):
    page = open_page()
    said = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: said.append(text)))
    sit_down(page)
    assert not is_over(page)
    page.locator(MAY_PLAY).first.evaluate("button => { button.click(); button.click() }")
    page.wait_for_timeout(300)
    assert sum('"act"' in text for text in said) == 1


def test_a_notice_stays_in_the_log_and_is_no_step(open_page):
    page = open_page()
    sockets = []

    def told(socket):
        sockets.append(socket)
        socket.connect_to_server()

    page.route_web_socket(re.compile("/ws$"), told)
    sit_down(page, "Saucers")
    assert not is_over(page)
    before = page.locator("#lines li").all_inner_texts()
    seats = json.dumps({"type": "notice", "text": "somebody has failed", "seats": ["human", "rules", "rules"]})
    sockets[-1].send(seats)
    expect(page.locator("#lines .notice")).to_have_text("somebody has failed.")
    sockets[-1].close(code=4000)
    expect(page.locator("#connection")).to_contain_text("lost")
    expect(page.locator("#connection")).to_be_empty()
    assert page.locator("#lines li:not(.notice)").all_inner_texts() == before
    click_on(page)


def test_the_hand_is_seen_with_the_table(open_page):
    page = open_page()
    sit_down(page)
    assert not is_over(page)
    assert page.evaluate("document.querySelector('.hand').getBoundingClientRect().bottom <= innerHeight + 20")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_longest_name_fits(open_page, size):
    page = open_page(size)
    page.get_by_label("Who plays at seat 2").select_option("guest")
    page.get_by_label("Name at seat 2").fill("W" * 40)
    sit_down(page)
    expect(page.locator("#links")).to_be_visible()
    page.evaluate("document.querySelector('.now').textContent = 'W'.repeat(40)")  # it may be the guest's turn, or not
    assert fits(page)
    page.reload()
    expect(page.locator("#links")).to_be_visible()
    assert page.evaluate("(list => list.scrollWidth <= list.clientWidth)(document.querySelector('#links'))")


def test_a_guest_plays_by_his_link_and_a_watcher_sees_no_hand(open_page):
    page = open_page()
    page.get_by_role("radio", name="Saucers").check()
    page.get_by_label("Who plays at seat 2").select_option("guest")
    page.get_by_label("Name at seat 2").fill("<b>Zoë</b>")
    page.get_by_role("button", name="Sit down").click()
    guest, watcher = open_page(NARROW), open_page()
    guest.goto(page.get_by_role("link", name="<b>Zoë</b>").get_attribute("href"))
    watcher.goto(page.get_by_role("link", name="who only looks on").get_attribute("href"))
    for _ in range(3):
        for own in (page, guest):
            if own.locator(f"main.my-turn :is({MAY_PLAY})").count():
                click_on(own)
    expect(guest.locator(".own-seat .name")).to_have_text("<b>Zoë</b>")
    expect(watcher.locator(".seat")).to_have_count(3)
    expect(watcher.locator(".own")).to_be_hidden()
    assert watcher.locator("b").count() == 0


def test_payments_are_shown_at_the_pace_that_is_set(open_page):
    page = open_page(reduced_motion="reduce")
    sit_down(page)
    assert not is_over(page)
    page.get_by_label("Pace").select_option("slow")
    before = steps(page)
    page.locator(MAY_PLAY).first.click()
    page.wait_for_timeout(700)
    assert steps(page) <= before + 1
    page.get_by_label("Pace").select_option("at once")
    is_over(page)


# Connections


def test_a_killed_server_does_not_end_the_game(open_page, server):
    page = open_page()
    sit_down(page, "Saucers")
    for _ in range(3):
        assert not is_over(page)
        click_on(page)
    server.kill()
    expect(page.locator("#connection")).to_contain_text("lost")
    server.start()
    play_on(page)


def test_a_cut_connection_does_not_end_the_game(open_page):
    page = open_page()
    cut_off = []
    page.route_web_socket(re.compile("/ws$"), lambda socket: cut_off.append(socket) or socket.connect_to_server())
    sit_down(page, "Saucers")
    for _ in range(3):
        assert not is_over(page)
        click_on(page)
    cut_off[-1].close(code=4000)
    expect(page.locator("#connection")).to_contain_text("lost")
    expect(page.locator("#connection")).to_be_empty()
    assert len(cut_off) == 2
    play_on(page)


def play_on(page):
    """To the end of a match whose connection was lost; nothing of its log is missing, or there twice."""
    expect(page.locator("#connection")).to_be_empty()
    while not is_over(page):
        click_on(page)
    dealt = page.locator("#lines li", has_text="The cards are dealt")
    expect(dealt).to_have_count(1)
    page.reload()
    page.wait_for_selector("main.over")
    told = page.locator("#lines li").all_inner_texts()
    page.reload()
    page.wait_for_selector("main.over")
    assert page.locator("#lines li").all_inner_texts() == told
