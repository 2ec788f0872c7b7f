"""Writes the type stubs that follow from the schema; with `--check`, says whether they are up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

# the installed package before the sources beside this file, which may have no engine
HERE = Path(__file__).resolve().parent
sys.path.sort(key=lambda folder: Path(folder).resolve() == HERE)

from manyworlds import _core  # noqa: E402
from manyworlds._tables import (  # noqa: E402
    DATA,
    FLAGS,
    GROUPS,
    KINDS,
    MODEL,
    OBJECTS,
    SHORT,
    SIZES,
    Field,
    enumeration,
)

FOLDER = HERE / "manyworlds"

HEAD = """# Made by stubs.py from the tables of the schema. Do not edit.
from typing import Any, Union

from numpy import float32, float64, int32
from numpy.typing import ArrayLike, NDArray

from ._element import Element
from ._named import Name, Pattern, Selection
from ._views import View

Reals = NDArray[Union[float32, float64]]
"""


def described(text: str, indent: str) -> list[str]:
    """A docstring, on one line."""
    return [f'{indent}"""{" ".join(text.split())}"""']


def model_type(field: Field) -> str:
    real = field.elem == "real"
    if field.is_scalar:
        return "float" if real else "int"
    return "NDArray[float64]" if real else "NDArray[int32]"


def prop(name: str, kind: str, doc: str, settable: bool = False) -> list[str]:
    lines = ["    @property", f"    def {name}(self) -> {kind}:", *described(doc, "        ")]
    if settable:
        lines += [f"    @{name}.setter", f"    def {name}(self, values: ArrayLike) -> None: ..."]
    return lines


def finders(kinds: list[str], one: str, several: str, pattern: str, taken: Iterable[str] = ()) -> list[str]:
    lines = []
    for name in kinds:
        for method in dict.fromkeys((name, SHORT.get(name, name))):
            if method not in taken:
                lines.append(f"    def {method}(self, name: Name) -> {one}: ...")
        lines.append(f"    def {KINDS[name].plural}(self, pattern: {pattern} = ...) -> {several}: ...")
    return lines


def fields() -> str:
    out = [HEAD]
    for word in GROUPS:
        start = f"{word}_"
        own = [f for name, f in MODEL.items() if name.startswith(start)]
        out.append(f"class {word.capitalize()}:")
        for field in own:
            out += prop(field.name[len(start) :], model_type(field), field.described())
        out.append("")
    out.append("class ModelFields:")
    for word in GROUPS:
        out += prop(word, word.capitalize(), f"Fields `{word}_…`.")
    for size, doc in SIZES.items():
        out += prop(size, "int", f"Number of {doc}.")
    for field in MODEL.values():
        out += prop(field.name, model_type(field), field.described())
    out += finders(list(OBJECTS), "Selection", "Selection", "Pattern", MODEL)
    out += ["", "class BatchFields:"]
    for field in DATA.values():
        kind = "Reals" if field.elem == "real" else "NDArray[int32]"
        out += prop(field.name, kind, field.described("world"), field.is_state or field.name == "qacc")
    out += finders(list(OBJECTS), "View", "View", "Pattern", DATA)
    out += ["", "class SpecElements:"]
    out += finders(list(KINDS), "Element", "list[Element]", "Union[str, None]")
    return "\n".join(out) + "\n"


def enumerations() -> str:
    out = ["# Made by stubs.py from the tables of the schema. Do not edit.", "from enum import IntEnum, IntFlag", ""]
    for name, members in _core.enums():
        base = "IntFlag" if name in FLAGS else "IntEnum"
        out.append(f"class {enumeration(name, members).__name__}({base}):")
        out += [f"    {member} = {value}" for member, value in members]
        out.append("")
    return "\n".join(out)


def main() -> int:
    stale = []
    for name, text in (("_fields.pyi", fields()), ("enums.pyi", enumerations())):
        path = FOLDER / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"not up to date: {', '.join(stale)}; run python stubs.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
