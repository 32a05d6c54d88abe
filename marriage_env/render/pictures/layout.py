"""Where everything lies in a picture. Places never overlap; what is drawn keeps to its place."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pygame import Rect

from marriage_env.render.scene import Scene

WIDTH, HEIGHT = 1600, 1000  # in units, of which all measures are given
MARGIN = 16
GAP = 12
TABLE = 1134  # width of the table with its players; the rest is for text
SEAT = 212  # height of a seat above or below the table
WIDEST_SEAT = 550
SIDE = 236  # width of a seat beside the table
SIDE_HEIGHTS = {"boxes": 236, "saucers": 330}
POTS, POTS_WIDTH = 150, 860
LEGEND = 224
USUAL_TEXTS, SHORT_TEXTS = (178, 150), (126, 102)  # heights of what is to be done, and of the last step
MANY_PAYMENTS = 330  # letters, from which on payments have the others' room
#: How many players sit below, to the left, above and to the right, clockwise from the lower right corner.
SITTING = {
    3: (1, 0, 2, 0),
    4: (1, 1, 1, 1),
    5: (1, 1, 2, 1),
    6: (2, 1, 2, 1),
    7: (2, 1, 3, 1),
    8: (3, 1, 3, 1),
    9: (3, 1, 4, 1),
    10: (4, 1, 4, 1),
}
WIDEST_CELL = 160
MOST_IN_LINE = 13  # cards of a row: its ranks rise
CARD_AND_NAME = 1.62  # height of a card with its name, by its width


@dataclass(frozen=True)
class Layout:
    """The places of a picture, in pixels.

    Attributes:
        size: of the picture.
        unit: pixels for each unit of measure.
        table: the table itself, which lies under all else.
        seats: by seats.
        turn_up: of the card turned up, if there is one.
        pots: in their order.
        heading: of the words about the cards on the table.
        played: of each card on the table, and of those to come.
        title, legend, deal, now, last, paid: of texts.
    """

    size: tuple[int, int]
    unit: float
    table: Rect
    seats: tuple[Rect, ...]
    turn_up: Rect | None
    pots: tuple[Rect, ...]
    heading: Rect
    played: tuple[Rect, ...]
    title: Rect
    legend: Rect
    deal: Rect
    now: Rect
    last: Rect
    paid: Rect

    def places(self) -> dict[str, Rect]:
        """Every place that something is drawn in, by its name."""
        places = {name: getattr(self, name) for name in ("heading", "title", "legend", "deal", "now", "last", "paid")}
        if self.turn_up is not None:
            places["turn-up"] = self.turn_up
        for name in ("seats", "pots", "played"):
            places |= {f"{name} {number}": rect for number, rect in enumerate(getattr(self, name))}
        return places

    def px(self, units: float) -> int:
        """A measure in pixels."""
        return max(1, round(units * self.unit))


def layout_of(scene: Scene, width: int) -> Layout:
    """The places of a scene's picture, `width` pixels wide."""
    unit = width / WIDTH
    middle = middle_of(len(scene.players))
    pots = pots_in(scene, Rect((2 * MARGIN + TABLE - POTS_WIDTH) // 2, middle.y, POTS_WIDTH, POTS))
    heading = Rect(middle.x, middle.y + POTS + GAP, middle.width, 62)
    spread = Rect(middle.x, heading.bottom + GAP, middle.width, middle.bottom - heading.bottom - GAP)
    panel = Rect(MARGIN + TABLE + 2 * GAP, MARGIN, WIDTH - TABLE - 2 * MARGIN - 2 * GAP, HEIGHT - 2 * MARGIN)
    now_height, last_height = SHORT_TEXTS if len("".join(scene.paid)) > MANY_PAYMENTS else USUAL_TEXTS
    top, deal, now, last, paid = stacked(panel, (52, 36, now_height, last_height, 0))
    legend = Rect(top.right - LEGEND, top.y, LEGEND, top.height)
    title = Rect(top.x, top.y, top.width - LEGEND - GAP, top.height)

    def pixels(rect: Rect) -> Rect:
        left, top, right, bottom = (round(edge * unit) for edge in (rect.left, rect.top, rect.right, rect.bottom))
        return Rect(left, top, right - left, bottom - top)

    return Layout(
        size=(width, height_of_picture(width)),
        unit=unit,
        table=pixels(Rect(MARGIN + 46, MARGIN + 56, TABLE - 92, HEIGHT - 2 * MARGIN - 112)),
        seats=tuple(map(pixels, seats_around(scene))),
        turn_up=pixels(pots[0]) if scene.turn_up else None,
        pots=tuple(map(pixels, pots[1:] if scene.turn_up else pots)),
        heading=pixels(heading),
        played=tuple(map(pixels, cells(spread, cells_needed(scene)))),
        title=pixels(title),
        legend=pixels(legend),
        deal=pixels(deal),
        now=pixels(now),
        last=pixels(last),
        paid=pixels(paid),
    )


def height_of_picture(width: int) -> int:
    """The height of a picture of a width, in pixels."""
    return round(HEIGHT * width / WIDTH)


def middle_of(players: int) -> Rect:
    """What the players leave free of the table."""
    beside = SIDE + GAP + 4 if SITTING[players][1] else 130
    top = MARGIN + SEAT + GAP + 4
    return Rect(MARGIN + beside, top, TABLE - 2 * beside, HEIGHT - 2 * top)


def seats_around(scene: Scene) -> list[Rect]:
    """The places of the players by seats, clockwise; the viewer's own, or that of seat 0, is below."""
    players = len(scene.players)
    below, left, above, right = SITTING[players]
    side = SIDE_HEIGHTS[scene.game]
    beside = Rect(MARGIN, MARGIN + SEAT + POTS + 2 * GAP + 14, SIDE, side)
    lowest = in_line(below, HEIGHT - MARGIN - SEAT)
    around = [
        *reversed(lowest),
        *[beside] * left,
        *in_line(above, MARGIN),
        *[beside.move(TABLE - SIDE, 0)] * right,
    ]
    first = below // 2  # the middle one below
    start = scene.viewer if isinstance(scene.viewer, int) else 0
    return [around[(first + seat - start) % players] for seat in range(players)]


def in_line(count: int, top: int) -> list[Rect]:
    """Seats beside each other."""
    width = min(WIDEST_SEAT, (TABLE - (count - 1) * GAP) // count)
    left = MARGIN + (TABLE - count * width - (count - 1) * GAP) // 2
    return [Rect(left + place * (width + GAP), top, width, SEAT) for place in range(count)]


def pots_in(scene: Scene, rect: Rect) -> list[Rect]:
    """The turn-up and the pots beside each other; a pot without a card is as wide as its name wants it."""
    shares = [1.0] * bool(scene.turn_up) + [0.62 if pot.card else 1.0 for pot in scene.pots]
    free = rect.width - GAP * (len(shares) - 1)
    rects, left = [], float(rect.x)
    for share in shares:
        width = free * share / sum(shares)
        rects.append(Rect(round(left), rect.y, round(left + width) - round(left), rect.height))
        left += width + GAP
    return rects


def cells_needed(scene: Scene) -> int:
    """Places for the cards on the table, and for those to come: a card of each player, or half a row."""
    usual = len(scene.players) if scene.turn_up else MOST_IN_LINE // 2
    return max(usual, len(scene.played))


def cells(rect: Rect, count: int) -> list[Rect]:
    """Places for cards with names under them, in as many lines as make the cards largest."""
    lines = max(range(1, count + 1), key=lambda lines: card_width(rect, count, lines))
    in_each = math.ceil(count / lines)
    height = rect.height // lines
    width = min(rect.width // in_each, WIDEST_CELL, height)
    places = []
    for number in range(count):
        line, place = divmod(number, in_each)
        here = min(in_each, count - line * in_each)
        left = rect.x + (rect.width - here * width) // 2 + place * width
        places.append(Rect(left, rect.y + line * height, width, height))
    return places


def card_width(rect: Rect, count: int, lines: int) -> float:
    """How wide cards with names can be in so many lines."""
    return min(rect.width / math.ceil(count / lines), rect.height / lines / CARD_AND_NAME)


def stacked(rect: Rect, heights: tuple[int, ...]) -> list[Rect]:
    """Places under each other; the one of height 0 has what the others leave."""
    rest = rect.height - sum(heights) - GAP * (len(heights) - 1)
    rects, top = [], rect.y
    for height in heights:
        rects.append(Rect(rect.x, top, rect.width, height or rest))
        top += (height or rest) + GAP
    return rects
