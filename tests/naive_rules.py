"""Slow, obvious twins of the sign rules, from their definitions.

Thresholds of the self-balancing walk are exact fractions.
"""

from fractions import Fraction
from itertools import product
from math import log, sqrt

from tests.naive import centred, inner, largest_prefix, plus, reorder, worker_means


class Sum:
    """One running sum and its rule; `bound` is B^2, None where it is not known yet."""

    def __init__(self, rule, d, *, N=1, c=None, bound=None, delta=0.01, failure="clip"):
        self.rule, self.bound, self.failure = rule, bound, failure
        self.c = 0.5 + log(4 * N / delta) if c is None else c
        self.G = 2 * log(2 * N / delta)
        self.s, self.variance, self.clips, self.longest = [0.0] * d, 0.0, 0, 0.0

    def sign(self, v, u):
        p, b2 = inner(self.s, v), inner(v, v)
        self.longest = max(self.longest, b2)
        coin = 1 if u < 0.5 else -1
        if self.rule == "random":
            return self.add(v, coin)
        a = self.threshold(b2)
        if not a:
            return self.add(v, 1 if p <= 0 else -1)
        if abs(p) > a:
            self.clips += 1
            if self.rule == "hilbert":
                self.s = plus(self.s, v, -p / a)
                return -1 if p > 0 else 1
            return self.add(v, coin if self.failure == "coin" else (-1 if p > 0 else 1))
        return self.add(v, 1 if Fraction(u) <= (1 - Fraction(p) / Fraction(a)) / 2 else -1)

    def threshold(self, b2):
        if self.rule == "greedy" or (self.rule == "self-balancing" and not self.bound):
            return 0
        if self.rule == "self-balancing":
            return Fraction(self.c) * Fraction(self.bound)
        a = max(sqrt(b2) * sqrt(self.variance) * sqrt(self.G), b2)
        if a:
            self.variance += b2 * max(0.0, 1 + self.variance * (b2 - 2 * a) / a**2)
        return a

    def add(self, v, sign):
        self.s = plus(self.s, v, sign)
        return sign


def signs_of_epoch(stream, sums, drawn, paired):
    """Sign step after step, and within a step worker after worker; a pair spells (+, -) or (-, +)."""
    signs = [[] for _ in stream[0]]
    steps = range(0, len(stream) - 1, 2) if paired else range(len(stream))
    for number, k in enumerate(steps):
        for i, spelled in enumerate(signs):
            v = plus(stream[k][i], stream[k + 1][i], -1) if paired else stream[k][i]
            sign = sums[i % len(sums)].sign(v, drawn[i][number])
            spelled.extend([sign, -sign] if paired else [sign])
    return [spelled + [1] * (len(stream) - len(spelled)) for spelled in signs]


def replay(streams, first, uniforms, *, form, scope, rule, bound=None, **settings):
    """Orders of all epochs and of the one after the last, and the clips.

    uniforms[t][i] are those of worker i in epoch t.
    """
    m, n, d = len(first), len(first[0]), len(streams[0][0][0])
    paired = form == "pair"
    N = max(1, n // 2 if paired else n) * (m if scope == "coordinated" else 1)
    rows = 1 if scope == "coordinated" else m
    orders, means, clips, longest = [first], [[0.0] * d for _ in first], 0, [None] * rows
    for stream, drawn in zip(streams, uniforms, strict=True):
        bounds = longest if bound is None else [bound**2] * rows
        sums = [Sum(rule, d, N=N, bound=B2, **settings) for B2 in bounds]
        shown = stream if paired else centred(stream, means)
        signs = signs_of_epoch(shown, sums, drawn, paired)
        means = worker_means(stream)
        orders.append([reorder(row, eps) for row, eps in zip(orders[-1], signs, strict=True)])
        clips += sum(one.clips for one in sums)
        longest = [one.longest for one in sums]
    return orders, clips


def best_discrepancy(vectors, every, norm):
    """Smallest largest norm of the signed prefix sums after every `every` vectors, over all signs."""
    best = None
    for signs in product([1, -1], repeat=len(vectors)):
        signed = [[s * x for x in v] for s, v in zip(signs, vectors, strict=True)]
        steps = [signed[k : k + every] for k in range(0, len(signed), every)]
        value = largest_prefix(steps, norm)
        best = value if best is None else min(best, value)
    return best
