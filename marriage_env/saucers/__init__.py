"""Saucers: the stops-game Marriage."""

from marriage_env.game import Game
from marriage_env.saucers.knowledge import hand_size, is_sound, learn, misfit, out_of_hands, settle_world
from marriage_env.saucers.observation import layout, observe, recall
from marriage_env.saucers.play import claims_in, deal, forfeit, legal, step
from marriage_env.saucers.rules import MAX_PLAYERS, MIN_PLAYERS, SaucersRules
from marriage_env.saucers.scripted import choose
from marriage_env.saucers.state import ACTION_NAMES, CLAIM_NAMES, POTS, REASONS, TABLE

__all__ = ["GAME", "SaucersRules"]

GAME = Game(
    name="saucers",
    rules=SaucersRules,
    min_players=MIN_PLAYERS,
    max_players=MAX_PLAYERS,
    table=TABLE,
    action_names=ACTION_NAMES,
    claim_names=CLAIM_NAMES,
    pot_names=POTS,
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
