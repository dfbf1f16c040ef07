"""docs/how-to: the pages run where their library is there, and train better than with random orders."""

import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

import cdgrab_sim as cg

PAGES = Path(__file__).parents[2] / "docs" / "how-to"
LIBRARIES = {"numpy": "numpy", "scikit-learn": "sklearn", "pytorch": "torch", "jax": "jax"}
EPOCHS, SEEDS = 12, 8


@pytest.fixture(params=LIBRARIES)
def page(request, monkeypatch):
    """What the programs of a page define, run as a reader would in the folder of the project."""
    pytest.importorskip(LIBRARIES[request.param], reason=f"docs/how-to/{request.param}.md needs it")
    monkeypatch.chdir(PAGES.parents[1])
    text, defined = (PAGES / f"{request.param}.md").read_text(), {}
    exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), defined)
    return defined


def test_every_page_is_run():
    assert {path.stem for path in PAGES.glob("*.md")} - {"README"} == set(LIBRARIES)


@pytest.mark.compiled
def test_pages_train(page):
    for ordering in ("rr", "cd-grab"):
        norms = page["train"](ordering, 0, 2)
        assert norms.shape == (2,)
        assert np.isfinite(norms).all()
        assert (page["train"](ordering, 0, 2) == norms).all()


@pytest.mark.slow
@pytest.mark.compiled
def test_full_gradients_end_below_those_of_random_orders(page):
    """Paired over seeds: eight of eight have chance 2^-8 where the orders make no difference."""
    norms = [[page["train"](name, seed, EPOCHS)[-1] for name in ("rr", "cd-grab")] for seed in range(SEEDS)]
    logs = np.log(norms)
    gain = logs[:, 0] - logs[:, 1]
    assert gain.mean() > 2.365 * gain.std(ddof=1) / np.sqrt(SEEDS)  # Student's t, two-sided 95 %


@pytest.mark.compiled
def test_the_server_trains_as_one_process_does(tmp_path):
    spec = spec_from_file_location("order_server", PAGES / "order_server.py")
    server = module_from_spec(spec)
    spec.loader.exec_module(server)
    program = (
        "import sys, numpy; sys.path.insert(0, sys.argv[1])\n"
        "import order_server\n"
        "if __name__ == '__main__':\n"
        "    numpy.save(sys.argv[2], order_server.train('cd-grab')[0])\n"
    )
    script, found = tmp_path / "run.py", tmp_path / "x.npy"
    script.write_text(program)
    words = [sys.executable, str(script), str(PAGES), str(found)]
    subprocess.run(words, check=True, timeout=300, env=os.environ | {"PYTHONPATH": str(PAGES.parents[1])})
    orders = cg.online("cd-grab", m=server.M, n=server.N, d=server.D)
    tables, x = [server.data(i) for i in range(server.M)], np.zeros(server.D)
    for _ in range(server.EPOCHS):
        for k in range(server.N):
            rows = [orders.order(i)[k] for i in range(server.M)]
            G = np.array([A[j] * (A[j] @ x - b[j]) for (A, b), j in zip(tables, rows, strict=True)])
            x -= server.STEP * G.mean(axis=0)
            orders.observe(G)
        orders.end_epoch()
    for one in np.load(found):
        np.testing.assert_array_equal(one, x)
