"""Files that appear whole or not at all, and arrays in them."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .._arrays import Array
from .errors import LearnError

# The array that holds what a file says about itself.
ABOUT = "about"


def write(path: Path, fill: Callable[[BinaryIO], Any]) -> None:
    """Writes a file, which replaces another one when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(part, "wb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_arrays(path: Path, arrays: Mapping[str, Array], about: Mapping[str, Any]) -> None:
    """Writes arrays by name, and JSON beside them, as .npz."""
    text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    write(path, lambda file: np.savez(file, **arrays, **{ABOUT: text}))  # type: ignore[arg-type]


def read_arrays(path: Path, what: str) -> tuple[dict[str, Array], dict[str, Any]]:
    """Arrays by name and the JSON beside them; nothing is unpickled. LearnError for another file, or part of one."""
    if not path.is_file():
        raise LearnError(f"{path}: there is no such file; a {what} is expected")
    try:
        # opened here: NumPy leaves a file open that it cannot read
        with open(path, "rb") as whole, np.load(whole, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop(ABOUT).tobytes())
    except (zipfile.BadZipFile, ValueError, KeyError, OSError, EOFError, AttributeError, TypeError) as problem:
        raise LearnError(
            f"{path}: no {what} that `train` has written, or a part of one ({problem}); take another file"
        ) from problem
    if not isinstance(about, dict):
        raise LearnError(f"{path}: no {what} that `train` has written; take another file")
    return arrays, about
