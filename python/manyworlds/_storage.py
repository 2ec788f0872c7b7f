"""Batches that go on later: snapshots, files, pickles."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._arrays import Array
from ._base import Base
from ._model import Model, PathLike, existing

# Arrays of a file beside those of a snapshot.
_FILE_MODEL, _FILE_OPTIONS = "file.model", "file.options"


class Storage(Base):
    """Snapshots and files of a batch."""

    __slots__ = ()

    def snapshot(self) -> dict[str, Array]:
        """All that the worlds need to go on with the same bits, as arrays by name."""
        return self._core.snapshot()

    def restore(self, snapshot: Mapping[str, Array]) -> None:
        """Goes on from a snapshot of a batch of the same model, number of worlds, backend and capacity.

        Raises ValueError for an array that is missing, unknown or of another shape; the batch is then unchanged.
        """
        reals = {
            k: np.ascontiguousarray(v, np.int32 if v.dtype.kind in "iub" else np.float64) for k, v in snapshot.items()
        }
        self._core.restore(reals)

    def _described(self) -> dict[str, Any]:
        """The arguments that make a batch like this one."""
        nconmax, njmax = self.capacity
        return {**self._options, "nconmax": nconmax, "njmax": njmax}

    @classmethod
    def _restored(cls, model: Model, options: dict[str, Any], episode: int, arrays: Mapping[str, Array]) -> Any:
        make: Any = cls
        batch = make(model, **options)
        batch.restore(arrays)
        object.__setattr__(batch, "_episode", episode)
        return batch

    def __reduce__(self) -> Any:
        return (type(self)._restored, (self.model, self._described(), self._episode, self.snapshot()))

    def save(self, path: PathLike) -> None:
        """Writes the whole batch, model included, to an .npz file, which appears whole or not at all."""
        target = Path(path)
        if target.suffix != ".npz":
            raise ValueError(f"{target}: a batch is saved as .npz")
        note = json.dumps({"options": self._described(), "episode": self._episode})
        arrays = {
            **self.snapshot(),
            _FILE_MODEL: np.frombuffer(self.model.to_bytes(), dtype=np.uint8),
            _FILE_OPTIONS: np.frombuffer(note.encode(), dtype=np.uint8),
        }
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise

    @classmethod
    def load(cls, path: PathLike, **changed: Any) -> Any:
        """Reads a batch that was saved, which goes on with the same bits; `changed` are arguments such as on_status.

        Raises FileNotFoundError, and ValueError for another file.
        """
        with np.load(existing(path), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        if _FILE_MODEL not in arrays or _FILE_OPTIONS not in arrays:
            raise ValueError(f"{path}: not a batch that was saved with Batch.save")
        model = Model.from_bytes(arrays.pop(_FILE_MODEL).tobytes())
        note = json.loads(arrays.pop(_FILE_OPTIONS).tobytes())
        return cls._restored(model, {**note["options"], **changed}, note["episode"], arrays)
