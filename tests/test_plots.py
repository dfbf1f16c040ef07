"""Pictures of orders hold the numbers that they claim to show."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_array_equal

import cdgrab_sim as cg

Z = np.array([[[3.0, 0.0], [0.0, 1.0], [-3.0, -1.0]], [[0.0, 2.0], [0.0, -2.0], [0.0, 0.0]]])
PI = [[0, 1, 2], [1, 0, 2]]
WALK = [[0, 0], [3, -2], [3, 1], [0, 0]]  # by hand, both workers together


def test_walks_and_their_squares():
    ax = cg.plots.prefix_walk(Z, {"cd-grab": PI})
    walk, square = ax.lines[:2]
    assert walk.get_xydata().tolist() == WALK
    assert np.abs(square.get_xydata()).tolist() == [[3, 3]] * 5
    assert ax.get_aspect() == 1.0


@pytest.mark.parametrize(("norm", "expected"), [("inf", [0, 3, 3, 0]), ("l2", [0, 13**0.5, 10**0.5, 0])])
def test_profiles_are_norms_of_the_walk(norm, expected):
    ax = cg.plots.herding_profile(Z, {"rr": PI}, norm=norm)
    assert ax.lines[0].get_ydata() == pytest.approx(expected)
    assert max(expected) == pytest.approx(cg.herding.error(Z, PI, norm))


def test_strips_show_examples_or_what_is_said_of_them():
    assert_array_equal(cg.plots.order_map(PI).images[0].get_array(), PI)
    ax = cg.plots.order_map(PI, values=[5.0, 6.0, 7.0], rows="worker")
    assert_array_equal(ax.images[0].get_array(), [[5, 6, 7], [6, 5, 7]])
    each = cg.plots.order_map(PI, values=[[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]])
    assert_array_equal(each.images[0].get_array(), [[1, 2, 3], [6, 5, 7]])


@pytest.mark.parametrize(
    ("name", "args"),
    [("prefix_walk", (Z, {"rr": PI})), ("herding_profile", (Z, {"rr": PI})), ("order_map", (PI,))],
)
def test_pictures_go_where_they_are_sent_and_look_alike_twice(name, args, tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        with cg.plots.style():
            figure = Figure()
            ax = figure.add_subplot()
            assert getattr(cg.plots, name)(*args, ax=ax) is ax
        cg.plots.save(figure, tmp_path / folder)
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_wrong_vectors_and_orders_are_refused():
    with pytest.raises(ValueError, match="expected vectors in the plane, d = 2; got d = 3"):
        cg.plots.prefix_walk(np.zeros((4, 3)), {"rr": [0, 1, 2, 3]})
    with pytest.raises(ValueError, match="expected a permutation"):
        cg.plots.order_map([[0, 0, 1]])
    with pytest.raises(ValueError, match=r"expected orders of shape \(rows, n\)"):
        cg.plots.order_map([0, 1])
    with pytest.raises(ValueError, match="unknown norm 'l3'"):
        cg.plots.herding_profile(Z, {"rr": PI}, norm="l3")
