"""A table drawn with pygame. Only who asks for a picture imports this: `marriage_env` itself needs no pygame."""

from marriage_env.render.pictures.picture import picture
from marriage_env.render.pictures.window import Window

__all__ = ["Window", "picture"]
