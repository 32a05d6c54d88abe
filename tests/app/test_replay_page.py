"""The page of a replay: everything in it, nothing of the record as code or markup."""

import base64
import dataclasses
import gzip
import html.parser
import json
import random
import re

import pytest

from marriage_env import boxes_v0
from marriage_env.app import replay_page
from marriage_env.app.replay_page import digest, page
from marriage_env.errors import RecordMismatchError, RecordSizeError
from tests.helpers import FEW_TABLES, play_random

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def record_of_match(table=FEW_TABLES[0], **options):
    env = table.raw_env(**options)
    env.reset(seed=3)
    play_random(env, random.Random(3))
    return env.record


def scenes_in(text):
    (packed,) = re.findall(r'<script type="application/gzip" id="match">([^<]*)</script>', text)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


@pytest.mark.parametrize("table", FEW_TABLES, ids=str)
def test_a_page_has_every_moment_of_the_match(table):
    record = record_of_match(table, deals=2)
    scenes = scenes_in(page(record))
    assert len(scenes) == len(record.steps) + 1
    assert [player["balance"] for player in scenes[-1]["players"]] == list(record.balances)
    assert all(player["hidden"] == 0 for scene in scenes for player in scene["players"])


def test_names_are_neither_code_nor_markup():
    names = (HOSTILE, "{title}", "%s", "${x}", "&lt;b&gt;")
    text = page(dataclasses.replace(record_of_match(), players=names))
    assert [player["name"] for player in scenes_in(text)[0]["players"]] == list(names)
    assert "alert(1)" not in text and "onerror" not in text

    class Scripts(html.parser.HTMLParser):
        found = 0

        def handle_starttag(self, tag, attributes):
            self.found += tag == "script"
            assert not [name for name, _ in attributes if name.startswith("on") or name in ("src", "href")]

    parser = Scripts()
    parser.feed(text)
    assert parser.found == 3


def test_a_page_asks_for_nothing_and_runs_its_own_scripts_alone():
    text = page(record_of_match())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'")
    for script in re.findall(r"<script>(.*?)</script>", text, re.DOTALL):
        assert digest(script) in policy
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert digest(style) in policy
    assert not re.findall(r"(?:https?:)?//(?!www\.w3\.org/)[\w.]+\.\w+/", text.split('id="match"')[0])


def test_a_match_that_is_too_long_for_a_page(monkeypatch):
    monkeypatch.setattr(replay_page, "MOST_STEPS", 10)
    with pytest.raises(RecordSizeError, match="a page holds 10 at most"):
        page(record_of_match())


def test_a_match_that_the_rules_do_not_allow():
    record = record_of_match()
    deal = record.deals[0]
    steps = (dataclasses.replace(deal.steps[0], illegal=True), *deal.steps[1:])
    with pytest.raises(RecordMismatchError):
        page(dataclasses.replace(record, deals=(dataclasses.replace(deal, steps=steps),)))


def test_a_match_under_way_has_a_page():
    env = boxes_v0.raw_env()
    env.reset(seed=1)
    assert len(scenes_in(page(env.record))) == 1
