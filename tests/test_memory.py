"""What is told to the processor and to Numba beyond Python has its effect, and no other."""

import re
import sys

import numba
import numpy as np

from marriage_env.memory import prefetch_row, unowned


@numba.njit
def sum_by_unowned_rows(array):
    rows = unowned(array)
    total = 0.0
    for row in range(len(rows)):
        prefetch_row(rows, row + 1)  # of which the last is not there
        total += rows[row].sum()
    return total


def test_rows_without_a_count_of_references_are_the_same():
    array = np.arange(60.0).reshape(5, 12)
    before = sys.getrefcount(array)
    assert sum_by_unowned_rows(array) == array.sum()
    assert sys.getrefcount(array) == before


def llvm(function, *types):
    """A function compiled for types, but not called, in LLVM's words; not its entry from Python."""
    uncached = numba.njit(function)  # cached code cannot be looked at
    uncached.compile(types)
    (text,) = uncached.inspect_llvm().values()
    return text[: re.search(r"define (ptr|i8\*)", text).start()]  # in older LLVM, pointers have types


def test_nothing_is_counted_and_a_row_is_fetched_ahead():
    table = numba.float64[:, ::1]
    assert "NRT_incref" in llvm(lambda array: array[0], table)
    assert "NRT_incref" not in llvm(lambda array: unowned(array)[0], table)
    assert "llvm.prefetch" in llvm(lambda array: prefetch_row(array, 1), table)
