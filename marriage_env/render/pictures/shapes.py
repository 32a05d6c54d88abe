"""Smooth shapes: drawn several times as large, then scaled down. What is drawn twice is kept."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable

import pygame

from marriage_env.render.pictures.colours import Colour

TIMES = 4  # how much larger shapes are drawn
Point = tuple[float, float]


def smooth(width: int, height: int, draw: Callable[[pygame.Surface], None], ground: Colour) -> pygame.Surface:
    """What `draw` draws on a clear surface `TIMES` as large, scaled down.

    Args:
        width: of the result, in pixels.
        height: of the result.
        draw: draws on the large surface.
        ground: the colour that edges fade into.
    """
    large = pygame.Surface((TIMES * width, TIMES * height), pygame.SRCALPHA)
    large.fill((*ground, 0))
    draw(large)
    return pygame.transform.smoothscale(large, (width, height))


@functools.lru_cache(maxsize=512)
def rounded(width: int, height: int, radius: int, colour: Colour, alpha: int = 255) -> pygame.Surface:
    """A rectangle with round corners."""

    def draw(large: pygame.Surface) -> None:
        pygame.draw.rect(large, (*colour, alpha), large.get_rect(), border_radius=TIMES * radius)

    return smooth(width, height, draw, colour)


@functools.lru_cache(maxsize=512)
def outlined(width: int, height: int, radius: int, colour: Colour, line: int, alpha: int = 255) -> pygame.Surface:
    """The edge of a rectangle with round corners."""

    def draw(large: pygame.Surface) -> None:
        pygame.draw.rect(large, (*colour, alpha), large.get_rect(), TIMES * line, border_radius=TIMES * radius)

    return smooth(width, height, draw, colour)


@functools.lru_cache(maxsize=512)
def disc(size: int, colour: Colour) -> pygame.Surface:
    """A round spot."""
    return rounded(size, size, size // 2 + 1, colour)


@functools.lru_cache(maxsize=256)
def shadow(width: int, height: int, radius: int, soft: int, alpha: int) -> pygame.Surface:
    """The soft shadow of a rounded rectangle, `soft` pixels wider on each side."""
    around = pygame.Surface((width + 2 * soft, height + 2 * soft), pygame.SRCALPHA)
    pygame.draw.rect(around, (0, 0, 0, alpha), (soft, soft, width, height), border_radius=radius)
    return pygame.transform.gaussian_blur(around, max(1, soft // 2), repeat_edge_pixels=False)


def draw_shadow(surface: pygame.Surface, rect: pygame.Rect, radius: int, soft: int, alpha: int = 110) -> None:
    """Let a rounded rectangle cast a shadow, a little downwards."""
    image = shadow(rect.width, rect.height, radius, soft, alpha)
    surface.blit(image, (rect.x - soft, rect.y - soft + max(1, soft // 3)))


# Suits


@functools.lru_cache(maxsize=512)
def suit(letter: str, size: int, colour: Colour) -> pygame.Surface:
    """A suit's sign in a square of `size` pixels."""

    def draw(large: pygame.Surface) -> None:
        side = large.get_width()
        for outline in SUITS[letter]():
            pygame.draw.polygon(large, colour, [(x * side, y * side) for x, y in outline])

    return smooth(size, size, draw, colour)


def heart(turned: bool = False) -> list[Point]:
    """A heart in the unit square, or one upside down with room for a stem."""
    points = []
    for step in range(64):
        angle = math.tau * step / 64
        x = 16 * math.sin(angle) ** 3
        y = 13 * math.cos(angle) - 5 * math.cos(2 * angle) - 2 * math.cos(3 * angle) - math.cos(4 * angle)
        points.append((0.5 + x / 36, 0.02 + (y + 17) / 36) if turned else (0.5 + x / 35, 0.43 - y / 32))
    return points


def lozenge() -> list[Point]:
    """A diamond, its sides bent inwards a little."""
    points = []
    for step in range(64):
        angle = math.tau * step / 64
        x, y = (math.copysign(abs(way) ** 2.15, way) for way in (math.cos(angle), math.sin(angle)))
        points.append((0.5 + 0.38 * x, 0.5 + 0.49 * y))
    return points


def circle(x: float, y: float, radius: float) -> list[Point]:
    """A circle."""
    return [
        (x + radius * math.cos(math.tau * step / 48), y + radius * math.sin(math.tau * step / 48)) for step in range(48)
    ]


def leaves() -> list[list[Point]]:
    """The three leaves of clubs, and what joins them."""
    return [circle(0.5, 0.26, 0.23), circle(0.26, 0.6, 0.23), circle(0.74, 0.6, 0.23), circle(0.5, 0.5, 0.12)]


def stem() -> list[Point]:
    """What clubs and spades stand on."""
    left = [(0.48 - 0.2 * (step / 8) ** 2.5, 0.55 + 0.42 * step / 8) for step in range(9)]
    return [(0.5, 0.5), *left, *((1 - x, y) for x, y in reversed(left))]


SUITS: dict[str, Callable[[], Iterable[list[Point]]]] = {
    "H": lambda: [heart()],
    "D": lambda: [lozenge()],
    "S": lambda: [heart(turned=True), stem()],
    "C": lambda: [*leaves(), stem()],
}
