"""`Model`: a compiled model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _core
from ._arrays import Array
from ._fields import ModelFields
from ._named import Name, Pattern, Selection, find, match
from ._tables import MODEL, OBJECTS, Kind, UnknownNameError, unknown
from ._warn import warn

PathLike = Union[str, "os.PathLike[str]"]
Assets = Mapping[str, str | bytes]


class ModelWarning(UserWarning):
    """A model is valid, but something in it is questionable."""


def existing(path: PathLike) -> str:
    """The path of a file; FileNotFoundError or IsADirectoryError if there is none."""
    found = Path(path)
    if found.is_dir():
        raise IsADirectoryError(f"{found} is a folder; expected the file of a model")
    if not found.exists():
        raise FileNotFoundError(f"{found}: there is no such file")
    return os.fspath(found)


def packed(assets: Assets | None) -> list[tuple[str, bytes]]:
    """Files in memory as the engine takes them."""
    files = (assets or {}).items()
    return [(name, content.encode() if isinstance(content, str) else bytes(content)) for name, content in files]


class Model(ModelFields):
    """A compiled model, MuJoCo's mjModel: read-only arrays under MuJoCo's names, sizes, and objects by name.

    `model.nq` is a size, `model.body_mass` a field, `model.opt.timestep` an option; `model.joint("knee").range`
    the elements of an object, `model.joints("*_hip").id` those of all objects that a pattern matches.
    """

    __slots__ = ("_cache", "_core", "__weakref__")

    _core: _core.Model
    _cache: dict[str, Any]

    def __init__(self, core: _core.Model) -> None:
        if not isinstance(core, _core.Model):
            raise TypeError("a model is made by Model.from_xml_path, from_xml_string, from_urdf, load or Spec.compile")
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_cache", {})

    @classmethod
    def _made(cls, core: _core.Model) -> Model:
        for text in core.warnings:
            warn(text, ModelWarning)
        return cls(core)

    @classmethod
    def from_xml_path(cls, path: PathLike) -> Model:
        """Reads and compiles an MJCF or URDF file.

        Raises ModelError (a ValueError) with every problem and its place, FileNotFoundError if there is no such file.
        What is valid but questionable is a ModelWarning.
        """
        return cls._made(_core.Model.from_path(existing(path)))

    @classmethod
    def from_xml_string(cls, text: str, assets: Assets | None = None) -> Model:
        """Compiles MJCF or URDF text; `assets` are the files that it refers to, by name.

        As in MuJoCo, a file is found by its path, else by its name alone, and on disk only if it is not among them.
        Raises ModelError (a ValueError) with every problem and its place.
        """
        return cls._made(_core.Model.from_text(text, packed(assets)))

    @classmethod
    def from_urdf(cls, source: PathLike, assets: Assets | None = None) -> Model:
        """Compiles a URDF file, or URDF text, which begins with `<`; errors as from_xml_path."""
        if isinstance(source, str) and source.lstrip().startswith("<"):
            return cls.from_xml_string(source, assets)
        return cls.from_xml_path(source)

    @classmethod
    def load(cls, path: PathLike) -> Model:
        """Reads a compiled model (.mwb), or compiles an XML file.

        Raises FileNotFoundError, OSError for a damaged file, ModelError for a wrong one.
        """
        return cls._made(_core.Model.from_path(existing(path)))

    def save(self, path: PathLike) -> None:
        """Writes the compiled model: .mwb, which loads in milliseconds, or .npz with every field under its name.

        Raises OSError if the file cannot be written, ValueError for another ending.
        """
        if Path(path).suffix not in (".mwb", ".npz"):
            raise ValueError(f"{path}: a model is saved as .mwb or .npz; a Spec as .xml")
        self._core.save(os.fspath(path))

    def __getitem__(self, field: str) -> Any:
        """A field: a read-only array under MuJoCo's shape, or a number; UnknownNameError (a KeyError) if unknown."""
        known = self._cache.get(field)
        if known is None:
            if field not in MODEL:
                raise UnknownNameError(unknown("field of a model", field, MODEL))
            known = self._core.get(field)
            if MODEL[field].is_scalar:
                known = known.item()
            else:
                known.flags.writeable = False
            self._cache[field] = known
        return known

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(unknown("attribute of a model", name, dir(type(self))))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a model is read-only: set '{name}' in a Spec, or for each world of a Batch (expand)")

    def _size(self, name: str) -> int:
        return self._core.size(name)

    def _one(self, kind: Kind, name: Name) -> Selection:
        return Selection(self._core, kind, find(self._core, kind.name, name), True)

    def _several(self, kind: Kind, pattern: Pattern) -> Selection:
        return Selection(self._core, kind, match(self._core, kind.name, pattern), False)

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._core.name

    @property
    def warnings(self) -> list[str]:
        """What the compiler found questionable, with file, line and column."""
        return self._core.warnings

    def names(self, kind: str) -> list[str]:
        """Names of the objects of a kind ("body", "joint", "geom", …) by id; "" for unnamed ones."""
        if kind not in OBJECTS:
            raise UnknownNameError(unknown("kind of objects", kind, OBJECTS))
        return self._core.names(kind)

    def to_bytes(self) -> bytes:
        """The model as the bytes of an .mwb file."""
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """The model of an .mwb file's bytes; ValueError if they are damaged or of another version."""
        return cls(_core.Model.from_bytes(data))

    def __reduce__(self) -> Any:
        return (type(self).from_bytes, (self.to_bytes(),))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Model '{self.name}': {self.nbody} bodies, nq {self.nq}, nv {self.nv}>"


def read_only(array: Array) -> Array:
    """An array that cannot be written: a change to it would be lost."""
    if isinstance(array, np.ndarray):
        array.flags.writeable = False
    return array
