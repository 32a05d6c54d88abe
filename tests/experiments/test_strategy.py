"""The strategy report: its statistics on numbers made up, its players on deals put together, and the whole in small."""

import json
import re

import numpy as np
import pytest

from experiments import strategy, strategy_breaches, strategy_claims, strategy_luck, strategy_seats
from experiments.duplicate import Estimate, deal_seeds, play_lineups
from experiments.strategy_breaches import CARD, QUEEN, SITUATIONS, Judged, Stakes, actions_in, lawful_actions
from experiments.strategy_data import Setting, Share, advised, over_occasions
from experiments.strategy_tables import range_told, told
from marriage_env import GAMES, make_agent
from marriage_env.games import rule_options
from marriage_env.table import DECLARE, FIRST_CLAIM, PASS
from marriage_env.tables import Tables

FIVE, FOUR = Setting("boxes", 5), Setting("saucers", 4)


# Statistics


def as_played(made):
    """Chips as `play_duplicate` returns them, from what each place made of each hand, (deals, seats, places)."""
    deals, seats, places = made.shape
    chips = np.zeros((deals, seats, places))
    for rotation in range(seats):
        for place in range(places):
            chips[:, rotation, place] = made[:, (place + rotation) % seats, place]
    return chips


def test_hands_are_put_back_together_from_rotations():
    made = np.arange(24.0).reshape(2, 3, 4)[:, :, :3]
    assert (strategy_luck.by_hand(as_played(made)) == made).all()


def test_what_cards_and_players_add_up_to_leaves_no_rest():
    rng = np.random.default_rng(0)
    hands, players = rng.normal(size=(50, 3, 1)), np.array([5.0, 1.0, 1.0])
    cards, player, rest = strategy_luck.decompose(as_played(hands + players), ["good", "bad", "bad"])
    assert cards == pytest.approx(hands.var(ddof=1))
    assert player == pytest.approx(players.var())
    assert rest == pytest.approx(0.0)
    assert sum(strategy_luck.Parts(cards, player, rest).shares()) == pytest.approx(100.0)


def test_noise_is_credited_to_nobody():
    noise = np.random.default_rng(1).normal(scale=3.0, size=(4000, 4, 4))
    cards, player, rest = strategy_luck.decompose(as_played(noise), list("abcd"))
    assert rest == pytest.approx(9.0, rel=0.03)
    assert cards < 0.15
    assert player < 0.01


def test_deals_needed_bring_the_interval_down_to_the_lead():
    found, fewest, most = strategy_luck.deals_needed(10.0, Estimate(1.0, 0.5))
    assert found == pytest.approx(1.959964**2 * 100)
    assert fewest == pytest.approx(found / 2.25)
    assert most == pytest.approx(found * 4)
    assert strategy_luck.deals_needed(10.0, Estimate(0.4, 0.5))[2] == float("inf")
    assert range_told(*strategy_luck.deals_needed(10.0, Estimate(-0.4, 0.1))) == "not told apart"


def test_as_many_deals_as_needed_give_an_interval_as_wide_as_the_lead():
    values = np.tile([0.0, 2.0], 500)
    ahead = Estimate.over_deals(values)
    needed = strategy_luck.deals_needed(float(values.std(ddof=1)), ahead)[0]
    assert Estimate.over_deals(np.tile([0.0, 2.0], round(needed / 2))).error == pytest.approx(1.0, rel=0.35)


def test_occasions_of_one_deal_count_as_one():
    values = np.random.default_rng(2).normal(size=300)
    once = over_occasions(values, np.arange(300))
    assert once.error == pytest.approx(Estimate.over_deals(values).error)
    assert once.mean == pytest.approx(values.mean())
    twice = over_occasions(values.repeat(2), np.arange(300).repeat(2))
    assert twice.error == pytest.approx(once.error)
    assert over_occasions(np.ones(2), np.zeros(2, np.int64)).error == float("inf")
    assert told(over_occasions(np.zeros(0), np.zeros(0, np.int64))) == ""


def test_a_share_of_none_has_an_interval_all_the_same():
    none, some = Share.of(0, 100), Share.of(50, 100)
    assert none.low == none.percent == 0.0
    assert none.high == pytest.approx(3.70, abs=0.01)
    assert (some.low, some.high) == pytest.approx((40.4, 59.6), abs=0.05)


# Claims given up


