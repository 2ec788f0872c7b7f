#!/usr/bin/env python3
"""The same fit by ours and by scipy.optimize.least_squares over MuJoCo: optima, their largest relative difference, times.

    cargo build --release
    pip install mujoco==3.17.0 numpy scipy
    benches/compare/identification.py --bin target/release/manyworlds

An arm with three links is moved by sums of sines; its masses, the damping of its joints and the friction loss of its elbow are
estimated from positions and velocities with 1 % noise. Both start at the same values, with the same bounds, residuals and
recording. SciPy's method is trf with differences of two points; MuJoCo steps by mujoco.rollout in C, one call for all
segments, on one thread or on all, whichever is faster. Times of ours are those of the fit, and of the whole process.
"""
import argparse
import json
import os
import platform
import subprocess
import tempfile
import time
from pathlib import Path

import mujoco
import mujoco.rollout
import numpy as np
import scipy
from scipy.optimize import least_squares

# masses of three bodies, damping of three joints, friction loss of the elbow
TRUTH = np.array([2.0, 1.1, 0.45, 0.3, 0.2, 0.05, 0.15])
START = np.array([1.4, 1.6, 0.6, 0.1, 0.1, 0.1, 0.05])
LOW = np.array([0.2, 0.1, 0.05, 0.0, 0.0, 0.0, 0.0])
HIGH = np.array([10.0, 10.0, 5.0, 2.0, 2.0, 1.0, 1.0])
NAMES = ["mass:upper", "mass:fore", "mass:hand", "dof_damping:shoulder", "dof_damping:elbow", "dof_damping:wrist",
         "dof_frictionloss:elbow"]


def arm(values):
    """MJCF of the arm with some values."""
    upper, fore, hand, d0, d1, d2, loss = (repr(float(v)) for v in values)
    return f"""<mujoco>
      <option timestep="0.005" integrator="implicitfast"/>
      <worldbody>
        <body name="upper" pos="0 0 1">
          <joint name="shoulder" axis="0 1 0" damping="{d0}"/>
          <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.4" mass="{upper}"/>
          <body name="fore" pos="0 0 -0.4">
            <joint name="elbow" axis="0 1 0" damping="{d1}" frictionloss="{loss}"/>
            <geom type="capsule" size="0.025" fromto="0 0 0 0 0 -0.3" mass="{fore}"/>
            <body name="hand" pos="0 0 -0.3">
              <joint name="wrist" axis="1 0 0" damping="{d2}"/>
              <geom type="box" size="0.02 0.04 0.06" pos="0 0 -0.06" mass="{hand}"/>
            </body>
          </body>
        </body>
      </worldbody>
      <actuator><motor joint="shoulder"/><motor joint="elbow"/><motor joint="wrist"/></actuator>
    </mujoco>"""


def record(frames, noise):
    """Arrays [frame, 1, …] of the true arm: after every step, with the controls of that step."""
    model = mujoco.MjModel.from_xml_string(arm(TRUTH))
    data = mujoco.MjData(model)
    large, small, j = np.array([5.0, 2.0, 0.25]), np.array([3.0, 1.3, 0.15]), np.arange(3)
    rows = {name: [] for name in ("qpos", "qvel", "ctrl", "time")}
    for step in range(frames):
        t = step * model.opt.timestep
        data.ctrl[:] = large * np.sin((2.1 + j) * t + j) + small * np.sin((5.3 + 2 * j) * t + 2 * j)
        mujoco.mj_step(model, data)
        for name, row in rows.items():
            row.append([np.copy(getattr(data, name))])
    arrays = {name: np.array(row) for name, row in rows.items()}
    random = np.random.default_rng(0)
    for name in ("qpos", "qvel"):
        size = noise * arrays[name].std(axis=0, keepdims=True)
        arrays[name] = arrays[name] + size * random.standard_normal(arrays[name].shape)
    return arrays


