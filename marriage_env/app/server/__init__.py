"""The browser's table: a small web application that people play at, each with a key of his own."""

from marriage_env.app.server.application import create_app
from marriage_env.app.server.running import serve

__all__ = ["create_app", "serve"]
