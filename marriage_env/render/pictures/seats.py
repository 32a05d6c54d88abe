"""A player's place: his name and marks, his chips and tricks or cards, what he declared, his hand."""

from __future__ import annotations

import math

import pygame
from pygame import Rect

from marriage_env.render.pictures import shapes
from marriage_env.render.pictures.cards import ASPECT, draw_card, width_of_card
from marriage_env.render.pictures.colours import (
    ACTING_PLATE,
    CHIP,
    GOLD,
    LOST,
    PLATE,
    PLATE_EDGE,
    QUIET_TEXT,
    TEXT,
    WON,
    Colour,
)
from marriage_env.render.pictures.layout import Layout
from marriage_env.render.pictures.lettering import draw_line, draw_text, height_of, image, shrunk, width_of, wrapped
from marriage_env.render.scene import Player, Scene
from marriage_env.render.words import signed

NAME, NUMBERS, SMALL, LEAST = 42, 36, 33, 28  # sizes of fonts
TALLEST_CARD = 104
FEWER_LINES = 0.9  # so much smaller may cards be to lie in one line less
SIGN = 0.36  # width of a card that its rank and suit need, by its height
MARKS: tuple[tuple[str, str, Colour], ...] = (("D", "dealer", (214, 222, 232)), ("E", "eldest", (150, 200, 226)))


def draw_seat(surface: pygame.Surface, layout: Layout, scene: Scene, player: Player) -> None:
    """Draw a player at his place."""
    rect = layout.seats[player.seat]
    draw_plate(surface, layout, rect, player.acting)
    inner = rect.inflate(-2 * layout.px(12), -2 * layout.px(8))
    name = Rect(inner.x, inner.y, inner.width, layout.px(34))
    draw_name(surface, layout, name, player)
    numbers = Rect(inner.x, name.bottom + layout.px(2), inner.width, layout.px(28))
    draw_numbers(surface, layout, numbers, player, scene)
    left = Rect(inner.x, numbers.bottom + layout.px(3), inner.width, inner.bottom - numbers.bottom - layout.px(3))
    said = draw_claims(surface, layout, left, player)
    draw_hand(surface, layout, Rect(left.x, left.y + said, left.width, left.height - said), player, scene)


def draw_plate(surface: pygame.Surface, layout: Layout, rect: Rect, acting: bool) -> None:
    """The plate a player's things lie on; lit for who is to act."""
    radius, line = layout.px(16), layout.px(4 if acting else 2)
    shapes.draw_shadow(surface, rect, radius, layout.px(5), 120)
    surface.blit(shapes.rounded(*rect.size, radius, ACTING_PLATE if acting else PLATE, 236), rect)
    surface.blit(shapes.outlined(*rect.size, radius, GOLD if acting else PLATE_EDGE, line), rect)


