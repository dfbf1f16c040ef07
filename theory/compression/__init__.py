"""Compression (C): what is lost when workers send compressed gradients, and when it is got back.

Q is a compressor of vectors (d,): unbiased with relative variance ``omega``, E |Q(v) - v|^2 <= omega |v|^2,
or a contraction with ``delta``, |Q(v) - v|^2 <= (1 - delta) |v|^2. Its draws are independent between workers
and steps. The problem is that of :mod:`theory.quadratics`: m workers with n examples each, a shared Hessian
with ``eigenvalues`` lambda_p, in whose eigenbasis everything is written, and step size ``alpha``.
"""

from theory.compression._compressors import contraction as contraction
from theory.compression._compressors import dithering_variance as dithering_variance
from theory.compression._compressors import omega as omega
from theory.compression._compressors import power_of_two_variance as power_of_two_variance
from theory.compression._floors import compression_floor as compression_floor
from theory.compression._floors import example_shift_ratio as example_shift_ratio
from theory.compression._floors import worker_shift_floor as worker_shift_floor
from theory.compression._moments import compressed_moments as compressed_moments

__all__ = [
    "compressed_moments",
    "compression_floor",
    "contraction",
    "dithering_variance",
    "example_shift_ratio",
    "omega",
    "power_of_two_variance",
    "worker_shift_floor",
]
