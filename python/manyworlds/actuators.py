"""Motors as robots have them, put on the joints of a Spec.

    from manyworlds.actuators import dc_motor, ideal_pd, network

    spec = mw.Spec.from_xml_path("robot.xml")
    dc_motor(spec, "*_knee", stiffness=35, damping=0.6, saturation=45, effort=33, speed=21, name="knees")
    ideal_pd(spec, ["waist"], stiffness=80, damping=2, effort=50, delay=0.01)
    network(spec, "*_hip", "hips.npz", lags=(0, 2, 4), effort=80, name="hips")

The control of each is the target of its joint. They act in every step of the model. `delay` is of controls, by the
model's own history; `late` of a task delays actions by steps of the environment, each world's by a lag of its own,
which suits DC motors too. Gains and limits may differ from world to world: those of `ideal_pd` are
`actuator_gainprm` and `actuator_biasprm`, those of `dc_motor` and the weights of `network` a custom numeric, in
`numeric_data`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._networks import ACTIVATIONS, Layers, NetworkSource, packed_network, read_network
from ._spec import Spec
from .enums import Integrator

# Numbers of a DC motor, in the order of its custom numeric.
DC_NUMBERS = ("stiffness", "damping", "saturation", "effort", "speed")


def ideal_pd(
    spec: Spec,
    joints: str | Sequence[str],
    *,
    stiffness: float,
    damping: float,
    effort: float | None = None,
    armature: float | None = None,
    delay: float | None = None,
) -> list[str]:
    """Motors whose torque is `stiffness` times the way to the target minus `damping` times the velocity.

    joints: names, or a shell pattern. stiffness, damping: N m/rad and N m s/rad. effort: largest torque, N m.
    armature: inertia of the rotor at the joint. delay: of controls, s.

    Returns the names of the actuators, which are those of their joints. ValueError for a number that no motor has, or a
    joint that has an actuator of its name.
    """
    _positive(stiffness=stiffness, effort=effort)
    _not_negative(damping=damping, armature=armature, delay=delay)
    limits: dict[str, Any] = {} if effort is None else {"forcerange": [-effort, effort], "forcelimited": True}
    made = _joints(spec, joints, armature)
    late: dict[str, Any] = {}
    if delay:
        # a history of as many controls as that takes
        steps = delay / float(spec.copy().compile().opt.timestep)
        late = {"delay": delay, "nsample": math.ceil(steps - 1e-6) + 2}
    for name in made:
        spec.add("position", name=name, joint=name, kp=stiffness, kv=damping, **limits, **late)
    return made


def dc_motor(
    spec: Spec,
    joints: str | Sequence[str],
    *,
    stiffness: float,
    damping: float,
    saturation: float,
    effort: float,
    speed: float,
    armature: float | None = None,
    name: str = "dc_motor",
) -> list[str]:
    """Motors with the torque of `ideal_pd` within what a direct-current motor gives at its speed.

    saturation: torque at standstill, N m, which falls to zero at `speed`, rad/s, the speed without load; against the
        motion a motor gives more, up to `effort`, which is the largest torque, N m.
    name: of the custom numeric with stiffness, damping, saturation, effort and speed of these motors.

    See `ideal_pd` for the rest. `dcmotor` of MJCF is a motor by its electric constants.
    """
    _positive(stiffness=stiffness, saturation=saturation, effort=effort, speed=speed)
    _not_negative(damping=damping, armature=armature)
    if not name.isidentifier():
        raise ValueError(f"the name of a numeric in formulas is a word, got '{name}'")
    made = _joints(spec, joints, armature)
    spec.add("numeric", name=name, data=[stiffness, damping, saturation, effort, speed])
    kp, kd, most, least, fast = (f"{name}[{k}]" for k in range(len(DC_NUMBERS)))
    wanted = f"{kp}*(control - length) - {kd}*velocity"
    up = f"clip({most}*(1 - velocity/{fast}), 0, {least})"
    down = f"clip(-{most}*(1 + velocity/{fast}), -{least}, 0)"
    for joint in made:
        spec.add("general", name=joint, joint=joint, gaintype="user", biastype="user")
        spec.add("text", name=f"gain:{joint}", data="0*control")
        spec.add("text", name=f"bias:{joint}", data=f"clip({wanted}, {down}, {up})")
    return made


def network(
    spec: Spec,
    joints: str | Sequence[str],
    layers: NetworkSource,
    *,
    effort: float,
    lags: Sequence[int] = (0,),
    activation: str | None = None,
    error_scale: float = 1.0,
    velocity_scale: float = 1.0,
    torque_scale: float = 1.0,
    velocity_first: bool = False,
    armature: float | None = None,
    name: str = "network",
) -> list[str]:
    """Motors whose torque a small network has learned, as one of series-elastic actuators (Hwangbo et al. 2019).

    Its inputs are the ways to the target at the given lags, then the velocities at these lags; both are zero before an
    episode. It is computed in every step of the model, for each of the joints, which share its weights.

    layers: what `manyworlds._networks.read_network` reads: a `.npz` or `.onnx` file, pairs of weights [units, units
        before] and biases [units], or a `torch.nn.Sequential`; at most 4 hidden layers of at most 64 units.
    lags: steps of the model by which inputs are late: (0, 2, 4) for now, 10 and 20 ms ago at 5 ms a step.
    activation: of hidden layers: tanh, relu, elu, softsign, sigmoid or silu; that of the file where not given.
    error_scale, velocity_scale, torque_scale: factors of inputs and output. effort: largest torque, N m.
    velocity_first: for networks that take the velocities before the ways to the target.
    name: of the custom numeric with the weights.

    Returns the names of the actuators. ValueError for a network that does not fit, and with the integrator RK4, whose
    stages have no past. See `ideal_pd` for the rest.
    """
    _positive(effort=effort)
    _not_negative(armature=armature)
    numbers = _network_numbers(
        layers, activation, list(lags), (error_scale, velocity_scale, torque_scale), velocity_first
    )
    if not name.isidentifier():
        raise ValueError(f"the name of a numeric in formulas is a word, got '{name}'")
    if any(one.name == name for one in spec.all("numeric")):
        raise ValueError(f"there is a numeric '{name}' already: give this network another name")
    if max(lags) > 0 and spec.copy().compile().opt.integrator == Integrator.RK4:
        raise ValueError(
            "a network remembers its inputs from step to step, which RK4 has none of; choose 'implicitfast'"
        )
    made = _joints(spec, joints, armature)
    spec.add("numeric", name=name, data=numbers)
    parts = {"error": "ctrl", "speed": "qvel"}
    reads = {part: "[" + ", ".join(f'{field}("{joint}")' for joint in made) + "]" for part, field in parts.items()}
    at = "[" + ", ".join(f'qpos("{joint}")' for joint in made) + "]"
    reads["error"] += f" - {at}"
    order = ["speed", "error"] if velocity_first else ["error", "speed"]
    inputs = []
    for part in order:
        spec.add("text", name=f"let:{name}_{part}", data=reads[part])
        inputs += _late(spec, f"{name}_{part}", len(made), list(lags))
    torque = f"clip(network({name}, {', '.join(inputs)}), -{effort}, {effort})"
    spec.add("text", name=f"let:{name}_torque", data=torque)
    for k, joint in enumerate(made):
        spec.add("general", name=joint, joint=joint, gaintype="user", biastype="user")
        spec.add("text", name=f"gain:{joint}", data="0*control")
        spec.add("text", name=f"bias:{joint}", data=f"{name}_torque[{k}]")
    return made


def _late(spec: Spec, value: str, width: int, lags: list[int]) -> list[str]:
    """Formulas of a named value at lags; a state keeps what it was in the steps before."""
    most = max(lags)
    if most:
        past = f"{value}_past"
        spec.add("numeric", name=past, data=[0.0] * (most * width))
        kept = f"[{value}, {past}[0:{(most - 1) * width}]]" if most > 1 else value
        # rate times the time step: what it is in the next step
        spec.add("text", name=f"rate:{past}", data=f"({kept} - {past})/opt_timestep")
    return [f"{value}_past[{(lag - 1) * width}:{lag * width}]" if lag else value for lag in lags]


def _network_numbers(
    source: NetworkSource, activation: str | None, lags: list[int], scales: tuple[float, ...], velocity_first: bool
) -> list[float]:
    """The numbers of a network, with the scales of its inputs and its output in the weights."""
    if not lags or any(lag != int(lag) or lag < 0 for lag in lags):
        raise ValueError(f"lags are whole numbers of steps, 0 for now, got {list(lags)}")
    layers, found = read_network(source)
    activation = activation or found
    if len(layers) > 1 and activation not in ACTIVATIONS:
        raise ValueError(f"the activation of hidden layers is one of {', '.join(ACTIVATIONS)}, got {activation}")
    want, got = 2 * len(lags), layers[0][0].shape[1]
    if want != got:
        raise ValueError(f"the network has {got} inputs; {len(lags)} lags of error and velocity are {want}")
    error, velocity, torque = scales
    both = [velocity, error] if velocity_first else [error, velocity]
    scaled: Layers = [(w.copy(), b.copy()) for w, b in layers]
    scaled[0][0][:] *= np.repeat(both, len(lags))
    for part in scaled[-1]:
        part *= torque
    return packed_network(scaled, activation or ACTIVATIONS[0])


def _joints(spec: Spec, joints: str | Sequence[str], armature: float | None) -> list[str]:
    """Names of joints, whose armature is set where one is given."""
    patterns = [joints] if isinstance(joints, str) else list(joints)
    out: list[str] = []
    for pattern in patterns:
        found = [joint for joint in spec.all("joint", pattern) if joint.name]
        if not found:
            raise ValueError(f"there is no joint '{pattern}'; there are {', '.join(j.name for j in spec.all('joint'))}")
        out += [joint.name for joint in found if joint.name not in out]
    taken = {actuator.name for actuator in spec.all("actuator")}
    if double := next((name for name in out if name in taken), None):
        raise ValueError(f"joint '{double}' has an actuator of its name already")
    if armature is not None:
        for name in out:
            spec.find("joint", name).armature = armature
    return out


def _positive(**numbers: float | None) -> None:
    for name, number in numbers.items():
        if number is not None and not number > 0.0:
            raise ValueError(f"{name} is positive, got {number}")


def _not_negative(**numbers: float | None) -> None:
    for name, number in numbers.items():
        if number is not None and not number >= 0.0:
            raise ValueError(f"{name} is not negative, got {number}")
