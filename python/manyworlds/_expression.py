"""Expressions over the fields of a world: vectors, computed where the worlds are, and their list for the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Array

Operand = Union["Expr", ArrayLike]


class Expr:
    """A vector of numbers that is computed in every world; made by fields, operators and the functions of this module.

    Arithmetic, comparisons (1 or 0), `&`, `|`, `~` and NumPy's functions (`np.cos`, `np.exp`, `np.minimum`, …) work
    element by element; an index picks elements as that of a flat array.
    """

    __slots__ = ("args", "data", "op", "size")

    def __init__(self, op: str, args: tuple[Expr, ...], size: int, **data: Any) -> None:
        self.op = op
        self.args = args
        self.size = size
        self.data = data

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"<Expr {self.op} of length {self.size}>"

    def __getitem__(self, key: Any) -> Expr:
        elements = np.atleast_1d(np.arange(self.size)[key]).ravel()
        return Expr("pick", (self,), len(elements), elements=elements.tolist())

    def __bool__(self) -> bool:
        raise TypeError("an expression has no value here: it is computed in the worlds; use &, | and where()")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        op = _UFUNCS.get(ufunc.__name__)
        if method != "__call__" or op is None or kwargs:
            return NotImplemented
        if ufunc.__name__ in ("greater", "greater_equal"):
            return apply(op, inputs[1], inputs[0])
        if ufunc.__name__ == "square":
            return apply("mul", inputs[0], inputs[0])
        return apply(op, *inputs)

    def __add__(self, other: Operand) -> Expr:
        return apply("add", self, other)

    def __radd__(self, other: Operand) -> Expr:
        return apply("add", other, self)

    def __sub__(self, other: Operand) -> Expr:
        return apply("sub", self, other)

    def __rsub__(self, other: Operand) -> Expr:
        return apply("sub", other, self)

    def __mul__(self, other: Operand) -> Expr:
        return apply("mul", self, other)

    def __rmul__(self, other: Operand) -> Expr:
        return apply("mul", other, self)

    def __truediv__(self, other: Operand) -> Expr:
        return apply("div", self, other)

    def __rtruediv__(self, other: Operand) -> Expr:
        return apply("div", other, self)

    def __pow__(self, power: int) -> Expr:
        if power not in (1, 2, 3, 4):
            raise ValueError(f"powers are 1 to 4, got {power}; exp(p * log(x)) is x to the p for positive x")
        out = self
        for _ in range(power - 1):
            out = apply("mul", out, self)
        return out

    def __neg__(self) -> Expr:
        return apply("neg", self)

    def __abs__(self) -> Expr:
        return apply("abs", self)

    def __lt__(self, other: Operand) -> Expr:
        return apply("lt", self, other)

    def __le__(self, other: Operand) -> Expr:
        return apply("le", self, other)

    def __gt__(self, other: Operand) -> Expr:
        return apply("lt", other, self)

    def __ge__(self, other: Operand) -> Expr:
        return apply("le", other, self)

    def __and__(self, other: Operand) -> Expr:
        return apply("and", self, other)

    def __or__(self, other: Operand) -> Expr:
        return apply("or", self, other)

    def __invert__(self) -> Expr:
        return apply("not", self)

    def __eq__(self, other: Operand) -> Expr:  # type: ignore[override]
        return apply("eq", self, other)

    def __ne__(self, other: Operand) -> Expr:  # type: ignore[override]
        return apply("ne", self, other)

    # an expression is known by itself, whatever it is equal to
    __hash__ = object.__hash__

    def clip(self, least: Operand, most: Operand, out: None = None) -> Expr:
        """Within limits, element by element; what `numpy.clip` calls."""
        return apply("min", apply("max", self, least), most)

    def equals(self, other: Operand) -> Expr:
        """1 where both are equal, else 0: as `==`."""
        return apply("eq", self, other)


# NumPy's functions by name, and the operations that they are.
_UFUNCS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "minimum": "min",
    "maximum": "max",
    "less": "lt",
    "less_equal": "le",
    "equal": "eq",
    "not_equal": "ne",
    "greater": "lt",
    "greater_equal": "le",
    "logical_and": "and",
    "logical_or": "or",
    "logical_not": "not",
    "negative": "neg",
    "absolute": "abs",
    "sqrt": "sqrt",
    "exp": "exp",
    "log": "log",
    "sin": "sin",
    "cos": "cos",
    "tanh": "tanh",
    "arctan2": "atan2",
    "floor": "floor",
    "isfinite": "isfinite",
    "square": "mul",
}


def constant(values: ArrayLike) -> Expr:
    """Numbers that are the same in every world and step."""
    array = np.atleast_1d(np.asarray(values, dtype=np.float64)).ravel()
    if not np.isfinite(array).all():
        raise ValueError(
            f"a constant of a task is finite, got {array[~np.isfinite(array)][0]}; leave out what has no limit"
        )
    return Expr("const", (), len(array), values=array.tolist())


def expression(value: Operand) -> Expr:
    """An operand as an expression."""
    return value if isinstance(value, Expr) else constant(value)


def apply(op: str, *values: Operand) -> Expr:
    """An operation on operands, element by element."""
    args = tuple(expression(value) for value in values)
    lengths = {arg.size for arg in args} - {1}
    if len(lengths) > 1:
        found = " and ".join(str(arg.size) for arg in args)
        raise ValueError(f"'{op}' of vectors of lengths {found}: they have to be equal, or 1")
    return Expr(op, args, lengths.pop() if lengths else 1)


class FieldExpr(Expr):
    """Elements of a field, with its shape: `task.xpos[2, :2]`."""

    __slots__ = ("_places",)

    def __init__(self, op: str, places: Array, **data: Any) -> None:
        super().__init__(op, (), int(places.size), **data, elements=places.ravel().tolist())
        self._places = places

    def __getitem__(self, key: Any) -> Expr:
        data = {k: v for k, v in self.data.items() if k != "elements"}
        return FieldExpr(self.op, np.atleast_1d(self._places[key]), **data)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the field, or of what was picked of it."""
        return self._places.shape


