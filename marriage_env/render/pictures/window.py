"""A window that shows one table. Each environment has its own; whoever closes it goes on without."""

from __future__ import annotations

import time

import pygame

from marriage_env.render.pictures.layout import height_of_picture
from marriage_env.render.pictures.picture import drawing
from marriage_env.render.scene import Scene

PATIENCE = 0.01  # seconds between looks at what has happened to the windows

#: The windows that are open: what happens to one may be noticed while another is looked after.
_open: dict[int, Window] = {}


class Window:
    """A window for the pictures of one table.

    Args:
        width: in pixels.
        fps: how many pictures a second it shows at most.
    """

    def __init__(self, width: int, fps: float) -> None:
        self.width = width
        self.fps = fps
        self.closed = False
        self._window: pygame.Window | None = None

    def show(self, scene: Scene) -> None:
        """Draw a scene, and let it be seen for as long as the pace asks; nothing once the window has been closed."""
        look_after_windows()
        if self.closed:
            return
        image = drawing(scene, self.width)
        try:
            self._flip(scene.title, image)
        except pygame.error:  # another part of the program has shut down pygame, and with it the window
            self._forget()
            self._flip(scene.title, image)
        self._wait()

    def close(self) -> None:
        """Close the window; it does not open again."""
        self.closed = True
        self.let_go()

    def let_go(self) -> None:
        """Destroy the window, if there is one; the next picture opens another, unless it was closed."""
        window = self._window
        self._forget()
        if window is not None and pygame.display.get_init():
            window.destroy()

    def _flip(self, title: str, image: pygame.Surface) -> None:
        if self._window is None:
            pygame.display.init()
            self._window = pygame.Window(f"Marriage: {title}", (self.width, height_of_picture(self.width)))
            if not _open:
                pygame.register_quit(let_go)
            _open[self._window.id] = self
        self._window.get_surface().blit(image, (0, 0))
        self._window.flip()

    def _wait(self) -> None:
        """Let the picture stay for as long as the pace asks, looking after the windows meanwhile."""
        until = time.monotonic() + 1 / self.fps
        while not self.closed and (left := until - time.monotonic()) > 0:
            time.sleep(min(PATIENCE, left))
            look_after_windows()

    def _forget(self) -> None:
        for number in [number for number, window in _open.items() if window is self]:
            del _open[number]
        self._window = None


def let_go() -> None:
    """Destroy all windows before another part of the program shuts down pygame.

    They would go with it, but pygame would take them for windows still, and destroy others in their place.
    """
    for window in list(_open.values()):
        window.let_go()


def look_after_windows() -> None:
    """Close the windows that people want closed; leave to the program what has happened elsewhere."""
    if not pygame.display.get_init():
        return
    for event in pygame.event.get():
        window = _open.get(getattr(getattr(event, "window", None), "id", -1))
        if window is None:
            pygame.event.post(event)
        elif event.type == pygame.WINDOWCLOSE:
            window.close()
