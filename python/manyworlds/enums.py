"""Enumerations of the schema under MuJoCo's names: `enums.Joint.HINGE`, `enums.Geom.BOX`, `enums.Disable.CONTACT`."""

from __future__ import annotations

from . import _core
from ._tables import enumeration

__all__ = []
for _name, _members in _core.enums():
    _class = enumeration(_name, _members)
    globals()[_class.__name__] = _class
    __all__.append(_class.__name__)
