"""Every form x rule x scope against its naive twin: equal permutations, and equal counts of clips."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim.orderings._states import states
from tests import naive_rules
from tests.strategies import few, orders, streams, thorough

FORMS = {"mean": cg.orderings.mean, "pair": cg.orderings.pair}
SCOPES = ["coordinated", "independent"]
RULES = {
    "greedy": {},
    "random": {},
    "hilbert": {},
    "hilbert often clipped": {"rule": "hilbert", "delta": 0.99},
    "self-balancing": {},
    "self-balancing, B^2 = 4, c = 2": {"rule": "self-balancing", "bound": 2.0, "c": 2.0},
    "self-balancing, c = 1/4": {"rule": "self-balancing", "c": 0.25},
    "self-balancing, coins": {"rule": "self-balancing", "c": 0.25, "failure": "coin"},
}


def settings_of(name):
    return {"rule": name} | RULES[name]


def decided(ordering, G, seed):
    """Orders of all epochs, the uniforms that each of them used, and the clips of all."""
    _, n, m, d = G.shape
    problem = cg.Problem("sizes", m=m, n=n, d=d, data=(), grads=None, value=None)
    coming, used, drawn = states(ordering, problem, seed), [], []
    for epoch in G:
        state = next(coming)
        used.append(state.pi.tolist())
        drawn.append(state.signer.uniforms.tolist())
        ordering.observe(state, cg.Seen.along(state.pi, 0, epoch))
    state = next(coming)
    return [*used, state.pi.tolist()], drawn, int(state.signer.clips.sum())


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", RULES)
@settings(deadline=None, max_examples=30)
@given(
    G=streams(m=st.integers(1, 5), n=st.integers(1, 9)),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_every_form_rule_and_scope_equals_its_naive_twin(name, form, scope, G, seed, data):
    _, n, m, _ = G.shape
    first = data.draw(orders(m, n))
    given_ = settings_of(name)
    ordering = FORMS[form](scope=scope, rule=sign_rule(given_), first=first)
    used, drawn, clips = decided(ordering, G, seed)
    twin = {"form": form, "scope": scope, **given_}
    assert (used, clips) == naive_rules.replay(G.tolist(), first.tolist(), drawn, **twin)


def sign_rule(settings):
    return cg.orderings.SignRule(**{"name" if key == "rule" else key: v for key, v in settings.items()})


@pytest.mark.parametrize("scope", SCOPES)
@thorough
@given(G=streams(epochs=1, m=few))
def test_the_exact_mean_is_that_of_the_epoch_itself(scope, G):
    """Vectors that are centred already, shown to the stale form, whose first mean is zero."""
    first = np.arange(G.shape[1])
    centred = G - G.mean(axis=1, keepdims=True)
    exact = cg.replay(G, cg.orderings.mean(scope=scope, exact=True, first=first))
    stale = cg.replay(centred, cg.orderings.mean(scope=scope, first=first))
    assert_array_equal(exact.next, stale.next)


def test_the_named_points_of_the_product():
    G = 8 * np.random.RandomState(0).randint(-9, 10, size=(3, 8, 3, 2)).astype(float)
    o = cg.orderings
    same = {
        "cd-grab": o.pair(scope="coordinated", rule="greedy"),
        "d-grab-pair": o.pair(scope="independent", rule="greedy"),
        "d-grab": o.mean(scope="independent", rule="greedy"),
    }
    for name, ordering in same.items():
        assert_array_equal(cg.replay(G, name).next, cg.replay(G, ordering).next)
    assert_array_equal(cg.replay(G[:, :, :1], "grab").next, cg.replay(G[:, :, :1], same["d-grab"]).next)


@pytest.mark.parametrize("named", ["grab", "d_grab", "d_grab_pair", "cd_grab"])
def test_named_orderings_pass_the_rule_on(named):
    G = 8 * np.random.RandomState(0).randint(-9, 10, size=(3, 8, 1, 2)).astype(float)
    form = FORMS["pair" if named in ("d_grab_pair", "cd_grab") else "mean"]
    ordering = getattr(cg.orderings, named)(rule="random")
    assert_array_equal(
        cg.replay(G, ordering).next, cg.replay(G, form(scope="independent", rule="random")).next
    )


def test_the_exact_form_shows_no_balance():
    problem, record = cg.problems.skewed(m=3, n=9, d=2), cg.Record(balance=True)
    exact = cg.orderings.mean(scope="independent", exact=True)
    with pytest.raises(ValueError, match="running signed sum as `s`"):
        cg.simulate(problem, exact, epochs=2, step_size=1e-3, record=record)


@pytest.mark.parametrize("rule", ["random", "self-balancing", "hilbert"])
@pytest.mark.parametrize("form", FORMS)
def test_coins_do_not_depend_on_m_nor_move_the_first_orders(form, rule):
    G = 9 * np.random.RandomState(0).randint(-9, 10, size=(5, 9, 16, 3)).astype(float)
    ordering = FORMS[form](scope="independent", rule=rule)
    many, few_ = cg.replay(G, ordering).orders, cg.replay(G[:, :, :4], ordering).orders
    assert_array_equal(many[:, :4], few_)
    assert_array_equal(many[0], cg.replay(G, "rr").orders[0])
    given_ = FORMS[form](scope="independent", rule=rule, first=many[0])
    assert_array_equal(cg.replay(G, given_).orders, many)


def test_a_rule_that_is_to_stop_stops_at_the_first_clip():
    G = np.ones((1, 4, 1, 1))
    ordering = cg.orderings.mean(
        scope="independent", rule=cg.orderings.SignRule("self-balancing", bound=0.1, failure="raise")
    )
    with pytest.raises(RuntimeError, match=r"expected \|<s, v>\| <= c B\^2 .* give a larger bound"):
        cg.replay(G, ordering)
    patient = cg.orderings.SignRule("self-balancing", bound=2.0, failure="raise")
    cg.replay(G, cg.orderings.mean(scope="independent", rule=patient))


REFUSED = {
    "unknown rule 'greed'; did you mean 'greedy'": lambda: cg.orderings.cd_grab(rule="greed"),
    "unknown failure 'stop'": lambda: cg.orderings.SignRule("self-balancing", failure="stop"),
    "bound: expected a finite number > 0; got -1": lambda: cg.orderings.SignRule("self-balancing", bound=-1),
    "c: expected none for rule 'hilbert'; got 2.0": lambda: cg.orderings.SignRule("hilbert", c=2.0),
    "delta: expected a probability between 0 and 1, at least 1e-100; got 1.5": lambda: cg.orderings.SignRule(
        delta=1.5
    ),
    "unknown scope 'joint'": lambda: cg.orderings.pair(scope="joint"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_wrong_settings_are_refused_in_one_line(message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        REFUSED[message]()
    assert "\n" not in str(caught.value)
