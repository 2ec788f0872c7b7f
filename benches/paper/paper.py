#!/usr/bin/env python3
"""Kernels counted without a GPU: what vendors' compilers make of them, and how many instructions a step issues.

    paper.py check                     kernels of a few models against counts.json; an error where they have grown
    paper.py check --renew             counts.json anew, after a change that is meant
    paper.py count MODEL               NVIDIA: registers, code, instructions of a world and step, estimated rates
    paper.py amd MODEL                 AMD: registers, scratch memory, code
    paper.py dofs                      instructions per degree of freedom from 6 to 594, as a table and a picture
    paper.py list                      all models that were counted, with estimated rates

README.md says how it works. Compilers are fetched from PyPI and Debian where they are missing, into PAPER_HOME (default
~/.cache/manyworlds-paper), where results stay as well. MANYWORLDS_MODELS: a folder with models of other projects.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from instrument import amd, configuration, dofs, estimate, nvidia
from instrument.execute import execute
from instrument.tools import ROOT, fetch_nvidia

STORED = Path(__file__).with_name("counts.json")
OTHERS = os.environ.get("MANYWORLDS_MODELS")

# models of the check: the file, and mean contacts and rows of a world. A relative path is below MANYWORLDS_MODELS
CHECKED = {
    "quadruped": (ROOT / "models/quadruped.xml", 4, 20),
    "humanoid": (ROOT / "models/humanoid.xml", 5, 25),
    "three_humanoids": (ROOT / "models/three_humanoids.xml", 13, 74),
    "pile": (ROOT / "models/pile.xml", 40, 160),
    "shadow_hand": (Path("mjx/shadow_hand/scene_right.xml"), 2, 10),
}
CHECK = {"worlds": 32, "warm_up": 150, "steps": 2}
TARGET = "sm_89"

AMD_WORDS = {"shared": "shared", "scratch": "scratch of a wave", "code_bytes": "of code"}

# bits of a world's status: its slots for contacts or rows have ended
FULL = 1 | 2
# slots beyond those that worlds asked for
ROOM = 1.25

# relative growth that is an error
GROWTH = {"registers": 0.05, "code_bytes": 0.05, "warp_instructions": 0.05, "barriers": 0.05, "stack": 0, "spills": 0}


def figures_of(binary, path, model, name, options, run, targets=nvidia.TARGETS, lines=False):
    """Dumps, compiles and runs the kernels of a model; what is found stays in the configuration's folder."""
    dumped, compiled, issued = counted(binary, path, model, name, options, run, targets, lines)
    given = [option for option in options if option in ("--nconmax", "--njmax")]
    # as worlds of a batch do, those on the host get what they asked for
    while issued["status"] & FULL and not given:
        layout = dumped.layout
        most = (max(layout["nconmax"], issued["contacts"]), max(layout["njmax"], issued["rows"]))
        slots = ["--nconmax", round(ROOM * most[0]), "--njmax", round(ROOM * most[1])]
        print(f"{model}: again, with slots for {slots[1]} contacts and {slots[3]} rows", flush=True)
        dumped, compiled, issued = counted(binary, path, model, name, [*slots, *options], run, targets, lines)
    if issued["status"] != 0:
        raise SystemExit(f"{model}: worlds have status {issued['status']} on the host")
    figures = {"compiled": compiled, "issued": issued}
    dumped.figures.write_text(json.dumps(figures, indent=1) + "\n")
    return dumped, figures


def counted(binary, path, model, name, options, run, targets, lines):
    """Kernels of a model, what compilers make of them, and what they issue."""
    dumped = configuration.dump(binary, path, model, name, options)
    compiled = nvidia.compile_kernels(dumped, targets, lines)
    return dumped, compiled, execute(dumped, **run)


