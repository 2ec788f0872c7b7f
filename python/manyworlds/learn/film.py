"""Films of a world that a policy acts in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import Array
from .._environment import Environment
from .errors import LearnError, need
from .files import write

# Pictures in a second of a film, in a strip, and kept while a strip is made.
RATE, STRIP, KEPT = 25, 8, 64
KINDS = (".gif", ".png", ".npy", "")


class Film:
    """Pictures of the first world, as the path's ending says.

    .gif: a film. .png: a strip of eight pictures. .npy: qpos of every step, [step, nq], without a picture. A folder:
    the pictures of a film as 0000.png, ….
    """

    def __init__(
        self,
        environment: Environment,
        path: Path,
        *,
        camera: str | None = None,
        size: tuple[int, int] = (320, 240),
        whole: bool = False,
    ) -> None:
        """camera: as of Batch.render. whole: it goes on after the first episode."""
        self.path, self.kind, self._env, self._whole = path, path.suffix.lower(), environment, whole
        if self.kind not in KINDS:
            raise LearnError(f"--film {path}: a film is .gif, a strip .png, positions .npy, or pictures in a folder")
        if self.kind == "" and path.is_dir() and any(path.glob("*.png")):
            raise LearnError(f"--film {path}: there are pictures in this folder already; name another one")
        if self.kind != ".npy":
            need("PIL.Image", "learn")
        if camera is None:
            # the ready-made models have one that was made for it
            camera = "0" if environment.task.model.ncam else "track"
        self._view: dict[str, Any] = {"camera": int(camera) if camera.isdigit() else camera}
        self._view |= {"width": size[0], "height": size[1]}
        self._every = 1 if self.kind == ".npy" else max(round(1 / (RATE * environment.task.dt)), 1)
        self._steps = 0
        self.frames: list[Array] = []

    def watch(self, going: Array) -> None:
        """Takes a picture where one is due; `going` says which worlds are in their first episode."""
        if not (self._whole or going[0]):
            return
        if self._steps % self._every == 0:
            self.frames.append(self._shot())
            if self.kind == ".png" and len(self.frames) == KEPT:
                self.frames, self._every = self.frames[::2], 2 * self._every
        self._steps += 1

    def _shot(self) -> Array:
        batch = self._env.batch
        if self.kind == ".npy":
            return np.array(batch.qpos[0])
        try:
            return np.asarray(batch.render(0, **self._view))[0]
        except (RuntimeError, ValueError) as problem:
            raise LearnError(f"--film: {problem}") from problem

    def write(self) -> Path:
        """Writes what was seen; where."""
        if self.kind == ".npy":
            write(self.path, lambda file: np.save(file, np.stack(self.frames)))
            return self.path
        image: Any = need("PIL.Image", "learn")
        if self.kind == ".png":
            chosen = np.linspace(0, len(self.frames) - 1, min(STRIP, len(self.frames))).round().astype(int)
            strip = image.fromarray(np.concatenate([self.frames[k] for k in chosen], axis=1))
            write(self.path, lambda file: strip.save(file, format="PNG"))
            return self.path
        pictures = [image.fromarray(frame) for frame in self.frames]
        if self.kind == ".gif":
            # in hundredths of a second, of which browsers want two or more
            wait = 10 * max(round(100 * self._every * self._env.task.dt), 2)
            first, *others = pictures
            options = {"save_all": True, "append_images": others, "duration": wait, "loop": 0}
            write(self.path, lambda file: first.save(file, format="GIF", **options))
            return self.path
        self.path.mkdir(parents=True, exist_ok=True)
        for k, picture in enumerate(pictures):
            picture.save(self.path / f"{k:04d}.png")
        return self.path
