"""What counts as a gradient: arrays and tensors of any library, and trees of them."""

from types import MappingProxyType

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim._online._leaves import leaves, parts

G = np.arange(24.0).reshape(2, 3, 4)  # two steps, three workers, d = 4


class Tensor:
    """As much of a tensor of PyTorch as is asked for: one that must be detached, in a type NumPy lacks."""

    dtype = "torch.bfloat16"

    def __init__(self, a, ready=False):
        self.a, self.ready = a, ready

    def detach(self):
        return self

    cpu = detach

    def float(self):
        return Float32(self.a)


class Float32:
    def __init__(self, a):
        self.a = a

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.a, dtype=np.float32)


class OnlyDLPack:
    def __init__(self, a):
        self.a = a

    def __dlpack__(self, **how):
        return self.a.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


class Elsewhere(OnlyDLPack):
    def __dlpack__(self, **how):
        raise BufferError("not on this device")


WHOLE = {
    "float64": G,
    "float32": G.astype(np.float32),
    "float16": G.astype(np.float16),
    "int": G.astype(np.int32),
    "tensor": Tensor(G),
    "dlpack": OnlyDLPack(G.copy()),
    "strided": np.asfortranarray(G),
    "lists": G.tolist(),
    "list": [G[..., :1], G[..., 1:]],
    "tuple": (G[..., 0], Tensor(G[..., 1:])),
    "mapping": {"b": G[..., 2:], "a": [G[..., 0], {"x": G[..., 1]}]},
    "proxy": MappingProxyType({"a": G}),
    "shaped": G.reshape(2, 3, 2, 2),
}


@pytest.mark.parametrize("tree", WHOLE.values(), ids=WHOLE)
def test_steps_of_all_workers(tree):
    assert_array_equal(np.concatenate(parts(tree, (-1, 3), 4), axis=1), G.reshape(6, 4))


@pytest.mark.parametrize("tree", WHOLE.values(), ids=WHOLE)
def test_they_make_the_same_orders(tree):
    found = []
    for one in (G, tree):
        orders = cg.online("cd-grab", m=3, n=2, d=4)
        orders.observe(one)
        orders.end_epoch()
        found.append([orders.order(i) for i in range(3)])
    assert_array_equal(found[0], found[1])


def test_one_step_and_one_gradient_need_no_axis_for_it():
    assert_array_equal(parts(G[0], (-1, 3), 4)[0], G[0])
    assert_array_equal(parts(G[0, 0], (-1,), 4)[0], G[0, :1])
    assert_array_equal(parts(G[0, 0].reshape(2, 2), (-1,), 4)[0], G[0, :1])
    assert_array_equal(parts([1.0, 2, 3.0, 4], (-1,), 4)[0], [[1.0, 2.0, 3.0, 4.0]])
    assert [part.shape for part in parts([np.float64(3.0), np.ones(3)], (-1,), 4)] == [(1, 1), (1, 3)]


def test_nothing_is_copied_that_need_not_be():
    tree = {"a": G[..., :2].copy(), "b": G[..., 2:].astype(np.float32)}
    for part, whole in zip(parts(tree, (-1, 3), 4), tree.values(), strict=True):
        assert np.shares_memory(part, whole)


def test_brain_floats_of_other_libraries_become_float32():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="bfloat16 of NumPy comes with JAX")
    assert leaves(G.astype(ml_dtypes.bfloat16))[0].dtype == np.float32


def test_tensors_of_pytorch_that_hang_on_a_graph():
    torch = pytest.importorskip("torch", reason="the extra loops has it")
    tensor = torch.tensor(G, dtype=torch.float32, requires_grad=True) * 2.0
    assert_array_equal(leaves(tensor)[0], 2.0 * G)
    assert np.shares_memory(leaves(tensor)[0], tensor.detach().numpy())
    assert_array_equal(leaves({"w": tensor.bfloat16()})[0], 2.0 * G)  # small whole numbers, exact


REFUSED = {
    "d = 4 numbers; got 23": np.ones(23),
    "begin with 2 x 3 x one gradient; got shape (6, 4)": np.ones((6, 4)),
    "expected numbers; got a value of type ndarray of dtype complex128": np.ones(12, dtype=complex),
    "expected an array without masked entries": np.ma.array(np.ones(12), mask=[1] + [0] * 11),
    "expected memory of this machine": Elsewhere(G.copy()),
    "expected numbers; got None": [G, None],
    "d = 4 numbers; got 0": [],
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_is_no_gradient_is_refused_in_a_line(said):
    orders = cg.online("cd-grab", m=3, n=4, d=4)
    with pytest.raises((TypeError, ValueError)) as refusal:
        orders.observe(REFUSED[said])
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert orders.position(0) == 0


@pytest.mark.parametrize("sketch", [None, 4])
def test_numbers_that_are_not_finite_are_refused_and_can_be_skipped(sketch):
    orders = cg.online("cd-grab", m=2, n=4, d=4, sketch=sketch, by="count")
    for call in (lambda g: orders.observe(1, g), lambda g: orders.observe(np.array([g, g]))):
        with pytest.raises(
            ValueError, match=r"^gradient.*: expected finite numbers; got (nan|inf); leave it out"
        ):
            call(np.array([1.0, np.inf, 0.0, 0.0]))
    assert orders.position(1) == 0
    orders.skip(1)
    assert orders.position(1) == 1


def test_other_refusals():
    orders = cg.online("cd-grab", m=2, n=4, d=2)
    with pytest.raises(ValueError, match=r"^worker: expected a whole number 0..1; got 2"):
        orders.observe(2, [1.0, 2.0])
    with pytest.raises(
        ValueError, match=r"^worker 1: expected at most n = 4 gradients.*got 5 more at step 0; call end_epoch"
    ):
        orders.observe(1, np.ones((5, 2)))
    with pytest.raises(ValueError, match=r"^n: expected one number, or one for each of m = 2 workers; got 3"):
        cg.online("cd-grab", m=2, n=[3, 3, 3], d=2)
    with pytest.raises(ValueError, match=r"'sgd' draws with replacement; got \[3, 2\]"):
        cg.online("sgd", m=2, n=[3, 2], d=2)
    with pytest.raises(ValueError, match="only gradients that were observed are known"):
        cg.online("herding", n=3, d=2)
    with pytest.raises(ValueError, match=r"^state_dict: expected that of .*seed.: 0.*; got .*seed.: 1"):
        orders.load_state_dict(cg.online("cd-grab", m=2, n=4, d=2, seed=1).state_dict())
    saved = orders.state_dict()
    with pytest.raises(ValueError, match=r"^state_dict: expected 'state.s' of float64 \(1, 2\); got none"):
        orders.load_state_dict({name: a for name, a in saved.items() if name != "state.s"})
