"""A match of people and agents: whose turn, hints, undo, and its record."""

import dataclasses
import importlib.util

import pytest

from marriage_env import GAMES, AgentError, IllegalActionError, OptionError
from marriage_env.app.match import HUMAN, Match, harmless, seats_in
from marriage_env.records import check, from_json
from tests.helpers import FEW_TABLES


def company(table, agent="rules"):
    return [HUMAN, *[agent] * (table.players - 1)]


def matched(table, seats=None, **options):
    rules = {"players": table.players, **options}
    return Match(table.module.raw_env.game.name, rules, seats or company(table), seed=7)


def play_out(match):
    """The human does what a hint says; agents do what they do."""
    while not match.over:
        if not match.agent_step():
            match.act(match.hint("rules").choices[0][0])
    return match


@pytest.mark.parametrize("table", FEW_TABLES, ids=str)
def test_agents_act_in_their_turns_and_wait_for_people(table):
    match = matched(table, deals=2)
    while not match.over:
        waits = match.actor in match.humans
        steps = match.steps
        assert match.agent_step() is not waits
        assert match.steps == steps + (not waits)
        if waits:
            match.act(match.scene(match.actor).choices[0].action)
    assert match.actor is None and not match.agent_step()
    assert match.env.table["deals"] == 2


@pytest.mark.parametrize("table", FEW_TABLES, ids=str)
def test_the_record_of_a_match_is_borne_out_and_goes_on(table):
    match = matched(table, deals=2)
    while match.steps < 20:
        if not match.agent_step():
            match.act(match.hint("rules").choices[0][0])
    record = from_json(match.record.as_json())
    check(record)
    assert record.players[:2] == ("player_0", "rules_1")
    again = Match.of_record(record)
    assert (again.seats, again.steps) == (match.seats, match.steps)
    assert again.scene("all") == match.scene("all")
    assert play_out(again).env.balances == play_out(match).env.balances


def test_an_illegal_action_says_why_and_changes_nothing():
    match = matched(FEW_TABLES[0], [HUMAN] * 5)
    before = match.scene("all")
    held = match.scene(match.actor).players[match.actor].hand
    missing = next(action for action, name in enumerate(GAMES["boxes"].action_names) if name not in held)
    with pytest.raises(IllegalActionError, match=r"is not in the hand"):
        match.act(missing)
    with pytest.raises(OptionError, match="allowed is a whole number from 0 to 60"):
        match.act(61)
    assert match.scene("all") == before
    play_out(match)
    with pytest.raises(IllegalActionError, match="the match is over"):
        match.act(0)
    with pytest.raises(IllegalActionError, match="the match is over"):
        match.hint()


@pytest.mark.parametrize("table", FEW_TABLES, ids=str)
def test_undo_goes_back_before_the_last_action_of_a_person(table):
    match = matched(table, deals=2)
    assert not match.undo()
    stood = []
    while len(stood) < 4:
        if not match.agent_step():
            stood.append((match.steps, match.scene("all")))
            match.act(match.hint("rules").choices[0][0])
    for steps, scene in reversed(stood):
        assert match.undo()
        assert (match.steps, match.scene("all")) == (steps, scene)
    assert not match.undo()


def test_a_hint_of_rules_is_what_they_do():
    match = matched(FEW_TABLES[-1])
    while match.actor not in match.humans:
        match.agent_step()
    hint = match.hint("rules")
    assert hint.agent == "rules" and hint.choices[0][1] == 1.0
    assert hint.choices[0][0] in [choice.action for choice in match.scene(match.actor).choices]


@pytest.mark.skipif(not importlib.util.find_spec("agents"), reason="the trained players are a package of their own")
def test_a_hint_of_the_trained_agent_has_its_probabilities():
    match = Match("saucers", {"players": 3}, [HUMAN, "trained", "trained"], seed=3)
    while match.actor not in match.humans:
        match.agent_step()
    agent, choices = match.hint()
    chances = [chance for _, chance in choices]
    assert agent == "trained"
    assert sum(chances) == pytest.approx(1.0) and chances == sorted(chances, reverse=True)
    legal = {choice.action for choice in match.scene(match.actor).choices}
    assert {action for action, _ in choices} <= legal


