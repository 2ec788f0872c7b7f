#!/usr/bin/env python3
"""Rates of ours and the peers on the same models and machine, in turns: medians and ratios.

    cargo build --release
    pip install mujoco==3.17.0 mujoco-warp==3.17.0            # peers mujoco and warp
    pip install mujoco-mjx==3.17.0 jax                        # peer mjx
    benches/compare/compare.py --bin target/release/manyworlds --backend gpu --worlds 1,1024,8192 --repeat 5

Workload `hold`: every world starts at keyframe 0, or the reference pose, and holds a constant control of its own,
uniform in 0.3 x ctrlrange (in +-0.3 where unlimited), drawn once. After the warm-up one region of `--steps` steps is
timed; it ends in a synchronisation and has no copies to the host. Every repetition times the same steps. A peer that
is not installed is left out, with a message.

One JSON line a measurement goes to benches/results/<date>-<device>-<commit>.jsonl; the table is made from them.
"""
import argparse
import datetime
import importlib.util
import json
import os
import platform
import re
import select
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDS = {"mujoco": ("mujoco",), "warp": ("mujoco", "warp", "mujoco_warp"), "mjx": ("mujoco", "jax", "mujoco.mjx")}
# models that our binary refuses are rows of the table too
FAILED = "failed"


# Peers: functions that prepare, and return a function that times one region: (seconds, final qpos, remarks).

def held_control(model, worlds):
    """Controls of the workload, [world, nu]."""
    import numpy as np
    limited = model.actuator_ctrllimited.astype(bool)[:, None]
    low, high = np.where(limited, model.actuator_ctrlrange, [-1.0, 1.0]).T
    return 0.3 * np.random.default_rng(0).uniform(low, high, size=(worlds, model.nu))


def start_pose(model):
    """A world at keyframe 0 or the reference pose."""
    import mujoco
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return data


def prepare_mujoco(model, args):
    """MuJoCo: mujoco.rollout on every core, in double precision."""
    import mujoco
    import numpy as np
    from mujoco import rollout
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    first = np.zeros(mujoco.mj_stateSize(model, spec))
    mujoco.mj_getState(model, start_pose(model), first, spec)
    warm = np.tile(first, (args.worlds, 1))
    ctrl = held_control(model, args.worlds)
    datas = [mujoco.MjData(model) for _ in range(args.threads)]
    roll = rollout.Rollout(nthread=args.threads)

    # one control per step, as the interface wants it: repeated outside the timed region
    def run(state, steps):
        controls = np.repeat(ctrl[:, None, :], steps, axis=1)
        begin = time.perf_counter()
        out, _ = roll.rollout(model, datas, state, controls)
        return time.perf_counter() - begin, out[:, -1]
    if args.warmup:
        _, warm = run(warm, args.warmup)

    def region():
        seconds, last = run(warm, args.steps)
        return seconds, last[:, 1:1 + model.nq], {}
    return region, "cpu x%d threads" % args.threads, "double"


def prepare_warp(model, args):
    """MuJoCo Warp: a captured graph of one step on CUDA, plain launches on a CPU."""
    import mujoco_warp as mjw
    import numpy as np
    import warp as wp
    wp.config.quiet = True
    wp.init()
    slots = {k: v for k, v in (("nconmax", args.nconmax), ("njmax", args.njmax)) if v}
    m, d = mjw.put_model(model), mjw.put_data(model, start_pose(model), nworld=args.worlds, **slots)
    d.ctrl = wp.array(held_control(model, args.worlds).astype(np.float32), dtype=float)
    device, one = wp.get_device(), lambda: mjw.step(m, d)
    names = ("time", "qpos", "qvel", "act", "qacc_warmstart")
    first = {name: wp.clone(getattr(d, name)) for name in names}

    def restore(saved):
        for name, values in saved.items():
            wp.copy(getattr(d, name), values)
    # compilation in the first step, after which the state is restored
    one()
    if device.is_cuda:
        with wp.ScopedCapture() as capture:
            mjw.step(m, d)
        one = lambda: wp.capture_launch(capture.graph)
    restore(first)
    for _ in range(args.warmup):
        one()
    warm = {name: wp.clone(getattr(d, name)) for name in names}

    def region():
        restore(warm)
        wp.synchronize()
        begin = time.perf_counter()
        for _ in range(args.steps):
            one()
        wp.synchronize()
        seconds = time.perf_counter() - begin
        remarks = {"overflow": int(np.count_nonzero(d.overflow.numpy()))} if hasattr(d, "overflow") else {}
        remarks |= {"naconmax": int(d.naconmax), "njmax": int(d.njmax)}
        return seconds, d.qpos.numpy(), remarks
    return region, getattr(device, "name", str(device)), "single"


