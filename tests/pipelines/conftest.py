"""What the learner has really won, to hold against the rewards that arrive; and pages' examples, to run."""

import numpy as np
import pytest

from marriage_env import SingleSeatVectorEnv


@pytest.fixture
def won(monkeypatch):
    """By table, what the balances say the learner has won in each match that is over, as the next begins."""
    chips = {}
    begin = SingleSeatVectorEnv._begin

    def noting(env, rows):
        for row in rows[env.tables.begun[rows] & env.tables.over(rows)].tolist():
            chips.setdefault(row, []).append(float(env.tables.records["balances"][row, env._seats[row]]))
        return begin(env, rows)

    monkeypatch.setattr(SingleSeatVectorEnv, "_begin", noting)
    return chips


@pytest.fixture
def example():
    """What runs a page's example for so many steps, with other words in place of some; it returns the names left."""
    from experiments import pipelines  # needs what measuring needs

    def run(name, steps, *changes):
        page = pipelines.PAGES / f"{name}.md"
        code = pipelines.code_of(page, steps)
        for old, new in changes:
            assert code.count(old) == 1
            code = code.replace(old, new)
        return pipelines.run(code, page)

    return run


@pytest.fixture
def sums():
    """What sums up the rewards of each episode, by table, as `won`: from rewards and ends, (steps, tables) each."""

    def of_episodes(rewards, ends):
        so_far, ends = np.cumsum(rewards, axis=0), np.asarray(ends, bool)
        of_each = {row: np.diff(so_far[ended, row], prepend=0.0).tolist() for row, ended in enumerate(ends.T)}
        return {row: chips for row, chips in of_each.items() if chips}

    return of_episodes
