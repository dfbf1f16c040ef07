"""Slow, obvious twins, written from the papers in plain Python lists. Tests compare with them exactly.

Vectors are lists z[i][j] of worker i and example j, streams are lists G[k][i] of step k and worker i, orders
are lists pi[i] of example indices.
"""


def inner(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def plus(a, b, sign=1):
    return [x + sign * y for x, y in zip(a, b, strict=True)]


def norm(a, which):
    return max(abs(x) for x in a) if which == "inf" else sum(x * x for x in a) ** 0.5


def follow(z, pi):
    """The stream of standing vectors in the orders pi."""
    return [[z[i][pi[i][k]] for i in range(len(z))] for k in range(len(pi[0]))]


def greedy_signs(stream, scope):
    """Sign step after step, and within a step worker after worker; return signs[i][k] and the sums.

    The sums are those of all workers together after each step: sum over workers of epsilon v.
    """
    n, m, d = len(stream), len(stream[0]), len(stream[0][0])
    sums = [[0.0] * d for _ in range(m)]
    signs = [[0] * n for _ in range(m)]
    after_steps = []
    for k in range(n):
        for i in range(m):
            own = 0 if scope == "coordinated" else i
            sign = 1 if inner(sums[own], stream[k][i]) <= 0 else -1
            sums[own] = plus(sums[own], stream[k][i], sign)
            signs[i][k] = sign
        together = [0.0] * d
        for one in sums:
            together = plus(together, one)
        after_steps.append(together)
    return signs, after_steps


def reorder(order, signs):
    """Examples with + in their old order, then those with - in the reverse of their old order."""
    front = [j for j, sign in zip(order, signs, strict=True) if sign > 0]
    back = [j for j, sign in zip(order, signs, strict=True) if sign < 0]
    return front + back[::-1]


def pair_signs(stream, scope):
    """Signs of pair differences, spelled out per example as (+, -) or (-, +); + for an unpaired last one."""
    n, m = len(stream), len(stream[0])
    differences = [
        [plus(stream[2 * j][i], stream[2 * j + 1][i], -1) for i in range(m)] for j in range(n // 2)
    ]
    if not differences:
        return [[1] * n for _ in range(m)], []
    signs, sums = greedy_signs(differences, scope)
    spelled = [[s for sign in row for s in (sign, -sign)] + [1] * (n % 2) for row in signs]
    return spelled, sums


def centred(stream, means):
    return [[plus(g, mean, -1) for g, mean in zip(step, means, strict=True)] for step in stream]


def worker_means(stream):
    """Mean over the steps, worker by worker."""
    n, m, d = len(stream), len(stream[0]), len(stream[0][0])
    return [[sum(stream[k][i][p] for k in range(n)) / n for p in range(d)] for i in range(m)]


def replay(streams, form, scope, first):
    """Orders of all epochs, and of the one after the last, of pair or (stale) mean balancing."""
    orders = [first]
    means = [[0.0] * len(streams[0][0][0]) for _ in first]
    for stream in streams:
        if form == "pair":
            signs, _ = pair_signs(stream, scope)
        else:
            signs, _ = greedy_signs(centred(stream, means), scope)
            means = worker_means(stream)
        orders.append([reorder(row, eps) for row, eps in zip(orders[-1], signs, strict=True)])
    return orders


def largest_prefix(stream, which, after_every_worker=False):
    """Largest norm of the prefix sums of a stream."""
    total, largest = [0.0] * len(stream[0][0]), 0.0
    for step in stream:
        for i, vector in enumerate(step):
            total = plus(total, vector)
            if after_every_worker or i == len(step) - 1:
                largest = max(largest, norm(total, which))
    return largest


def herding_error(z, pi, which, after_every_worker=False):
    return largest_prefix(follow(z, pi), which, after_every_worker)
