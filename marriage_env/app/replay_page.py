"""A recorded match as one page that needs nothing else: no network, no program but a browser.

Nothing of the record is ever markup or code: it travels compressed, in a block that no browser runs, and the page's
scripts, which its policy knows by their digests, write it as text.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from importlib.resources import files
from pathlib import Path

from marriage_env.app.replaying import views
from marriage_env.errors import OptionError, RecordSizeError
from marriage_env.records import Record
from marriage_env.render.scene import scene_of
from marriage_env.render.view import Viewer

STYLES = ("table.css", "replay.css")
SCRIPTS = ("table.js", "replay.js")
ENDINGS = (".html", ".htm")
MOST_STEPS = 5_000  # of a match that a browser steps through with ease

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src {styles}; script-src {scripts}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Marriage: a match of {title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>A match of {title}</h1>
<div id="replay"><noscript>This page needs JavaScript.</noscript></div>
</main>
<script type="application/gzip" id="match">{match}</script>
{script}
</body>
</html>
"""


def write_page(record: Record, path: Path, viewer: Viewer = "all") -> None:
    """Write the page of a match; OptionError for a name that is no page's. See `page` for others."""
    if path.suffix.lower() not in ENDINGS:
        raise OptionError(f"{path}: allowed is a name that ends in {' or '.join(ENDINGS)}")
    path.write_text(page(record, viewer), encoding="utf-8")


def page(record: Record, viewer: Viewer = "all") -> str:
    """The page of a match: its steps and its ledger.

    Args:
        record: of the match.
        viewer: whose cards are in the page; with ``"all"`` it shows the table from every seat.

    Raises:
        RecordSizeError: the match is too long for a page.
        RecordMismatchError: the rules do not allow what was done in it.
    """
    steps = len(record.steps)
    if steps > MOST_STEPS:
        raise RecordSizeError(f"the match has {steps} steps: a page holds {MOST_STEPS} at most")
    scenes = [scene_of(view).as_dict() for view in views(record, viewer)]
    style = "\n".join(static(name) for name in STYLES)
    scripts = [static(name) for name in SCRIPTS]
    return PAGE.format(
        title=record.opening.game.capitalize(),
        styles=digest(style),
        scripts=" ".join(map(digest, scripts)),
        style=style,
        match=base64.b64encode(gzip.compress(json.dumps(scenes).encode(), mtime=0)).decode(),
        script="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def static(name: str) -> str:
    """One of the files that pages are made of."""
    return files("marriage_env.app").joinpath("static", name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """How a page's policy knows a style or a script that stands in it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
