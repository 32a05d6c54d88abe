"""The whole picture, from a scene alone: it cannot show what the scene does not tell."""

from __future__ import annotations

import functools

import numpy as np
import pygame
from numpy.typing import NDArray

from marriage_env.render.pictures import shapes
from marriage_env.render.pictures.colours import FELT_DARK, FELT_LIGHT, FLOOR, GOLD, RIM_DARK, RIM_LIGHT
from marriage_env.render.pictures.layout import layout_of
from marriage_env.render.pictures.panel import draw_panel
from marriage_env.render.pictures.played import draw_played
from marriage_env.render.pictures.pots import draw_pots
from marriage_env.render.pictures.seats import draw_seat
from marriage_env.render.scene import Scene

RIM = 18  # units of wood around the felt
ROUND = 190


def picture(scene: Scene, width: int) -> NDArray[np.uint8]:
    """A scene as a picture.

    Args:
        scene: what is drawn, and nothing else.
        width: in pixels; 16 to 10 is its shape.

    Returns:
        uint8 of shape (height, width, 3), red, green and blue.
    """
    return np.ascontiguousarray(pygame.surfarray.array3d(drawing(scene, width)).swapaxes(0, 1))


def drawing(scene: Scene, width: int) -> pygame.Surface:
    """A scene on a new surface."""
    layout = layout_of(scene, width)
    surface = bare_table(layout.size, tuple(layout.table), layout.px(RIM), layout.px(ROUND)).copy()
    for player in scene.players:
        draw_seat(surface, layout, scene, player)
    draw_pots(surface, layout, scene)
    draw_played(surface, layout, scene)
    draw_panel(surface, layout, scene)
    return surface


@functools.lru_cache(maxsize=4)
def bare_table(size: tuple[int, int], table: tuple[int, int, int, int], rim: int, radius: int) -> pygame.Surface:
    """The floor, and the table with its rim of wood and its felt."""
    surface = pygame.Surface(size)
    surface.fill(FLOOR)
    rect = pygame.Rect(table)
    shapes.draw_shadow(surface, rect, radius, 2 * rim, 170)
    surface.blit(shapes.rounded(*rect.size, radius, RIM_DARK), rect)
    light = rect.inflate(-rim // 2, -rim // 2)
    surface.blit(shapes.rounded(*light.size, radius - rim // 4, RIM_LIGHT), light)
    inner = rect.inflate(-2 * rim, -2 * rim)
    surface.blit(felt(inner.size, radius - rim), inner)
    surface.blit(shapes.outlined(*inner.size, radius - rim, (0, 0, 0), max(1, rim // 6), 90), inner)
    line = inner.inflate(-2 * rim, -2 * rim)
    surface.blit(shapes.outlined(*line.size, radius - 2 * rim, GOLD, max(1, rim // 9), 70), line)
    return surface


def felt(size: tuple[int, int], radius: int) -> pygame.Surface:
    """Green felt, lit from above its middle."""
    width, height = size
    x, y = np.linspace(-1, 1, width)[:, None], np.linspace(-1, 1, height)[None, :]
    away = np.clip(np.sqrt(x * x + y * y) / 1.35, 0, 1)[..., None] ** 1.5
    colours = np.array(FELT_LIGHT) * (1 - away) + np.array(FELT_DARK) * away
    surface = pygame.Surface(size, pygame.SRCALPHA)
    surface.fill((255, 255, 255, 255))
    pixels = pygame.surfarray.pixels3d(surface)
    pixels[:] = colours.round().astype(np.uint8)
    del pixels  # it locks the surface
    surface.blit(shapes.rounded(width, height, radius, (255, 255, 255)), (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
    return surface
