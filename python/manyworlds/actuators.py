"""Motors as robots have them, put on the joints of a Spec.

    from manyworlds.actuators import dc_motor, ideal_pd

    spec = mw.Spec.from_xml_path("robot.xml")
    dc_motor(spec, "*_knee", stiffness=35, damping=0.6, saturation=45, effort=33, speed=21, name="knees")
    ideal_pd(spec, ["waist"], stiffness=80, damping=2, effort=50, delay=0.01)

The control of each is the target of its joint. They act in every step of the model. `delay` is of controls, by the
model's own history; `late` of a task delays actions by steps of the environment, each world's by a lag of its own,
which suits DC motors too. Gains and limits may differ from world to world: those of `ideal_pd` are
`actuator_gainprm` and `actuator_biasprm`, those of `dc_motor` a custom numeric, in `numeric_data`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ._spec import Spec

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
