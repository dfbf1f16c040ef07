"""Where one token of a source could be another: operators, comparisons, numbers and truth values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

# What stands there, and what instead.
SWAPS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
_SILENT = (ast.Raise, ast.JoinedStr)  # messages, which tests quote in part
_TYPES = ("annotation", "returns")  # fields that nothing executes


@dataclass(frozen=True)
class Site:
    """One token of a file, by line and column in bytes, and what stands there instead."""

    file: str
    line: int
    column: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column} {self.old} -> {self.new}"

    def text(self, source: str) -> str:
        """Return the change within its line, by which equivalent mutants are listed wherever it stands."""
        line = source.splitlines()[self.line - 1].encode()
        head, tail = line[: self.column].decode(), line[self.column + len(self.old.encode()) :].decode()
        return (
            f"{self.file} | {head.strip()}{' ' * head.endswith(' ')}[{self.old} -> {self.new}]{tail}".strip()
        )

    def applied(self, source: str) -> str:
        """Return the source with the other token."""
        lines = source.splitlines(keepends=True)
        line = lines[self.line - 1].encode()
        head, tail = line[: self.column], line[self.column :]
        if not tail.startswith(self.old.encode()):
            raise ValueError(f"{self}: expected {self.old!r} there; got {tail.decode()!r}")
        lines[self.line - 1] = (head + self.new.encode() + tail[len(self.old.encode()) :]).decode()
        return "".join(lines)


def sites(name: str, source: str, *, sizes: bool = True) -> Iterator[Site]:
    """Yield every site of a source; without `sizes`, none in what it assigns outside of functions."""
    lines, tree = [line.encode() for line in source.splitlines()], ast.parse(source)
    if not sizes:
        tree.body = [node for node in tree.body if not isinstance(node, ast.Assign | ast.AnnAssign)]
    for node in _executed(tree):
        for left, op, right in _operations(node):
            if type(op) in SWAPS:
                old, new = SWAPS[type(op)]
                yield Site(name, *_between(lines, left, right, old), old, new)
        if isinstance(node, ast.Constant) and (changed := _changed(node.value)) is not None:
            old = lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()
            yield Site(name, node.lineno, node.col_offset, old, changed)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, _SILENT):
        return
    yield node
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and field not in _TYPES:
                yield from _executed(child)


def _operations(node: ast.AST) -> list[tuple[ast.expr, ast.AST, ast.expr]]:
    if isinstance(node, ast.BinOp):
        return [(node.left, node.op, node.right)]
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        return list(zip(operands, node.ops, operands[1:], strict=False))
    if isinstance(node, ast.BoolOp):
        return [(a, node.op, b) for a, b in zip(node.values, node.values[1:], strict=False)]
    return []


def _between(lines: list[bytes], left: ast.expr, right: ast.expr, token: str) -> tuple[int, int]:
    """Return line and column of a token between two operands; nothing but brackets stands beside it."""
    assert left.end_lineno is not None
    assert left.end_col_offset is not None
    for row in range(left.end_lineno, right.lineno + 1):
        start = left.end_col_offset if row == left.end_lineno else 0
        end = right.col_offset if row == right.lineno else len(lines[row - 1])
        if (column := lines[row - 1].find(token.encode(), start, end)) >= 0:
            return row, column
    raise ValueError(f"line {left.lineno}: expected {token!r} between the operands; got none")


def _changed(value: object) -> str | None:
    if isinstance(value, bool):
        return str(not value)
    if isinstance(value, int):
        return str(value + 1)
    if isinstance(value, float):
        return repr(1.25 * value) if value else "1.0"
    return None


def within_a_function(source: str, line: int) -> bool:
    """Tell whether a line runs when a function is called, not when its file is imported."""
    return any(
        node.body[0].lineno <= line <= (node.end_lineno or line)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
    )


def statement_around(source: str, line: int) -> tuple[int, int]:
    """Return the lines of the smallest statement around a line; of one with a body, those of its head."""
    found = (line, line)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or line
            if line <= last and not isinstance(node, ast.FunctionDef | ast.ClassDef):
                found = (node.lineno, last)
    return found
