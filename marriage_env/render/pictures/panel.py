"""The words beside the table: which game, what is to be done, what was done, who paid what and why."""

from __future__ import annotations

from collections.abc import Sequence

import pygame
from pygame import Rect

from marriage_env.render.pictures import shapes
from marriage_env.render.pictures.colours import GOLD, PLATE, PLATE_EDGE, QUIET_TEXT, TEXT, Colour
from marriage_env.render.pictures.layout import Layout
from marriage_env.render.pictures.lettering import draw_line, draw_text, width_of
from marriage_env.render.pictures.seats import MARKS, draw_mark
from marriage_env.render.scene import Scene

TITLE, SUBTITLE, HEADING, LEGEND, LEAST = 60, 36, 32, 32, 28  # sizes of fonts
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
    draw_line(surface, scene.title, layout.title, layout.px(TITLE), GOLD, least=layout.px(SUBTITLE))
    trumps = f" · {scene.trumps} are trumps" if scene.trumps else ""
    text = f"deal {scene.deal} of {scene.deals}{trumps}"
    draw_line(surface, text, layout.deal, layout.px(SUBTITLE), QUIET_TEXT, least=layout.px(LEAST))


def draw_section(
    surface: pygame.Surface,
    layout: Layout,
    rect: Rect,
    heading: str,
    texts: Sequence[str],
    sizes: Sequence[int],
    *,
    lit: bool = False,
) -> None:
    """A heading and paragraphs under it, on a plate."""
    edge: Colour = GOLD if lit else PLATE_EDGE
    radius = layout.px(14)
    surface.blit(shapes.rounded(*rect.size, radius, PLATE, 225), rect)
    surface.blit(shapes.outlined(*rect.size, radius, edge, layout.px(2)), rect)
    body = body_of(layout, rect)
    head = Rect(body.x, rect.y + layout.px(10), body.width, layout.px(HEADING_HEIGHT))
    draw_line(surface, heading, head, layout.px(HEADING), GOLD)
    draw_text(surface, texts, body, [layout.px(size) for size in sizes], TEXT)


def body_of(layout: Layout, rect: Rect) -> Rect:
    """The place of a section's texts, under its heading."""
    top, side = layout.px(14 + HEADING_HEIGHT), layout.px(16)
    return Rect(rect.x + side, rect.y + top, rect.width - 2 * side, rect.height - top - layout.px(10))


def draw_legend(surface: pygame.Surface, layout: Layout) -> None:
    """What the marks at the names mean."""
    rect, mark, size = layout.legend, layout.px(26), layout.px(LEGEND)
    x = rect.right
    for letter, words, colour in reversed(MARKS):
        x -= width_of(words, size)
        draw_line(surface, words, Rect(x, rect.y, rect.right - x, rect.height), size, QUIET_TEXT)
        x -= mark + layout.px(6)
        draw_mark(surface, letter, colour, Rect(x, rect.centery - mark // 2, mark, mark))
        x -= layout.px(16)
