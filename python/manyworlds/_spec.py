"""`Spec`: a model before it is compiled."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import _core
from ._element import Element, written
from ._fields import SpecElements
from ._model import Assets, Model, PathLike, existing, packed
from ._named import Name
from ._tables import KINDS, Kind, UnknownNameError, unknown

Place = Element | str | None


class Spec(SpecElements):
    """A model before it is compiled, MuJoCo's mjSpec: read, built element by element, attached to others, compiled.

    `spec.add("body", name="arm", pos=[0, 0, 1]).add("joint", axis=[0, 1, 0])` builds, `spec.geom("foot").friction`
    reads and writes, `spec.compile()` makes a Model. Elements are called and described as in MJCF, with angles in
    radians.
    """

    def __init__(self, core: _core.Spec | None = None) -> None:
        self._core = _core.Spec() if core is None else core
        self._removals = 0

    @classmethod
    def from_xml_path(cls, path: PathLike) -> Spec:
        """Reads an MJCF or URDF file; errors as Model.from_xml_path."""
        return cls(_core.Spec.from_path(existing(path)))

    @classmethod
    def from_xml_string(cls, text: str, assets: Assets | None = None) -> Spec:
        """Reads MJCF or URDF text; `assets` are the files that it refers to, by name."""
        return cls(_core.Spec.from_text(text, packed(assets)))

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._core.name

    @name.setter
    def name(self, name: str) -> None:
        self._core.set_name(name)

    @property
    def world(self) -> Element:
        """The world body."""
        return Element(self, KINDS["body"], 0)

    def copy(self) -> Spec:
        """A copy that can be edited by itself."""
        return type(self)(self._core.copy())

    def add(self, tag: str, parent: Place = None, content: str = "", **attributes: Any) -> Element:
        """Adds an element by its MJCF tag; `section/tag` where a tag has several meanings, as `equality/joint`.

        parent: the body, frame or site of a body's element, or a body's name; the world where not given.
        content: MJCF of its child elements, such as the path of a tendon.
        attributes: as in MJCF; `class_` for a word of Python's.

        Raises ModelError (a ValueError) for an attribute that is unknown or wrong, ValueError for an unknown tag.
        """
        kind, element_id = self._core.add(tag, *self._place(parent), written(attributes), content)
        return Element(self, KINDS[kind], element_id)

    def _place(self, place: Place) -> tuple[str, int]:
        if place is None:
            return ("body", 0)
        element = self.find("body", place) if isinstance(place, str) else place
        if element._spec is not self:
            raise ValueError(f"the {element._kind.word} is of another Spec")
        return (element.kind, element.id)

    def find(self, kind: str, name: Name) -> Element:
        """An element by name or place; UnknownNameError (a KeyError) with the nearest name."""
        if kind not in KINDS:
            raise UnknownNameError(unknown("kind of elements", kind, KINDS))
        if isinstance(name, str):
            try:
                return Element(self, KINDS[kind], self._core.id(kind, name))
            except KeyError as problem:
                raise UnknownNameError(problem.args[0]) from None
        count = len(self._core.names(kind))
        if not 0 <= name < count:
            raise UnknownNameError(f"there is no {KINDS[kind].word} {name}: there are {count}, from 0")
        return Element(self, KINDS[kind], name)

    def all(self, kind: str, pattern: str | None = None) -> Iterator[Element]:
        """The elements of a kind; with a shell pattern, those whose names match."""
        if kind not in KINDS:
            raise UnknownNameError(unknown("kind of elements", kind, KINDS))
        for i, name in enumerate(self._core.names(kind)):
            if pattern is None or fnmatch.fnmatchcase(name, pattern):
                yield Element(self, KINDS[kind], i)

    def _one(self, kind: Kind, name: Name) -> Element:
        return self.find(kind.name, name)

    def _several(self, kind: Kind, pattern: str | None) -> list[Element]:
        return list(self.all(kind.name, pattern))

    def set(self, section: str, **attributes: Any) -> Spec:
        """Changes settings: `option`, `option/flag`, `compiler`, `size`, `statistic`; errors as Element.set."""
        self._core.set_section(section, written(attributes))
        return self

    def attach(
        self, child: Spec, part: Element | None = None, to: Place = None, prefix: str = "", suffix: str = ""
    ) -> Element:
        """Attaches a copy of another model, or of a body or frame of it, with all that belongs to it.

        to: a body, frame or site of this model, or a body's name; the world where not given.
        prefix, suffix: added to all names of the copy. Returns the copy: a body, or a frame around the other's world.

        Raises ValueError if the models contradict each other.
        """
        which = None if part is None else (part.kind, part.id)
        if part is not None and part._spec is not child:
            raise ValueError("the part is not of the model that is attached")
        kind, element_id = self._core.attach(child._core, which, self._place(to), prefix, suffix)
        return Element(self, KINDS[kind], element_id)

    def compile(self) -> Model:
        """Compiles the model; it can be edited and compiled again.

        Raises ModelError (a ValueError) with every problem.
        """
        return Model._made(self._core.compile())

    def to_xml(self, folder: PathLike = ".") -> str:
        """The model as MJCF without defaults, includes or attached models; asset paths are relative to `folder`."""
        return self._core.to_xml(os.fspath(folder))

    def save(self, path: PathLike) -> None:
        """Writes the model as MJCF."""
        if Path(path).suffix != ".xml":
            raise ValueError(f"{path}: a Spec is saved as .xml; a Model as .mwb or .npz")
        self._core.save(os.fspath(path))

    def __repr__(self) -> str:
        return f"<Spec '{self.name}': {len(self._core.names('body'))} bodies>"
