"""Work is shared out over threads, all of it, each part once."""

import multiprocessing
import threading

import numpy as np
import pytest

from marriage_env import Batch, thread_team
from marriage_env.thread_team import ThreadTeam


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("tables", [0, 1, 5, 64])
def test_every_table_is_worked_on_once(threads, tables, monkeypatch):
    monkeypatch.setattr(thread_team, "LEAST_TABLES", 1)
    seen, lock = [], threading.Lock()

    def work(common, rows, nothing, own):
        assert common == "common"
        assert nothing is None
        with lock:
            seen.append((own, threading.get_ident(), rows.tolist()))
        return len(rows)

    done = ThreadTeam(threads).run(
        work, ("common",), (np.arange(tables), None), [(number,) for number in range(threads)]
    )
    assert sum(done) == tables
    assert sorted(row for *_, rows in seen for row in rows) == list(range(tables))
    assert len({own for own, *_ in seen}) == len(seen) == max(min(threads, tables), 1)
    if tables == 64 and threads > 1:
        assert len({thread for _, thread, _ in seen}) > 1


def test_few_tables_wake_nobody():
    def work(rows):
        assert threading.current_thread() is threading.main_thread()
        return len(rows)

    assert ThreadTeam(4).run(work, (), (np.arange(thread_team.LEAST_TABLES),), [()] * 4) == [thread_team.LEAST_TABLES]


def test_an_error_in_another_thread_is_raised(monkeypatch):
    monkeypatch.setattr(thread_team, "LEAST_TABLES", 1)

    def work(rows):
        if 3 in rows:
            raise RuntimeError("broken")
        return 0

    with pytest.raises(RuntimeError, match="broken"):
        ThreadTeam(2).run(work, (), (np.arange(4),), [(), ()])


def play(batch, queue):
    batch.step(batch.choose("rules"))
    queue.put(batch.save())


def test_a_forked_process_has_threads_of_its_own(monkeypatch):
    monkeypatch.setattr(thread_team, "LEAST_TABLES", 1)
    batch = Batch("saucers", 8, threads=2, observe=False)
    batch.reset(seed=1)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=play, args=(batch, queue))
    child.start()
    there = queue.get(timeout=60)
    child.join()
    batch.step(batch.choose("rules"))
    assert batch.save() == there