def draw_name(surface: pygame.Surface, layout: Layout, rect: Rect, player: Player) -> None:
    """Who it is, and whether he is dealer or eldest."""
    size = layout.px(30)
    room = rect.copy()
    for (letter, _, colour), has in zip(MARKS, (player.dealer, player.eldest), strict=True):
        if has:
            room.width -= size + layout.px(6)
            draw_mark(surface, letter, colour, Rect(room.right + layout.px(6), rect.centery - size // 2, size, size))
    if player.acting:
        arrow = layout.px(22)
        surface.blit(pointer(arrow), (room.x, rect.centery - arrow // 2))
        room = Rect(room.x + layout.px(30), room.y, room.width - layout.px(30), room.height)
    draw_line(surface, player.name, room, layout.px(NAME), GOLD if player.acting else TEXT, least=layout.px(SMALL))


def pointer(size: int) -> pygame.Surface:
    """An arrow at the name of who is to act."""

    def draw(large: pygame.Surface) -> None:
        side = large.get_width()
        pygame.draw.polygon(large, GOLD, [(0.1 * side, 0), (side, side / 2), (0.1 * side, side)])

    return shapes.smooth(size, size, draw, GOLD)


def draw_mark(surface: pygame.Surface, letter: str, colour: Colour, rect: Rect) -> None:
    """A letter in a disc."""
    surface.blit(shapes.disc(rect.width, colour), rect)
    text = image(letter, rect.width, PLATE)
    ink = text.get_bounding_rect()
    surface.blit(text, (rect.centerx - ink.centerx, rect.centery - ink.centery))


def draw_numbers(surface: pygame.Surface, layout: Layout, rect: Rect, player: Player, scene: Scene) -> None:
    """Chips won or lost, and in this deal where there are several; tricks taken or cards held."""
    colour = WON if player.balance > 0 else LOST if player.balance < 0 else TEXT
    balance, gain = signed(player.balance), f"({signed(player.gain)})" if scene.deals > 1 else ""
    count = count_words(player.count, scene.counted)
    chip = layout.px(20)
    surface.blit(shapes.disc(chip, CHIP), (rect.x, rect.centery - chip // 2))
    text = Rect(rect.x + chip + layout.px(8), rect.y, rect.width - chip - layout.px(8), rect.height)
    size = shrunk(f"{balance} {gain}  {count}", layout.px(NUMBERS), text.width, layout.px(LEAST))
    space = width_of(" ", size)
    text.width -= draw_line(surface, count, text, size, QUIET_TEXT, place=1.0) + space
    used = draw_line(surface, balance, text, size, colour) + space
    draw_line(surface, gain, Rect(text.x + used, text.y, text.width - used, text.height), size, QUIET_TEXT)


def count_words(count: int, counted: str) -> str:
    """So many tricks or cards."""
    return f"{count} {counted[:-1] if count == 1 else counted}"


def draw_claims(surface: pygame.Surface, layout: Layout, rect: Rect, player: Player) -> int:
    """What a player has declared, in two lines at most, and whether he passed; the height used."""
    text = ", ".join([*player.claims, *["passed"] * player.passed])
    if not text:
        return 0
    size = layout.px(SMALL)
    lines = min(2, len(wrapped(text, size, rect.width)))
    height = height_of([[""] * lines], size)
    draw_text(surface, [text], Rect(rect.x, rect.y, rect.width, height), [size], GOLD if player.claims else QUIET_TEXT)
    return height + layout.px(5)


def draw_hand(surface: pygame.Surface, layout: Layout, rect: Rect, player: Player, scene: Scene) -> None:
    """The cards of a hand, in as many lines as show them best; those that are not seen lie on their faces."""
    cards: list[str | None] = [*player.hand, *[None] * player.hidden]
    if not cards:
        return
    gap = layout.px(5)
    heights = {lines: card_height(layout, rect, len(cards), lines, gap) for lines in (1, 2, 3)}
    lines = max(heights, key=lambda lines: heights[lines] * FEWER_LINES**lines)
    height = heights[lines]
    in_each = math.ceil(len(cards) / lines)
    step = pitch(rect, in_each, height, gap)
    playable = player.acting and any(card not in scene.refusals for card in player.hand)
    top = rect.y + (rect.height - lines * (height + gap) + gap) // 2
    for number, card in enumerate(cards):
        line, place = divmod(number, in_each)
        here = min(in_each, len(cards) - line * in_each)
        left = rect.x + (rect.width - width_of_card(height) - round(step * (here - 1))) // 2
        light = "dim" if playable and card in scene.refusals else "open" if card in player.open else ""
        draw_card(surface, card, left + round(place * step), top + line * (height + gap), height, light=light)


def card_height(layout: Layout, rect: Rect, count: int, lines: int, gap: int) -> int:
    """The height of cards in so many lines, at which rank and suit of each can be read."""
    widest = rect.width / (ASPECT + SIGN * (math.ceil(count / lines) - 1))
    return max(1, min(layout.px(TALLEST_CARD), (rect.height + gap) // lines - gap, int(widest)))


def pitch(rect: Rect, in_each: int, height: int, gap: int) -> float:
    """Pixels from card to card in a line of so many."""
    width = width_of_card(height)
    return min(width + gap, (rect.width - width) / max(1, in_each - 1))
