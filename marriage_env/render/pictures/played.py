"""The trick or the row: each card with who has played it, and what becomes of them."""

from __future__ import annotations

import pygame
from pygame import Rect

from marriage_env.render.pictures import shapes
from marriage_env.render.pictures.cards import ASPECT, corner, draw_card, width_of_card
from marriage_env.render.pictures.colours import GOLD, SLOT, TEXT
from marriage_env.render.pictures.layout import Layout
from marriage_env.render.pictures.lettering import draw_line
from marriage_env.render.scene import Scene

TITLE, OUTCOME, NAME = 40, 36, 33  # sizes of fonts
LEAST = 28
LABEL = 28  # height of a name
TALLEST_CARD = 200


def draw_played(surface: pygame.Surface, layout: Layout, scene: Scene) -> None:
    """Draw the cards on the table in the order in which they were played, and places for those to come."""
    draw_heading(surface, layout, scene)
    for number, rect in enumerate(layout.played):
        card = card_place(layout, rect)
        if number >= len(scene.played):
            surface.blit(shapes.outlined(*card.size, corner(card.height), SLOT, layout.px(2), 44), card)
            continue
        laid = scene.played[number]
        draw_card(surface, laid.card, card.x, card.y, card.height)
        label = Rect(rect.x + layout.px(3), card.bottom + layout.px(4), rect.width - layout.px(6), layout.px(LABEL))
        name = scene.players[laid.seat].name
        draw_line(surface, name, label, layout.px(NAME), TEXT, place=0.5, least=layout.px(LEAST))


def card_place(layout: Layout, rect: Rect) -> Rect:
    """Where a card lies in its place, with its name under it."""
    room = rect.height - layout.px(LABEL + 14)
    height = min(room, round((rect.width - layout.px(12)) / ASPECT), layout.px(TALLEST_CARD))
    width = width_of_card(height)
    return Rect(rect.centerx - width // 2, rect.y + layout.px(4) + (room - height) // 2, width, height)


def draw_heading(surface: pygame.Surface, layout: Layout, scene: Scene) -> None:
    """Which trick, and who has it."""
    rect = layout.heading
    upper = Rect(rect.x, rect.y, rect.width, rect.height // 2)
    lower = Rect(rect.x, upper.bottom, rect.width, rect.bottom - upper.bottom)
    draw_line(surface, scene.played_title, upper, layout.px(TITLE), GOLD, place=0.5)
    draw_line(surface, scene.outcome, lower, layout.px(OUTCOME), TEXT, place=0.5, least=layout.px(LEAST))