@pytest.mark.parametrize("setting", [FIVE, FOUR], ids=str)
def test_who_gives_up_a_claim_does_so_and_nothing_else(setting):
    opened = Tables(GAMES[setting.game], rule_options(setting.game, setting.rules), 150, observe=False)
    rows = opened.all_rows()
    opened.seed(rows, deal_seeds(0, len(rows)))
    opened.open(rows)
    met = set()
    for row, claim in zip(*np.nonzero(opened.records["open_claims"][:, :1] >> np.arange(8) & 1), strict=True):
        both = []
        for what in (None, claim):
            table = opened.copies(np.array([row]))
            taken = []
            while table.records["phase"][0] == DECLARE:
                action, actor = advised(table, np.zeros(1, np.int64)), int(table.buffers.actors[0])
                if what is not None and actor == 0:
                    action = strategy_claims.give_up(action, table.buffers.masks, int(claim))
                taken.append((actor, int(action[0])))
                assert table.legal(0) >> int(action[0]) & 1
                table.advance(np.zeros(1, np.int64), action)
            both.append(taken)
        plain, given_up = both
        if (0, FIRST_CLAIM + claim) in plain:  # a sequence that is beaten already is given up in any case
            met.add(int(claim))
            assert (0, FIRST_CLAIM + claim) not in given_up
            assert [one for one in given_up if one[0] == 0][-1] == (0, PASS)
        left_out = {(0, FIRST_CLAIM + claim), (0, PASS)}
        assert [one for one in plain if one not in left_out] == [one for one in given_up if one not in left_out]
    assert len(met) >= 6


def test_a_claim_costs_what_lies_in_its_box():
    """The jester's box holds 10 and five contributions, of which one is put back; only hands with the jester count."""
    pots = 10
    empty, full = (strategy_claims.occasions(FIVE, 200, 0, pots=chips) for chips in (0, pots))
    claim = GAMES["boxes"].claim_names.index("jester")
    (poor, at), (rich, again) = empty[claim], full[claim]
    assert len(poor) > 50
    assert (at == again).all()
    assert (poor[:, 0] == 4).all()
    assert (rich[:, 0] == 14).all()
    found = strategy_claims.claim_costs(FIVE, 200, 0, pots=pots)[claim]
    assert found.at_once == Estimate(14.0, 0.0)
    assert found.occasions == len(rich)
    assert found.concealed.mean == pytest.approx(14.0 - found.cost.mean)
    left_in_box = found.cost.mean - 14.0 / 5  # a fifth of the box is still his
    assert found.shared.mean == pytest.approx(left_in_box, abs=0.2)


# Breaches


def test_positions_are_those_where_a_rule_can_be_broken():
    found = strategy_breaches.draw_positions(Stakes(), 60, 0)
    assert set(found) == {CARD, QUEEN}
    for kind, positions in found.items():
        assert len(positions) > 10
        for position in positions:
            (table,) = position.table
            lawful, legal = lawful_actions(table), int(table["legal"])
            assert lawful & ~legal == 0
            assert lawful
            forbidden = actions_in(legal & ~lawful)
            assert forbidden == [PASS] if kind == QUEEN else PASS not in forbidden
            assert forbidden


def test_what_an_action_is_worth_is_what_it_brings_when_rules_play_on():
    rules = Stakes().rules
    (position, *_) = strategy_breaches.draw_positions(Stakes(), 20, 3)[CARD]
    scratch = Tables(GAMES["boxes"], rules, 10, observe=False)
    seat, actions = int(position.table["actor"][0]), actions_in(int(position.table["legal"][0]))
    found = strategy_breaches.worth(scratch, position.table, actions, seat)
    for action, chips in zip(actions, found, strict=True):
        table = Tables(GAMES["boxes"], rules, 1, observe=False)
        table.records[:] = position.table
        table.advance(np.zeros(1, np.int64), np.array([action]))
        while not table.over(np.zeros(1, np.int64))[0]:
            table.advance(np.zeros(1, np.int64), advised(table, np.zeros(1, np.int64)))
        assert chips == table.records["balances"][0, seat]


def test_a_breach_costs_its_fine():
    """With nothing at stake in the tricks, few breaches bring back even a part of it."""
    positions = strategy_breaches.judged(Stakes(players=10), 8, 0)
    assert {one.fine for one in positions} == {9}
    assert all(one.situation in SITUATIONS and 0 <= one.to_come <= 4 for one in positions)
    (by_card, *_) = strategy_breaches.by_kind(positions)
    assert by_card.difference.mean < -6
    assert by_card.before_fine.mean == pytest.approx(by_card.difference.mean + 9)


def test_the_gain_of_a_picked_breach_is_not_what_it_promised():
    positions = [
        Judged(CARD, SITUATIONS[-1], 2, 4, promised, gain, 0.0) for promised, gain in ((3, 1), (1, 0), (-2, -5))
    ]
    found = strategy_breaches.summed_up("all", positions)
    assert found.promising.percent == pytest.approx(200 / 3)
    assert found.gain.mean == pytest.approx(0.5)
    assert found.difference.mean == pytest.approx(-4 / 3)