def prepare_mjx(model, args):
    """MJX: one compiled scan over the steps of the region."""
    import jax
    import numpy as np
    from mujoco import mjx
    m, d = mjx.put_model(model), mjx.put_data(model, start_pose(model))
    ctrl = jax.numpy.asarray(held_control(model, args.worlds), dtype=jax.numpy.float32)
    d = jax.vmap(lambda u: d.replace(ctrl=u))(ctrl)
    each = jax.vmap(lambda x: mjx.step(m, x))
    many = jax.jit(lambda d, n: jax.lax.scan(lambda c, _: (each(c), None), d, None, length=n)[0], static_argnums=1)
    if args.warmup:
        d = jax.block_until_ready(many(d, args.warmup))
    # untimed first call: the number of steps is compiled in
    jax.block_until_ready(many(d, args.steps))

    def region():
        begin = time.perf_counter()
        last = jax.block_until_ready(many(d, args.steps))
        return time.perf_counter() - begin, np.asarray(last.qpos), {}
    return region, str(jax.devices()[0].device_kind), "single"


def work(args):
    """Process of a peer: prepares, then times one region per line of input."""
    import mujoco
    import numpy as np
    answers = os.fdopen(os.dup(1), "w")
    # output of the peers goes to stderr
    os.dup2(2, 1)

    def answer(**what):
        print(json.dumps(what), file=answers, flush=True)
    try:
        begin = time.perf_counter()
        model = mujoco.MjModel.from_xml_path(args.models[0])
        prepare = {"mujoco": prepare_mujoco, "warp": prepare_warp, "mjx": prepare_mjx}[args.work]
        region, device, precision = prepare(model, args)
        answer(ready=True, build_seconds=time.perf_counter() - begin, device=device, precision=precision)
        for _ in sys.stdin:
            seconds, qpos, remarks = region()
            finite = float(np.isfinite(qpos).all(axis=1).mean())
            answer(seconds=seconds, finite=finite, steps_per_second=args.worlds * args.steps / seconds, **remarks)
    except Exception as error:  # any failure of a peer is a row of the table
        answer(error="%s: %s" % (type(error).__name__, str(error).strip()[:300]))
        return 1
    return 0


# Driver: starts ours and the peers, takes turns, keeps the lines.

class Peer:
    """Process of a peer, ready to be timed."""

    def __init__(self, name, model, worlds, args):
        command = [args.python, __file__, "--work", name, "--models", model, "--worlds", str(worlds),
                   "--steps", str(args.steps), "--warmup", str(args.warmup), "--threads", str(args.threads),
                   "--nconmax", str(args.nconmax), "--njmax", str(args.njmax)]
        # else jax reserves most of the GPU's memory
        env = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false")
        self.name, self.limit = name, args.timeout
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env,
                                        stderr=None if args.verbose else subprocess.DEVNULL)
        self.common = self.read()

    def read(self):
        """The next answer; a missing one counts as a failure."""
        if not select.select([self.process.stdout], [], [], self.limit)[0]:
            return {"error": "no answer in %d s" % self.limit}
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "the process ended"}

    def measure(self):
        if "error" in self.common:
            return dict(self.common)
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()
        row = {k: v for k, v in self.common.items() if k != "ready"} | self.read()
        self.common = row if "error" in row else self.common
        return row

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Ours:
    """Our binary, started anew for each repetition."""

    def __init__(self, model, worlds, args):
        self.name, self.limit = "ours " + args.backend, args.timeout
        self.command = [args.bin, "bench", model, "--format", "json", "--worlds", str(worlds), "--steps",
                        str(args.steps), "--warmup", str(args.warmup), "--backend", args.backend, *args.ours]

    def measure(self):
        try:
            done = subprocess.run(self.command, capture_output=True, text=True, timeout=self.limit)
        except subprocess.TimeoutExpired:
            return {"error": "no answer in %d s" % self.limit}
        if done.returncode:
            return {"error": (done.stderr.strip().splitlines() or ["exit status %d" % done.returncode])[-1][:300]}
        return json.loads(done.stdout.strip().splitlines()[-1])["rows"][0]

    def close(self):
        pass


