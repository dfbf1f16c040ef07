"""Vectors on the unit sphere: the data of the experiments that need no iterates."""

from __future__ import annotations

import numpy as np

from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray


def unit_vectors(m: int, n: int, d: int, seed: int) -> FloatArray:
    """Draw vectors (m, n, d) uniform on the unit sphere; worker i's do not depend on m."""
    z = stream(seed, Role.DATA).standard_normal((m, n, d))
    z /= np.linalg.norm(z, axis=-1, keepdims=True)
    return z
