"""Slow twins for the theory tests: each rule written out as a loop, straight from its definition."""

import itertools

import numpy as np

NORMS = {
    "l1": lambda v: np.abs(v).sum(axis=-1),
    "l2": lambda v: np.sqrt((v * v).sum(axis=-1)),
    "inf": lambda v: np.abs(v).max(axis=-1),
}


def greedy(z):
    """Signs of the greedy rule, its signed sums and the inner products it looked at."""
    r = np.zeros(z.shape[1])
    signs, sums, inner = [], [], []
    for v in z:
        p = float(r @ v)
        eps = 1 if p <= 0 else -1
        r = r + eps * v
        signs.append(eps)
        sums.append(r)
        inner.append(p)
    return np.array(signs), np.array(sums), np.array(inner)


def reorder(signs):
    """Positions with + in order, then positions with - in reversed order."""
    plus = [k for k, eps in enumerate(signs) if eps > 0]
    minus = [k for k, eps in enumerate(signs) if eps < 0]
    return plus + minus[::-1]


def pair_reorder(pair_signs, n):
    """Fill slots from both ends, pair by pair; an unpaired last position takes the middle slot."""
    order, left, right = [None] * n, 0, n - 1
    for j, eps in enumerate(pair_signs):
        front, back = (2 * j, 2 * j + 1) if eps > 0 else (2 * j + 1, 2 * j)
        order[left], order[right] = front, back
        left, right = left + 1, right - 1
    if n % 2:
        order[left] = n - 1
    return order


def coordinated_pair_signs(z):
    """Signs of one greedy running sum over pairs (outer) and workers (inner), and its sum after each pair."""
    m, n, d = z.shape
    r = np.zeros(d)
    signs, sums = np.zeros((m, n // 2), dtype=int), np.zeros((n // 2, d))
    for j in range(n // 2):
        for i in range(m):
            v = z[i, 2 * j] - z[i, 2 * j + 1]
            signs[i, j] = 1 if r @ v <= 0 else -1
            r = r + signs[i, j] * v
        sums[j] = r
    return signs, sums


def walk_laws(vectors, thresholds):
    """Exact law of the self-balancing walk after each vector, with the probability of a clip at it."""
    law = [(1.0, np.zeros(vectors.shape[1]))]
    laws, clips = [], []
    for v, a in zip(vectors, thresholds, strict=True):
        after, clipped = [], 0.0
        for probability, w in law:
            p = float(w @ v)
            if abs(p) > a:
                after.append((probability, w - v * p / a))
                clipped += probability
            else:
                up = (1 - p / a) / 2
                after += [(probability * up, w + v), (probability * (1 - up), w - v)]
        law = [(q, w) for q, w in after if q > 0]
        laws.append((np.array([q for q, _ in law]), np.array([w for _, w in law])))
        clips.append(clipped)
    return laws, np.array(clips)


def walk_runs(vectors, a, runs, rng):
    """Independent runs of the walk on the same vectors: all sums (N, runs, d) and which runs ever clipped."""
    w = np.zeros((runs, vectors.shape[1]))
    sums, clipped = [], np.zeros(runs, dtype=bool)
    for v in vectors:
        p = w @ v
        out = np.abs(p) > a
        eps = np.where(rng.random(runs) < (1 - p / a) / 2, 1.0, -1.0)
        w = w + np.where(out, -p / a, eps)[:, None] * v
        clipped |= out
        sums.append(w)
    return np.array(sums), clipped


def all_orders(n):
    """Every order of n positions, shape (n!, n)."""
    return np.array(list(itertools.permutations(range(n))))


def all_prefixes(z):
    """Prefix sums of one worker's vectors (n, d) in every order, shape (n!, n, d)."""
    return np.cumsum(z[all_orders(len(z))], axis=1)
