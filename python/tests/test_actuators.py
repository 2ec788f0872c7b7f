"""Motors of robots: torques against their formulas in NumPy, on both backends, and delays of controls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manyworlds as mw
from manyworlds._networks import read_network
from manyworlds.actuators import dc_motor, ideal_pd, network

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


def layers_of(inputs: int, hidden: list[int], seed: int = 0) -> list[tuple[Any, Any]]:
    random, sizes = np.random.default_rng(seed), [inputs, *hidden, 1]
    return [(random.normal(size=(n, m)) / np.sqrt(m), random.normal(size=n)) for m, n in zip(sizes, sizes[1:])]


def perceptron(layers: list[tuple[Any, Any]], x: Any) -> Any:
    for w, b in layers[:-1]:
        x = x @ w.T + b
        x = x / (1 + abs(x))
    w, b = layers[-1]
    return (x @ w.T + b)[..., 0]


@pytest.mark.parametrize("device", DEVICES)
def test_networks_see_what_was_before(device: str, tmp_path: Path) -> None:
    worlds, steps, lags = 5, 30, (0, 2, 3)
    layers = layers_of(6, [32, 16])
    file = tmp_path / "knees.npz"
    arrays = {f"{kind}{k}": a for k, layer in enumerate(layers) for kind, a in zip("wb", layer)}
    np.savez(file, **arrays, activation="softsign")
    spec = mw.Spec.from_xml_string(ARMS)
    scales = {"error_scale": 2.0, "velocity_scale": 0.3, "torque_scale": 1.5}
    assert network(spec, "*_knee", file, effort=1.3, lags=lags, **scales, name="knees") == ["left_knee", "right_knee"]
    batch = mw.Batch(spec.compile(), worlds, device=device)
    random = np.random.default_rng(1)
    batch.qvel = random.normal(size=(worlds, 3))
    # of each step: ways to the target, and velocities
    seen = [np.zeros((2, worlds, 2))] * max(lags)
    limited = 0
    for _ in range(steps):
        batch.ctrl = random.uniform(-1.5, 1.5, (worlds, 2))
        seen.append(np.stack([batch.ctrl - batch.qpos[:, :2], batch.qvel[:, :2]]))
        batch.step()
        inputs = [scale * seen[-1 - lag][k] for k, scale in enumerate((2.0, 0.3)) for lag in lags]
        expected = np.clip(1.5 * perceptron(layers, np.stack(inputs, axis=-1)), -1.3, 1.3)
        limited += (abs(expected) == 1.3).sum()
        bound = 1e-9 if device == "cpu" else 1e-4
        np.testing.assert_allclose(batch.get("actuator_force"), expected, rtol=bound, atol=bound)
    assert 0 < limited < 2 * worlds * steps
    # an episode begins without a past
    batch.reset()
    batch.forward()
    assert np.asarray(batch.get("act")).any() == 0


def test_networks_of_other_packages_are_the_same_numbers(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    layers = layers_of(4, [8])
    nodes = [
        helper.make_node("Gemm", ["x", "w0", "b0"], ["y"], transB=1),
        helper.make_node("Elu", ["y"], ["z"]),
        helper.make_node("MatMul", ["z", "w1"], ["p"]),
        helper.make_node("Add", ["p", "b1"], ["out"]),
    ]
    named = {"w0": layers[0][0], "b0": layers[0][1], "w1": layers[1][0].T, "b1": layers[1][1]}
    arrays = [numpy_helper.from_array(a.astype(np.float64), name) for name, a in named.items()]
    of = lambda name, n: helper.make_tensor_value_info(name, TensorProto.DOUBLE, [None, n])  # noqa: E731
    graph = helper.make_graph(nodes, "net", [of("x", 4)], [of("out", 1)], arrays)
    onnx.save(helper.make_model(graph), tmp_path / "net.onnx")
    found, activation = read_network(tmp_path / "net.onnx")
    assert activation == "elu"
    for (w, b), (v, c) in zip(layers, found, strict=True):
        np.testing.assert_array_equal(w, v)
        np.testing.assert_array_equal(b, c)
    nodes[0] = helper.make_node("Gemm", ["x", "w0", "b0"], ["y"], transB=1, alpha=0.5)
    onnx.save(
        helper.make_model(helper.make_graph(nodes, "n", [of("x", 4)], [of("out", 1)], arrays)), tmp_path / "a.onnx"
    )
    with pytest.raises(ValueError, match="alpha, beta or transA is unknown"):
        read_network(tmp_path / "a.onnx")
    nodes[0] = helper.make_node("Gemm", ["x", "w0", "b0"], ["y"], transB=1)
    nodes[1] = helper.make_node("LSTM", ["y"], ["z"])
    onnx.save(
        helper.make_model(helper.make_graph(nodes, "net", [of("x", 4)], [of("out", 1)], arrays)), tmp_path / "l.onnx"
    )
    with pytest.raises(ValueError, match="a layer 'LSTM', which is unknown; known are Gemm"):
        read_network(tmp_path / "l.onnx")


class Linear:
    """Stands for a layer of PyTorch."""

    def __init__(self, weight: Any, bias: Any) -> None:
        self.weight, self.bias = Tensor(weight), Tensor(bias)


class Tensor:
    def __init__(self, values: Any) -> None:
        self.values = values

    def detach(self) -> Tensor:
        return self

    cpu = detach

    def numpy(self) -> Any:
        return self.values


class ELU:
    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha


class Tanh:
    pass


class Sequential:
    def __init__(self, *modules: Any) -> None:
        self.modules = modules

    def children(self) -> Any:
        return iter(self.modules)

    def state_dict(self) -> None:
        """A module has one."""


def test_chains_of_modules_are_read_as_they_are() -> None:
    first, second = (Linear(*layer) for layer in layers_of(2, [4]))
    found, activation = read_network(Sequential(first, ELU(), second))
    assert activation == "elu" and [w.shape for w, _ in found] == [(4, 2), (1, 4)]
    for modules, match in [
        ((first, ELU(0.3), second), "an 'elu' with alpha 0.3 is unknown"),
        ((first, ELU(), second, ELU()), "the output has no activation, here it has elu"),
        ((first, second), "two linear layers follow each other"),
        ((first, ELU(), Tanh(), second), "'tanh' stands where a linear layer is expected"),
        ((first, Sequential(), second), "a layer 'Sequential' is unknown"),
        ((first, ELU(), Linear(np.zeros((4, 4)), np.zeros(4)), Tanh(), second), "one activation, not elu and tanh"),
    ]:
        with pytest.raises(ValueError, match=match):
            read_network(Sequential(*modules))


def test_networks_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    spec = mw.Spec.from_xml_string(ARMS)

    def refused(match: str, layers: Any = None, **kwargs: Any) -> None:
        with pytest.raises(ValueError, match=match):
            network(spec, "waist", layers or layers_of(2, [4]), **{"effort": 1.0, "activation": "tanh", **kwargs})

    refused("one of tanh, relu, elu, softsign, sigmoid, silu, got gelu", activation="gelu")
    refused("has 2 inputs; 2 lags of error and velocity are 4", lags=(0, 1))
    refused("lags are whole numbers of steps", lags=(0, -1))
    refused("lags are whole numbers of steps", lags=())
    refused("at most 4 hidden layers of at most 64 units; this one has 65", layers_of(2, [65]))
    refused("1 to 32 inputs, got 40", layers_of(40, [4]), lags=range(20))
    refused("layer 1: weights of shape", [*layers_of(2, [4])[:1], (np.zeros((1, 5)), np.zeros(1))])
    refused("one output, its torque; this one has 3", [(np.zeros((3, 2)), np.zeros(3))])
    refused("layer 0: a weight or a bias is not finite", [(np.full((1, 2), np.nan), np.zeros(1))])
    refused("is no network: its name ends with .npz or .onnx", "net.pt")
    np.savez(tmp_path / "half.npz", w0=np.zeros((1, 2)))
    refused("has no array 'b0'", tmp_path / "half.npz")
    with pytest.raises(FileNotFoundError, match="no network"):
        network(spec, "waist", tmp_path / "none.npz", effort=1.0)
    spec.set("option", integrator="RK4")
    refused("which RK4 has none of", lags=(1,))


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
