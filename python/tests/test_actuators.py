"""Motors of robots: torques against their formulas in NumPy, on both backends, and delays of controls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manyworlds as mw
from manyworlds.actuators import dc_motor, ideal_pd

DEVICES = ["cpu", "gpu"]
ARMS = """<mujoco>
  <option timestep="0.002" gravity="0 0 0"/>
  <worldbody>
    <body><joint name="left_knee" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body>
    <body pos="0 1 0"><joint name="right_knee" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body>
    <body pos="0 2 0"><joint name="waist" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body>
  </worldbody>
</mujoco>"""
STIFFNESS, DAMPING, SATURATION, EFFORT, SPEED = 35.0, 0.6, 45.0, 33.0, 21.0
MOTOR: dict[str, Any] = {
    "stiffness": STIFFNESS,
    "damping": DAMPING,
    "saturation": SATURATION,
    "effort": EFFORT,
    "speed": SPEED,
}


def torque(q: Any, v: Any, target: Any, effort: Any = EFFORT) -> Any:
    """Torque of the DC motor."""
    wanted = STIFFNESS * (target - q) - DAMPING * v
    low = np.clip(-SATURATION * (1 + v / SPEED), -effort, 0.0)
    return np.clip(wanted, low, np.clip(SATURATION * (1 - v / SPEED), 0.0, effort))


@pytest.mark.parametrize("device", DEVICES)
def test_torques_are_within_what_a_motor_gives_at_its_speed(device: str) -> None:
    spec = mw.Spec.from_xml_string(ARMS)
    assert dc_motor(spec, "*_knee", **MOTOR, armature=0.02, name="knees") == ["left_knee", "right_knee"]
    assert ideal_pd(spec, ["waist"], stiffness=80, damping=2, effort=50) == ["waist"]
    model = spec.compile()
    np.testing.assert_allclose(np.asarray(model.dof_armature), [0.02, 0.02, 0.0])
    worlds = 300
    batch = mw.Batch(model, worlds, device=device)
    # a limit of its own in each world
    batch.expand(["numeric_data"])
    numbers = np.tile([STIFFNESS, DAMPING, SATURATION, EFFORT, SPEED], (worlds, 1))
    numbers[:, 3] = np.linspace(5.0, 40.0, worlds)
    batch.set_model("numeric_data", numbers)
    random = np.random.default_rng(0)
    q, v, u = (random.uniform(-most, most, (worlds, 3)) for most in (1.0, 30.0, 2.0))
    batch.qpos, batch.qvel, batch.ctrl = q, v, u
    batch.forward()
    force = batch.get("actuator_force")
    expected = torque(q[:, :2], v[:, :2], u[:, :2], numbers[:, 3:4])
    np.testing.assert_allclose(force[:, :2], expected, rtol=1e-5, atol=1e-9 if device == "cpu" else 2e-4)
    waist = np.clip(80 * (u[:, 2] - q[:, 2]) - 2 * v[:, 2], -50, 50)
    np.testing.assert_allclose(force[:, 2], waist, rtol=1e-5, atol=1e-9 if device == "cpu" else 2e-4)
    # some are at each limit, and some at none
    at = np.abs(expected) >= numbers[:, 3:4] - 1e-9
    assert at.any() and (expected == 0.0).any() and (~at & (expected != 0.0)).any()


def test_controls_come_late() -> None:
    spec = mw.Spec.from_xml_string(ARMS)
    ideal_pd(spec, "left_knee", stiffness=10, damping=0, delay=0.01)
    ideal_pd(spec, "waist", stiffness=10, damping=0, delay=0.02)
    batch = mw.Batch(spec.compile(), 1, device="cpu")
    batch.step(20)
    batch.ctrl = np.ones((1, 2))
    first = {}
    for step in range(1, 20):
        batch.step()
        for k, force in enumerate(batch.get("actuator_force")[0]):
            if force != 0.0:
                first.setdefault(k, step)
    # 5 and 10 steps later than at once
    assert first == {0: 6, 1: 11}
    # whatever the step
    spec = mw.Spec.from_xml_string(ARMS.replace("0.002", "0.0001"))
    ideal_pd(spec, "waist", stiffness=10, damping=0, delay=0.02)
    batch = mw.Batch(spec.compile(), 1, device="cpu")
    batch.ctrl = np.ones((1, 1))
    batch.step(200)
    assert batch.get("actuator_force")[0, 0] == 0.0
    batch.step()
    assert batch.get("actuator_force")[0, 0] > 0.0


def test_mistakes_are_named() -> None:
    spec = mw.Spec.from_xml_string(ARMS)
    with pytest.raises(ValueError, match="no joint 'ankle'; there are left_knee, right_knee, waist"):
        ideal_pd(spec, "ankle", stiffness=1, damping=0)
    for wrong in ({"stiffness": 0.0}, {"damping": -1.0}, {"effort": -3.0}, {"delay": -0.1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ideal_pd(spec, "waist", **{"stiffness": 1.0, "damping": 0.0, **wrong})
    with pytest.raises(ValueError, match="is a word, got 'left-knee'"):
        dc_motor(spec, "waist", **MOTOR, name="left-knee")
    with pytest.raises(ValueError, match="speed is positive"):
        dc_motor(spec, "waist", **{**MOTOR, "speed": 0.0})
    ideal_pd(spec, "waist", stiffness=1, damping=0)
    with pytest.raises(ValueError, match="'waist' has an actuator"):
        dc_motor(spec, "waist", **MOTOR)
