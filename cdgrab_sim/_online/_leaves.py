"""Gradients of any kind, tensors and trees of them, as rows of numbers, without a copy where possible."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import _checks

_TAKEN = (np.dtype(np.float32), np.dtype(np.float64))
Part = NDArray[Any]  # (rows, width), float32 or float64: some coordinates of every row


def parts(gradient: Any, leading: tuple[int, ...], d: int) -> list[Part]:
    """Return the leaves of a gradient in their order, each as (rows, width); the widths add up to d.

    Parameters
    ----------
    gradient : array, tensor, or a list, tuple or mapping of such
        Every leaf begins with the axes that count gradients. Mappings go by their sorted keys.
    leading : tuple
        Sizes of these axes, -1 for any in the first place.
    d : int
    """
    found = leaves(gradient)
    fixed = abs(math.prod(leading))
    total = sum([leaf.size for leaf in found])
    rows = total // d
    if rows == 0 or total % d or rows % fixed:
        raise ValueError(
            f"gradient: expected {_said(leading)}d = {d} numbers; got {total}, in leaves of shape "
            f"{', '.join(str(leaf.shape) for leaf in found[:4])}{', ...' * (len(found) > 4)}"
        )
    axes = tuple(rows // fixed if size == -1 else size for size in leading)
    for leaf in found:
        if rows > 1 and not _begins(leaf.shape, axes):
            raise ValueError(
                f"gradient: expected leaves that begin with {_said(axes)}one gradient; got shape {leaf.shape}"
            )
    return [leaf.reshape(rows, -1) for leaf in found]


def leaves(tree: Any) -> list[NDArray[Any]]:
    """Return the arrays of a tree, float32 or float64, mappings by sorted keys."""
    if type(tree) is np.ndarray and tree.dtype in _TAKEN:
        return [tree]
    if isinstance(tree, Mapping):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    if isinstance(tree, list | tuple) and not _are_numbers(tree):
        return [leaf for one in tree for leaf in leaves(one)]
    return [_array(tree)]


def _are_numbers(tree: Any) -> bool:
    """Tell a list of plain numbers, or of lists of them, from a list of arrays."""
    while isinstance(tree, list | tuple) and tree:
        tree = tree[0]
    return type(tree) in (int, float)


def _array(leaf: Any) -> NDArray[Any]:
    """Return one leaf as an array of float32 or float64, in its own memory where it is one."""
    if hasattr(leaf, "detach"):  # a tensor of PyTorch, which this package need not import
        leaf = leaf.detach().cpu()
        leaf = leaf.float() if str(leaf.dtype) == "torch.bfloat16" else leaf  # exact; NumPy has no such type
    if not hasattr(leaf, "__array__") and hasattr(leaf, "__dlpack__"):
        try:
            leaf = np.from_dlpack(leaf)
        except Exception as error:  # whatever the other library raises
            reason = " ".join(str(error).split())
            raise TypeError(f"gradient: expected memory of this machine; copy it there ({reason})") from None
    a = _checks.array("gradient", leaf)
    if a.dtype in _TAKEN:
        return a
    if a.dtype.kind in "biuf":
        with np.errstate(over="ignore"):  # of long doubles: refused as infinite
            return a.astype(np.float64)
    if a.dtype.name.startswith(("bfloat16", "float8")):
        return a.astype(np.float32)
    raise TypeError(f"gradient: expected numbers; got {_checks.brief(leaf)} of dtype {a.dtype}")


def _begins(shape: tuple[int, ...], axes: tuple[int, ...]) -> bool:
    """Tell whether a shape begins with these axes, of which a first one of 1 may be left out."""
    return shape[: len(axes)] == axes or (axes[0] == 1 and shape[: len(axes) - 1] == axes[1:])


def _said(leading: tuple[int, ...]) -> str:
    """Say sizes of axes as a product."""
    return "".join("steps x " if size == -1 else f"{size} x " for size in leading)