def summary(figures, target=TARGET):
    """The figures that are compared from one commit to the next, by kernel. Fused kernels are compiled, and not run."""
    kernels = {}
    for name, targets in figures["compiled"].items():
        compiled = targets[target]
        row = {what: compiled[what] for what in ("registers", "code_bytes", "stack")}
        row["spills"] = compiled["spill_stores"] + compiled["spill_loads"]
        if found := figures["issued"]["kernels"].get(name):
            row["warp_instructions"] = round(found["warp_instructions"])
            row["barriers"] = round(found["classes"].get("barrier", 0))
            row["active_lanes"] = found["active_lanes"]
        kernels[name] = row
    return kernels


def total(kernels):
    return sum(kernel.get("warp_instructions", 0) for kernel in kernels.values())


def changes(model, stored, now):
    """Lines of the table, and whether they are errors."""
    for kernel in sorted(stored.keys() ^ now.keys()):
        yield True, f"{model:16} {kernel[:44]:44} {'is new' if kernel in now else 'is gone'}"
    for kernel in sorted(stored.keys() & now.keys()):
        for what, growth in GROWTH.items():
            before, after = (kernels[kernel].get(what, 0) for kernels in (stored, now))
            worse = after > before * (1 + growth)
            if worse or after < before * (1 - max(growth, 0.01)):
                share = after / before - 1 if before else 1
                yield worse, f"{model:16} {kernel[:44]:44} {what:18} {before:8} {after:8} {share:+7.1%}"


def check(given):
    """Counts models and compares them with what is stored."""
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    failed = False
    for model in given.only or CHECKED:
        path, contacts, rows = CHECKED[model]
        if not path.is_absolute() and not OTHERS:
            print(f"{model:16} left out: MANYWORLDS_MODELS names no folder with models of other projects")
            continue
        options = ["--contacts", contacts, "--rows", rows]
        path = Path(OTHERS or "") / path
        _, figures = figures_of(given.bin, path, model, "check", options, CHECK, targets=(TARGET,))
        now = summary(figures)
        print(f"{model:16} {total(now):8} warp instructions a world and step", flush=True)
        if given.renew:
            stored[model] = now
            continue
        for worse, line in changes(model, stored.get(model, {}), now):
            failed |= worse
            print(("GROWN  " if worse else "       ") + line)
    if given.renew:
        STORED.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    if failed:
        print("Kernels have grown by more than 5 %, or spill. If that is meant: benches/paper/paper.py check --renew")
    return int(failed)


def count(given):
    """Counts one model and prints all that is found."""
    model = given.model.stem
    run = {"worlds": given.worlds, "warm_up": given.warm_up, "steps": given.steps}
    dumped, figures = figures_of(given.bin, given.model, model, given.name, load(given), run, lines=given.functions)
    report(dumped, figures, given)
    for name, kernel in figures["issued"]["kernels"].items():
        for function, issued in list(kernel["functions"].items())[:12]:
            print(f"  {name[:2]} {issued:9} {function}")
    return 0


def load(given):
    """Options of the dump."""
    return ["--contacts", given.contacts, "--rows", given.rows, *given.options]


def report(dumped, figures, given):
    issued = figures["issued"]
    kernels = summary(figures)
    print(f"{dumped.model} {dumped.name}: {total(kernels)} warp instructions a world and step")
    for name, row in kernels.items():
        line = f"  {name[:44]:44} {row['registers']:4} registers {row['code_bytes'] / 1024:6.1f} KiB of code"
        line += f" {row['stack']:5} B of stack {row['spills']:5} B spilled"
        if name in issued["kernels"]:
            classes = list(issued["kernels"][name]["classes"].items())
            most = ", ".join(f"{kind} {round(n)}" for kind, n in classes[:6])
            line += f" {row['warp_instructions']:7} issued, {row['active_lanes']:.2f} of lanes: {most}"
        print(line)
    for line in estimate.table(dumped, figures, given.estimate_worlds, given.added):
        print("  " + line)


