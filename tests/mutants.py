"""A hundred ways to get one sign, constant or index wrong, each with the statement that must notice."""

from typing import NamedTuple

PREFIX, WALK = "cdgrab_sim/_kernels/prefix.py", "cdgrab_sim/_kernels/walk.py"
ENGINE = "cdgrab_sim/synchronous/_engine.py"


class Mutant(NamedTuple):
    """One change of the source: `old`, which occurs once in `file`, becomes `new`; `label` must turn red."""

    file: str
    old: str
    new: str
    label: str


KERNELS = (
    Mutant(
        "cdgrab_sim/orderings/_balance.py",
        "no processor predicts.\n    eps = 1.0 if inner(s, row, a, ia, b, ib) <= 0.0",
        "no processor predicts.\n    eps = 1.0 if inner(s, row, a, ia, b, ib) >= 0.0",
        "V1",
    ),
    Mutant(
        "cdgrab_sim/orderings/_balance.py",
        "s[row, p] += step * (a[(*ia, p)] - b[(*ib, p)])",
        "s[row, p] += step * (a[(*ia, p)] + b[(*ib, p)])",
        "V1",
    ),
    Mutant(
        "cdgrab_sim/orderings/_balance.py",
        "eta = 1.0 if (plus if eps > 0.0 else minus)",
        "eta = 1.0 if (minus if eps > 0.0 else plus)",
        "V1",
    ),
    Mutant(
        "cdgrab_sim/orderings/_balance.py",
        "minus += (s[0, p] - v1) * w1",
        "minus += (s[0, p] + v1) * w1",
        "V1",
    ),
    Mutant("cdgrab_sim/herding/_error.py", "np.where(signs > 0, k,", "np.where(signs < 0, k,", "H1"),
    Mutant("cdgrab_sim/orderings/_pair.py", "balance(s, i, G, (r - 1, i)", "balance(s, i, G, (r, i)", "V1"),
    Mutant("cdgrab_sim/orderings/_pair.py", "balance(s, i, G,", "balance(s, 0, G,", "V1"),
    Mutant(
        "cdgrab_sim/orderings/_mean.py",
        "np.divide(state.total, shown, out=state.mean,",
        "np.divide(state.total, -shown, out=state.mean,",
        "T7",
    ),
    Mutant(
        PREFIX,
        "prefix[p] += G[r, i, p] - centre[p]",
        "prefix[p] += G[r, i, p] + centre[p]",
        "T4",
    ),
    Mutant(PREFIX, "top = max(top, abs(prefix[p]))", "top = max(top, prefix[p])", "H1"),
    Mutant(PREFIX, "and i < m - 1:", "and i < m - 2:", "H4"),
    Mutant(WALK, "v[p] = share * (total[p] + G", "v[p] = share * (total[p] - G", "Q1"),
    Mutant(
        WALK,
        "for i in range(m - 1):\n                    column",
        "for i in range(m - 2):\n                    column",
        "Q1",
    ),
    Mutant(
        ENGINE,
        "np.maximum(largest, np.linalg",
        "np.minimum(largest, np.linalg",
        "T4",
    ),
    Mutant(
        "cdgrab_sim/problems/_quadratic.py", "(x[p] - centres[i, j, p])", "(x[p] + centres[i, j, p])", "I4"
    ),
    Mutant(
        "cdgrab_sim/problems/_skewed.py",
        "out[r, p] = (L if x[p] <= 0.0 else mu)",
        "out[r, p] = (L if x[p] >= 0.0 else mu)",
        "I1",
    ),
    Mutant("cdgrab_sim/problems/_robust.py", "return 2.0 * r * u * u", "return 2.0 * r * u", "I8"),
    Mutant(
        "cdgrab_sim/orderings/_orders.py",
        "np.ascontiguousarray(state.pi[:, ::-1])",
        "np.ascontiguousarray(state.pi[::-1, :])",
        "Q5",
    ),
)

