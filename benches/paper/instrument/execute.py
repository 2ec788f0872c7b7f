"""Runs kernels on the host with real physics, and adds up what they issue."""

import json
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import ptx
from .cuda import translate
from .host import Function
from .tools import run

HERE = Path(__file__).parent
WARP = 32
# bytes that memory moves at least
SECTOR = 32


def execute(configuration, worlds, warm_up, steps):
    """What a world and step issues, by kernel, after steps of warm-up; needs the PTX of `nvidia.compile_kernels`."""
    kernels = configuration.single
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        functions = list(pool.map(lambda k: build(configuration, k), range(len(kernels))))
    program = link(configuration, functions)
    said = json.loads(run([program, configuration.folder, worlds, warm_up, steps]))
    figures = {}
    for kernel, function, counts in zip(kernels, functions, said["kernels"]):
        figures[kernel.name] = issued(configuration, kernel, function, counts, worlds * steps)
    asked = {name: said[name] for name in ("status", "contacts", "rows", "qpos")}
    return {**asked, "worlds": worlds, "steps": steps, "kernels": figures}


def build(configuration, at):
    """The kernel as an object file."""
    kernel = configuration.single[at]
    text = configuration.file(kernel, "ptx").read_text()
    function = Function(ptx.parse(text), f"kernel_{at:02}")
    source = configuration.file(kernel, "cpp")
    source.write_text(function.text())
    flags = ["-O1", "-std=c++17", "-w", "-ffp-contract=off", f"-I{HERE}"]
    run(["g++", *flags, "-c", "-o", source.with_suffix(".o"), source])
    return function


def link(configuration, functions):
    """The machine with its kernels, and with the sizes of this configuration."""
    layout = configuration.layout
    lines = ["#pragma once", '#include "machine.h"', "struct Slot { size_t offset, len; };"]
    for name in ("ctrl", "status", "qpos", "ncon_peak", "nefc_peak"):
        lines.append("constexpr Slot {}{{{}, {}}};".format(name.upper(), *configuration.slot(name)))
    for name in ("interleave", "stride_f", "stride_i"):
        lines.append(f"constexpr size_t {name.upper()} = {layout[name]};")
    sizes = "blocks, shared, threads, worlds"
    lines.append(f"struct Kernel {{ void (*run)(Thread&); const size_t* registers; size_t {sizes}; }};")
    rows = []
    for kernel, function in zip(configuration.single, functions):
        name = function.name
        lines.append(f"void {name}(Thread&); extern const size_t {name}_registers;")
        sizes = (len(function.blocks), function.shared_bytes, kernel.threads, kernel.tile)
        rows.append(f"    {{{name}, &{name}_registers, {', '.join(map(str, sizes))}}},")
    lines += ["const Kernel KERNELS[] = {", *rows, "};"]
    (configuration.folder / "kernels.h").write_text("\n".join(lines) + "\n")
    program = configuration.folder / "machine"
    objects = [configuration.file(kernel, "o") for kernel in configuration.single]
    flags = ["-O2", "-std=c++17", f"-I{configuration.folder}", f"-I{HERE}", "-pthread"]
    run(["g++", *flags, "-o", program, HERE / "machine.cpp", *objects])
    return program


def issued(configuration, kernel, function, counts, world_steps):
    """Figures of a kernel for one world and step."""
    classes, threads, lines = Counter(), 0.0, Counter()
    for block, warps, lanes in zip(function.blocks, counts["warps"], counts["lanes"]):
        for instruction in block:
            classes[ptx.class_of(instruction)] += warps / world_steps
            threads += lanes / world_steps
            lines[instruction.line, instruction.call] += warps / world_steps
    total = sum(classes.values())
    return {
        "warp_instructions": round(total, 1),
        "thread_instructions": round(threads),
        "active_lanes": round(threads / (WARP * total), 3) if total else 0.0,
        "classes": {name: round(n, 1) for name, n in classes.most_common()},
        "sectors_per_request": round(counts["sectors"] / max(counts["requests"], 1), 2),
        "used_of_sectors": round(counts["bytes"] / SECTOR / max(counts["sectors"], 1), 3),
        "functions": by_function(configuration, kernel, lines),
    }


def by_function(configuration, kernel, lines):
    """Warp instructions by function of the kernel, `caller > function`, the largest first; where PTX has lines."""
    if set(lines) == {(0, 0)}:
        return {}
    of = translate(configuration.file(kernel, "metal").read_text()).functions()
    sums = Counter()
    for (line, call), count in lines.items():
        name = of[line - 1] if 0 < line <= len(of) else "metal.h"
        caller = of[call - 1] if 0 < call <= len(of) else ""
        sums[f"{caller} > {name}" if caller else name] += count
    return {name: round(count) for name, count in sums.most_common(40)}
