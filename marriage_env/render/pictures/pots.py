"""What chips lie in and on: boxes, staked cards, saucers; and the card turned up."""

from __future__ import annotations

import functools

import pygame
from pygame import Rect

from marriage_env.render.pictures import shapes
from marriage_env.render.pictures.cards import ASPECT, draw_card, width_of_card
from marriage_env.render.pictures.colours import (
    BOX,
    BOX_EDGE,
    CHINA,
    CHINA_EDGE,
    CHIP,
    CHIP_MARK,
    CHIP_SIDE,
    GOLD,
    NO_CHIPS,
    TEXT,
    blend,
)
from marriage_env.render.pictures.layout import Layout
from marriage_env.render.pictures.lettering import draw_line
from marriage_env.render.scene import Pot, Scene

TITLE, NUMBER = 33, 42  # sizes of fonts
LEAST = 28
HEAD, FOOT = 28, 34  # heights of a pot's title and number
HIGHEST_PILE, PILES = 6, 3


def draw_pots(surface: pygame.Surface, layout: Layout, scene: Scene) -> None:
    """Draw the pots with their chips, and the card turned up."""
    if scene.turn_up and layout.turn_up:
        draw_turn_up(surface, layout, layout.turn_up, scene.turn_up)
    for pot, rect in zip(scene.pots, layout.pots, strict=True):
        draw_pot(surface, layout, rect, pot)


def draw_turn_up(surface: pygame.Surface, layout: Layout, rect: Rect, card: str) -> None:
    """The card turned up: its suit is trumps."""
    head = Rect(rect.x, rect.y, rect.width, layout.px(HEAD))
    draw_line(surface, "trumps", head, layout.px(TITLE), GOLD, place=0.5, least=layout.px(LEAST))
    height = rect.bottom - head.bottom - layout.px(8)
    draw_card(surface, card, rect.centerx - width_of_card(height) // 2, head.bottom + layout.px(2), height)


def draw_pot(surface: pygame.Surface, layout: Layout, rect: Rect, pot: Pot) -> None:
    """A pot: its name or its card, its chips, their number."""
    foot = Rect(rect.x, rect.bottom - layout.px(FOOT), rect.width, layout.px(FOOT))
    draw_line(surface, str(pot.chips), foot, layout.px(NUMBER), TEXT if pot.chips else NO_CHIPS, place=0.5)
    if pot.card:
        height = min(foot.y - rect.y - layout.px(4), round(rect.width / ASPECT))
        x = rect.centerx - width_of_card(height) // 2
        draw_card(surface, pot.card, x, foot.y - height - layout.px(4), height)
        pile = Rect(rect.x, rect.y, rect.width, foot.y - rect.y - layout.px(10))
        draw_chips(surface, pile, pot.chips, round(0.42 * rect.width), 2)
        return
    head = Rect(rect.x, rect.y, rect.width, layout.px(HEAD))
    title = pot.title.removesuffix(" saucer")
    draw_line(surface, title, head, layout.px(TITLE), TEXT, place=0.5, least=layout.px(LEAST))
    body = Rect(rect.x, head.bottom + layout.px(2), rect.width, foot.y - head.bottom - layout.px(4))
    if pot.title.endswith(" saucer"):
        surface.blit(saucer(*body.size), body)
        inner = body.inflate(0, -body.height // 2)
        draw_chips(surface, inner, pot.chips, round(0.24 * rect.width), PILES)
    else:
        surface.blit(box(*body.size), body)
        draw_chips(surface, body.inflate(0, -layout.px(20)), pot.chips, round(0.28 * rect.width), PILES)


@functools.lru_cache(maxsize=32)
def box(width: int, height: int) -> pygame.Surface:
    """An open box of wood."""
    edge = max(2, height // 14)
    made = shapes.rounded(width, height, 2 * edge, BOX_EDGE).copy()
    made.blit(shapes.rounded(width - 2 * edge, height - 2 * edge, edge, BOX), (edge, edge))
    made.blit(shapes.rounded(width - 2 * edge, max(1, height // 5), edge, (0, 0, 0), 60), (edge, edge))
    return made


@functools.lru_cache(maxsize=32)
def saucer(width: int, height: int) -> pygame.Surface:
    """A saucer of china with a blue line."""

    def draw(large: pygame.Surface) -> None:
        whole = large.get_rect()
        line = max(2, whole.height // 24)
        pygame.draw.ellipse(large, CHINA, whole)
        pygame.draw.ellipse(large, CHINA_EDGE, whole.inflate(-3 * line, -3 * line), line)
        inner = whole.inflate(-whole.width // 3, -whole.height // 3)
        pygame.draw.ellipse(large, blend(CHINA, (150, 158, 172), 0.35), inner)

    return shapes.smooth(width, height, draw, CHINA)


@functools.lru_cache(maxsize=64)
def chip(size: int) -> pygame.Surface:
    """A chip, seen from above at a slant, `size` pixels wide."""
    thick = thickness(size)
    height = round(0.56 * size)

    def draw(large: pygame.Surface) -> None:
        times = shapes.TIMES
        top = Rect(0, 0, times * size, times * height)
        pygame.draw.ellipse(large, CHIP_SIDE, top.move(0, times * thick))
        pygame.draw.rect(large, CHIP_SIDE, (0, top.centery, top.width, times * thick))
        pygame.draw.ellipse(large, CHIP, top)
        pygame.draw.ellipse(
            large, CHIP_MARK, top.inflate(-0.3 * top.width, -0.3 * top.height), max(2, times * size // 16)
        )

    return shapes.smooth(size, height + thick, draw, CHIP_SIDE)


def thickness(size: int) -> int:
    """Of a chip."""
    return max(2, round(0.2 * size))


def draw_chips(surface: pygame.Surface, rect: Rect, chips: int, size: int, piles: int) -> None:
    """Chips in piles that stand at the bottom of a place; more than it can hold are told by their number alone."""
    image = chip(size)
    step = thickness(size)
    highest = max(1, min(HIGHEST_PILE, (rect.height - image.get_height()) // step + 1))
    shown = min(chips, piles * highest)
    used = min(piles, shown)
    left = rect.centerx - used * size // 2
    for number in range(shown):
        level, pile = divmod(number, used)
        surface.blit(image, (left + pile * size, rect.bottom - image.get_height() - level * step))
