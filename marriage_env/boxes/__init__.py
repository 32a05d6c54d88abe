"""Boxes: the trick-taking Marriage."""

from marriage_env.boxes.knowledge import hand_size, is_sound, learn, misfit, out_of_hands, settle_world
from marriage_env.boxes.observation import layout, observe, recall
from marriage_env.boxes.play import claims_in, deal, forfeit, legal, step
from marriage_env.boxes.rules import MAX_PLAYERS, MIN_PLAYERS, BoxesRules
from marriage_env.boxes.scripted import choose
from marriage_env.boxes.state import ACTION_NAMES, BOXES, CLAIM_NAMES, REASONS, TABLE
from marriage_env.game import Game

__all__ = ["GAME", "BoxesRules"]

GAME = Game(
    name="boxes",
    rules=BoxesRules,
    min_players=MIN_PLAYERS,
    max_players=MAX_PLAYERS,
    table=TABLE,
    action_names=ACTION_NAMES,
    claim_names=CLAIM_NAMES,
    pot_names=BOXES,
    reasons=REASONS,
    layout=layout,
    deal=deal,
    legal=legal,
    step=step,
    forfeit=forfeit,
    observe=observe,
    recall=recall,
    choose=choose,
    is_sound=is_sound,
    claims_in=claims_in,
    learn=learn,
    misfit=misfit,
    hand_size=hand_size,
    out_of_hands=out_of_hands,
    settle_world=settle_world,
)
