"""What compiled passes spell out for the registers of the processor: points compared, and tiles turned over.

A loop over all coordinates of some rows and some columns keeps its sums in registers, a vector for each row and run of
columns: nothing but coordinates is read, and nothing but sums is written. Compilers find no such loops of their own.
Vectors are as wide as those of the processor, and where they are too wide for it the compiler cuts them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

LINE = 64  # bytes of the cache's unit: vectors that lie across two of them take twice as long to read
ROWS, VECTORS = 4, 2  # of a block of sums that 16 registers hold
MORE_ROWS = 8  # and of one that 32 registers hold
TURNED = 8  # rows and columns that are turned over at a time
CONTRACTED = ("contract",)  # a product and a sum with one rounding, where the processor has that
WORD, SHORT, BYTES = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()

Values = Callable[[Any, Any, Any], Any]


def _word(value: int) -> Any:
    return ir.Constant(WORD, value)


def _squares(builder: Any, x: Any, z: Any) -> Any:
    gap = builder.fsub(x, z)
    return builder.fmul(gap, gap, flags=CONTRACTED)


def _products(builder: Any, x: Any, z: Any) -> Any:
    return builder.fmul(x, z, flags=CONTRACTED)


def _lengths(builder: Any, x: Any, z: Any) -> Any:
    gap = builder.fsub(x, z)
    bits = gap.type.element.intrinsic_name[1:]  # "f32" has 32
    whole = ir.VectorType(ir.IntType(int(bits)), gap.type.count)
    unsigned = ir.Constant(whole, [2 ** (int(bits) - 1) - 1] * gap.type.count)
    return builder.bitcast(builder.and_(builder.bitcast(gap, whole), unsigned), gap.type)


class _Matrix:
    """A two-dimensional array whose rows are contiguous, as the code of the pass sees it."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any) -> None:
        array = context.make_array(kind)(context, builder, value)
        self.builder, self.number, self.size = builder, context.get_data_type(kind.dtype), kind.dtype.bitwidth // 8
        self.start = builder.bitcast(array.data, BYTES)
        self.apart = cgutils.unpack_tuple(builder, array.strides)[0]  # type: ignore[no-untyped-call]
        self.shape = cgutils.unpack_tuple(builder, array.shape)  # type: ignore[no-untyped-call]

    def at(self, row: Any, col: Any, kind: Any = None) -> Any:
        """Return the place of an entry, as one of a number, or of what begins there."""
        builder = self.builder
        offset = builder.add(builder.mul(row, self.apart), builder.mul(col, _word(self.size)))
        return builder.bitcast(builder.gep(self.start, [offset]), (kind or self.number).as_pointer())

    def load(self, row: Any, col: Any, kind: Any) -> Any:
        return self.builder.load(self.at(row, col, kind), align=self.size)

    def store(self, value: Any, row: Any, col: Any) -> None:
        self.builder.store(value, self.at(row, col, value.type), align=self.size)


