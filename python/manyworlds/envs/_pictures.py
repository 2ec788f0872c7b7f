"""Pictures of environments: frames for people, and observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import error, spaces

from .._arrays import Array, Worlds

RENDER_MODES = ["rgb_array"]

# A camera's name, number, or word: see Batch.render.
Camera = str | int | None


class Pictures:
    """What the pictures of an environment show, and how large they are.

    Frames, of `render`, are `width` by `height` pixels from `camera`. Observed pictures have the size `pixels` (width,
    height), from `pixels_camera`.
    """

    def __init__(
        self,
        environment: Any,
        render_mode: str | None,
        *,
        camera: Camera = None,
        width: int = 480,
        height: int = 480,
        pixels: Sequence[int] | None = None,
        pixels_camera: Camera = None,
        pixels_only: bool = False,
        depth: bool = False,
    ) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise error.UnsupportedMode(f"render_mode is None or {' '.join(RENDER_MODES)}, got '{render_mode}'")
        if camera is None:
            # the ready-made models have one that was made for it
            camera = 0 if environment.task.model.ncam else "track"
        self._environment = environment
        self._draws = render_mode is not None
        self._frame = {"camera": camera, "width": width, "height": height}
        self._only = pixels_only
        self._parts = {} if pixels is None else {"pixels": "color"} | ({"depth": "depth"} if depth else {})
        if pixels is None and (pixels_only or depth or pixels_camera is not None):
            given = "pixels_only" if pixels_only else "depth" if depth else "pixels_camera"
            raise ValueError(f"{given} is about observed pictures: give their size, pixels=(width, height)")
        self._observed: dict[str, Any] = {}
        if pixels is not None:
            if np.shape(pixels) != (2,):
                raise ValueError(f"pixels is (width, height), got {pixels!r}")
            observed_from = camera if pixels_camera is None else pixels_camera
            self._observed = {"camera": observed_from, "width": pixels[0], "height": pixels[1]}
        # a bad argument is refused at once
        if self._draws:
            self.frames(0)
        if self._parts:
            self._draw(0)

    def space(self, state: spaces.Space[Any]) -> spaces.Space[Any]:
        """Space of the observations of one world; groups of these stand beside the pictures."""
        if not self._parts:
            return state
        shape = (self._observed["height"], self._observed["width"])
        known: dict[str, spaces.Space[Any]] = {
            "pixels": spaces.Box(0, 255, (*shape, 3), np.uint8),
            "depth": spaces.Box(0, np.inf, shape, np.float32),
        }
        whole = dict(state) if isinstance(state, spaces.Dict) else {"state": state}
        parts: dict[str, spaces.Space[Any]] = {} if self._only else whole
        parts |= {name: known[name] for name in self._parts}
        return next(iter(parts.values())) if len(parts) == 1 else spaces.Dict(parts)

    def observation(self, state: Array, before: Any = None, worlds: Worlds = None) -> Any:
        """Observations of all worlds, of which those of `worlds` alone have changed since the ones before."""
        task = self._environment.task
        seen: Any = task.groups(state) if len(task.observation_groups) > 1 else state
        if not self._parts:
            return seen
        drawn = self._draw(worlds)
        if before is not None:
            old = before if isinstance(before, dict) else dict.fromkeys(drawn, before)
            for name, pictures in drawn.items():
                changed = old[name].copy()
                changed[worlds] = pictures
                drawn[name] = changed
        whole = seen if isinstance(seen, dict) else {"state": seen}
        out = drawn if self._only else {**whole, **drawn}
        return next(iter(out.values())) if len(out) == 1 else out

    def frames(self, worlds: Worlds = None) -> Array:
        """Frames of worlds, `[world, height, width, 3]`."""
        return self._environment.batch.render(worlds, **self._frame)  # type: ignore[no-any-return]

    def rendered(self) -> Array | None:
        """Frames of all worlds, where a render mode asks for them."""
        return self.frames() if self._draws else None

    def _draw(self, worlds: Worlds) -> dict[str, Array]:
        """Observed pictures by name."""
        render = self._environment.batch.render
        return {name: render(worlds, pixels=kind, **self._observed) for name, kind in self._parts.items()}


def metadata(environment: Any) -> dict[str, Any]:
    """What Gymnasium's wrappers read of the frames: how many there are in a second."""
    return {"render_modes": RENDER_MODES.copy(), "render_fps": max(round(1.0 / environment.task.dt), 1)}


def entry(observation: Any, world: int) -> Any:
    """Observation of one world, copied."""
    if isinstance(observation, dict):
        return {name: values[world].copy() for name, values in observation.items()}
    return observation[world].copy()
