"""The words beside the table: which game, what is to be done, what was done, who paid what and why."""

from __future__ import annotations

import pygame
from pygame import Rect

from marriage_env.render.pictures import shapes
from marriage_env.render.pictures.colours import GOLD, PLATE, PLATE_EDGE, QUIET_TEXT, RED_ON_DARK, TEXT, Colour
from marriage_env.render.pictures.layout import Layout
from marriage_env.render.pictures.lettering import draw_line, draw_text, width_of
from marriage_env.render.pictures.seats import MARKS, draw_mark
from marriage_env.render.scene import Scene

TITLE, SUBTITLE, HEADING = 64, 36, 32  # sizes of fonts
TEXT_SIZES = (44, 41, 38, 36, 34, 32)
PAYMENT_SIZES = (38, 36, 34, 32, 30)
HEADING_HEIGHT = 28


def draw_panel(surface: pygame.Surface, layout: Layout, scene: Scene) -> None:
    """Draw all that is told in words."""
    draw_title(surface, layout, scene)
    draw_section(
        surface, layout, layout.now, "RESULT" if scene.over else "NOW", [scene.now], TEXT_SIZES, lit=not scene.over
    )
    draw_section(surface, layout, layout.last, "LAST", [scene.last], TEXT_SIZES)
    draw_section(surface, layout, layout.paid, "PAID", scene.paid or ("nothing in this step",), PAYMENT_SIZES)
    draw_legend(surface, layout)


def draw_title(surface: pygame.Surface, layout: Layout, scene: Scene) -> None:
    """The game, the deal, the trumps."""
    rect = layout.title
    upper = Rect(rect.x, rect.y, rect.width, round(0.58 * rect.height))
    lower = Rect(rect.x, upper.bottom, rect.width, rect.bottom - upper.bottom)
    draw_line(surface, scene.title, upper, layout.px(TITLE), GOLD)
    sign = layout.px(30)
    for place, letter in enumerate("DCHS", 1):
        ink = RED_ON_DARK if letter in "DH" else QUIET_TEXT
        surface.blit(
            shapes.suit(letter, sign, ink), (rect.right - place * round(1.3 * sign), upper.centery - sign // 2)
        )
    trumps = f" · {scene.trumps} are trumps" if scene.trumps else ""
    text = f"deal {scene.deal} of {scene.deals}{trumps}"
    draw_line(surface, text, lower, layout.px(SUBTITLE), QUIET_TEXT, least=layout.px(30))


def draw_section(
    surface: pygame.Surface,
    layout: Layout,
    rect: Rect,
    heading: str,
    texts: tuple[str, ...] | list[str],
    sizes: tuple[int, ...],
    *,
    lit: bool = False,
) -> None:
    """A heading and paragraphs under it, on a plate."""
    edge: Colour = GOLD if lit else PLATE_EDGE
    radius = layout.px(14)
    surface.blit(shapes.rounded(*rect.size, radius, PLATE, 225), rect)
    surface.blit(shapes.outlined(*rect.size, radius, edge, layout.px(2)), rect)
    inner = rect.inflate(-2 * layout.px(16), -2 * layout.px(10))
    head = Rect(inner.x, inner.y, inner.width, layout.px(HEADING_HEIGHT))
    draw_line(surface, heading, head, layout.px(HEADING), GOLD)
    body = Rect(inner.x, head.bottom + layout.px(4), inner.width, inner.bottom - head.bottom - layout.px(4))
    draw_text(surface, texts, body, [layout.px(size) for size in sizes], TEXT)


def draw_legend(surface: pygame.Surface, layout: Layout) -> None:
    """What the marks at the names mean."""
    rect, size, x = layout.legend, layout.px(30), layout.legend.x + layout.px(4)
    for letter, words, colour in MARKS:
        draw_mark(surface, letter, colour, Rect(x, rect.centery - size // 2, size, size))
        x += size + layout.px(8)
        draw_line(surface, words, Rect(x, rect.y, rect.right - x, rect.height), layout.px(SUBTITLE), QUIET_TEXT)
        x += width_of(words, layout.px(SUBTITLE)) + layout.px(26)