def run_text(command, **more):
    """Output of a command; empty if it is missing."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True, **more).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def processor():
    try:
        found = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return "%s, %d threads" % (found[1] if found else platform.processor() or platform.machine(), os.cpu_count())


def commit():
    """Commit of the sources; MANYWORLDS_COMMIT where they are no checkout."""
    text = run_text(["git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD"])
    dirty = text and run_text(["git", "-C", str(ROOT), "status", "--porcelain", "--untracked-files=no"])
    return os.environ.get("MANYWORLDS_COMMIT") or (text + ("+changes" if dirty else "")) or "unknown"


def machine(args):
    """Machine and versions, recorded in each line."""
    doctor = run_text([args.bin, "doctor", "--format", "json"])
    # status 1 and no output without an adapter
    adapters = json.loads(doctor).get("adapters", []) if doctor else []
    adapter = adapters[0] if adapters and args.backend != "cpu" else {}
    nvidia = run_text(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).splitlines()
    return {"device": adapter.get("name") or processor(), "driver": adapter.get("driver", platform.platform()),
            "nvidia": nvidia[0] if nvidia else "", "cpu": processor(), "commit": commit(),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
            "versions": versions(args), "workload": "hold", "warmup": args.warmup}


def versions(args):
    """Versions of the peers' packages in the interpreter that runs them."""
    script = ("import importlib.metadata as m, json\n"
              "def of(n):\n"
              "    try: return m.version(n)\n"
              "    except m.PackageNotFoundError: return None\n"
              "names = ['mujoco', 'mujoco-warp', 'warp-lang', 'mujoco-mjx', 'jax', 'numpy']\n"
              "print(json.dumps({n: of(n) for n in names if of(n)}))")
    text = run_text([args.python, "-c", script])
    return json.loads(text) if text else {}


def installed(name, args):
    """True if the packages of a peer are installed."""
    if args.python == sys.executable:
        try:
            return all(importlib.util.find_spec(n) for n in NEEDS[name])
        except ModuleNotFoundError:
            return False
    script = "import importlib.util as u, sys; sys.exit(not all(u.find_spec(n) for n in %r))" % (NEEDS[name],)
    return subprocess.run([args.python, "-c", script], capture_output=True).returncode == 0


def label(model, models):
    """File name of a model, with its folder if the name is ambiguous."""
    path = Path(model)
    alone = sum(Path(other).name == path.name for other in models) == 1
    return path.name if alone else path.parent.name + "/" + path.name


def compare(model, worlds, args, keep):
    """All sides of one model and size, in turns."""
    sides = [Ours(model, worlds, args)]
    try:
        for name in args.peers:
            sides.append(Peer(name, model, worlds, args))
        for repetition in range(args.repeat):
            for side in sides:
                row = side.measure()
                row = {"measured_on" if k == "device" else k: v for k, v in row.items()}
                keep(row | {"side": side.name, "model": label(model, args.models), "worlds": worlds,
                            "steps": args.steps, "repetition": repetition})
    finally:
        for side in sides:
            side.close()


