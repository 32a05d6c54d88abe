"""A player's page never receives what he may not see: every word that is sent is searched for cards."""

import dataclasses
import json
import re

import pytest

pytest.importorskip("starlette")

from marriage_env.app.server import hosted
from marriage_env.cards import CARD_NAMES, card_symbol
from marriage_env.render.scene import scene_of
from tests.app.serving import new_table, seated, served

MATCHES, DEALS = 10, 5  # of each game: each step saves its match whole, so that long ones take long
#: A card by its name, or as people write it; a 10 is no card without its suit.
CARD = re.compile(r"(?<![\w])(10|[2-9TJQKA])([CDHS♣♦♥♠])(?!\w)")
SUITS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}


def cards_in(text):
    """Every card a text names."""
    found = CARD.findall(json.dumps(json.loads(text), ensure_ascii=False))
    return {rank.replace("10", "T") + SUITS.get(suit, suit) for rank, suit in found}


def test_cards_are_found_however_they_are_written():
    for card, name in enumerate(CARD_NAMES):
        assert cards_in(json.dumps([name])) == {name}
        assert cards_in(json.dumps({"last": f"Ada plays {card_symbol(card)}."})) == {name}
    assert cards_in(json.dumps(["QHX", "deal 10 of 12", "A", "10 chips"])) == set()


@pytest.fixture
def truth(monkeypatch):
    """All players with their hands, at the one table of a test, by the number of steps taken."""
    hands = {}
    scenes = hosted.HostedTable._all_scenes

    def watched(table):
        hands[table._match.steps] = table._match.scene("all").players
        return scenes(table)

    monkeypatch.setattr(hosted.HostedTable, "_all_scenes", watched)
    return hands


def staked(scene):
    """The cards that lie staked on the table, which are those of another pack."""
    return {pot["card"] for pot in scene["pots"]} - {None}


def leaks(heard, truth):
    """The cards that a browser's messages name and their reader may not see."""
    told = [message for message in map(json.loads, heard) if "scene" in message]
    assert told
    return set().union(*(leaks_of(message, hidden(truth[message["step"]], message["scene"])) for message in told))


def hidden(players, scene):
    """The cards in other hands than the viewer's, but for those that all have seen."""
    others = [player for player in players if player.seat != scene["viewer"]]
    return {card for player in others for card in set(player.hand) - set(player.open)}


def leaks_of(told, hidden):
    """The hidden cards that a message names.

    Of the deal before, the last trick or row is still to be seen when a new deal begins, and its cards are in other
    hands by then; and the staked cards are named as such, whoever holds their doubles.
    """
    scene = told["scene"]
    apart = staked(scene)
    told_of_before = ("played", "last", "outcome") if ": deal " in scene["last"] else ()
    rest = {name: value for name, value in scene.items() if name not in told_of_before}
    of_stakes = {name: value for name, value in rest.items() if name not in ("pots", "paid", "last", "now")}
    return (cards_in(json.dumps(rest)) & hidden - apart) | (cards_in(json.dumps(of_stakes)) & hidden & apart)


def heard_at(folder, game, seats, deals=1):
    """What the browsers hear at a table in a match: a player's at seat 0, and one that looks on."""
    with served(folder) as client:
        keys = new_table(client, game, seats, deals=deals)
        with seated(client, keys["watch"]) as (watcher, _), seated(client, keys["0"]) as (player, told):
            if seats.count("human") == 1:
                player.play(told)
                watcher.hear_until(lambda told: told.get("scene", {}).get("over"))
    return player.heard, watcher.heard


@pytest.mark.parametrize(("game", "players"), [("boxes", 5), ("saucers", 3)])
def test_over_many_deals_nothing_hidden_is_sent(tmp_path, truth, game, players):
    for _ in range(MATCHES):
        truth.clear()
        for heard in heard_at(tmp_path, game, ["human", *["rules"] * (players - 1)], DEALS):
            assert len(heard) > DEALS * players * 3
            assert not leaks(heard, truth)
            assert not any(word in text for text in heard for word in ('"seed"', '"chance"', '"marriage_record"'))


@pytest.mark.parametrize("game", ["boxes", "saucers"])
def test_this_search_finds_hands_that_leak(tmp_path, monkeypatch, truth, game):
    monkeypatch.setattr(hosted.Match, "scene", lambda match, viewer: scene_of(match.view("all")))
    for heard in heard_at(tmp_path, game, ["human"] * 5):
        assert len(leaks(heard, truth)) >= 20


@pytest.mark.parametrize("words", ["{name} holds {card}", "{name} lacks {sign}"])
def test_this_search_finds_a_card_in_a_text(tmp_path, monkeypatch, truth, words):
    def talkative(match, viewer):
        scene = scene_of(match.view(viewer))
        other = scene_of(match.view("all")).players[1]
        card = next(card for card in other.hand if card not in other.open)
        text = words.format(name=other.name, card=card, sign=card_symbol(CARD_NAMES.index(card)))
        return dataclasses.replace(scene, outcome=text) if viewer != "all" else scene

    monkeypatch.setattr(hosted.Match, "scene", talkative)
    for heard in heard_at(tmp_path, "boxes", ["human"] * 5):
        assert len(leaks(heard, truth)) == 1
