"""Identification from Python: a recording of a batch, results by name, what is refused."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import manyworlds as mw


def pendulum(mass: float, damping: float) -> mw.Model:
    return mw.Model.from_xml_string(
        f"""<mujoco>
          <option timestep="0.005"/>
          <worldbody>
            <body name="rod">
              <joint name="hinge" axis="0 1 0" damping="{damping}"/>
              <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5" mass="0.2"/>
              <body name="bob" pos="0 0 -0.5"><geom size="0.05" mass="{mass}"/></body>
            </body>
          </worldbody>
          <actuator><motor joint="hinge"/></actuator>
        </mujoco>"""
    )


def recorded(model: mw.Model, frames: int = 301) -> dict[str, np.ndarray]:
    batch = mw.Batch(model, 1, device="cpu")
    rows: dict[str, list[np.ndarray]] = {name: [] for name in ("qpos", "qvel", "ctrl", "time")}
    for step in range(frames):
        batch.ctrl = 2 * np.sin(0.03 * step) + np.sin(0.1 * step)
        batch.step()
        for name, row in rows.items():
            row.append(np.array(batch.get(name)))
    return {name: np.array(row) for name, row in rows.items()}


PARAMETERS = ["mass:bob=0.2..5", "dof_damping:hinge=log:0.01..2"]


def test_parameters_are_recovered_with_their_deviations() -> None:
    arrays = recorded(pendulum(1.3, 0.25))
    random = np.random.default_rng(0)
    for name in ("qpos", "qvel"):
        arrays[name] = arrays[name] + 0.01 * arrays[name].std() * random.standard_normal(arrays[name].shape)
    starts = ["start_qpos", "start_qvel"]
    found = mw.fit(pendulum(1.0, 0.1), arrays, PARAMETERS + starts, device="cpu")
    assert found.names == ["mass:bob", "dof_damping:hinge", "start_qpos", "start_qvel"] and found.converged
    np.testing.assert_allclose(found.values[:2], [1.3, 0.25], rtol=0.01)
    assert (np.abs(found.values[:2] - [1.3, 0.25]) < 4 * found.deviations[:2]).all()
    np.testing.assert_allclose(np.sqrt(np.diag(found.covariance)), found.deviations)
    assert found.jacobian.shape == (len(found.residuals), 4) and found.costs[-1] < found.costs[0]
    assert found.model.body("bob").mass == found.values[0]


def test_a_file_and_deviations_of_fields_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "recording.npz"
    np.savez(file, **recorded(pendulum(1.3, 0.25)))
    found = mw.fit(pendulum(1.0, 0.25), file, "mass:bob=..1.2", fields={"qpos": 0.01}, segment=50, device="cpu")
    assert (found.bounds, found.values[0]) == (["upper"], 1.2) and np.isnan(found.deviations[0])
    assert list(found.errors) == ["qpos"] and found.identifiable == [True]


def test_bad_arguments_are_refused() -> None:
    model, arrays = pendulum(1.0, 0.1), recorded(pendulum(1.3, 0.25), 21)
    with pytest.raises(ValueError, match="did you mean 'bob'"):
        mw.fit(model, arrays, "mass:bop", device="cpu")
    with pytest.raises(ValueError, match="has no array 'ctrl'"):
        mw.fit(model, {k: v for k, v in arrays.items() if k != "ctrl"}, "mass:bob", device="cpu")
    with pytest.raises(ValueError, match="'qvel' has shape"):
        mw.fit(model, {**arrays, "qvel": arrays["qvel"][:5]}, "mass:bob", device="cpu")
    with pytest.raises(FileNotFoundError):
        mw.fit(model, "no_such_file.npz", "mass:bob", device="cpu")
    with pytest.raises(TypeError, match="numbers are expected"):
        mw.fit(model, {**arrays, "qpos": np.array([["a"]])}, "mass:bob", device="cpu")


def test_ctrl_c_ends_a_fit_within_a_second() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    frames = 30_000
    truth = mw.Batch(pendulum(1.3, 0.25), 1, device="cpu")
    names = ["qpos", "qvel", "ctrl", "time"]
    found = truth.rollout(ctrl=np.sin(0.03 * np.arange(frames))[:, None], record=names)
    arrays = {name: np.moveaxis(values, 0, 1) for name, values in found.items()}
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    begin = time.perf_counter()
    timer.start()
    # far away, with segments that each have a start of their own: it takes many iterations
    with pytest.raises(KeyboardInterrupt) as raised:
        while True:
            mw.fit(pendulum(4.0, 0.02), arrays, [*PARAMETERS, "start_qpos"], segment=1000, device="cpu")
    timer.join()
    assert time.perf_counter() - begin - 0.5 < 1.0
    part = mw.kept(raised.value)
    assert part is None or (part.stop == "interrupted" and not part.converged and len(part.costs) > 1)
