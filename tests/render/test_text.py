"""The view in words: it tells a viewer what he may know, and every payment with its reason."""

import io
import random
import re
import sys

import pytest
from hypothesis import given, settings

from marriage_env import boxes_v0, saucers_v0
from marriage_env.cards import CARD_NAMES, card_symbol
from marriage_env.render.text import VIEWS, for_terminal
from tests.helpers import MODULES, act, begin, boxes_pack, dealt_otherwise, hands, label, matches, over, random_step

WIDTH = 100


def viewed(env, viewer):
    """What a viewer is shown of an environment's table."""
    twin = env.clone()
    twin.render_mode, twin.viewer = "ansi", viewer
    return twin.render()


def symbols(cards):
    return {card_symbol(card) for card in cards}


def hand_of(text, agent):
    """The cards that the table of players shows of a player's hand."""
    (line,) = re.findall(rf"^[> ] {agent}\b.*$", text, re.MULTILINE)
    return set(re.findall(r"(?:10|[2-9JQKA])[♣♦♥♠]", line))


@settings(max_examples=25)  # a view is written from what a scene is made of, whose test goes through more
@given(matches())
def test_a_view_does_not_tell_what_its_viewer_has_not_seen(match):
    env, rng = match
    for twin, seat in dealt_otherwise(env, rng):
        viewer = env.possible_agents[seat]
        assert viewed(twin, viewer) == viewed(env, viewer)
        if env.agent_selection == viewer:
            assert viewed(twin, None) == viewed(env, None)


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_a_viewer_sees_his_hand_and_the_one_who_sees_all_sees_each(module):
    env = module.raw_env()
    env.reset(seed=4)
    for seat, agent in enumerate(env.possible_agents):
        own, everything = viewed(env, agent), viewed(env, "all")
        assert hand_of(own, agent) == hand_of(everything, agent) == symbols(hands(env)[seat])
        other = env.possible_agents[seat - 1]
        assert hand_of(own, other) == set()
    assert hand_of(viewed(env, None), env.agent_selection)


@settings(max_examples=50)
@given(matches())
def test_every_view_fits_the_terminal_and_tells_all_payments(match):
    env, rng = match
    while True:
        text = viewed(env, "all")
        assert max(map(len, text.splitlines())) <= WIDTH
        assert "\x1b" not in text
        flat = " ".join(text.split())
        for entry in env.ledger:
            assert entry.reason in flat
        for agent, balance in env.balances.items():
            (line,) = re.findall(rf"^[> ] {agent}\b.*$", text, re.MULTILINE)
            assert re.search(rf"\s[+]?{balance}\s", line.replace("−", "-"))
        if over(env):
            break
        random_step(env, rng)


def test_a_revoke_and_a_lost_marriage_are_told_with_their_price():
    pack = boxes_pack(5, 36, {0: "KC 9C", 1: "QC 8D", 2: "TC 6S"}, "6H")
    env = begin(boxes_v0.raw_env(conduct="fined", declaring="auto", render_mode="ansi"), [pack])
    act(env, "KC")
    assert "player_1 is called out of turn by K♣ of player_0" in env.render()
    act(env, "pass")
    assert "player_1 pays 1 chip to each other player: marriage lost (8.2)" in env.render()
    act(env, "8D")
    assert "player_1 pays 1 chip to each other player: revoke (8.2)" in env.render()


def test_the_end_of_a_deal_and_the_next_are_told_in_one_view():
    env = saucers_v0.raw_env(deals=2, render_mode="ansi")
    env.reset(seed=1)
    rng = random.Random(1)
    while not env.table["deals"]:
        random_step(env, rng)
    text = env.render()
    assert "deal 1: " in text
    assert "cards left (5.2)" in text
    assert "deal 2: all pay" in text


def test_a_match_broken_off_says_so():
    env = boxes_v0.env(render_mode="ansi")
    env.reset(seed=1)
    env.step(next(action for action in range(52) if not env.infos[env.agent_selection]["action_mask"][action]))
    assert "broken off" in env.render()
    assert "illegal action" in env.render()


class Terminal(io.TextIOWrapper):
    """Standard output as a terminal of some encoding."""

    def isatty(self):
        return True


def printed(monkeypatch, encoding="utf-8", terminal=True):
    """What `for_terminal` makes of a table."""
    raw = io.BytesIO()
    stream = (Terminal if terminal else io.TextIOWrapper)(raw, encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    env = boxes_v0.env(render_mode="ansi", viewer="all")
    env.reset(seed=1)
    print(for_terminal(env.render()), flush=True)
    return raw.getvalue().decode(encoding)


def test_red_suits_are_coloured_on_a_terminal_alone(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in printed(monkeypatch)
    assert "\x1b[" not in printed(monkeypatch, terminal=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in printed(monkeypatch)


@pytest.mark.parametrize(("columns", "widest"), [(80, 80), (40, 80), (300, 100)])
def test_a_view_has_the_width_asked_for_within_limits(columns, widest):
    env = boxes_v0.raw_env()
    env.reset(seed=1)
    lines = list(VIEWS["boxes"](env.game, env.rules, env.table, columns=columns).lines())
    assert max(map(len, lines)) == len(lines[0]) == widest


def test_a_terminal_without_suit_signs_gets_letters(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    text = printed(monkeypatch, encoding="ascii")
    assert not set("♣♦♥♠") & set(text)
    assert any(re.search(rf"\b{name.replace('T', '10')}\b", text) for name in CARD_NAMES)
