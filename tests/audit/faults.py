"""Loaders with one fault each, and loaders without: orders (T, m, n) of examples 0..N-1."""

import numpy as np

N, T, RANKS = 512, 20, 4
LABEL = np.repeat(np.arange(8), N // 8)  # a column of the data


def dealt(order, m=RANKS):
    """Deal an order to ranks in turn, as a distributed sampler does."""
    return order.reshape(-1, m).T


def shuffled(rng):
    return dealt(rng.permutation(N))


def sharded(rng):
    return np.array([rng.permutation(N // RANKS) + i * (N // RANKS) for i in range(RANKS)])


def every_epoch(one):
    return lambda rng: np.array([one(rng) for _ in range(T)])


def forgotten_epoch(rng):
    return np.array([shuffled(rng)] * T)


def shared_seed(rng):
    """Every rank shuffles its own shard, with the same numbers."""
    orders = (rng.permutation(N // RANKS) for _ in range(T))
    return np.array([order + np.arange(RANKS)[:, None] * (N // RANKS) for order in orders])


def through_buffer(stream, size, rng):
    held, out = list(stream[:size]), []
    for one in stream[size:]:
        k = rng.integers(len(held))
        out.append(held[k])
        held[k] = one
    rng.shuffle(held)
    return np.array(out + held)


def small_buffer(rng):
    return through_buffer(np.arange(N), N // 2, rng)[None]


def dropped_tail(rng):
    return dealt(rng.permutation(N)[: N - 12])


def padded(rng):
    order = rng.permutation(N - 2)
    return dealt(np.concatenate([order, order[:2]]))


def overlapping(rng):
    """Shards that begin too early."""
    order, n = rng.permutation(N), N // RANKS
    rows = [order[max(0, i * n - 5) : (i + 1) * n] for i in range(RANKS)]
    return np.array([rng.permutation(row[-n:] if i == 0 else row[:n]) for i, row in enumerate(rows)])


def blocks(rng):
    return np.concatenate([rng.permutation(32) + 32 * b for b in rng.permutation(N // 32)])[None]


def by_label(rng):
    """Examples with large labels tend to come late: a third of the variance of their places."""
    place = (LABEL - LABEL.mean()) / LABEL.std() + rng.standard_normal(N) * np.sqrt(2.0)
    return np.argsort(place)[None]


def in_turns(rng):
    """Five readers, each of every fifth example, take turns."""
    readers = [rng.permutation(np.arange(r, N, 5)) for r in range(5)]
    return np.array([readers[k % 5][k // 5] for k in range(N)])[None]


def incomplete(rng):
    return dealt(rng.permutation(N - 8))  # the last eight examples never come


GOOD = {"pooled": every_epoch(shuffled), "sharded": every_epoch(sharded)}
FAULTS = {
    "the same order in several epochs": forgotten_epoch,
    "the same order on several ranks": shared_seed,
    "a small shuffle buffer": every_epoch(small_buffer),
    "examples dropped": every_epoch(dropped_tail),
    "padding at the end": every_epoch(padded),
    "overlap of ranks": every_epoch(overlapping),
    "blocks of the data": every_epoch(blocks),
    "sorted by label": every_epoch(by_label),
    "a period in the order": every_epoch(in_turns),
    "examples that no epoch shows": every_epoch(incomplete),
}
