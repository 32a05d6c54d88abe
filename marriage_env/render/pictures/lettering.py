"""Text that keeps to its place: measured, shrunk, broken into lines, cut with ``…``; suits are drawn, not printed."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Sequence

import pygame

from marriage_env.cards import SUIT_SYMBOLS, SUITS
from marriage_env.render.pictures import shapes
from marriage_env.render.pictures.colours import GOLD, RED_ON_DARK, Colour
from marriage_env.render.pictures.shapes import TIMES

ELLIPSIS = "…"
SIGN = re.compile(f"([{SUIT_SYMBOLS}])")
RED_SIGN = re.compile("[♥♦]")
CLAUSE = re.compile(r"\(\d+\.\d+\)[,:.]?$")
LINE = 0.75  # height of a line, of the size of its font
BASE = 0.57  # of the line on which letters stand, below the top of theirs
SIGN_SHARE = 0.5  # size of a suit's sign

_fonts: dict[int, pygame.font.Font] = {}


def font(size: int) -> pygame.font.Font:
    """Pygame's own font; made anew when another part of the program has shut down pygame in between."""
    pygame.font.init()
    try:
        _fonts[size].get_height()
    except (KeyError, pygame.error):
        _fonts[size] = pygame.font.Font(None, size)
    return _fonts[size]


def line_height(size: int) -> int:
    """Pixels from line to line."""
    return max(1, round(LINE * size))


@functools.lru_cache(maxsize=8192)
def width_of(text: str, size: int) -> int:
    """The width of a text in one line, in pixels."""
    return sum(
        sign_size(size) + 1 if SIGN.fullmatch(part) else width_of_letters(part, size) for part in SIGN.split(text)
    )


def width_of_letters(text: str, size: int) -> int:
    """The width of a text without suits."""
    return math.ceil(font(TIMES * size).size(printable(text))[0] / TIMES)


def sign_size(size: int) -> int:
    """The size of a suit's sign in a text."""
    return round(SIGN_SHARE * size)


def printable(text: str) -> str:
    """A text without what no font can draw."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


@functools.lru_cache(maxsize=4096)
def image(text: str, size: int, colour: Colour) -> pygame.Surface:
    """A text in one line; the ranks and signs of red suits are red.

    Letters are drawn large and scaled down: pygame shifts small ones to whole pixels, and words up and down by them.
    """
    ink = RED_ON_DARK if RED_SIGN.search(text) else colour

    def draw(large: pygame.Surface) -> None:
        x = 0
        for part in SIGN.split(text):
            if SIGN.fullmatch(part):
                side = TIMES * sign_size(size)
                made = shapes.suit(SUITS[SUIT_SYMBOLS.index(part)], side, ink)
                large.blit(made, (x, round(TIMES * BASE * size) - side))
                x += side + TIMES
            elif part:
                letters = font(TIMES * size)
                top = round(TIMES * BASE * size) - letters.get_ascent()
                large.blit(letters.render(printable(part), True, ink), (x, top))
                x += TIMES * width_of_letters(part, size)

    return shapes.smooth(max(1, width_of(text, size)), line_height(size), draw, ink)


@functools.lru_cache(maxsize=4096)
def elided(text: str, size: int, width: int) -> str:
    """A text, or as much of its beginning as fits with ``…`` after it."""
    return text if width_of(text, size) <= width else cut(text, size, width)


def cut(text: str, size: int, width: int) -> str:
    """As much of a text's beginning as fits with ``…`` after it."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = width_of(text[:middle].rstrip() + ELLIPSIS, size) <= width
        low, high = (middle, high) if fits else (low, middle - 1)
    return text[:low].rstrip() + ELLIPSIS


def wrapped(text: str, size: int, width: int) -> list[str]:
    """A text in lines of a width; a word too long for a line is cut."""
    space = width_of(" ", size)
    lines: list[str] = []
    room = 0
    for word in text.split():
        whole = elided(word, size, width)
        needed = width_of(whole, size)
        if lines and needed + space <= room:
            lines[-1] += f" {whole}"
            room -= needed + space
        else:
            lines.append(whole)
            room = width - needed
    return lines


def shrunk(text: str, size: int, width: int, least: int) -> int:
    """The largest size, from `size` down to `least`, in which a text fits into a width; `least` if none does."""
    while size > least and width_of(text, size) > width:
        size -= 1
    return size


def draw_line(
    surface: pygame.Surface,
    text: str,
    rect: pygame.Rect,
    size: int,
    colour: Colour,
    *,
    place: float = 0.0,
    least: int | None = None,
) -> int:
    """Write a text in one line, in the middle of the height of its place.

    Args:
        surface: to draw on.
        text: is made smaller, then cut, where it is too long.
        rect: its place.
        size: of the font.
        colour: of the letters.
        place: 0 at the left, 0.5 in the middle, 1 at the right.
        least: the smallest size it may have; None for `size`.

    Returns:
        Its width.
    """
    size = shrunk(text, size, rect.width, size if least is None else least)
    text = elided(text, size, rect.width)
    return draw_words(surface, text, rect.x, rect.centery - line_height(size) // 2, size, colour, rect.width, place)


def draw_words(
    surface: pygame.Surface, text: str, x: int, y: int, size: int, colour: Colour, room: int, place: float = 0.0
) -> int:
    """Write a line word by word, numbers of clauses in gold; its width."""
    words = text.split()
    space = width_of(" ", size)
    width = sum(width_of(word, size) for word in words) + space * max(0, len(words) - 1)
    x += round((room - width) * place)
    for word in words:
        ink = GOLD if CLAUSE.match(word) else colour
        made = image(word, size, ink)
        surface.blit(made, (x, y))
        x += made.get_width() + space
    return width


def fitted(texts: Sequence[str], width: int, height: int, sizes: Iterable[int]) -> tuple[list[list[str]], int]:
    """Paragraphs in lines, in the first of some sizes in which all fit; else in the last, cut.

    Returns:
        The lines of each paragraph, and the size.
    """
    for size in sizes:
        paragraphs = [wrapped(text, size, width) for text in texts]
        if height_of(paragraphs, size) <= height:
            return paragraphs, size
    while len(paragraphs) > 1 and height_of([*paragraphs, [""]], size) > height:
        paragraphs.pop()
    hidden = len(texts) - len(paragraphs)
    if hidden:
        paragraphs.append([f"{ELLIPSIS} and {hidden} more"])
    while len(paragraphs[0]) > 1 and height_of(paragraphs, size) > height:
        paragraphs[0].pop()
        paragraphs[0][-1] = cut(paragraphs[0][-1], size, width)
    return paragraphs, size


def height_of(paragraphs: Sequence[Sequence[str]], size: int) -> int:
    """The height of paragraphs with what is left free between them."""
    lines = sum(map(len, paragraphs))
    return lines * line_height(size) + max(0, len(paragraphs) - 1) * between(size)


def between(size: int) -> int:
    """Pixels between paragraphs."""
    return round(0.25 * size)


def draw_text(
    surface: pygame.Surface, texts: Sequence[str], rect: pygame.Rect, sizes: Iterable[int], colour: Colour
) -> None:
    """Write paragraphs into a place, from its top, in the first of some sizes in which all fit."""
    paragraphs, size = fitted(texts, rect.width, rect.height, sizes)
    y = rect.y
    for lines in paragraphs:
        for line in lines:
            draw_words(surface, line, rect.x, y, size, colour, rect.width)
            y += line_height(size)
        y += between(size)
