"""Odd values: what people, files and other libraries pass where something else was meant."""

import copy
import datetime
import decimal
import fractions
import math
from pathlib import Path

import numpy as np


class Rude:
    """A class of somebody else that refuses whatever it is asked."""

    def _refuse(self, *given):
        raise RuntimeError("no")

    __float__ = __int__ = __index__ = __len__ = __iter__ = __array__ = __bool__ = __eq__ = __lt__ = _refuse
    __hash__ = object.__hash__

    def __repr__(self):
        return "two\nlines"


def _none(*given, **named):
    return None


def _text(*given, **named):
    return "text"


def _nan(*given, **named):
    return math.nan


def _column(*given, **named):
    return np.ones((3, 1))


def _nothing():
    return 1.0


# fmt: off
HUGE = [2**40, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64, 10**30, -(2**63)]
NUMBERS = [0, 1, -1, 2, 3, 0.0, -0.0, 0.5, 1.0, 1.5, -2.5, math.nan, math.inf, -math.inf]
EXTREMES = [1e308, -1e308, 5e-324, 1e-310, 1e200, 1e-200, 1e99, -1e16, 1e-16]
SCALARS = [
    *(kind(1) for kind in (np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float16, np.float32)),
    *(kind(2) for kind in (np.longdouble, np.complex64, np.bool_, np.str_, np.uint16)),
    np.longdouble("1e4000"), np.float16("nan"), np.bytes_(b"1"), np.datetime64("2026-01-01"),
    np.timedelta64(1, "s"), fractions.Fraction(1, 3), fractions.Fraction(2), decimal.Decimal("0.5"),
    decimal.Decimal("NaN"), 1j, 2 + 0j, True, False, None, np.ma.masked, np.array(2), np.array(2.5),
    np.array("a"), np.array(None), np.array(1j), np.array(True), np.array(b"1"), np.ma.array(2),
    np.ma.array(2.0, mask=True),
]
TEXTS = [
    "", "a", "rr", "cd-grab", "CD-GraB", "inf", "1", "nan", "\n", "é", "x" * 5000, "\ud800", "a\0b", "$a_$",
    b"rr", bytearray(b"1"),
]
OBJECTS = [
    [], (), {}, set(), [1], [[1]], [[1], [2, 3]], [None], ["a"], [1, "a"], {"a": 1}, {1: 2}, range(3), [[]],
    [[[[1]]]], object(), int, slice(1), ..., NotImplemented, ValueError("x"), Path("nowhere"), Rude(),
    [Rude()], {"a": Rude()}, np.random.RandomState(0), math, datetime.date(2026, 1, 1),
    datetime.timedelta(1), memoryview(b"12"), np.dtype("f8"),
]
FUNCTIONS = [_none, _text, _nan, _column, _nothing]
KINDS = ("?", "i1", "u1", "u8", "f2", "f4", ">f8", ">i4", "g", "F", "U3", "S3", "O", "M8[s]", "m8[s]")


def arrays():
    """Return arrays of all kinds, sizes and contents, made anew."""
    whole, real = np.arange(6), np.linspace(-1.0, 1.0, 6)
    return [
        *map(whole.astype, KINDS), np.zeros(0), np.zeros((0, 3)), np.zeros((2, 0, 1)), np.ones(1),
        np.ones((1, 1, 1, 1)), np.zeros((2, 3)), whole.reshape(2, 3), real.reshape(3, 2).T, real[::-2],
        np.ones((2, 3, 2)), np.full((2, 2), np.nan), np.array([1.0, math.inf]), np.array([1e308, 1e308]),
        np.array([5e-324, 1.0]), np.array([2**63], dtype=np.uint64), np.ma.array(real, mask=whole == 2),
        np.ma.array(real), real[None].view(np.matrix), np.rec.array([(1, 2.0)]), np.array([None, 1]),
        np.array([[1], [1, 2]], dtype=object), np.array(["a", "b"]), np.broadcast_to(1.0, (2, 3)),
    ]


def near(valid):
    """Return what `valid` might look like in other hands."""
    if isinstance(valid, np.ndarray):
        return _near_array(valid)
    if isinstance(valid, bool):
        return [int(valid), np.bool_(valid), str(valid), np.array(valid), [valid]]
    if isinstance(valid, int | float):
        return [
            -valid, valid + 0.5, valid * 2, str(valid), [valid], np.array([valid]), complex(valid), bytes(3),
            np.float32(valid), np.int8(valid), np.array(valid), np.array(valid, dtype=object), float(valid),
            np.longdouble(valid), fractions.Fraction(valid), np.ma.array(valid), np.ma.array(valid, mask=True),
        ]
    if isinstance(valid, str):
        return [
            valid.upper(), f" {valid} ", valid[:-1], valid + "x", valid.encode(), np.str_(valid), [valid],
            np.array(valid), (valid, valid), {valid: valid}, valid * 300, list(valid),
        ]
    if isinstance(valid, dict):
        values = None, "a", 2.5, math.nan, [], np.zeros((2, 9)), np.array(1.0), Rude(), np.array(["a"])
        swapped = [dict.fromkeys(valid, value) for value in values]
        return [list(valid), list(valid.items()), tuple(valid.values()), dict(enumerate(valid.values())), *swapped]
    if isinstance(valid, list | tuple):
        entries = None, "a", math.nan, -1, 2**63, 1e308, 1j, [1, 2], Rude()
        others = [list(valid), tuple(valid), np.array(valid, dtype=object), valid[:1], valid * 2, iter(valid)]
        return [*others, valid[::-1], *([one] for one in entries)]
    return list(FUNCTIONS) if callable(valid) else []


def _near_array(a):
    extremes = [a.astype(np.float64) for _ in range(6)]
    for changed, extreme in zip(extremes, (math.nan, math.inf, -math.inf, 1e308, -1e200, 5e-324), strict=True):
        changed.flat[-1:] = extreme
    readonly = a.copy()
    readonly.flags.writeable = False
    found = [
        a[::-1], a.T, a.ravel(), a[None], a[..., None], a[:1], a[:0], a.tolist(), np.asfortranarray(a), list(a),
        *(a.astype(kind) for kind in ("O", "U", "f4", ">f8", "g")), a.astype(str).tolist(), a * 1j, a * 1e300,
        a * 1e-300, a * 0, a * -1, a + 1, np.repeat(a, 2, axis=0), np.repeat(a[..., None], 2, -1)[..., 0],
        np.ma.array(a, mask=a == a.max()), readonly, *extremes,
    ]
    if a.dtype.kind == "i":
        found += [a + 0.5, a.astype("u1"), a.astype(bool), a - 1, np.where(a == 0, 2**62, a), a.astype("i2")]
    return found
# fmt: on


def odd(rng, valid):
    """Return a value to put where `valid` would do."""
    kinds = [NUMBERS, HUGE, EXTREMES, SCALARS, TEXTS, OBJECTS, FUNCTIONS, arrays(), near(valid)]
    shares = np.array([2, 1, 2, 3, 1, 2, 1, 3, 8.0 * bool(kinds[-1])])
    pool = kinds[rng.choice(len(kinds), p=shares / shares.sum())]
    value = pool[rng.randint(len(pool))]
    return copy.deepcopy(value) if isinstance(value, np.ndarray | list | dict) else value