def table(rows):
    """One line per model, size and side: median, range, ratio of ours to it."""
    groups = {}
    for row in rows:
        groups.setdefault((row["model"], row["worlds"]), {}).setdefault(row["side"], []).append(row)
    lines = ["%-22s %7s  %-9s %12s %25s %8s %8s" % ("model", "worlds", "side", "steps/s", "from ... to", "ours/it",
                                                  "finite")]
    for (model, worlds), sides in groups.items():
        rates = {side: [r["steps_per_second"] for r in all_ if "error" not in r] for side, all_ in sides.items()}
        ours = next((statistics.median(v) for k, v in rates.items() if k.startswith("ours") and v), None)
        for side, values in rates.items():
            head = "%-22s %7d  %-9s " % (model, worlds, side)
            if not values:
                lines.append(head + FAILED + ": " + next(r["error"] for r in sides[side]))
                continue
            median, finite = statistics.median(values), min(r["finite"] for r in sides[side] if "error" not in r)
            ratio = "%8.2f" % (ours / median) if ours else "%8s" % "-"
            spread = "%d ... %d" % (min(values), max(values))
            lines.append(head + "%12d %25s %s %7.1f%%" % (median, spread, ratio, 100 * finite))
    return "\n".join(lines)


def parse():
    text = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=text)
    numbers = lambda word: [int(x) for x in word.split(",")]
    words = lambda word: [x for x in word.split(",") if x]
    parser.add_argument("--bin", default=str(ROOT / "target/release/manyworlds"), help="our binary")
    parser.add_argument("--models", type=words, default=[str(ROOT / "models/humanoid.xml")], help="files, by commas")
    parser.add_argument("--worlds", type=numbers, default=[1, 1024, 8192], help="by commas")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--backend", choices=("cpu", "gpu"), default="gpu", help="of our binary")
    parser.add_argument("--peers", type=words, help="of mujoco,warp,mjx, by commas; default: what is installed")
    parser.add_argument("--python", default=sys.executable, help="interpreter that has the peers' packages")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of mujoco.rollout")
    parser.add_argument("--nconmax", type=int, default=0, help="warp: contacts per world; default: its own choice")
    parser.add_argument("--njmax", type=int, default=0, help="warp: rows per world; default: its own choice")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one answer of one side")
    parser.add_argument("--out", help="file of the JSON lines, added to if it is there")
    parser.add_argument("--verbose", action="store_true", help="show what the peers print")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    args, args.ours = parser.parse_known_args()
    args.ours = [word for word in args.ours if word != "--"]
    return args


def main():
    args = parse()
    if args.work:
        args.worlds = args.worlds[0]
        return work(args)
    if not shutil.which(args.bin):
        sys.exit("no binary at %s: cargo build --release, or --bin" % args.bin)
    unknown = [name for name in args.peers or [] if name not in NEEDS]
    if unknown:
        sys.exit("--peers: unknown %s; valid: %s" % (", ".join(unknown), ", ".join(NEEDS)))
    wanted = list(NEEDS) if args.peers is None else args.peers
    args.peers = [name for name in wanted if installed(name, args)]
    for name in set(wanted) - set(args.peers):
        print("left out, not installed: " + name, file=sys.stderr)
    where, rows = machine(args), []
    slug = re.sub(r"[^A-Za-z0-9]+", "_", where["device"])[:40].strip("_")
    out = Path(args.out or ROOT / "benches/results" / ("%s-%s-%s.jsonl" % (where["date"], slug, where["commit"])))
    out.parent.mkdir(parents=True, exist_ok=True)

    def keep(row):
        rows.append(row)
        with out.open("a") as file:
            file.write(json.dumps({**where, **row}) + "\n")
        said = row.get("error") or "%.0f steps/s" % row["steps_per_second"]
        print("%s, %d worlds, %s: %s" % (row["model"], row["worlds"], row["side"], said), file=sys.stderr)
    for model in args.models:
        for worlds in args.worlds:
            compare(model, worlds, args, keep)
    print("%s, %s, commit %s, %s, hold, warm-up %d, %d steps, %d repetitions"
          % (where["device"], where["driver"], where["commit"], where["date"], args.warmup, args.steps, args.repeat))
    print(table(rows))
    print("lines in %s" % out)
    return int(not any("error" not in row for row in rows))


if __name__ == "__main__":
    sys.exit(main())
