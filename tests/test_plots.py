"""Pictures hold the numbers that they claim to show."""

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


def test_gains_are_ratios_to_the_smallest_m():
    errors = [[8.0, 4.0, 1.0], [2.0, 0.5, 0.25]]
    ax = cg.plots.speedup_plot([2, 4, 8], {"cd-grab": errors})
    assert ax.containers[0].lines[0].get_ydata() == pytest.approx(
        [1.0, 8**0.5, 8.0]
    )  # of 2 and 4; of 8 and 8
    linear, square = (line.get_ydata() for line in ax.lines[-2:])
    assert linear == pytest.approx([1, 2, 4])
    assert square == pytest.approx([1, 4, 16])
    assert [text.get_text() for text in ax.texts] == ["m", "m²"]


def test_rate_plots_show_means_of_logarithms_with_their_intervals():
    """One seed in six is 10,000 times larger: its arithmetic mean would lie far above the line."""
    values = np.array([[4.0, 2.0, 1.0]] * 5 + [[4e4, 2e4, 1e4]])
    ax = cg.plots.rate_plot([1, 2, 4], {"rr": values}, xlabel="m", ylabel="loss")
    points, [line] = ax.containers[0], ax.lines[:1]
    geometric = np.array([4.0, 2.0, 1.0]) * 1e4 ** (1 / 6)
    assert points.lines[0].get_ydata() == pytest.approx(geometric)
    assert line.get_ydata() == pytest.approx(geometric)
    low, high = np.exp(cg.analysis.t_interval(np.log(values[:, 0])))
    assert points.lines[2][0].get_segments()[0][:, 1] == pytest.approx([low, high])


def test_legends_of_rate_plots_say_the_slope_and_its_interval():
    values = np.array([[4.0, 2.0, 1.1], [4.0, 2.1, 1.0], [4.0, 1.9, 1.0]])
    ax = cg.plots.rate_plot([1, 2, 4], {"rr": values, "_mine": values}, xlabel="m", ylabel="loss")
    fit = cg.analysis.rate([1, 2, 4], values)
    words = "{:.2f} [{:.2f}, {:.2f}]".format(fit.slope, *fit.interval).replace("-", "−")
    assert [text.get_text().strip() for text in ax.get_legend().texts] == [f"rr  {words}", f"_mine  {words}"]


@pytest.mark.parametrize("plot", ["rate_plot", "points_plot"])
def test_what_rounding_or_a_horizon_hides_is_left_out(plot):
    values = np.array([[4.0, 2.0, 0.0, np.inf], [4.0, 2.0, 1.0, 1.0]])
    tables = {"rr": values, "ig": np.zeros((2, 4))}
    ax = getattr(cg.plots, plot)([1, 2, 4, 8], tables, xlabel="m", ylabel="loss")
    assert [one.lines[0].get_xdata().tolist() for one in ax.containers] == [[1, 2], []]


def test_bars_of_arithmetic_means_are_those_of_the_tables():
    values = np.array([[1e-9, 2.0], [3e-8, 4.0], [1e-10, 6.0]])
    ax = cg.plots.points_plot([1, 2], {"rr": values}, xlabel="m", ylabel="loss")
    for k, bar in enumerate(ax.containers[0].lines[2][0].get_segments()):
        assert bar[:, 1] == pytest.approx(cg.analysis.t_interval(values[:, k], positive=True))


def test_dots_and_their_ticks_are_explained_in_the_legend():
    ax = cg.plots.dots_plot({"_a": np.array([1.0])}, {"_a": 1.5}, label="promised")
    assert [text.get_text() for text in ax.legend().texts] == ["one seed each", "promised"]
    assert [text.get_text().strip() for text in ax.get_yticklabels()] == ["_a"]