def peer(arrays, segment, deviations, threads):
    """The fit by SciPy over MuJoCo: solution, seconds."""
    model = mujoco.MjModel.from_xml_string(arm(START))
    bodies = [model.body(name).id for name in ("upper", "fore", "hand")]
    elbow = model.joint("elbow").dofadr[0]
    mass, inertia = model.body_mass[bodies].copy(), model.body_inertia[bodies].copy()
    datas = [mujoco.MjData(model) for _ in range(threads)]
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    qpos, qvel, ctrl = (arrays[name][:, 0] for name in ("qpos", "qvel", "ctrl"))
    frames = len(qpos) - 1
    begins = list(range(0, frames, segment))
    steps = min(segment, frames)
    assert frames % steps == 0, "segments have to divide the frames"
    # a state is time, positions, velocities
    initial = np.array([np.concatenate([[0.0], qpos[b], qvel[b]]) for b in begins])
    controls = np.array([ctrl[b + 1:b + 1 + steps] for b in begins])
    measured = np.array([np.hstack([qpos, qvel])[b + 1:b + 1 + steps] for b in begins])
    scale = np.repeat(deviations, 3)
    runner = mujoco.rollout.Rollout(nthread=threads if threads > 1 else 0)
    count = 0

    def residual(x):
        nonlocal count
        count += 1
        model.body_mass[bodies] = x[:3]
        model.body_inertia[bodies] = inertia * (x[:3] / mass)[:, None]
        model.dof_damping[:] = x[3:6]
        model.dof_frictionloss[elbow] = x[6]
        mujoco.mj_setConst(model, datas[0])
        state, _ = runner.rollout([model] * len(begins), datas, initial, controls, control_spec=mujoco.mjtState.mjSTATE_CTRL)
        return ((state[:, :, 1:7] - measured) / scale).ravel()

    assert mujoco.mj_stateSize(model, spec) == 7
    begin = time.perf_counter()
    found = least_squares(residual, START, jac="2-point", method="trf", bounds=(LOW, HIGH), x_scale="jac",
                          xtol=1e-10, ftol=1e-10, gtol=1e-10)
    return found, time.perf_counter() - begin, count


def ours(binary, arrays, segment, deviations, backend):
    """The fit by our binary: its JSON object, seconds of the whole process."""
    with tempfile.TemporaryDirectory() as folder:
        model, recording = Path(folder, "arm.xml"), Path(folder, "recording.npz")
        model.write_text(arm(START))
        np.savez(recording, **{k: np.ascontiguousarray(v) for k, v in arrays.items()})
        command = [binary, "fit", model, recording, "--backend", backend, "--format", "json", "--segment", str(segment),
                   "--fields", f"qpos:{deviations[0]!r},qvel:{deviations[1]!r}"]
        for name, low, high in zip(NAMES, LOW, HIGH):
            command += ["--parameter", f"{name}={low}..{high}"]
        begin = time.perf_counter()
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        seconds = time.perf_counter() - begin
        if done.returncode:
            raise SystemExit(f"ours ended with {done.returncode}: {done.stderr or done.stdout}")
        return json.loads(done.stdout.splitlines()[-1]), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/release/manyworlds")
    parser.add_argument("--backend", default="cpu", choices=["cpu", "gpu"])
    parser.add_argument("--frames", type=int, default=1000, help="frames behind the first one")
    parser.add_argument("--segments", default="1000,100,50", help="frames of a segment, one fit for each")
    parser.add_argument("--noise", type=float, default=0.01)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    threads = os.cpu_count() or 1
    print(f"MuJoCo {mujoco.__version__}, SciPy {scipy.__version__}, {platform.machine()} with {threads} cores, "
          f"{args.frames} frames, noise {100 * args.noise:g} %")
    arrays = record(args.frames + 1, args.noise)
    deviations = tuple(float(args.noise * arrays[name].std()) for name in ("qpos", "qvel"))
    for segment in (int(n) for n in args.segments.split(",")):
        # in turns, the fastest of each
        theirs, mine = [], []
        for _ in range(args.repeat):
            theirs += [peer(arrays, segment, deviations, n) for n in sorted({1, threads})]
            mine.append(ours(args.bin, arrays, segment, deviations, args.backend))
        found, their_seconds, count = min(theirs, key=lambda t: t[1])
        fitted, process = min(mine, key=lambda m: m[0]["seconds"])
        values = np.array([p["value"] for p in fitted["parameters"]])
        print(f"\nsegments of {segment} frames")
        print(f"{'parameter':<24} {'true':>8} {'scipy':>12} {'ours':>12} {'deviation':>10}")
        for name, true, theirs_, p in zip(NAMES, TRUTH, found.x, fitted["parameters"]):
            deviation = "-" if p["deviation"] is None else f"{p['deviation']:.2g}"
            print(f"{name:<24} {true:>8} {theirs_:>12.7f} {p['value']:>12.7f} {deviation:>10}")
        print(f"largest relative difference {np.max(np.abs(values - found.x) / np.abs(found.x)):.1e}")
        print(f"cost                        scipy {found.cost:.6f}, ours {fitted['cost']:.6f}")
        print(f"time                        scipy {their_seconds:.3f} s ({count} rollouts), ours {fitted['seconds']:.3f} s "
              f"({fitted['evaluations']} rollouts, {len(fitted['iterations'])} iterations, by {fitted['stop']}), "
              f"process {process:.3f} s: {their_seconds / fitted['seconds']:.1f}x faster, {their_seconds / process:.1f}x as a "
              "process")


if __name__ == "__main__":
    main()