def test_where_nobody_is_trained_the_rules_give_the_hint():
    match = Match("boxes", {"players": 7, "deals": 3}, [HUMAN] * 7, seed=3)
    assert match.hint().agent == "rules"
    with pytest.raises(AgentError):
        match.hint("trained")


@pytest.mark.parametrize(
    ("seats", "names", "words"),
    [
        (["human"] * 4, None, "allowed are 5 names"),
        ("human", None, "allowed are 5 names"),
        ([1] * 5, None, "allowed are 5 names"),
        (["human"] * 5, ["a"], "one for each of 5 seats"),
    ],
)
def test_seats_and_names_that_cannot_be(seats, names, words):
    with pytest.raises(OptionError, match=words):
        Match("boxes", {"players": 5}, seats, names=names)


@pytest.mark.parametrize("agent", ["nobody", "nobody:3", "missing.zip", ""])
def test_agents_that_cannot_play(agent):
    with pytest.raises(AgentError):
        Match("boxes", {"players": 5}, ["human", *[agent] * 4])


@pytest.mark.skipif(not importlib.util.find_spec("agents"), reason="the trained players are a package of their own")
def test_an_agent_that_does_not_know_the_rules_is_refused_at_the_start():
    with pytest.raises(AgentError, match=r"'trained' cannot play here.*no model was trained"):
        Match("boxes", {"players": 7}, ["human", *["trained"] * 6])


@pytest.mark.parametrize("agent", ["random", "rules", "trained", "trained:boxes-5", "search", "search:2000"])
def test_harmless_agents(agent):
    assert harmless(agent)


@pytest.mark.parametrize(
    "agent",
    [
        "command:rm -rf x",
        "import:os:system",
        "model.zip",
        "../x.safetensors",
        "trained:../x",
        "search:1e9",
        "",
        "rules\n",
    ],
)
def test_agents_that_might_run_a_program_are_not_taken_from_a_record(agent):
    assert not harmless(agent)
    if not agent.isprintable() or not agent:
        return  # no record can have that
    match = matched(FEW_TABLES[0])
    record = match.record
    evil = dataclasses.replace(record, about={**record.about, "seat 3": agent})
    with pytest.raises(OptionError, match="seat 3: say who sits where"):
        Match.of_record(evil)
    assert Match.of_record(evil, company(FEW_TABLES[0])).steps == 0


def test_a_record_that_does_not_say_who_sits_where():
    record = dataclasses.replace(matched(FEW_TABLES[0]).record, about={})
    with pytest.raises(OptionError, match="does not say who has seat 0"):
        seats_in(record)


def test_what_else_a_record_says_stays_as_far_as_there_is_room():
    match = Match("saucers", {"players": 3}, [HUMAN, "rules", "rules"], seed=1)
    told = {"seat 0": "nobody", **{f"text {number}": "said" for number in range(49)}}
    record = Match.of_record(dataclasses.replace(match.record, about=told), [HUMAN, "random", "rules"]).record
    assert (record.about["seat 0"], record.about["seat 1"], record.about["text 0"]) == (HUMAN, "random", "said")
    assert from_json(record.as_json()) == record


class Failing:
    """An agent that plays once, and then no more."""

    def __init__(self):
        self.asked = 0

    def act(self, observation, action_mask=None):
        self.asked += 1
        raise AgentError("out of order")

    def seed(self, seed):
        pass


def test_an_agent_that_fails_changes_nothing_and_can_be_replaced():
    match = matched(FEW_TABLES[0], ["rules"] * 5)
    match._agents[match.actor] = Failing()
    before, seat = match.scene("all"), match.actor
    with pytest.raises(AgentError, match="out of order"):
        match.agent_step()
    assert match.scene("all") == before
    match.replace_agent(seat, "random")
    assert match.agent_step() and match.seats[seat] == "random"