def test_short_numbers_are_written_plainly():
    ax = cg.plots.rate_plot([1, 2], {"rr": np.array([[6.0, 8.0], [6.5, 8.0]])}, xlabel="m", ylabel="loss")
    Figure.draw_without_rendering(ax.figure)
    labels = [tick.get_text() for tick in ax.get_yticklabels(which="both")]
    assert any(labels)
    assert not any("10^" in label or "times" in label for label in labels)


def test_maps_hold_exponents_predictions_and_regimes():
    measured, predicted = [[-0.04, 0.5], [-1.26, -2.0]], [[0.0, 0.0], [-1.0, -2.0]]
    regimes = [[1, 1], [0, 0]]
    ax = cg.plots.regime_map(
        [1, 4, 16], [10, 100], measured, predicted=predicted, regimes=regimes, names=("speedup", "start")
    )
    assert_array_equal(ax.images[0].get_array(), measured)
    cells = [text.get_text() for text in ax.texts]
    assert cells == ["0.0\n(0.0)", "0.5\n(0.0)", "-1.3\n(-1.0)", "-2.0\n(-2.0)"]
    hatches = dict(
        zip(("speedup", "start"), (box.get_hatch() for box in ax.get_legend().get_patches()), strict=True)
    )
    assert [patch.get_hatch() for patch in ax.patches] == [hatches["start"]] * 2 + [hatches["speedup"]] * 2
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1–4", "4–16"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["10", "100"]


def test_histograms_share_their_bins_and_count_every_draw():
    ax = cg.plots.discrepancy_histogram(
        {"greedy": [1.0, 1.0, 1.5, 2.0], "random": [2.0, 5.0]}, bounds={"greedy": 3.0}, bins=4
    )
    greedy, random = (stairs.get_data() for stairs in ax.patches[::2])
    assert_array_equal(greedy.edges, [1, 2, 3, 4, 5])
    assert_array_equal(random.edges, greedy.edges)
    assert greedy.values == pytest.approx([0.75, 0.25, 0, 0])
    assert random.values == pytest.approx([0, 0.5, 0, 0.5])
    assert ax.lines[0].get_xdata() == pytest.approx([3, 3])


def test_spectra_are_means_over_seeds_and_over_neighbours():
    f = np.arange(129) / 256
    ax = cg.plots.spectrum_plot(f, {"rr": np.array([f, 3 * f])}, predicted={"rr": 2 * f})
    theory, measured = ax.lines
    assert_array_equal(theory.get_xydata(), np.column_stack([f, 2 * f])[1:])
    x, y = measured.get_xydata().T
    assert y == pytest.approx(2 * x)
    assert len(x) < 50
    assert (x[0], y[0]) == (1 / 256, 2 / 256)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("prefix_walk", (Z, {"rr": PI})),
        ("herding_profile", (Z, {"rr": PI})),
        ("order_map", (PI,)),
        ("speedup_plot", ([1, 2], {"rr": [[2.0, 1.0], [3.0, 1.0]]})),
        ("regime_map", ([1, 2], [10], [[-1.0]])),
        ("discrepancy_histogram", ({"greedy": [1.0, 2.0]},)),
        ("spectrum_plot", (np.array([0.0, 0.25, 0.5]), {"rr": np.ones(3)})),
    ],
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


def test_wrong_tables_are_refused():
    with pytest.raises(ValueError, match=r"errors\['rr'\]: expected numbers > 0 .* got numbers from 0 on"):
        cg.plots.speedup_plot([1, 2], {"rr": [[1.0, 0.0], [1.0, 1.0]]})
    with pytest.raises(ValueError, match=r"predicted: expected shape \(len\(T\), len\(m\) - 1\) = \(1, 1\)"):
        cg.plots.regime_map([1, 2], [10], [[0.0]], predicted=[[0.0, 0.0]])
    with pytest.raises(ValueError, match="bins: expected a whole number >= 1; got 0"):
        cg.plots.discrepancy_histogram({"greedy": [1.0]}, bins=0)
