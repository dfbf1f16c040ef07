"""Quadratic problem instances as plain arrays (I2, I4, I5, I7)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, one_of, positive, symmetric_psd
from theory._spectral import Array, examples, stack


class SafranShamir(NamedTuple):
    """Arrays of I2: f_j(x) = sum_p hessians[j, p] x_p^2 / 2 + <linear[j], x>, minimum of f at the origin."""

    hessians: Array
    linear: Array
    x0: Array


def safran_shamir(variant: str, n: int, G: float, lam: float, lam_max: float) -> SafranShamir:
    r"""Return a two-coordinate problem on which shuffling needs many epochs, single worker (I2).

    .. math::
        \text{shared} &: f_j = \tfrac{\lambda}{2} x_1^2 + \tfrac{\lambda_{max}}{2} x_2^2 \mp \tfrac G2 x_2, \\
        \text{split} &: f_j = \tfrac{\lambda}{2} x_1^2 + \tfrac{\lambda_{max}}{2} x_2^2 - \tfrac G2 x_2
            \quad \text{or} \quad \tfrac{\lambda}{2} x_1^2 + \tfrac G2 x_2,

    each form on half of the examples, the first form first. A step of size eta on the first form is

        x_1 <- (1 - eta lam) x_1,    x_2 <- (1 - eta lam_max) x_2 + eta G / 2,

    and on the second x_2 <- (1 - eta lam_max) x_2 - eta G / 2 (shared) or x_2 <- x_2 - eta G / 2 (split).
    f = lam x_1^2 / 2 + c x_2^2 with c = lam_max / 2 (shared) or lam_max / 4 (split).

    Assumes n even and lam <= lam_max.

    Provenance: published, read (arXiv:2106.06880, Eq. (1) and (2), in the authors' experiment script: update
    rule, start, loss), note ``I2-safran-shamir``. Their run: n = 500, G = lam = 1, lam_max = 200.

    Parameters
    ----------
    variant : {"shared", "split"}
        Whether both forms carry the curvature lam_max (Eq. 1) or only the first (Eq. 2).

    Returns
    -------
    SafranShamir
        ``hessians`` (n, 2) diagonals, ``linear`` (n, 2), ``x0`` (2,) = (-G / (2 lam), -G / (2 lam_max)).

    Examples
    --------
    >>> safran_shamir("split", 2, 1.0, 1.0, 200.0).linear
    array([[ 0. , -0.5],
           [ 0. ,  0.5]])
    """
    one_of("variant", variant, ("shared", "split"))
    n = integer_at_least("n", n, 2)
    if n % 2:
        raise ValueError(f"expected an even n; got {n}; half of the examples carry each form")
    low, high, scale = positive("lam", lam), positive("lam_max", lam_max), positive("G", G)
    if low > high:
        raise ValueError(f"expected lam <= lam_max; got {low} > {high}; exchange them")
    first = np.arange(n) < n // 2
    hessians = np.column_stack([np.full(n, low), np.where(first | (variant == "shared"), high, 0.0)])
    linear = np.column_stack([np.zeros(n), np.where(first, -scale / 2.0, scale / 2.0)])
    return SafranShamir(hessians, linear, np.array([-scale / (2.0 * low), -scale / (2.0 * high)]))


def safran_shamir_step_size(n: int, epochs: int, lam: float) -> float:
    r"""Return the step size of the published runs (I2).

    .. math:: \eta = \frac{\log(n T)}{\lambda n T}

    Assumes a number of epochs T fixed in advance.

    Provenance: published, read (arXiv:2106.06880, Theorems 3 and 4, in the authors' experiment script), note
    ``I2-safran-shamir``.

    Examples
    --------
    By hand, log(20000) / 20000, with log 2 + 4 log 10 = 9.903488.

    >>> round(safran_shamir_step_size(500, 40, 1.0), 9)
    0.000495174
    """
    steps = integer_at_least("n", n, 2) * integer_at_least("epochs", epochs, 1)
    return math.log(steps) / (positive("lam", lam) * steps)


class SharedHessian(NamedTuple):
    """Arrays of I4 in the eigenbasis of H: what :mod:`theory.quadratics` asks for."""

    eigenvalues: Array
    basis: Array
    x_star: Array
    deviations: Array
    covariance: Array


def shared_hessian(hessian: ArrayLike, centres: ArrayLike) -> SharedHessian:
    r"""Take quadratics that differ only in their centres to the eigenbasis of H (I4).

    .. math:: f_{ij}(x) = \tfrac12 (x - b_{ij})' H (x - b_{ij}), \qquad x_* = \text{mean of all } b_{ij}, \\
              Sig = \frac{1}{mn} \sum_{ij} (b_{ij} - \bar b_i)(b_{ij} - \bar b_i)'

    Assumes H symmetric positive definite.

    Provenance: proved here, note ``I4-shared-hessian``.

    Parameters
    ----------
    centres : array_like, shape (m, n, d)
        b_ij in the original coordinates.

    Returns
    -------
    SharedHessian
        ``eigenvalues`` (d,), ``basis`` (d, d) with eigenvectors as columns, ``x_star`` (d,) in the original
        coordinates, ``deviations`` (m, n, d) = b_ij - x_star and ``covariance`` (d, d) = Sig, both in the
        eigenbasis.

    Examples
    --------
    >>> shared_hessian([[2.0]], [[[0.0], [4.0]], [[10.0], [10.0]]]).covariance
    array([[2.]])
    """
    h = symmetric_psd("hessian", hessian)
    b = stack("centres", centres, ("m", "n", "d"))
    if b.shape[-1] != len(h):
        raise ValueError(f"expected centres of shape (m, n, {len(h)}); got {b.shape}; match the Hessian")
    eigenvalues, basis = np.linalg.eigh(h)
    if eigenvalues[0] <= 0.0:
        raise ValueError(
            f"expected a positive definite hessian; got eigenvalue {eigenvalues[0]}; add curvature"
        )
    x_star = b.mean(axis=(0, 1))
    within = (b - b.mean(axis=1, keepdims=True)).reshape(-1, len(h)) @ basis
    return SharedHessian(eigenvalues, basis, x_star, (b - x_star) @ basis, within.T @ within / len(within))


class GeneralQuadratics(NamedTuple):
    """Arrays of I5 at the optimum."""

    x_star: Array
    gradients: Array
    f_star: float


def general_quadratics(hessians: ArrayLike, linear: ArrayLike) -> GeneralQuadratics:
    r"""Return the optimum of quadratics with their own Hessians, and the gradients at it (I5).

    .. math:: f_{ij}(x) = \tfrac12 x' A_{ij} x - c_{ij}' x, \qquad \bar A x_* = \bar c, \qquad
              z_{ij} = A_{ij} x_* - c_{ij}, \qquad f_* = -\tfrac12 \bar c' x_*

    Assumes symmetric A_ij whose MEAN is positive definite; single examples may be indefinite.

    Provenance: proved here, note ``I5-general-quadratics``.

    Parameters
    ----------
    hessians : array_like, shape (m, n, d, d)
        A_ij.
    linear : array_like, shape (m, n, d)
        c_ij.

    Returns
    -------
    GeneralQuadratics
        ``x_star`` (d,), ``gradients`` (m, n, d) = z_ij, ``f_star``.

    Examples
    --------
    >>> general_quadratics([[[[1.0]], [[3.0]]]], [[[2.0], [2.0]]])
    GeneralQuadratics(x_star=array([1.]), gradients=array([[[-1.],
            [ 1.]]]), f_star=-1.0)
    """
    a, c = examples(hessians, "linear", linear, axes=("m", "n"))
    mean = c.mean(axis=(0, 1))
    x_star = np.linalg.solve(symmetric_psd("mean hessian", a.mean(axis=(0, 1))), mean)
    return GeneralQuadratics(x_star, a @ x_star - c, -0.5 * float(mean @ x_star))


class DeSa(NamedTuple):
    """Arrays of I7 and the exact expected products over one epoch."""

    matrices: Array
    reshuffled: Array
    replaced: Array


def de_sa(scale: float = 1.0) -> DeSa:
    r"""Return De Sa's counterexample: five PSD matrices whose reshuffled product has the larger mean (I7).

    .. math:: (y_k)_k = \tfrac25, \quad (y_k)_i = -\tfrac1{10} \ (i \ne k), \qquad A_k = I + 1 y_k' + y_k 1',
              \qquad \tfrac15 \sum_k A_k = I, \\
              E_{rr} = \tfrac{29}{64} \bigl(I - \tfrac15 J\bigr) - \tfrac{19}{16} \cdot \tfrac15 J, \qquad
              E_{sgd} = I, \qquad J = 1 1'.

    The eigenvalues of every A_k are 0, 1, 1, 1, 2. As contractions A_k / 2 the means have spectral norms
    19/512 (reshuffled) and 1/32 (with replacement), so reshuffling is slower in the mean; its mean SQUARE
    E[P' P] is nevertheless smaller.

    Assumes one worker, n = d = 5.

    Provenance: published, read (De Sa, NeurIPS 2020, as publicly quoted), note ``I7-de-sa``; the rational
    mean is verified over all 120 orders.

    Parameters
    ----------
    scale : float
        Factor on every A_k, > 0; 1/2 makes them contractions.

    Returns
    -------
    DeSa
        ``matrices`` (5, 5, 5), ``reshuffled`` (5, 5) = E_rr and ``replaced`` (5, 5) = E_sgd, scaled.

    Examples
    --------
    >>> instance = de_sa(scale=0.5)
    >>> [round(float(np.linalg.norm(mean, 2)), 7) for mean in (instance.reshuffled, instance.replaced)]
    [0.0371094, 0.03125]
    """
    factor = positive("scale", scale)
    ones, identity = np.ones(5), np.eye(5)
    rows = 0.5 * identity - 0.1
    matrices = np.array([identity + np.outer(ones, y) + np.outer(y, ones) for y in rows])
    mean_part = np.full((5, 5), 0.2)
    reshuffled = 29.0 / 64.0 * (identity - mean_part) - 19.0 / 16.0 * mean_part
    return DeSa(factor * matrices, factor**5 * reshuffled, factor**5 * identity)