def list_counted(given):
    for dumped, figures in configuration.counted():
        # a check compiles for one target only
        if all(len(targets) == len(nvidia.TARGETS) for targets in figures["compiled"].values()):
            report(dumped, figures, given)
    return 0


def compile_for_amd(given):
    dumped = configuration.dump(given.bin, given.model, given.model.stem, f"{given.name}-{given.family}", load(given))
    for name, row in amd.compile_kernels(dumped, given.family).items():
        line = f"{name[:44]:44} {row['registers']:4} registers, {row['spills']} spilled"
        for what in ("shared", "scratch", "code_bytes"):
            line += f" {row[what] / 1024:6.1f} KiB {AMD_WORDS[what]}"
        line += f" {row['waves']:3} waves, latency {row['latency']}"
        print(f"{line}, inverse throughput {row['inverse_throughput']}")
    return 0


def per_dof(given):
    # missing it is better said before minutes of counting
    import matplotlib  # noqa: F401

    def kernels_of(path, model, contacts, rows):
        options = ["--contacts", contacts, "--rows", rows, "--workgroup-bytes", 48 << 10]
        dumped, figures = figures_of(given.bin, path, model, "dofs", options, CHECK, targets=(TARGET,))
        return dumped.slot("qvel")[1], summary(figures)

    dofs.draw(dofs.count(kernels_of), given.out)
    return 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.epilog = "After -- come options of `manyworlds kernels`: count models/humanoid.xml -- --lanes 16"
    verbs = parser.add_subparsers(dest="verb", required=True)
    # argparse gives nothing behind options to a list of positional arguments
    given, ours = sys.argv[1:], []
    if "--" in given:
        at = given.index("--")
        given, ours = given[:at], given[at + 1 :]

    def verb(name, function):
        added = verbs.add_parser(name)
        added.set_defaults(function=function)
        added.add_argument("--bin", type=Path, default=ROOT / "target/release/manyworlds", help="the command")
        return added

    def of_model(added):
        added.add_argument("model", type=Path)
        added.add_argument("--name", default="default", help="of this configuration")
        added.add_argument("--contacts", type=float, default=5, help="mean contacts of a world")
        added.add_argument("--rows", type=float, default=25, help="mean constraint rows of a world")
        added.set_defaults(options=ours)

    def of_estimate(added):
        added.add_argument("--estimate-worlds", type=int, default=8192)
        added.add_argument("--added", action="store_true", help="latency adds to issue, instead of the longer of both")

    added = verb("check", check)
    added.add_argument("--renew", action="store_true", help="write counts.json")
    added.add_argument("--only", choices=CHECKED, action="append", help="a model; all where not given")
    added = verb("count", count)
    of_model(added)
    of_estimate(added)
    added.add_argument("--worlds", type=int, default=64, help="that run on the host")
    added.add_argument("--warm-up", type=int, default=150, help="steps before those that are counted")
    added.add_argument("--steps", type=int, default=4)
    added.add_argument("--functions", action="store_true", help="also by function of the kernel")
    of_estimate(verb("list", list_counted))
    added = verb("amd", compile_for_amd)
    of_model(added)
    added.add_argument("--family", default="navi31")
    added = verb("dofs", per_dof)
    added.add_argument("--out", type=Path, default=ROOT / "docs/instructions_per_dof.svg", help="the picture")
    said = parser.parse_args(given)
    if ours and not hasattr(said, "options"):
        parser.error(f"{said.verb} takes no options of `manyworlds kernels`: {' '.join(ours)}")
    return said


def main():
    given = arguments()
    if given.verb == "list":
        return list_counted(given)
    given.bin = given.bin.resolve()
    if not given.bin.exists():
        raise SystemExit(f"no {given.bin}: cargo build --release, or --bin")
    if given.verb in ("check", "count", "dofs"):
        fetch_nvidia()
    return given.function(given)


if __name__ == "__main__":
    sys.exit(main())
