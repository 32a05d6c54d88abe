"""Arrays in compiled code: rows at no cost, and rows brought near before they are needed."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from marriage_env.compiled import JIT_DISABLED

LINE = 64  # bytes of a cache line
FOR_WRITING, KEEP, DATA = 1, 3, 1  # what LLVM calls rw, locality and cache type of a prefetch

if JIT_DISABLED:

    def unowned(array: Any) -> Any:
        """The array itself."""
        return array

    def prefetch_row(array: Any, row: Any) -> Any:
        """Nothing to be done."""

else:

    @intrinsic  # type: ignore[misc]
    def unowned(typingctx: Any, array: Any) -> Any:
        """The array without its count of references, so that its rows can be taken at no cost.

        Numba counts references to arrays, by atomic operations that cost more than many a rule. The caller has to hold
        the array.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            struct = context.make_array(array)(context, builder, arguments[0])
            struct.meminfo = struct.meminfo.type(None)
            return struct._getvalue()

        return array(array), generate

    @intrinsic  # type: ignore[misc]
    def prefetch_row(typingctx: Any, array: Any, row: Any) -> Any:
        """Have the processor bring a row of an array nearer, to be written to soon; no row needs to be there."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            struct = context.make_array(array)(context, builder, arguments[0])
            length = builder.extract_value(struct.strides, 0)
            byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
            start = builder.gep(builder.bitcast(struct.data, byte), [builder.mul(length, arguments[1])])
            kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
            prefetch = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
            lines = builder.udiv(builder.add(length, length.type(LINE - 1)), length.type(LINE))
            with cgutils.for_range(builder, lines) as loop:
                line = builder.gep(start, [builder.mul(loop.index, length.type(LINE))])
                builder.call(prefetch, [line, number(FOR_WRITING), number(KEEP), number(DATA)])
            return context.get_dummy_value()

        return types.void(array, row), generate
