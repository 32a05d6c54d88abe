"""Cards, drawn from shapes and letters. Each is drawn once for a size, and kept."""

from __future__ import annotations

import functools

import pygame

from marriage_env.render.pictures import shapes
from marriage_env.render.pictures.colours import (
    BACK,
    BACK_LINES,
    BLACK_SUIT,
    COURT_BLACK,
    COURT_RED,
    GOLD,
    PAPER,
    PAPER_EDGE,
    RED_SUIT,
    Colour,
)
from marriage_env.render.pictures.lettering import font

ASPECT = 0.7  # width by height
SMALL = 62  # cards less wide than so many pixels have large signs instead of pips
TIMES = shapes.TIMES

LEFT, MIDDLE, RIGHT = 0.0, 0.5, 1.0
CORNERS = [(LEFT, 0.0), (RIGHT, 0.0), (LEFT, 1.0), (RIGHT, 1.0)]
#: Where pips lie, column and row from 0 to 1, by the rank's letter. Those below the middle stand on their heads.
PIPS: dict[str, list[tuple[float, float]]] = {
    "2": [(MIDDLE, 0.0), (MIDDLE, 1.0)],
    "3": [(MIDDLE, 0.0), (MIDDLE, 0.5), (MIDDLE, 1.0)],
    "4": CORNERS,
    "5": [*CORNERS, (MIDDLE, 0.5)],
    "6": [*CORNERS, (LEFT, 0.5), (RIGHT, 0.5)],
    "7": [*CORNERS, (LEFT, 0.5), (RIGHT, 0.5), (MIDDLE, 0.25)],
    "8": [*CORNERS, (LEFT, 0.5), (RIGHT, 0.5), (MIDDLE, 0.25), (MIDDLE, 0.75)],
    "9": [*CORNERS, (LEFT, 1 / 3), (RIGHT, 1 / 3), (LEFT, 2 / 3), (RIGHT, 2 / 3), (MIDDLE, 0.5)],
    "T": [*CORNERS, (LEFT, 1 / 3), (RIGHT, 1 / 3), (LEFT, 2 / 3), (RIGHT, 2 / 3), (MIDDLE, 1 / 6), (MIDDLE, 5 / 6)],
}


def width_of_card(height: int) -> int:
    """The width of a card of a height."""
    return round(ASPECT * height)


