"""Addressable streams: epochs are independent of each other, and where they are is no accident."""

import numpy as np
import pytest

from cdgrab_sim._rng import Role, Stream, stream, subseeds


def test_a_stream_is_where_numpy_would_jump_to():
    seed = np.random.SeedSequence(7, spawn_key=(Role.ORDER, 2))
    jumped = np.random.Generator(np.random.PCG64(seed).jumped(5))
    np.testing.assert_array_equal(stream(7, Role.ORDER, 2, epoch=5).random(9), jumped.random(9))


def test_what_was_drawn_before_does_not_matter():
    placed = Stream(0, Role.ORDER)
    placed.at(3).random(100)
    np.testing.assert_array_equal(placed.at(1).random(5), stream(0, Role.ORDER, epoch=1).random(5))


@pytest.mark.parametrize("seed", subseeds(0, 6))
def test_what_epochs_draw_in_one_place_has_no_line_in_its_spectrum(seed):
    """Of white noise each of the 2047 ordinates is exponential with mean 1: one above 25 has 3e-8 a place."""
    placed = Stream(seed, Role.ORDER)
    x = np.array([placed.at(epoch).random(4) for epoch in range(4096)])
    ordinates = np.abs(np.fft.rfft(x - 0.5, axis=0)[1:-1]) ** 2 * 12 / len(x)
    assert ordinates.max() < 25.0
    assert abs(ordinates.mean() - 1.0) < 0.2