FORMULAS = (
    Mutant("theory/balancing/_greedy.py", "lengths**2 - 2.0 * np.abs", "lengths**2 - 1.0 * np.abs", "V1"),
    Mutant("theory/balancing/_greedy.py", "second_moment / (2.0 * mean", "second_moment / (2.2 * mean", "V3"),
    Mutant(
        "theory/balancing/_signs.py",
        "(2.0 + math.sqrt(2.0 * math.log(1.0",
        "(0.2 + math.sqrt(0.2 * math.log(1.0",
        "V4",
    ),
    Mutant(
        "theory/balancing/_walk.py",
        "1.0 + variance * (b * b - 2.0 * a)",
        "1.0 + variance * (b * b - 3.0 * a)",
        "V5",
    ),
    Mutant("theory/balancing/_walk.py", "math.sqrt(2.0 * s2 * math", "math.sqrt(0.2 * s2 * math", "V6"),
    Mutant(
        "theory/herding/_reorders.py",
        '+ nonnegative("signed", signed)) / 2.0',
        '+ nonnegative("signed", signed)) / 2.1',
        "H1",
    ),
    Mutant("theory/herding/_reorders.py", "vstack([(even + Rp) / 2.0", "vstack([(even - Rp) / 2.0", "H3"),
    Mutant("cdgrab_sim/herding/_offline.py", "out = min(left,", "out = max(left,", "H6"),
    Mutant("theory/random_orders/_moments.py", "(examples + 1) / 6.0", "(examples - 1) / 6.0", "R1"),
    Mutant(
        "theory/random_orders/_moments.py", "(workers * examples - 1)\n", "(workers * examples + 1)\n", "R2"
    ),
    Mutant("theory/random_orders/_tails.py", "2.0 * size * size, spread", "8.0 * size * size, spread", "R4"),
    Mutant("theory/convergence/_nonconvex.py", "alpha * n / 2 * (1 - 1.6", "alpha * n / 1 * (1 - 1.6", "T1"),
    Mutant("theory/convergence/_pl.py", "(1 - 0.6 * alpha", "(1 - 1.2 * alpha", "T2"),
    Mutant(
        "theory/convergence/_strongly_convex.py",
        "(1 - alpha * mu) * bound",
        "(1 - 2 * alpha * mu) * bound",
        "T3",
    ),
    Mutant("theory/convergence/_herding.py", "H / 2 + balance / (2 * m)", "H / 2 - balance / (2 * m)", "T4"),
    Mutant(
        "theory/convergence/_cd_grab.py",
        "2.05 * F0 / (alpha * n * T)\n",
        "0.5 * F0 / (alpha * n * T)\n",
        "T5",
    ),
    Mutant("theory/convergence/_cd_grab.py", "(1 - 0.97 * alpha", "(1 - 2.2 * alpha", "T6"),
    Mutant(
        "theory/convergence/_herding.py",
        'nonnegative("balance", balance)) / 2',
        'nonnegative("balance", balance)) / 3',
        "T7",
    ),
    Mutant(
        "theory/quadratics/_given_orders.py",
        "power(x, n - 1.0 - k) * prefixes",
        "power(x, n - k) * prefixes",
        "Q1",
    ),
    Mutant("theory/quadratics/_moments.py", "n / (n - 1.0) * np.outer", "n / (n + 1.0) * np.outer", "Q4"),
    Mutant(
        "theory/quadratics/_given_orders.py",
        "asarray(x * power(x, n - 1.0 - k)",
        "asarray(x * power(x, n - k)",
        "Q9",
    ),
    Mutant(
        "theory/quadratics/_epoch_maps.py", "maps[:, :d, d] = alpha * c", "maps[:, :d, d] = -alpha * c", "G1"
    ),
    Mutant("theory/quadratics/_biases.py", "(together - apart)", "(together + apart)", "G3"),
    Mutant("theory/quadratics/_biases.py", "return -0.5 * positive", "return -0.25 * positive", "G4b"),
    Mutant(
        "theory/instances/_scalar.py", "(1.0 - a * c) ** (2 * integer", "(1.0 - a * c) ** (3 * integer", "I3"
    ),
)

