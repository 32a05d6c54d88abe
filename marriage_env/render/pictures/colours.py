"""The colours of a picture, each by what it is for."""

from __future__ import annotations

Colour = tuple[int, int, int]

FLOOR: Colour = (31, 30, 34)
RIM_LIGHT: Colour = (126, 84, 52)
RIM_DARK: Colour = (84, 54, 33)
FELT_LIGHT: Colour = (46, 122, 89)
FELT_DARK: Colour = (23, 78, 58)
SLOT: Colour = (255, 255, 255)  # drawn faintly

PLATE: Colour = (24, 33, 33)
PLATE_EDGE: Colour = (70, 88, 84)
ACTING_PLATE: Colour = (58, 50, 26)

TEXT: Colour = (238, 236, 226)
QUIET_TEXT: Colour = (166, 176, 168)
GOLD: Colour = (242, 200, 98)
WON: Colour = (142, 214, 146)
NO_CHIPS: Colour = (132, 178, 152)
LOST: Colour = (240, 146, 126)
RED_ON_DARK: Colour = (255, 138, 128)

PAPER: Colour = (252, 251, 246)
PAPER_EDGE: Colour = (190, 186, 174)
BLACK_SUIT: Colour = (28, 32, 40)
RED_SUIT: Colour = (200, 30, 44)
COURT_BLACK: Colour = (228, 232, 240)
COURT_RED: Colour = (250, 230, 222)
BACK: Colour = (36, 66, 120)
BACK_LINES: Colour = (92, 128, 188)

CHIP: Colour = (196, 62, 58)
CHIP_SIDE: Colour = (138, 38, 38)
CHIP_MARK: Colour = (248, 236, 214)
BOX: Colour = (62, 42, 28)
BOX_EDGE: Colour = (150, 106, 66)
CHINA: Colour = (226, 230, 236)
CHINA_EDGE: Colour = (124, 146, 196)


def blend(first: Colour, second: Colour, share: float) -> Colour:
    """A colour between two: `share` of the second, 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue
