"""Attributes that follow from the tables of the schema; `_fields.pyi`, made by `stubs.py`, is for type checkers."""

from __future__ import annotations

from typing import Any

from ._tables import DATA, GROUPS, KINDS, MODEL, OBJECTS, SHORT, SIZES, Kind, attributes, unknown


class Group:
    """Fields with a common first word: `model.opt.timestep` is `model.opt_timestep`."""

    __slots__ = ("_model", "_word")

    def __init__(self, model: Any, word: str) -> None:
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_word", word)

    def __getattr__(self, name: str) -> Any:
        if f"{self._word}_{name}" in MODEL:
            return self._model[f"{self._word}_{name}"]
        raise AttributeError(unknown(f"field of model.{self._word}", name, dir(self)))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a model is read-only: set '{name}' in a Spec, or for each world of a Batch (expand)")

    def __dir__(self) -> list[str]:
        start = f"{self._word}_"
        return [name[len(start) :] for name in MODEL if name.startswith(start)]


class ModelFields:
    """Fields, sizes and objects of a model."""

    __slots__ = ()


class BatchFields:
    """Fields and objects of the worlds of a batch."""

    __slots__ = ()


class SpecElements:
    """Elements of a Spec by kind."""

    __slots__ = ()


def _finders(into: type, kinds: dict[str, Kind], where: str, everything: str | None) -> None:
    """Gives a class a method for each kind, by name or id, and one for all that a pattern matches."""

    def add(kind: Kind) -> None:
        def one(self: Any, name: Any) -> Any:
            return self._one(kind, name)

        def several(self: Any, pattern: Any = everything) -> Any:
            return self._several(kind, pattern)

        one.__doc__ = f"A {kind.word}{where} by name or id; UnknownNameError (a KeyError) with the nearest name."
        several.__doc__ = f"Every {kind.word}{where} whose name matches a shell pattern, such as `*_hip`."
        one.__name__, several.__name__ = kind.name, kind.plural
        short = SHORT.get(kind.name, kind.name)
        for method, name in ((one, kind.name), (several, kind.plural), (one, short)):
            # a field of that name comes first: `model.plugin`
            if not hasattr(into, name):
                setattr(into, name, method)

    for kind in kinds.values():
        add(kind)


attributes(ModelFields, MODEL.values(), (), lambda model, name: model[name])
attributes(BatchFields, DATA.values(), ("world",), lambda batch, name: batch[name])
for _size, _doc in SIZES.items():
    setattr(ModelFields, _size, property(lambda self, _n=_size: self._size(_n), doc=f"Number of {_doc}."))
for _word in GROUPS:
    setattr(ModelFields, _word, property(lambda self, _w=_word: Group(self, _w), doc=f"Fields `{_word}_…`."))
_finders(ModelFields, OBJECTS, "", "*")
_finders(BatchFields, OBJECTS, ", in every world,", "*")
_finders(SpecElements, KINDS, "", None)
