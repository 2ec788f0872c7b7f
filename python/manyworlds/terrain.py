"""Ground for robots with legs: tiles of many kinds, in rows from easy to hard, as one height field.

    from manyworlds.terrain import Terrain

    terrain = Terrain(["flat", "rough", "stairs_up", "stairs_down", "stones"], rows=8, seed=0)
    terrain.add(spec)                       # in place of the geom `ground`
    starts = Table(terrain.origins.reshape(-1, 3))

A tile is flat in its middle, where a robot starts. A kind is a function of difficulty, places and random numbers, so
that others can be added: `KINDS["dunes"] = Kind(dunes)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Array
from ._spec import Spec

# Heights, m, of places x and y from the middle of a tile, m, at a difficulty between 0 and 1.
Heights = Callable[[float, Array, Array, np.random.Generator], Array]

# How deep the holes are that robots fall into, m.
DEPTH = 1.0


@dataclass(frozen=True)
class Kind:
    """A kind of ground.

    heights: its heights. platform: half of the sides of the flat square in its middle, m.
    """

    heights: Heights
    platform: float = 1.0


def _between(difficulty: float, easy: float, hard: float) -> float:
    return easy + difficulty * (hard - easy)


def _ring(x: Array, y: Array) -> Array:
    """Distance from the middle along the farther axis: squares around it."""
    return np.maximum(np.abs(x), np.abs(y))


def _flat(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    return np.zeros_like(x)


def _rough(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    """Heights by chance every 0.2 m, in steps of 5 mm."""
    most = _between(difficulty, 0.02, 0.12)
    count = max(round(float(np.ptp(x)) / 0.2), 1) + 1
    coarse = np.round(random.uniform(0.0, most, (count, count)) / 0.005) * 0.005
    return _bilinear(coarse, x, y)


def _bilinear(coarse: Array, x: Array, y: Array) -> Array:
    """Heights between those of a coarser square of places."""
    last = len(coarse) - 1
    u, v = ((p - p.min()) / max(float(np.ptp(p)), 1e-9) * last for p in (x, y))
    i, j = (np.minimum(p.astype(int), last - 1) for p in (u, v))
    a, b = u - i, v - j
    low = coarse[j, i] * (1 - a) + coarse[j, i + 1] * a
    return low * (1 - b) + (coarse[j + 1, i] * (1 - a) + coarse[j + 1, i + 1] * a) * b


def _slope(sign: float) -> Heights:
    def heights(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
        return sign * _between(difficulty, 0.05, 0.45) * np.maximum(_ring(x, y) - 1.0, 0.0)

    return heights


def _stairs(sign: float) -> Heights:
    def heights(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
        steps = np.maximum(np.ceil((_ring(x, y) - 1.0) / 0.3), 0.0)
        # the outer square is level, so that tiles meet
        return sign * _between(difficulty, 0.04, 0.2) * np.minimum(steps, np.floor((x.max() - 1.0) / 0.3))

    return heights


def _waves(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    half = 0.5 * _between(difficulty, 0.05, 0.35)
    turns = 2.0 * np.pi * 2.0 / max(float(np.ptp(x)), 1e-9)
    return half * (np.cos(turns * x) + np.cos(turns * y))


def _boxes(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    """Forty boxes and holes of different sizes."""
    out, most = np.zeros_like(x), _between(difficulty, 0.04, 0.25)
    for _ in range(40):
        place, half = random.uniform(x.min(), x.max(), 2), random.uniform(0.15, 0.6, 2)
        inside = (np.abs(x - place[0]) < half[0]) & (np.abs(y - place[1]) < half[1])
        out[inside] = random.choice([-1.0, -0.5, 0.5, 1.0]) * most
    return out


def _grid(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    """Squares of 0.45 m, each at a height of its own."""
    count = max(round(float(np.ptp(x)) / 0.45), 1)
    levels = random.uniform(-1.0, 1.0, (count, count)) * _between(difficulty, 0.02, 0.15)
    i, j = (np.minimum((p - p.min()) / max(float(np.ptp(p)), 1e-9) * count, count - 1).astype(int) for p in (x, y))
    return levels[j, i]


def _stones(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    """Stones with gaps between them, at slightly different heights."""
    stone, gap = _between(difficulty, 1.0, 0.35), _between(difficulty, 0.08, 0.3)
    pitch = stone + gap
    i, j = (np.floor(p / pitch).astype(int) for p in (x, y))
    on = (x - i * pitch < stone) & (y - j * pitch < stone)
    levels = random.uniform(-0.02, 0.02, (int(np.ptp(j)) + 1, int(np.ptp(i)) + 1))
    return np.where(on, levels[j - j.min(), i - i.min()], -DEPTH)


def _gap(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    ring = _ring(x, y)
    return np.where((ring > 1.2) & (ring < 1.2 + _between(difficulty, 0.1, 0.8)), -DEPTH, 0.0)


def _pit(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    """A pit that robots climb out of."""
    return np.where(_ring(x, y) < 1.6, -_between(difficulty, 0.05, 0.45), 0.0)


def _rails(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    """Two rails around the middle."""
    ring, height, width = _ring(x, y), _between(difficulty, 0.05, 0.3), _between(difficulty, 0.4, 0.15)
    on = sum(((ring > at) & (ring < at + width)).astype(float) for at in (1.4, 2.6))
    return height * np.asarray(on)


def _star(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    """Beams out of the middle, over a ditch."""
    width, radius = _between(difficulty, 0.8, 0.25), np.hypot(x, y)
    angle = np.mod(np.arctan2(y, x), np.pi / 4) - np.pi / 8
    on = np.abs(radius * np.sin(angle)) < 0.5 * width
    return np.where(on | (_ring(x, y) > x.max() - 0.5), 0.0, -DEPTH)


def _mounds(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    """Thirty domes."""
    out, height = np.zeros_like(x), _between(difficulty, 0.05, 0.3)
    for _ in range(30):
        place, radius = random.uniform(x.min(), x.max(), 2), random.uniform(0.3, 0.9)
        square = ((x - place[0]) ** 2 + (y - place[1]) ** 2) / radius**2
        out = np.maximum(out, height * np.sqrt(np.maximum(1.0 - square, 0.0)))
    return out


def _hurdles(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    """Walls across x, every 1.2 m."""
    beyond = np.abs(x) - 1.2
    on = (beyond >= 0.0) & (np.mod(beyond, 1.2) < 0.2)
    return np.where(on, _between(difficulty, 0.04, 0.3), 0.0)


def _ditches(difficulty: float, x: Array, y: Array, random: np.random.Generator) -> Array:
    """Ditches across x, every 1.4 m."""
    beyond = np.abs(x) - 1.2
    on = (beyond >= 0.0) & (np.mod(beyond, 1.4) < _between(difficulty, 0.1, 0.6))
    return np.where(on, -DEPTH, 0.0)


KINDS: dict[str, Kind] = {
    "flat": Kind(_flat),
    "rough": Kind(_rough, 0.5),
    "slope_up": Kind(_slope(1.0)),
    "slope_down": Kind(_slope(-1.0)),
    "stairs_up": Kind(_stairs(1.0)),
    "stairs_down": Kind(_stairs(-1.0)),
    "waves": Kind(_waves, 0.5),
    "boxes": Kind(_boxes),
    "grid": Kind(_grid),
    "stones": Kind(_stones),
    "gap": Kind(_gap),
    "pit": Kind(_pit),
    "rails": Kind(_rails),
    "star": Kind(_star),
    "mounds": Kind(_mounds),
    "hurdles": Kind(_hurdles),
    "ditches": Kind(_ditches),
}


class Terrain:
    """Tiles of some kinds: a column for each kind, a row for each difficulty.

    kinds: names in KINDS, in the order of the columns; of a mapping, each takes as many columns as it says.
    rows: difficulties, from `difficulty[0]` to `difficulty[1]` of 0 to 1.
    size: sides of a tile, m. cell: distance of the places of the height field, m. border: flat ground around, m.
    """

    def __init__(
        self,
        kinds: Sequence[str] | Mapping[str, int] = tuple(KINDS),
        *,
        rows: int = 8,
        size: float = 8.0,
        cell: float = 0.1,
        border: float = 2.0,
        difficulty: tuple[float, float] = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        counted = kinds.items() if isinstance(kinds, Mapping) else [(name, 1) for name in kinds]
        self.kinds = [name for name, count in counted for _ in range(count)]
        unknown = [name for name in self.kinds if name not in KINDS]
        if unknown:
            raise ValueError(f"there is no kind of ground '{unknown[0]}'; there are {', '.join(KINDS)}")
        if rows < 1 or not self.kinds or not 0.0 <= difficulty[0] <= difficulty[1] <= 1.0:
            raise ValueError("a terrain has a row, a column, and difficulties between 0 and 1")
        if not cell > 0.0 or abs(size / cell - round(size / cell)) > 1e-6:
            raise ValueError(f"a tile of {size} m is no whole number of cells of {cell} m")
        if cell > size / 20 or border < cell:
            raise ValueError(f"places are at most a twentieth of a tile of {size} m apart, and no more than the border")
        largest = max(KINDS[name].platform for name in self.kinds)
        if 2.0 * largest + 1.0 > size:
            raise ValueError(f"a tile of {size} m has no room for a platform of {2 * largest} m and what is around it")
        self.rows, self.size, self.cell = rows, size, cell
        self._points, self._edge = round(size / cell), round(border / cell)
        self.difficulties = np.linspace(*difficulty, rows) if rows > 1 else np.array([difficulty[1]])
        shape = [rows * self._points + 1, len(self.kinds) * self._points + 1]
        self.heights: Array = np.zeros([n + 2 * self._edge for n in shape])
        """Heights of places, [y, x], m."""
        self.origins: Array = np.zeros((rows, len(self.kinds), 3))
        """Middle of the platform of each tile, [row, kind, 3], m."""
        for row in range(rows):
            for column in range(len(self.kinds)):
                self._lay(row, column, np.random.default_rng([seed, row, column]))

    def __repr__(self) -> str:
        return f"<Terrain of {self.rows} x {len(self.kinds)} tiles of {self.size} m>"

    @property
    def half(self) -> tuple[float, float]:
        """Half of the sides along x and y, m."""
        rows, columns = self.heights.shape
        return 0.5 * self.cell * (columns - 1), 0.5 * self.cell * (rows - 1)

    def _lay(self, row: int, column: int, random: np.random.Generator) -> None:
        """Makes a tile."""
        kind, n = KINDS[self.kinds[column]], self._points
        along = (np.arange(n + 1) - 0.5 * n) * self.cell
        x, y = np.meshgrid(along, along)
        heights = np.asarray(kind.heights(float(self.difficulties[row]), x, y, random), dtype=np.float64)
        if heights.shape != x.shape or not np.isfinite(heights).all():
            raise ValueError(f"the kind '{self.kinds[column]}' gives no finite height for each place")
        ring = _ring(x, y)
        # tiles meet at their borders, most of which are level
        heights -= float(np.median(heights[ring > ring.max() - 0.5 * self.cell]))
        platform = ring <= kind.platform + 1e-9
        inner = heights[platform]
        level = float(np.median(inner[inner > inner.max() - 0.5 * DEPTH]))
        heights[platform] = level
        self._put(row, column, heights)
        self.origins[row, column] = [*self._middle(row, column), level]

    def _put(self, row: int, column: int, heights: Array) -> None:
        n, edge = self._points, self._edge
        first, left = edge + row * n, edge + column * n
        self.heights[first : first + n + 1, left : left + n + 1] = heights

    def _middle(self, row: int, column: int) -> Array:
        n, edge = self._points, self._edge
        half_x, half_y = self.half
        return np.array(
            [(edge + (column + 0.5) * n) * self.cell - half_x, (edge + (row + 0.5) * n) * self.cell - half_y]
        )

    def height(self, x: Any, y: Any) -> Array:
        """Height of the ground at some places, m: that of the nearest place of the field."""
        half_x, half_y = self.half
        rows, columns = self.heights.shape
        i = np.clip(np.round((np.asarray(x) + half_x) / self.cell).astype(int), 0, columns - 1)
        j = np.clip(np.round((np.asarray(y) + half_y) / self.cell).astype(int), 0, rows - 1)
        return self.heights[j, i]  # type: ignore[no-any-return]

    def patches(self, count: int, *, radius: float = 0.4, level: float = 0.03, seed: int = 0) -> Array:
        """Flat places to start at, [row, kind, count, 3]: heights within `radius` differ by no more than `level`.

        Raises ValueError where a tile has none.
        """
        out = np.zeros((self.rows, len(self.kinds), count, 3))
        reach = int(np.ceil(radius / self.cell))
        near = np.arange(-reach, reach + 1)
        around = [(i, j) for i in near for j in near if np.hypot(i, j) * self.cell <= radius + 1e-9]
        for row in range(self.rows):
            for column in range(len(self.kinds)):
                n, edge = self._points, self._edge
                first, left = edge + row * n, edge + column * n
                inner = np.arange(reach, n + 1 - reach)
                low = np.full((len(inner), len(inner)), np.inf)
                high = -low
                for i, j in around:
                    part = self.heights[np.ix_(first + inner + j, left + inner + i)]
                    low, high = np.minimum(low, part), np.maximum(high, part)
                # no bottom of a hole
                least = min(float(self.origins[row, column, 2]), 0.0) - 0.5 * DEPTH
                flat = np.argwhere((high - low <= level) & (low > least))
                if len(flat) == 0:
                    name, hard = self.kinds[column], self.difficulties[row]
                    raise ValueError(f"'{name}' at difficulty {hard:.2f} has no flat place of radius {radius} m")
                random = np.random.default_rng([seed, row, column])
                chosen = flat[random.integers(len(flat), size=count)]
                half_x, half_y = self.half
                rows_at, columns_at = first + inner[chosen[:, 0]], left + inner[chosen[:, 1]]
                heights = self.heights[rows_at, columns_at]
                out[row, column] = np.stack(
                    [columns_at * self.cell - half_x, rows_at * self.cell - half_y, heights], axis=-1
                )
        return out

    def add(self, spec: Spec, geom: str = "ground", name: str = "terrain") -> Spec:
        """Puts the terrain in the place of a geom of the world, such as a plane, with its middle at the origin."""
        low, high = float(self.heights.min()), float(self.heights.max())
        reach = max(high - low, 1e-3)
        # rows of a file go from the farthest along y to the nearest
        elevation = ((self.heights - low) / reach).astype(np.float32)[::-1]
        rows, columns = self.heights.shape
        size = [*self.half, reach, 0.2]
        spec.add("hfield", name=name, nrow=rows, ncol=columns, size=size, elevation=elevation.ravel().tolist())
        spec.geom(geom).set(type="hfield", hfield=name, pos=[0.0, 0.0, low])
        return spec
