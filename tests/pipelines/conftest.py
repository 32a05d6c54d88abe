"""What the learner has really won, to hold against the rewards that arrive."""

import pytest

from marriage_env import SingleSeatVectorEnv


@pytest.fixture
def won(monkeypatch):
    """By table, what the balances say the learner has won in each match that is over, as they end."""
    chips = {}
    begin = SingleSeatVectorEnv._begin

    def noting(env, rows):
        for row in rows[env.tables.begun[rows] & env.tables.over(rows)].tolist():
            chips.setdefault(row, []).append(float(env.tables.records["balances"][row, env._seats[row]]))
        return begin(env, rows)

    monkeypatch.setattr(SingleSeatVectorEnv, "_begin", noting)
    return chips
