"""Keys: who has one may sit where it says, and nobody else. The server keeps their digests alone."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from marriage_env.errors import TableError

#: What a key opens: a seat, written as its number, or the table to look at.
WATCH = "watch"

TABLE_ID = re.compile(r"[0-9a-f]{16}")
KEY = re.compile(r"([0-9a-f]{16})\.([\w-]{20,60})", re.ASCII)


class Key(NamedTuple):
    """A key in its parts: the table, which is no secret, and the secret."""

    table: str
    secret: str


def new_table_id() -> str:
    """A name for a table, and for its file."""
    return secrets.token_hex(8)


def new_secret() -> str:
    """192 random bits, as text."""
    return secrets.token_urlsafe(24)


def digest(secret: str) -> str:
    """What is kept of a secret. It is long and random: a plain digest does not give it away."""
    return hashlib.sha256(secret.encode()).hexdigest()


def parsed_key(text: object) -> Key:
    """A key in its parts; TableError for what is none."""
    found = KEY.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise TableError("that is not a key of a table: a link to one ends with it")
    return Key(found[1], found[2])


def opened_by(secret: str, digests: Mapping[str, str]) -> str:
    """What a secret opens: a seat's number as text, or `WATCH`; TableError if nothing.

    Args:
        secret: of the key.
        digests: of a table's secrets, by what they open.
    """
    own = digest(secret)
    fitting = [opened for opened, kept in digests.items() if hmac.compare_digest(own, kept)]
    if not fitting:
        raise TableError("this key does not open the table")
    return fitting[0]