# Seats and pots


def test_dealer_and_pots_are_as_asked():
    agents, lineups = [make_agent("rules")], np.zeros((40, 5), np.int64)
    plain, full = (
        play_lineups("boxes", {}, agents, lineups, 0, rotations=1, dealer=4, pots=chips)[:, 0] for chips in (0, 10)
    )
    assert (full.sum(1) >= plain.sum(1)).all()
    assert (full.sum(1) <= plain.sum(1) + 50).all()
    assert (full != plain).any()
    assert np.abs(full - plain).max() <= 50


def test_places_are_counted_from_eldest():
    """In Saucers, eldest starts the first row, and does best of all."""
    found = strategy_seats.seats(FOUR, "rules", 0, 2000, 0)
    assert len(found.ahead) == 4
    assert found.ahead[0].mean - found.ahead[0].error > max(place.mean for place in found.ahead[1:])
    assert sum(place.mean for place in found.ahead) == pytest.approx(0.0, abs=1e-9)


def test_what_nobody_takes_is_left_in_the_pots():
    found = strategy_seats.full_pots(FOUR, 10, 50, 0)
    assert found.left.mean == pytest.approx(10 * 8 - found.rules.mean - 3 * found.random.mean)


def test_the_lead_does_not_depend_on_the_pots_where_all_is_declared():
    poor, rich = (strategy_seats.full_pots(FOUR, pots, 50, 0) for pots in (0, 40))
    assert poor.declared == rich.declared
    assert rich.ahead.mean > poor.ahead.mean + 10


# The whole


@pytest.fixture
def page(tmp_path):
    """A page with all marks and nothing between them."""
    path = tmp_path / "page.md"
    marks = [f"<!-- {marker} -->\n<!-- end of {marker} -->\n" for marker in strategy.MARKERS]
    path.write_text("# What wins\n" + "\nwords\n".join(marks))
    return path


def test_the_whole_in_small(tmp_path, page, capsys, monkeypatch):
    monkeypatch.setattr(strategy_luck, "RESAMPLES", 3)
    monkeypatch.setattr(strategy_luck, "SEARCH", "search:4")
    monkeypatch.setattr(strategy, "PAIRS", (("search:4", "rules"),))
    monkeypatch.setattr(strategy_breaches, "WORLDS", 3)
    monkeypatch.setattr(strategy, "OTHER_STAKES", (Stakes(players=6), strategy.DEAR))
    arguments = ["--deals", "2", "--seed", "3", "--out", str(tmp_path / "out"), "--page", str(page)]
    strategy.main(arguments)
    text = page.read_text()
    assert "`python -m experiments.strategy --deals 2 --seed 3`" in text
    assert text.count("\nwords\n") == len(strategy.MARKERS) - 1
    for marker in strategy.MARKERS[1:]:
        (between,) = re.findall(rf"<!-- {marker} -->\n(.*?)\n<!-- end of {marker} -->", text, re.DOTALL)
        assert between.count("\n| ") >= 3, marker
    assert {path.name for path in (tmp_path / "out").glob("*.png")} == {
        f"{name}.png" for name in ("luck", "apart", "claims", "breaches", "stakes", "seats", "pots")
    }
    figures = json.loads((tmp_path / "out" / "figures.json").read_text(), parse_constant=pytest.fail)
    assert (figures["deals"], figures["seed"]) == (2, 3)
    assert set(figures["claims"]) == {"boxes, 5 players", "saucers, 4 players"}
    assert "measured: pots, saucers, 4 players" in capsys.readouterr().out
    strategy.main(arguments)
    assert page.read_text() == text


def test_a_page_without_the_marks_is_refused_before_the_work(tmp_path, page):
    page.write_text(page.read_text().replace("<!-- end of seats -->", ""))
    with pytest.raises(SystemExit, match="<!-- seats -->"):
        strategy.main(["--deals", "2", "--out", str(tmp_path / "out"), "--page", str(page)])
    assert not (tmp_path / "out").exists()


def test_the_shipped_page_has_the_marks_and_every_plot():
    folder = strategy.Path(__file__).parents[2] / "docs"
    strategy.need_marks("--page", folder / "strategy.md", strategy.MARKERS)
    shown = set(re.findall(r"\(strategy/(\w+\.png)\)", (folder / "strategy.md").read_text(encoding="utf-8")))
    assert shown == {path.name for path in (folder / "strategy").glob("*.png")}