def _comparing(values: Values) -> Any:
    """Return a function for passes: it writes Σₖ values(X[i + r, k], Z[k, j]) into S[r, j], for all r and j < q.

    Rows of S and Z reach to whole blocks beyond q, where anything may stand, and S has a multiple of MORE_ROWS rows.
    """

    @intrinsic
    def compared(typing: Any, X: Any, i: Any, Z: Any, q: Any, S: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kinds = signature.args
            x, z, s = (_Matrix(context, builder, kinds[k], args[k]) for k in (0, 2, 4))
            wide = "+avx512f" in context.codegen().magic_tuple()[2]
            lanes, rows = (LINE if wide else LINE // 2) // x.size, MORE_ROWS if wide else ROWS
            vector = ir.VectorType(x.number, lanes)
            new: Any = partial(cgutils.alloca_once, builder, vector)
            sums = [[new() for _ in range(VECTORS)] for _ in range(rows)]
            with (
                cgutils.for_range_slice(builder, _word(0), args[3], _word(VECTORS * lanes), intp=WORD) as (j, _),
                cgutils.for_range_slice(builder, _word(0), s.shape[0], _word(rows), intp=WORD) as (r, _),
            ):
                columns = [builder.add(j, _word(m * lanes)) for m in range(VECTORS)]
                abreast = [builder.add(r, _word(k)) for k in range(rows)]
                for one in sums:
                    for cell in one:
                        builder.store(ir.Constant(vector, None), cell)
                with cgutils.for_range(builder, x.shape[1], intp=WORD) as loop:
                    right = [z.load(loop.index, column, vector) for column in columns]
                    for one, row in zip(sums, abreast, strict=True):
                        left = _everywhere(builder, x, builder.add(args[1], row), loop.index, vector)
                        for cell, other in zip(one, right, strict=True):
                            added = values(builder, left, other)
                            builder.store(builder.fadd(builder.load(cell), added, flags=CONTRACTED), cell)
                for one, row in zip(sums, abreast, strict=True):
                    for cell, column in zip(one, columns, strict=True):
                        s.store(builder.load(cell), row, column)
            return context.get_dummy_value()

        return types.void(X, types.int64, Z, types.int64, S), code

    return compared


def _everywhere(builder: Any, x: _Matrix, row: Any, col: Any, vector: Any) -> Any:
    """Return a vector with one number of a matrix in all lanes."""
    nothing, first = ir.Constant(vector, ir.Undefined), ir.Constant(SHORT, 0)
    one = builder.insert_element(nothing, builder.load(x.at(row, col)), first)
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(SHORT, vector.count), None))


squares_of, products_of, lengths_of = map(_comparing, (_squares, _products, _lengths))


class _Flat:
    """Rows of numbers in a one-dimensional array: where they begin, and how many numbers are between them."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any, start: Any, apart: Any) -> None:
        array = context.make_array(kind)(context, builder, value)
        self.builder, self.number, self.size = builder, context.get_data_type(kind.dtype), kind.dtype.bitwidth // 8
        self.data, self.start, self.apart = builder.bitcast(array.data, BYTES), start, apart

    def at(self, row: int, kind: Any) -> Any:
        builder = self.builder
        place = builder.mul(builder.add(self.start, builder.mul(self.apart, _word(row))), _word(self.size))
        return builder.bitcast(builder.gep(self.data, [place]), kind.as_pointer())


@intrinsic
def turned(typing: Any, given: Any, start: Any, apart: Any, out: Any, first: Any, between: Any) -> Any:
    """Write TURNED rows of TURNED numbers as columns.

    They begin at `given[start]`, `apart` numbers from one another; `out[first]` is where the first column begins, and
    so its row, `between` numbers from the next.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, target = (_Flat(context, builder, signature.args[k], *args[k : k + 3]) for k in (0, 3))
        vector = ir.VectorType(source.number, TURNED)
        half = TURNED // 2
        # Rows k and k + half, entry by entry in turn, until every row is a column
        masks = [[k // 2 + first + k % 2 * TURNED for k in range(TURNED)] for first in (0, half)]
        in_turn = [ir.Constant(ir.VectorType(SHORT, TURNED), mask) for mask in masks]
        rows = [builder.load(source.at(r, vector), align=source.size) for r in range(TURNED)]
        for _ in range(TURNED.bit_length() - 1):
            rows = [builder.shuffle_vector(rows[k], rows[k + half], mask) for k in range(half) for mask in in_turn]
        for r, column in enumerate(rows):
            builder.store(column, target.at(r, vector), align=source.size)
        return context.get_dummy_value()

    return types.void(given, types.int64, types.int64, out, types.int64, types.int64), code


@njit(nogil=True)
def room(rows, cols, like):  # type: ignore[no-untyped-def]
    """Return zeros of the precision of an array, in rows that begin where lines of the cache do, if they are whole."""
    flat = np.zeros(rows * cols + LINE // like.itemsize, like.dtype)
    skipped = (-flat.ctypes.data % LINE) // like.itemsize
    return flat[skipped : skipped + rows * cols].reshape(rows, cols)
