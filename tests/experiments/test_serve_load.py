"""How soon moves are shown: the measurement itself works."""

import pytest

pytest.importorskip("websockets")
pytest.importorskip("uvicorn")

from experiments.serve_load import measure


def test_every_move_is_timed():
    delays = measure(tables=2, agent="rules", rounds=2, think=0.0)
    assert len(delays) >= 2 * 5  # one table is of Boxes: five cards in each round
    assert all(0 < delay < 60 for delay in delays)
