"""Kernels of one configuration of a model, as `manyworlds kernels` writes them, and the folder of what is known."""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from .tools import HOME, run


@dataclass
class Kernel:
    """One dispatch of a step."""

    name: str
    lanes: int
    """Threads of a world."""
    tile: int
    """Worlds of a workgroup."""
    steps: int
    """Steps of one dispatch."""
    moved: float
    """Bytes of arena that a world's step reads and writes."""

    @property
    def threads(self):
        return self.lanes * self.tile


@dataclass
class Configuration:
    """Kernels in the order of a step, and how worlds lie in buffers."""

    model: str
    name: str
    folder: Path
    layout: dict
    kernels: list[Kernel] = field(init=False)

    def __post_init__(self):
        self.kernels = [
            Kernel(k["name"], k["lanes"], k["tile"], k["steps"], (k["bytes_read"] or 0) + (k["bytes_written"] or 0))
            for k in self.layout["kernels"]
        ]

    @property
    def single(self):
        """Kernels of a single step; fused ones run several."""
        return [kernel for kernel in self.kernels if kernel.steps == 1]

    def slot(self, name):
        """Offset and length of a field in a world; zeros where no kernel has it."""
        for slot in self.layout["slots"]:
            if slot["name"] == name:
                return slot["offset"], slot["len"]
        return 0, 0

    def file(self, kernel, ending):
        return self.folder / f"{kernel.name}.{ending}"

    @property
    def figures(self):
        """The file of all that is known of this configuration."""
        return self.folder / "figures.json"


def folder_of(model, name):
    return HOME / "configurations" / model / name


def dump(binary, path, model, name, options):
    """Has the command write the kernels of a model; what was there of this configuration goes."""
    folder = folder_of(model, name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run([binary, "kernels", Path(path).resolve(), "--out", folder, "--arena", *options])
    return read(model, name)


def read(model, name):
    folder = folder_of(model, name)
    return Configuration(model, name, folder, json.loads((folder / "config.json").read_text()))


def counted():
    """All configurations with figures."""
    for file in sorted(HOME.glob("configurations/*/*/figures.json")):
        yield read(file.parent.parent.name, file.parent.name), json.loads(file.read_text())
