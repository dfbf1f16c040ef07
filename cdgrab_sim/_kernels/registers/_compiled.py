"""The functions as numba compiles them: a type of eight doubles, how it loads, stores and adds.

Importing this module teaches numba the functions of `_plain` and + - * between their results. Each becomes
one operation on a vector of LLVM, which knows the registers of the processor; nothing here depends on them.
Types and lowerings are registered one by one: `numba.extending.overload` does the same and compiles twice as
long.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model, type_callable

from cdgrab_sim._kernels.registers import _plain
from cdgrab_sim._kernels.registers._plain import LANES

_INDEX = ir.IntType(32)
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_UNDEFINED = ir.Constant(_VECTOR, ir.Undefined)
_OPERATIONS = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul"}


class LanesType(types.Type):  # type: ignore[misc]
    """Eight doubles in a register."""

    def __init__(self) -> None:
        super().__init__(name="lanes")


_LANES = LanesType()


@register_model(LanesType)
class LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    """A vector of LLVM."""

    def __init__(self, manager: Any, kind: LanesType) -> None:
        super().__init__(manager, kind, _VECTOR)


def _can_load(a: Any, where: Any) -> bool:
    contiguous = isinstance(a, types.Array) and a.layout == "C" and a.dtype == types.float64
    return contiguous and isinstance(where, types.BaseTuple) and len(where) == a.ndim


def _pointer(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
    (kind, places), (a, where) = kinds, arguments
    array = context.make_array(kind)(context, builder, a)
    shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
    strides = cgutils.unpack_tuple(builder, array.strides, kind.ndim)
    unpacked = zip(cgutils.unpack_tuple(builder, where, kind.ndim), places, strict=True)
    *rows, p = (context.cast(builder, index, place, types.intp) for index, place in unpacked)

    def at(last: Any) -> Any:
        here = (context, builder, array.data, shape, strides, kind.layout, [*rows, last])
        return cgutils.get_item_pointer2(*here, boundscheck=context.enable_boundscheck)

    if context.enable_boundscheck:
        at(builder.add(p, p.type(LANES - 1)))
    return builder.bitcast(at(p), _VECTOR.as_pointer())


@type_callable(_plain.load)  # type: ignore[untyped-decorator]
def _type_load(context: Any) -> Any:
    return lambda a, where: _LANES if _can_load(a, where) else None


@lower_builtin(_plain.load, types.Array, types.BaseTuple)  # type: ignore[untyped-decorator]
def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.load(_pointer(context, builder, signature.args, arguments), align=8)


@type_callable(_plain.store)  # type: ignore[untyped-decorator]
def _type_store(context: Any) -> Any:
    return lambda a, where, lanes: types.void if _can_load(a, where) and lanes == _LANES else None


@lower_builtin(_plain.store, types.Array, types.BaseTuple, LanesType)  # type: ignore[untyped-decorator]
def _store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    pointer = _pointer(context, builder, signature.args[:2], arguments[:2])
    builder.store(arguments[2], pointer, align=8)
    return context.get_dummy_value()


@type_callable(_plain.zeros)  # type: ignore[untyped-decorator]
def _type_zeros(context: Any) -> Any:
    return lambda: _LANES


@lower_builtin(_plain.zeros)  # type: ignore[untyped-decorator]
def _zeros(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _VECTOR([0.0] * LANES)


@type_callable(_plain.spread)  # type: ignore[untyped-decorator]
def _type_spread(context: Any) -> Any:
    return lambda value: _LANES if value == types.float64 else None


@lower_builtin(_plain.spread, types.Float)  # type: ignore[untyped-decorator]
def _spread(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    first = builder.insert_element(_UNDEFINED, arguments[0], _INDEX(0))
    return builder.shuffle_vector(first, _UNDEFINED, ir.VectorType(_INDEX, LANES)([0] * LANES))


@type_callable(_plain.larger)  # type: ignore[untyped-decorator]
def _type_larger(context: Any) -> Any:
    return lambda a, b: _LANES if a == b == _LANES else None


@lower_builtin(_plain.larger, LanesType, LanesType)  # type: ignore[untyped-decorator]
def _larger(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    a, b = arguments
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


@type_callable(_plain.total)  # type: ignore[untyped-decorator]
def _type_total(context: Any) -> Any:
    return lambda lanes: types.float64 if lanes == _LANES else None


@lower_builtin(_plain.total, LanesType)  # type: ignore[untyped-decorator]
def _total(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    terms = [builder.extract_element(arguments[0], _INDEX(q)) for q in range(LANES)]
    while len(terms) > 1:
        terms = [builder.fadd(a, b) for a, b in zip(terms[::2], terms[1::2], strict=True)]
    return terms[0]


def _teach(symbol: Any, operation: str) -> None:
    @type_callable(symbol)  # type: ignore[untyped-decorator]
    def type_operation(context: Any) -> Any:
        return lambda a, b: _LANES if a == b == _LANES else None

    @lower_builtin(symbol, LanesType, LanesType)  # type: ignore[untyped-decorator]
    def operate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, operation)(*arguments)


for _symbol, _operation in _OPERATIONS.items():
    _teach(_symbol, _operation)
