"""What goes wrong for reasons that a user can change."""

from __future__ import annotations

import importlib
from typing import Any


class LearnError(ValueError):
    """Something that was asked for cannot be; the message says what, and what to do instead."""


class MissingExtraError(ImportError, LearnError):
    """A library is not installed; the message has the command that installs it."""


def need(module: str, extra: str) -> Any:
    """A library of an extra; MissingExtraError where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise MissingExtraError(
            f"this needs {module}, which does not load ({problem}): pip install 'manyworlds[{extra}]'"
        ) from problem
