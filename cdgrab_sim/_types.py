"""Types of arrays and of the functions that kernels are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Data: TypeAlias = Any  # a tuple of arrays, with or without names
Grads: TypeAlias = Callable[[FloatArray, FloatArray, IntArray, IntArray, Data], None]
Value: TypeAlias = Callable[[FloatArray, Data], float]
Loss: TypeAlias = Callable[[FloatArray, int, int, Data], float]
Walk: TypeAlias = Callable[..., None]
