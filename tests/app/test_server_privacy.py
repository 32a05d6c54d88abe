"""A player's page never receives what he may not see: every word that is sent is searched for cards."""

import contextlib
import json
import re

import pytest

pytest.importorskip("starlette")

from marriage_env.app.server import hosted
from marriage_env.cards import CARD_NAMES, card_symbol
from tests.app.serving import new_table, seated, served

DEALS = 50  # of each game
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


class Witness:
    """Knows what all hands are, and so what a viewer's messages may not name.

    Args:
        table: a table under way.
        viewer: a seat, or ``"public"``.
    """

    def __init__(self, table, viewer):
        self.match, self.viewer = table._match, viewer

    def hidden(self):
        """The cards of other hands that the viewer does not see: those nobody has shown."""
        players = self.match.scene("all").players
        return {
            card for player in players if player.seat != self.viewer for card in set(player.hand) - set(player.open)
        }


def staked(scene):
    """The cards that lie staked on the table, which are those of another pack."""
    return {pot["card"] for pot in scene["pots"]} - {None}


def leaks_of(told, hidden):
    """The hidden cards that a message names, but for those that lie staked as well: these are looked for apart."""
    apart = staked(told["scene"])
    named = cards_in(json.dumps(told)) & hidden - apart
    scene = {**told["scene"], "pots": [], "paid": [], "last": "", "now": ""}
    return named | cards_in(json.dumps({"scene": scene, **{"lines": []}})) & hidden & apart


@contextlib.contextmanager
def looking_at_everything_sent(monkeypatch):
    """Each message that a table sends is compared with the hands at that moment; yields what was found."""
    found = {"messages": 0, "leaks": set()}
    standing, publish = hosted.HostedTable._standing, hosted.HostedTable._publish

    def look(table, viewer, text):
        told = json.loads(text)
        if "scene" in told:
            found["messages"] += 1
            found["leaks"] |= leaks_of(told, Witness(table, viewer).hidden())

    def watched_standing(table, viewer):
        text = standing(table, viewer)
        look(table, viewer, text)
        return text

    async def watched_publish(table):
        listeners = table.listeners
        table.listeners = {spy(table, listener, viewer): viewer for listener, viewer in listeners.items()}
        try:
            await publish(table)
        finally:
            table.listeners = listeners

    def spy(table, listener, viewer):
        def told(text):
            look(table, viewer, text)
            listener(text)

        return told

    monkeypatch.setattr(hosted.HostedTable, "_standing", watched_standing)
    monkeypatch.setattr(hosted.HostedTable, "_publish", watched_publish)
    yield found


def play_and_watch(folder, game, players, deals):
    """A match in which one seat is a person's, with somebody looking on."""
    with served(folder) as client:
        keys = new_table(client, game, ["human", *["rules"] * (players - 1)], deals=deals)
        with seated(client, keys["watch"]) as (watcher, _), seated(client, keys["0"]) as (player, told):
            player.play(told)
            watcher.hear_until(lambda told: told.get("scene", {}).get("over"))
    return player.heard


@pytest.mark.parametrize(("game", "players"), [("boxes", 5), ("saucers", 3)])
def test_over_many_deals_nothing_hidden_is_sent(tmp_path, monkeypatch, game, players):
    with looking_at_everything_sent(monkeypatch) as found:
        heard = play_and_watch(tmp_path, game, players, DEALS)
    assert found["messages"] > DEALS * players * 2
    assert not found["leaks"]
    assert not any('"seed"' in text or '"marriage_record"' in text for text in heard)


@pytest.mark.parametrize("game", ["boxes", "saucers"])
def test_this_search_finds_a_hand_that_leaks(tmp_path, monkeypatch, game):
    scenes = hosted.HostedTable._all_scenes
    everything = lambda table: dict.fromkeys(scenes(table), table._match.scene("all"))  # noqa: E731
    monkeypatch.setattr(hosted.HostedTable, "_all_scenes", everything)
    with looking_at_everything_sent(monkeypatch) as found, served(tmp_path) as client:
        keys = new_table(client, game, ["human"] * 5)
        with seated(client, keys["watch"]):
            pass
    assert len(found["leaks"]) > 10


@pytest.mark.parametrize("game", ["boxes", "saucers"])
def test_a_card_in_a_text_alone_is_found_too(tmp_path, monkeypatch, game):
    scenes = hosted.HostedTable._all_scenes

    def talkative(table):
        told = {}
        for viewer, scene in scenes(table).items():
            other = next(player for player in table._match.scene("all").players if player.seat not in (viewer, 0))
            secret = next(card for card in other.hand if card not in other.open and card[1] != "C")
            told[viewer] = type(scene)(**{**vars(scene), "outcome": f"{other.name} holds {secret}"})
        return told

    monkeypatch.setattr(hosted.HostedTable, "_all_scenes", talkative)
    with looking_at_everything_sent(monkeypatch) as found, served(tmp_path) as client:
        keys = new_table(client, game, ["human"] * 5)
        with seated(client, keys["0"]):
            pass
    assert len(found["leaks"]) == 1
