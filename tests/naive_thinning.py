"""Kernel halving and thinning as the papers write them: matrices, and loops over all pairs."""

import math

import numpy as np


def gaussian(x, y, scale):
    return math.exp(-sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / (2.0 * scale**2))


def matrix(points, kernel):
    return np.array([[kernel(x, y) for y in points] for x in points])


def halving(K, uniforms, delta):
    """Algorithm 2 of arXiv 2105.05842 on a matrix: S gets x or x', by the product with both coresets."""
    n = len(K)
    pairs, first, second = n // 2, [], []
    log_term, sigma2 = 2.0 * math.log(2.0 * max(1, pairs) / delta), 0.0
    for i in range(pairs):
        x, y = 2 * i, 2 * i + 1
        b2 = K[x, x] + K[y, y] - 2.0 * K[x, y]
        a = max(math.sqrt(b2 * sigma2 * log_term), b2)
        if a > 0.0:
            sigma2 += b2 * max(0.0, 1.0 + (b2 - 2.0 * a) * sigma2 / a**2)
        alpha = sum(K[j, x] - K[j, y] for j in first) - sum(K[j, x] - K[j, y] for j in second)
        chance = 0.5 * (1.0 - alpha / a) if a > 0.0 else 1.0
        swap = uniforms[i] > chance
        first.append(y if swap else x)
        second.append(x if swap else y)
    return first + list(range(2 * pairs, n)), second, sigma2


def mmd(K, chosen):
    weights = np.full(len(K), -1.0 / len(K))
    for j in chosen:
        weights[j] += 1.0 / len(chosen)
    return math.sqrt(max(0.0, weights @ K @ weights))


def kh_sgd(differences, epochs, epoch, uniforms, delta=0.5):
    """Signs of one epoch as in the code published with arXiv 2502.12063, with U = 1 - 2u on [-1, 1]."""
    N, t, s, eps = len(differences), 0.0, np.zeros(differences.shape[1]), []
    for i, d in enumerate(differences):
        level = math.log(4.0 / delta * (math.log(epochs) + 1.0) * (math.log(N) + 1.0) * (i + 1))
        level += sum(math.log(1.0 + 1.0 / e) for e in range(1, epoch))
        b = float(d @ d)
        r = t * level / b
        if r <= 1.0:
            threshold, t = b, 2.0 * b
        else:
            threshold = math.sqrt(r) * b
            t += 2.0 * b * max(0.0, level + 0.5 - math.sqrt(r)) / level
        eps.append(1 if s @ d <= (1.0 - 2.0 * uniforms[i]) * threshold else -1)
        s += eps[-1] * d
    return np.array(eps)