# One for every constant of a proof, and for every way in which a row was once blind.
_NONCONVEX, _PL = "theory/convergence/_nonconvex.py", "theory/convergence/_pl.py"
_CD, _TAILS = "theory/convergence/_cd_grab.py", "theory/random_orders/_tails.py"
CONSTANTS = (
    Mutant(_NONCONVEX, "descent + 2.4 * alpha", "descent + 0.6 * alpha", "T1"),
    Mutant(
        _NONCONVEX,
        "(1 - 1.6 * (alpha * n * L) ** 2) * grad_norm",
        "(1 - 1.0 * (alpha * n * L) ** 2) * grad_norm",
        "T1",
    ),
    Mutant(_NONCONVEX, "return 10 / 3 * F0", "return 9 / 3 * F0", "T1"),
    Mutant(_NONCONVEX, "+ 8 * alpha**2", "+ 4 * alpha**2", "T1"),
    Mutant(_NONCONVEX, "return 8.44 * math", "return 8.04 * math", "T1"),
    Mutant(_NONCONVEX, "+ 20 / 3 * L", "+ 19 / 3 * L", "T1"),
    Mutant(_NONCONVEX, "(n + 1) * sigma**2 / (6 * m)", "(n - 1) * sigma**2 / (6 * m)", "T1"),
    Mutant(_PL, "added = 2.4 * alpha", "added = 1.2 * alpha", "T2"),
    Mutant(_PL, "return 4 * (alpha * L)", "return 2 * (alpha * L)", "T2"),
    Mutant(_CD, "        2.05 * F0", "        1.95 * F0", "T5"),
    Mutant(_CD, "+ 9.9 * (alpha", "+ 0.99 * (alpha", "T5"),
    Mutant(_CD, "+ 22.5 * (alpha", "+ 2.25 * (alpha", "T5"),
    Mutant(_CD, "leading = 8.62 *", "leading = 8.12 *", "T5"),
    Mutant(_CD, "(24.6 * L", "(20.6 * L", "T5"),
    Mutant(_CD, "start = F0 + 8 *", "start = F0 + 4 *", "T6"),
    Mutant(_CD, "return 19 * (alpha", "return 0.01 * (alpha", "T6"),
    Mutant(_CD, "return spread + positive", "return 0.5 * spread + positive", "T10"),
    Mutant("theory/convergence/_herding.py", "+ 1.5 * alpha", "+ 0.5 * alpha", "T4"),
    Mutant("theory/convergence/_herding.py", "n * L / 4 *", "n * L / 8 *", "T7"),
    Mutant("theory/convergence/_herding.py", "L / 2 * nonnegative", "L / 3 * nonnegative", "T7"),
    Mutant("theory/random_orders/_limits.py", "lower, 8.0 * m", "lower, 4.0 * m", "R3"),
    Mutant(_TAILS, "width) * math.sqrt(terms", "width) * 0.5 * math.sqrt(terms", "R4"),
    Mutant(_TAILS, "log_term / (2.0 * k)", "log_term / (2.5 * k)", "R4'"),
    Mutant(_TAILS, "* size / 3.0", "* size / 30.0", "R7"),
    Mutant(_TAILS, "* size / 3.0", "* size / 3.75", "R7"),
    Mutant(_TAILS, "math.log(10.0 / prob", "math.log(2.0 / prob", "R7"),
    Mutant("theory/balancing/_walk.py", "(0.5 + math.log(4.0 * count", "(0.5 + math.log(2.0 * count", "V6"),
    Mutant("theory/balancing/_walk.py", "t = math.log(2.0 * count", "t = math.log(1.0 * count", "V6"),
    Mutant("theory/balancing/_signs.py", "math.sqrt(2.0 * v * math", "math.sqrt(1.5 * v * math", "V4"),
    Mutant(
        "theory/asynchrony/finite_horizon.py",
        "(updates + m - 1) - counts",
        "(updates + m - 1) - counts + 8.0",
        "A8",
    ),
    Mutant("theory/asynchrony/exact_laws.py", "hits[c] += q[c] *", "hits[c] += q[c] ** 2 *", "A9"),
    Mutant(
        "cdgrab_sim/orderings/_rules.py",
        "if p <= threshold * (1.0 - 2.0",
        "if p >= threshold * (1.0 - 2.0",
        "V5",
    ),
    Mutant("cdgrab_sim/orderings/_rules.py", "2.0**500) ** 2", "2.0**500) ** 1", "V6"),
)

