"""Rules about the source itself, where a linter has no word for them."""

import ast
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(p for package in ("cdgrab_sim", "theory") for p in (ROOT / package).rglob("*.py"))
IDS = [str(p.relative_to(ROOT)) for p in FILES]


def nodes(path):
    return ast.walk(ast.parse(path.read_text()))


def names(path):
    """Every attribute chain and keyword, as text."""
    for node in nodes(path):
        if isinstance(node, ast.Attribute):
            yield ast.unparse(node)
        elif isinstance(node, ast.keyword) and node.arg:
            yield f"{node.arg}={ast.unparse(node.value)}"


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_nothing_touches_global_random_state(path):
    allowed = {"Generator", "PCG64", "SeedSequence", "RandomState", "default_rng"}
    for name in names(path):
        if name.startswith(("np.random.", "numpy.random.")):
            assert name.split(".")[2] in allowed, name
    imports = [a.name for node in nodes(path) if isinstance(node, ast.Import) for a in node.names]
    assert "random" not in imports


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_no_fastmath_and_no_pickle(path):
    used = set(names(path))
    assert not any(name.startswith("fastmath=") for name in used)
    assert "allow_pickle=True" not in used
    imports = {a.name for node in nodes(path) if isinstance(node, ast.Import) for a in node.names}
    if path.parent.name == "_sweep":  # talks to its own worker processes through pipes
        imports -= {"pickle", "cloudpickle"}
    assert not {"pickle", "cloudpickle", "dill", "joblib", "shelve"} & imports


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_files_and_functions_stay_small(path):
    tree = ast.parse(path.read_text())
    docs = sum(len(d.splitlines()) for node in ast.walk(tree) if (d := _docstring(node)))
    lines = path.read_text().count("\n") - docs
    tables = {"citations.py"}  # data, one record after the other
    assert lines <= 300 or path.name in tables, f"{lines} lines beside docstrings"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            start = node.body[1].lineno if ast.get_docstring(node) and len(node.body) > 1 else node.lineno
            assert node.end_lineno - start <= 60, f"{node.name} has {node.end_lineno - start} lines"


def _docstring(node):
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return ast.get_docstring(node) if isinstance(node, documented) else None


def _in_kernel(function):
    return any("kernel" in ast.unparse(d) or "inlined" in ast.unparse(d) for d in function.decorator_list)


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_kernels_leave_sums_to_loops(path):
    """BLAS and pairwise sums promise no order of summation; random numbers are drawn outside."""
    for function in (n for n in nodes(path) if isinstance(n, ast.FunctionDef) and _in_kernel(n)):
        text = ast.unparse(ast.Module(body=function.body, type_ignores=[]))
        for forbidden in ("@", "np.dot", ".sum(", ".mean(", "einsum", "linalg", "random"):
            code = text.replace(ast.get_docstring(function) or "", "")
            assert forbidden not in code, f"{function.name}: {forbidden}"


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_public_functions_say_what_they_take(path):
    """Every parameter of a public function with a Parameters section is described, in the same order.

    In theory, symbols are defined once per package: the section holds what is left.
    """
    for node in ast.parse(path.read_text()).body:
        doc = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
        if doc is None or "Parameters\n----------" not in doc:
            continue
        args = node.args
        starred = [args.vararg] if args.vararg else []
        last = [args.kwarg] if args.kwarg else []
        expected = [a.arg for a in (*args.posonlyargs, *args.args, *starred, *args.kwonlyargs, *last)]
        section = doc.split("Parameters\n----------\n")[1]
        section = section.split("\n\n")[0] if "\n----" not in section else _until_next_header(section)
        described = [
            one.strip().lstrip("*")
            for line in section.splitlines()
            if line and not line.startswith(" ")
            for one in line.split(":")[0].split(",")
        ]
        if "theory" in path.relative_to(ROOT).parts:
            expected = [one for one in expected if one in described]
        assert described == expected, f"{node.name}: {described} against {expected}"


def _until_next_header(section):
    lines = section.splitlines()
    for k, (_, below) in enumerate(pairwise(lines)):
        if below.startswith("----"):
            return "\n".join(lines[:k])
    return section