def draw_card(surface: pygame.Surface, card: str | None, x: int, y: int, height: int, *, light: str = "") -> None:
    """Draw a card with its shadow.

    Args:
        surface: to draw on.
        card: its name, or None for its back.
        x: of its left edge.
        y: of its upper edge.
        height: in pixels.
        light: ``"dim"`` for a card that may not be played, ``"open"`` for one that all players have seen.
    """
    width = width_of_card(height)
    radius = corner(height)
    shapes.draw_shadow(surface, pygame.Rect(x, y, width, height), radius, max(2, height // 16), 90)
    surface.blit(back(height) if card is None else face(card, height), (x, y))
    if light == "dim":
        surface.blit(shapes.rounded(width, height, radius, (40, 44, 44), 96), (x, y))
    if light == "open":
        surface.blit(shapes.outlined(width, height, radius, GOLD, max(1, height // 30)), (x, y))


def corner(height: int) -> int:
    """The radius of a card's corners."""
    return max(2, height // 12)


@functools.lru_cache(maxsize=1024)
def face(card: str, height: int) -> pygame.Surface:
    """The face of a card."""
    width = width_of_card(height)
    large = blank(width, height, PAPER)
    rank, suit = card[0], card[1]
    ink = RED_SUIT if suit in "HD" else BLACK_SUIT
    if width < SMALL:
        draw_small(large, rank, suit, ink)
    else:
        draw_index(large, rank, suit, ink)
        if rank in "JQK":
            draw_court(large, rank, suit, ink)
        else:
            draw_pips(large, rank, suit, ink)
    return finished(large, width, height, PAPER_EDGE)


@functools.lru_cache(maxsize=64)
def back(height: int) -> pygame.Surface:
    """The back of a card: a lattice in a white margin."""
    width = width_of_card(height)
    large = blank(width, height, PAPER)
    margin = round(0.06 * large.get_height())
    field = large.get_rect().inflate(-2 * margin, -2 * margin)
    pygame.draw.rect(large, BACK, field, border_radius=margin)
    large.set_clip(field)
    step = max(10, field.width // 5)
    for start in range(-field.height, field.width + field.height, step):
        for way in (1, -1):
            begin = (field.left + start, field.top if way == 1 else field.bottom)
            end = (field.left + start + field.height, field.bottom if way == 1 else field.top)
            pygame.draw.line(large, BACK_LINES, begin, end, max(1, step // 9))
    large.set_clip(None)
    pygame.draw.rect(large, BACK_LINES, field, max(1, margin // 3), border_radius=margin)
    return finished(large, width, height, PAPER_EDGE)


def blank(width: int, height: int, paper: Colour) -> pygame.Surface:
    """A sheet of paper, `TIMES` as large as the card."""
    large = pygame.Surface((TIMES * width, TIMES * height), pygame.SRCALPHA)
    large.fill(paper)
    return large


def finished(large: pygame.Surface, width: int, height: int, edge: Colour) -> pygame.Surface:
    """A card in its size, with round corners and a fine edge."""
    card = pygame.transform.smoothscale(large, (width, height))
    radius = corner(height)
    card.blit(shapes.outlined(width, height, radius, edge, 1, 160), (0, 0))
    card.blit(shapes.rounded(width, height, radius, (255, 255, 255)), (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
    return card


def letter(rank: str, height: int, widest: int, ink: Colour) -> pygame.Surface:
    """A rank, its letters so many pixels high; ``10`` is narrowed to a width."""
    text = font(round(2.0 * height)).render("10" if rank == "T" else rank, True, ink)
    inner = text.get_bounding_rect()
    cut = text.subsurface(inner)
    width = min(widest, round(inner.width * height / inner.height))
    return pygame.transform.smoothscale(cut, (max(1, width), height))


def sign(large: pygame.Surface, suit: str, size: float, ink: Colour, middle: tuple[float, float], turned: bool) -> None:
    """Draw a suit's sign around a point of the large card."""
    image = shapes.suit(suit, round(size), ink)
    if turned:
        image = pygame.transform.rotate(image, 180)
    large.blit(image, image.get_rect(center=(round(middle[0]), round(middle[1]))))


def draw_small(large: pygame.Surface, rank: str, suit: str, ink: Colour) -> None:
    """A small card: its rank and suit at the left, where the card above leaves it free, and its suit again, larger."""
    width, height = large.get_size()
    image = letter(rank, round(0.34 * height), round(0.46 * width), ink)
    large.blit(image, image.get_rect(midtop=(round(0.29 * width), round(0.08 * height))))
    sign(large, suit, 0.4 * width, ink, (0.29 * width, 0.64 * height), False)
    sign(large, suit, 0.46 * width, ink, (0.71 * width, 0.8 * height), False)


def draw_index(large: pygame.Surface, rank: str, suit: str, ink: Colour) -> None:
    """Rank and suit in two corners."""
    width, height = large.get_size()
    half = pygame.Surface(large.get_size(), pygame.SRCALPHA)
    half.fill((*ink, 0))
    image = letter(rank, round(0.145 * height), round(0.19 * width), ink)
    half.blit(image, image.get_rect(midtop=(round(0.135 * width), round(0.055 * height))))
    sign(half, suit, 0.17 * width, ink, (0.135 * width, 0.28 * height), False)
    large.blit(half, (0, 0))
    large.blit(pygame.transform.rotate(half, 180), (0, 0))


def draw_pips(large: pygame.Surface, rank: str, suit: str, ink: Colour) -> None:
    """The signs of a number card, or the one of an ace."""
    width, height = large.get_size()
    if rank == "A":
        sign(large, suit, 0.5 * width, ink, (0.5 * width, 0.5 * height), False)
        return
    for column, row in PIPS[rank]:
        middle = (width * (0.36 + 0.28 * column), height * (0.16 + 0.68 * row))
        sign(large, suit, 0.19 * width, ink, middle, row > 0.5)


def draw_court(large: pygame.Surface, rank: str, suit: str, ink: Colour) -> None:
    """A court card: a large letter in a frame, under an ornament of its own, above and below."""
    width, height = large.get_size()
    frame = pygame.Rect(0, 0, round(0.5 * width), round(0.78 * height))
    frame.center = (width // 2, height // 2)
    radius = round(0.05 * width)
    pygame.draw.rect(large, COURT_RED if suit in "HD" else COURT_BLACK, frame, border_radius=radius)
    ornament = pygame.Surface(large.get_size(), pygame.SRCALPHA)
    ornament.fill((*GOLD, 0))
    ORNAMENTS[rank](ornament, width / 2, frame.top + 0.115 * height, 0.34 * width, ink)
    large.blit(ornament, (0, 0))
    large.blit(pygame.transform.rotate(ornament, 180), (0, 0))
    pygame.draw.rect(large, ink, frame, max(2, round(0.012 * width)), border_radius=radius)
    image = letter(rank, round(0.28 * height), round(0.42 * width), ink)
    large.blit(image, image.get_rect(center=frame.center))


def draw_crown(surface: pygame.Surface, x: float, y: float, size: float, ink: Colour) -> None:
    """A king's: three points on a band."""
    half, low, high = size / 2, y + 0.26 * size, y - 0.3 * size
    points = [
        (x - half, low),
        (x - half, high + 0.08 * size),
        (x - 0.24 * size, y),
        (x, high),
        (x + 0.24 * size, y),
        (x + half, high + 0.08 * size),
        (x + half, low),
    ]
    pygame.draw.polygon(surface, GOLD, points)
    pygame.draw.polygon(surface, ink, points, max(2, round(0.05 * size)))
    pygame.draw.line(surface, ink, (x - half, y + 0.1 * size), (x + half, y + 0.1 * size), max(2, round(0.05 * size)))


def draw_coronet(surface: pygame.Surface, x: float, y: float, size: float, ink: Colour) -> None:
    """A queen's: five pearls on a bow."""
    for place in range(5):
        way = (place - 2) / 2
        centre = (x + 0.44 * size * way, y + size * (0.12 * way * way - 0.16))
        pygame.draw.circle(surface, GOLD, centre, 0.13 * size)
        pygame.draw.circle(surface, ink, centre, 0.13 * size, max(2, round(0.04 * size)))
    bow = pygame.Rect(round(x - 0.5 * size), round(y + 0.08 * size), round(size), round(0.2 * size))
    pygame.draw.rect(surface, GOLD, bow, border_radius=bow.height // 2)
    pygame.draw.rect(surface, ink, bow, max(2, round(0.04 * size)), border_radius=bow.height // 2)


def draw_cap(surface: pygame.Surface, x: float, y: float, size: float, ink: Colour) -> None:
    """A jack's: a cap with two bells, as jesters wear them."""
    line = max(2, round(0.05 * size))
    for way in (-1, 1):
        horn = [
            (x, y - 0.26 * size),
            (x + way * 0.5 * size, y),
            (x + way * 0.34 * size, y + 0.26 * size),
            (x, y + 0.26 * size),
        ]
        pygame.draw.polygon(surface, GOLD, horn)
        pygame.draw.polygon(surface, ink, horn, line)
        pygame.draw.circle(surface, ink, (x + way * 0.5 * size, y), 0.09 * size)


ORNAMENTS = {"K": draw_crown, "Q": draw_coronet, "J": draw_cap}
