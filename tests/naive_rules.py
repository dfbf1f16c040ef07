"""Slow, obvious twins of the sign rules and of balancing down a tree, from their definitions.

Thresholds of the self-balancing walk are exact fractions. The tree works on whole lists, node by node, and
not example by example as the orderings do.
"""

from fractions import Fraction
from itertools import product
from math import log, sqrt

from tests.naive import centred, inner, largest_prefix, plus, worker_means


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


def mean_tree(items, sums, uniform, levels, node=""):
    """Order the items (step, worker, vector), in time, of all workers below one node: {worker: [steps]}."""
    workers = sorted({i for _, i, _ in items})
    if not levels:
        return {i: [k for k, j, _ in items if j == i] for i in workers}
    signs = [sums(node, i).sign(v, uniform(i, k, node)) for k, i, v in items]
    left, right = (
        mean_tree(
            [item for item, s in zip(items, signs, strict=True) if s == sign],
            sums,
            uniform,
            levels - 1,
            node + side,
        )
        for sign, side in ((1, "L"), (-1, "R"))
    )
    if levels == 1:
        right = {i: steps[::-1] for i, steps in right.items()}
    return {i: left.get(i, []) + right.get(i, []) for i in workers}


def pair_tree(queues, sums, uniform, levels, node=""):
    """Order the queues {worker: [(time, step, vector)]} of one node: {worker: [steps]}."""
    if not levels:
        return {i: [k for _, k, _ in queue] for i, queue in queues.items()}
    left, right = {i: [] for i in queues}, {i: [] for i in queues}
    pairs = [
        (queue[j + 1][0], i, queue[j], queue[j + 1])
        for i, queue in queues.items()
        for j in range(0, len(queue) - 1, 2)
    ]
    for time, i, one, two in sorted(pairs, key=lambda pair: pair[:2]):
        sign = sums(node, i).sign(plus(one[2], two[2], -1), uniform(i, time, node))
        first, second = (one, two) if sign > 0 else (two, one)
        left[i].append((time, *first[1:]))
        right[i].append((time, *second[1:]))
    ahead = pair_tree(left, sums, uniform, levels - 1, node + "L")
    behind = pair_tree(right, sums, uniform, levels - 1, node + "R")
    if levels == 1:
        behind = {i: steps[::-1] for i, steps in behind.items()}
    alone = {i: [queue[-1][1]] if len(queue) % 2 else [] for i, queue in queues.items()}
    return {i: ahead[i] + alone[i] + behind[i] for i in queues}


def replay(streams, first, uniforms, *, form, scope, levels, rule, bound=None, **settings):
    """Orders of all epochs and of the one after the last, and the clips.

    uniforms[t][i] are those of worker i in epoch t.
    """
    m, n, d = len(first), len(first[0]), len(streams[0][0][0])
    paired = form == "pair"
    N = max(1, n // 2 if paired else n) * (m if scope == "coordinated" else 1)
    orders, means, clips, known = [first], [[0.0] * d for _ in first], 0, {}
    for stream, drawn in zip(streams, uniforms, strict=True):
        made = {}

        def sums(node, i, made=made, known=known):
            key = (node, 0 if scope == "coordinated" else i)
            if key not in made:
                B2 = known.get(key) if bound is None else bound**2
                made[key] = Sum(rule, d, N=N, bound=B2, **settings)
            return made[key]

        if paired:
            places = pair_places(n, levels)

            def uniform(i, k, node, drawn=drawn, places=places):
                return drawn[i][places[k, node]]

            queues = {i: [(k, k, stream[k][i]) for k in range(n)] for i in range(m)}
            steps = pair_tree(queues, sums, uniform, levels)
        else:

            def uniform(i, k, node, drawn=drawn):
                return drawn[i][k * levels + len(node)]

            shown = centred(stream, means)
            items = [(k, i, shown[k][i]) for k in range(n) for i in range(m)]
            steps = mean_tree(items, sums, uniform, levels)
            means = worker_means(stream)
        orders.append([[orders[-1][i][k] for k in steps[i]] for i in range(m)])
        clips += sum(one.clips for one in made.values())
        known = {key: one.longest for key, one in made.items()}
    return orders, clips


def pair_places(n, levels):
    """The number of every event of a worker: by time, then down the tree with the left child first."""
    depths = {k: [q for q in range(levels) if (k + 1) % 2 ** (q + 1) == 0] for k in range(n)}
    events = [
        (k, format(code, f"0{q}b").replace("0", "L").replace("1", "R") if q else "")
        for k in range(n)
        for q in depths[k]
        for code in range(2**q)
    ]
    return {event: place for place, event in enumerate(sorted(events))}


def best_discrepancy(vectors, every, norm):
    """Smallest largest norm of the signed prefix sums after every `every` vectors, over all signs."""
    best = None
    for signs in product([1, -1], repeat=len(vectors)):
        signed = [[s * x for x in v] for s, v in zip(signs, vectors, strict=True)]
        steps = [signed[k : k + every] for k in range(0, len(signed), every)]
        value = largest_prefix(steps, norm)
        best = value if best is None else min(best, value)
    return best