ASYNCHRONY = (
    Mutant(
        "theory/asynchrony/fixed_delay.py",
        "return math.sin(delay * theta) / math.sin((delay + 1) * theta)",
        "return math.sin((delay + 1) * theta) / math.sin(delay * theta)",
        "A1",
    ),
    Mutant("theory/asynchrony/fixed_delay.py", "(2 * (2 * delay + 1)))\n", "(2 * (2 * delay + 2)))\n", "A1"),
    Mutant(
        "theory/asynchrony/fixed_delay.py",
        "(delay + 0.5) * theta) / 2\n",
        "(delay + 1.5) * theta) / 2\n",
        "A2",
    ),
    Mutant("theory/asynchrony/fixed_delay.py", "(1.0 - rho) - c, low", "(1.0 - rho) - 0.9 * c, low", "A2b"),
    Mutant("theory/asynchrony/counting.py", '"m", m, 1) - 1)', '"m", m, 1) + 1)', "A3"),
    Mutant("cdgrab_sim/asynchronous/methods/_vanilla.py", "x[r] -= alpha", "x[r] += alpha", "A4"),
    Mutant("theory/asynchrony/exponential.py", "(1.0 + c) * x[0]\n", "(1.0 - c) * x[0]\n", "A5"),
    Mutant("theory/asynchrony/exponential.py", "(1.0 + m * c) / (c", "(1.0 - m * c) / (c", "A6"),
    Mutant("theory/asynchrony/renewal.py", "1) - 1) * times / (", "1) + 1) * times / (", "A7"),
    Mutant("cdgrab_sim/asynchronous/_issue.py", "min(int(u * n), n - 1)", "min(int(u * u * n), n - 1)", "A8"),
    Mutant("theory/asynchrony/effective_laws.py", "(p @ times) / times)", "(p @ times) / times**2)", "A9"),
    Mutant("theory/asynchrony/finite_horizon.py", "* (p - biased)\n", "* (biased - p)\n", "A9"),
    Mutant("theory/asynchrony/renewal.py", "return (m - 1) * (biased", "return (1 - m) * (biased", "A10"),
    Mutant("theory/asynchrony/wall_clock.py", "return np.floor(nonneg", "return np.ceil(nonneg", "A11"),
    Mutant("theory/asynchrony/wall_clock.py", "times[-1] * rounds[-1]", "times[0] * rounds[-1]", "A12"),
    Mutant(
        "theory/asynchrony/wall_clock.py",
        "workers / np.cumsum(1.0",
        "np.sqrt(workers) / np.cumsum(1.0",
        "A12",
    ),
    Mutant("theory/asynchrony/wall_clock.py", "s * np.arange(1, r + 1)", "s * np.arange(0, r + 1)", "A13"),
    Mutant("theory/asynchrony/invariance.py", "moved = eta * (j + 1)", "moved = eta * (j + 2)", "A14"),
    Mutant("theory/asynchrony/invariance.py", "(1.0 - beta * decay)", "(1.0 - decay)", "A14"),
    Mutant("theory/asynchrony/invariance.py", "gradient + hessian @", "gradient - hessian @", "A15"),
    Mutant("theory/asynchrony/sequential.py", "alpha * (total / batch)", "alpha * total", "A16"),
    Mutant("theory/asynchrony/sequential.py", "momentum * u + kick", "momentum * u - kick", "A16"),
    Mutant("theory/asynchrony/sequential.py", "(1.0 - beta) * (d", "(1.0 + beta) * (d", "A16"),
    Mutant("theory/asynchrony/counting.py", ".sum(axis=0) - issued", ".sum(axis=0) + issued", "A17"),
)

MUTANTS = (*KERNELS, *FORMULAS, *CONSTANTS, *ASYNCHRONY)
