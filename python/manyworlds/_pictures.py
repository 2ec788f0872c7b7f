"""Pictures of the worlds of a batch."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Array, Worlds, chosen, count_of
from ._base import Base

# Axes of a pixel and type of its numbers.
PIXELS: dict[str, tuple[tuple[int, ...], Any]] = {
    "color": ((3,), np.uint8),
    "depth": ((), np.float32),
    "objects": ((2,), np.int32),
}
# No device has larger textures.
_MOST = 65_535


class Pictures(Base):
    """Pictures, drawn on the device of the worlds, or by the best adapter where that is the CPU."""

    __slots__ = ()

    def render(
        self,
        worlds: Worlds = None,
        camera: str | int | None = None,
        width: int = 320,
        height: int = 240,
        *,
        pixels: str = "color",
        show: str | Sequence[str] = (),
        hide: str | Sequence[str] = (),
        groups: int | Sequence[int] | None = None,
        orbit: ArrayLike | None = None,
        lookat: ArrayLike | None = None,
        samples: int | None = None,
    ) -> Array:
        """Pictures of some worlds, or of all: an array for the caller to keep, rows from the top.

        Positions are those of the last forward pass, as in MuJoCo: call `forward` after setting `qpos`. All worlds are
        drawn in one submission, as far as they fit on a surface of the device; on a GPU no pose passes through the
        host.

        worlds: a mask, indices, a slice or one index; pictures are in the order of the indices.
        camera: name or number of a camera of the model; "free"; "track", which follows the first body that moves, or
            "track:BODY"; where not given, the one that the model says, else a free one.
        width, height: pixels of a picture.
        pixels: "color": [world, height, width, 3], uint8. "depth": [world, height, width], float32, distance along the
            axis of the camera in m, infinite for the background. "objects": [world, height, width, 2], int32, id and
            type (`manyworlds.enums.Object`) of what is seen, both -1 for the background: MuJoCo's segmentation.
        show, hide: what is drawn besides the usual, and what is not: "contactforce", "joint", "com"; "shadow",
            "skybox", … An unknown word raises an error with all of them.
        groups: of geoms and sites that are drawn, 0 to 5; the first three where not given.
        orbit: distance in m, azimuth and elevation in degrees of a free or tracking camera.
        lookat: point [3] that a free camera looks at, or a tracking one beside what it tracks, m.
        samples: of a pixel of colours, 1 or 4; what the model says where not given.

        Raises ValueError for an unknown camera or word or a size that the device does not have, IndexError for a world
        out of range, TypeError for an argument of another type, RuntimeError where there is no adapter
        (`manyworlds doctor` says what to install) or the device is lost.
        """
        some = chosen(worlds, self.num_worlds)
        ids = some.indices()
        if some.order is not None:
            ids = [ids[place] for place in some.order]
        size = [_side("width", width), _side("height", height)]
        if pixels not in PIXELS:
            raise ValueError(f"pixels is '{pixels}'; valid: {' '.join(PIXELS)}")
        place = _numbers("orbit", orbit, "distance, azimuth, elevation")
        if place is not None and place[0] <= 0:
            raise ValueError(f"the distance of an orbit is above 0, got {place[0]:g}")
        if samples is not None and operator.index(samples) not in (1, 4):
            raise ValueError(f"a pixel has 1 or 4 samples, not {samples}")
        if groups is not None:
            groups = [count_of("a group", one) for one in ([groups] if np.ndim(groups) == 0 else groups)]  # type: ignore[union-attr,list-item]
        if not ids:
            axes, dtype = PIXELS[pixels]
            return np.empty((0, height, width, *axes), dtype)
        return self._core.render(  # type: ignore[no-any-return]
            ids,
            _camera(camera),
            place,
            _numbers("lookat", lookat, "x, y, z"),
            size,
            pixels,
            _words("show", show),
            _words("hide", hide),
            groups,
            samples,
        )


def _side(name: str, value: Any) -> int:
    """Pixels of a side; else TypeError or ValueError."""
    number = count_of(name, value, 1)
    if number > _MOST:
        raise ValueError(f"{name} is {number}; a picture has at most {_MOST} pixels a side, and fewer on most devices")
    return number


def _camera(camera: Any) -> str | int | None:
    """A camera as the engine takes it."""
    if camera is None or isinstance(camera, str):
        return camera
    try:
        return count_of("camera", camera)
    except TypeError:
        kind = type(camera).__name__
        raise TypeError(f"a camera is a name, a number, 'free', 'track' or 'track:BODY', got {kind}") from None


def _words(name: str, words: Any) -> list[str]:
    """Words, or one."""
    some = [words] if isinstance(words, str) else list(words)
    for word in some:
        if not isinstance(word, str):
            raise TypeError(f"{name} has words, as 'shadow'; got {type(word).__name__}")
    return some


def _numbers(name: str, values: ArrayLike | None, meaning: str) -> list[float] | None:
    """Three finite numbers, where they are given."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.shape != (3,) or array.dtype.kind not in "fiu":
        raise ValueError(f"{name} is three numbers: {meaning}; got {values!r}")
    if not np.isfinite(array.astype(np.float32)).all():
        raise ValueError(f"{name} has to be finite, got {values!r}")
    return [float(x) for x in array]
