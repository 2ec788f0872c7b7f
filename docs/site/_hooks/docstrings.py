"""Docstrings as pages show them: lines `name: meaning` become lists, named tuples say what they hold."""

from __future__ import annotations

import re
from typing import Any

from griffe import Class, Extension, Object

ARGUMENT = re.compile(r"^([a-z_]+(?:, [a-z_]+)*): ")


def listed(text: str) -> str:
    """A docstring whose lines `name: meaning`, with the indented lines behind them, are items of a list."""
    out: list[str] = []
    inside = False
    for line in text.split("\n"):
        found = ARGUMENT.match(line)
        if found:
            if not inside and out and out[-1]:
                out.append("")
            names = ", ".join(f"`{name}`" for name in found.group(1).split(", "))
            out.append(f"- {names}: {line[found.end() :]}")
            inside = True
        elif inside and line.startswith(" "):
            out.append(f"    {line.strip()}")
        else:
            if inside and line:
                out.append("")
            inside = False
            out.append(line)
    return "\n".join(out)


class Lists(Extension):
    """Rewrites the docstrings of everything that is loaded."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if not obj.docstring:
            return
        obj.docstring.value = listed(obj.docstring.value)
        if isinstance(obj, Class) and any(str(base) == "NamedTuple" for base in obj.bases):
            held = ", ".join(f"`{name}`" for name, member in obj.members.items() if member.is_attribute)
            obj.docstring.value += f"\n\nA named tuple of {held}."