class Table:
    """Numbers that are the same in every world, [row, …]: an expression takes a row by a number that is computed."""

    def __init__(self, values: ArrayLike) -> None:
        array = np.asarray(values, dtype=np.float64)
        if array.ndim == 0 or array.size == 0 or not np.isfinite(array).all():
            raise ValueError(f"a table has rows of finite numbers, got an array of shape {list(array.shape)}")
        self._values = array.reshape(len(array), -1)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows of {self._values.shape[1]}>"

    def __iter__(self) -> Iterator[Expr]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, number: Operand) -> Expr:
        """The row of that number, which is rounded down, and taken between the first row and the last."""
        return Expr("lookup", (_number(number),), self._values.shape[1], table=self)


def _number(value: Operand) -> Expr:
    """An expression that numbers a row."""
    expr = expression(value)
    if expr.size != 1:
        raise ValueError(f"the number of a row is a single number, got a vector of length {expr.size}")
    return expr


def take(rows: FieldExpr, number: Operand) -> Expr:
    """Row of a field by a number that is computed: `take(task.xpos, 1 + task.variable(...))`.

    The number is rounded down, and taken between the first row and the last.
    """
    if not isinstance(rows, FieldExpr) or rows.op not in ("field", "variable"):
        raise TypeError(f"rows are those of a field or of a variable, got {rows!r}")
    places = rows._places.reshape(rows._places.shape[0], -1)
    step = int(places[1, 0] - places[0, 0]) if len(places) > 1 else int(places.max()) + 1
    # a row begins where its field's rows do, also where only some of its elements are taken
    first = 0 if step < 1 else int(places.min()) // step * step
    elements = places[0] - first
    expected = places[0] + step * np.arange(len(places))[:, None]
    if step < 1 or elements.min() < 0 or elements.max() >= step or not (places == expected).all():
        raise ValueError("rows follow each other in their field: all elements of each, or the same of each")
    data = {"name": rows.data["name"], "first": first, "width": step, "count": len(places)}
    op = "recall" if rows.op == "variable" else "row"
    return Expr(op, (_number(number),), elements.size, **data, elements=elements.tolist())


class Rewritten:
    """Expressions in which some variables are others'."""

    def __init__(self, others: dict[str, Expr]) -> None:
        self._others = others
        self._known: dict[int, tuple[Expr, Expr]] = {}

    def of(self, expr: Expr) -> Expr:
        """The expression with what stands for its variables; itself where it has none of these."""
        if not self._others:
            return expr
        stack = [expr]
        while stack:
            top = stack[-1]
            missing = [arg for arg in top.args if id(arg) not in self._known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            # with the expression itself, so that no other one gets its identity
            self._known[id(top)] = (top, self._made(top))
        return self._known[id(expr)][1]

    def _made(self, expr: Expr) -> Expr:
        other = self._others.get(expr.data.get("name", "")) if expr.op in ("variable", "recall") else None
        if other is not None:
            if expr.op == "recall":
                raise ValueError(f"'{expr.data['name']}' is one number: it has no rows")
            return other
        args = tuple(self._known[id(arg)][1] for arg in expr.args)
        if all(new is old for new, old in zip(args, expr.args)):
            return expr
        return Expr(expr.op, args, expr.size, **expr.data)


class Nodes:
    """Expressions as a list, each one once, for the engine; and the numbers of the tables that they look up."""

    def __init__(self) -> None:
        self.list: list[dict[str, Any]] = []
        self.table: list[float] = []
        self._tables: dict[int, int] = {}
        self._known: dict[int, int] = {}
        self._kept: list[Expr] = []

    def exprs(self) -> list[Expr]:
        """The expressions, in the order of the list."""
        return list(self._kept)

    def add(self, root: Expr) -> int:
        """Number of an expression, with all that it uses before it."""
        stack = [root]
        while stack:
            expr = stack[-1]
            missing = [arg for arg in expr.args if id(arg) not in self._known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if id(expr) in self._known:
                continue
            node = self._lookup(expr) if expr.op == "lookup" else {"op": expr.op, "size": expr.size, **expr.data}
            if expr.args:
                node["args"] = [self._known[id(arg)] for arg in expr.args]
            self._known[id(expr)] = len(self.list)
            # no other expression may get its identity
            self._kept.append(expr)
            self.list.append(node)
        return self._known[id(root)]

    def _lookup(self, expr: Expr) -> dict[str, Any]:
        """A row of the numbers of all tables."""
        table = expr.data["table"]
        first = self._tables.setdefault(id(table), len(self.table))
        if first == len(self.table):
            self.table += table._values.ravel().tolist()
        count, width = table._values.shape
        places = {"first": first, "width": width, "count": count, "elements": list(range(width))}
        return {"op": "row", "size": width, "name": "task_table", **places}
