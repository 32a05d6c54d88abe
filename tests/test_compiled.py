"""How the rules are compiled: what is cached, and for what."""

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

import marriage_env
from marriage_env import GAMES, chips, make_agent
from marriage_env.compiled import JIT_DISABLED, bind, compiled

BALANCES = """
from marriage_env import boxes_v0
env = boxes_v0.env()
env.reset(seed=1)
print(env.balances["player_0"])
"""


def test_an_edit_anywhere_in_the_package_makes_the_cached_code_stale(tmp_path):
    """Numba by itself would look at the file of the function it is asked for, alone."""
    shutil.copytree(Path(marriage_env.__file__).parent, tmp_path / "marriage_env")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}

    def balance():
        command = [sys.executable, "-c", BALANCES]
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert balance() == "-5\n"
    source = tmp_path / "marriage_env" / "chips.py"
    text = source.read_text()
    assert "    paid, received = chips *" in text
    source.write_text(text.replace("    paid, received = chips *", "    paid, received = 2 * chips *"))
    assert balance() == "-10\n"


UNCACHED = (
    """
from numba.core import caching
caching.CacheImpl._locator_classes = []
"""
    + BALANCES
)


def test_where_no_folder_can_be_written_it_says_so_and_plays_all_the_same(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    command = [sys.executable, "-c", UNCACHED]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.stdout == "-5\n", run.stderr
    assert "NUMBA_CACHE_DIR" in run.stderr


def test_small_and_literal_integers_are_not_compiled_for_one_by_one():
    game = GAMES["boxes"]
    game.warm_up_rules()
    assert len(chips.pay.signatures) <= len(GAMES)


def test_a_game_with_another_function_gets_its_own_code():
    game = GAMES["boxes"]

    @compiled
    def choose(table, seat):
        return np.int64(60)

    stubborn = dataclasses.replace(game, choose=choose)
    env = marriage_env.boxes_v0.raw_env(mask_in="info")
    env.reset(seed=1)
    vectors = env.observe(env.agent_selection)[None]
    actions = {}
    for each in (game, stubborn):
        actions[each] = np.zeros(1, np.int64)
        each.advise(each.new_tables(1, each.rules()), each.layout(each.rules()).at, vectors, actions[each])
    assert actions[stubborn] == 60
    assert actions[game] == make_agent("rules").act(vectors[0], env.infos[env.agent_selection]["action_mask"])


def test_a_template_takes_only_names_it_has():
    with pytest.raises(NameError, match="nothing"):
        bind(compiled, nothing=compiled)


def test_tests_run_compiled():
    assert not JIT_DISABLED


def test_processes_that_compile_at_the_same_time_do_not_take_each_others_code(tmp_path, monkeypatch):
    """Each has looked at the index before the other wrote to it."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def half(x):
        return x / 2

    for number in (np.arange(4.0), np.arange(4.0, dtype=np.float32)):
        process = compiled(half)
        monkeypatch.setattr(IndexDataCacheFile, "_load_index", lambda cache: {})
        process(number)
    monkeypatch.undo()
    assert len(list(tmp_path.rglob("*.nbc"))) == 2
