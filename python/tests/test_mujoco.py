"""Names, shapes and conventions are those of MuJoCo's own bindings, object by object."""

from typing import Any

import mujoco
import numpy as np
import pytest
from conftest import MODELS

import manyworlds as mw
from manyworlds import State
from manyworlds._tables import MODEL

# Kinds with MuJoCo's word for them, where it is another.
KINDS = {"body": "body", "joint": "joint", "geom": "geom", "site": "site", "actuator": "actuator", "key": "key"}
KINDS |= {"tendon": "tendon", "camera": "cam", "light": "light", "equality": "eq"}
# Attributes of MuJoCo's objects that we have no field for; and the body of a joint, which MuJoCo gives for each degree
# of freedom.
NOT_OURS = {("joint", "Madr"), ("tendon", "J_colind"), ("actuator", "moment"), ("joint", "bodyid")}
NOT_OURS |= {("tendon", name) for name in ("wrapadr", "wrapnum")}


@pytest.fixture(params=["humanoid", "quadruped", "hopper"])
def both(request: pytest.FixtureRequest) -> tuple[Any, Any, mw.Batch]:
    """A model and a world after 100 steps in MuJoCo, and two worlds in the same state here."""
    path = str(MODELS / f"{request.param}.xml")
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    for _ in range(100):
        mujoco.mj_step(model, data)
    batch = mw.Batch(mw.Model.from_xml_path(path), 2, device="cpu")
    state = np.zeros(mujoco.mj_stateSize(model, int(State.INTEGRATION)))
    mujoco.mj_getState(model, data, state, int(State.INTEGRATION))
    batch.set_state(state)
    np.testing.assert_array_equal(batch.get_state()[1], state)
    mujoco.mj_forward(model, data)
    # what MuJoCo computes only where a sensor asks for it
    mujoco.mj_rnePostConstraint(model, data)
    mujoco.mj_subtreeVel(model, data)
    batch.forward()
    return model, data, batch


def attributes(theirs: Any) -> list[tuple[str, Any]]:
    """Arrays of an object of MuJoCo's bindings."""
    out = []
    for name in dir(theirs):
        if name.startswith("_") or name in ("id", "name"):
            continue
        try:
            value = np.asarray(getattr(theirs, name))
        except (AttributeError, TypeError, ValueError):
            continue
        if value.dtype.kind in "fiub" and value.size:
            out.append((name, value))
    return out


def test_objects_have_the_attributes_of_mujocos(both: tuple[Any, Any, mw.Batch]) -> None:
    model, data, batch = both
    compared = 0
    for kind, theirs in KINDS.items():
        for i in range(len(batch.model.names(kind))):
            pairs = [(getattr(model, theirs)(i), getattr(batch.model, kind)(i), None)]
            if kind not in ("key", "equality"):
                pairs.append((getattr(data, theirs)(i), getattr(batch, kind)(i), 0))
            for their, our, world in pairs:
                for name, want in attributes(their):
                    if (kind, name) in NOT_OURS:
                        continue
                    got = np.asarray(getattr(our, name))
                    got = got if world is None else got[world]
                    assert got.size == want.size, f"{kind}.{name}"
                    np.testing.assert_allclose(
                        got.ravel(), want.ravel(), rtol=1e-5, atol=1e-6, err_msg=f"{kind}.{name}"
                    )
                    compared += 1
    assert compared > 500


MANY = """<mujoco><worldbody><body name='m0' mocap='true'><geom size='.1'/></body>
<body name='m1' mocap='true' pos='0 0 1'><geom size='.1'/></body>
<body name='a' pos='0 0 3'><freejoint/><geom size='.1'/></body></worldbody>
<keyframe><key name='k' mpos='1 2 3 4 5 6' mquat='0 1 0 0 0 0 1 0'/><key/><key/></keyframe></mujoco>"""


@pytest.mark.parametrize("name", ["", "humanoid", "quadruped", "hopper"])
def test_fields_have_the_shapes_of_mujocos(name: str) -> None:
    text = (MODELS / f"{name}.xml").read_text() if name else MANY
    theirs, ours = mujoco.MjModel.from_xml_string(text), mw.Model.from_xml_string(text)
    compared = 0
    for field in MODEL:
        want = getattr(theirs, field, None)
        if isinstance(want, np.ndarray):
            assert ours[field].shape == want.shape, field
            compared += 1
    assert compared > 300
    if not name:
        np.testing.assert_array_equal(ours.key_mpos, theirs.key_mpos)
        np.testing.assert_array_equal(ours.key("k").mpos, theirs.key("k").mpos)
        np.testing.assert_array_equal(ours.key("k").mquat, theirs.key("k").mquat)


def test_contact_forces_and_jacobians_are_mujocos(both: tuple[Any, Any, mw.Batch]) -> None:
    model, data, batch = both
    found, force = batch.contacts(), np.zeros(6)
    assert found.ncon.tolist() == [data.ncon] * 2 and data.ncon > 0
    for contact in range(data.ncon):
        mujoco.mj_contactForce(model, data, contact, force)
        np.testing.assert_allclose(found.force[0, contact], force, atol=1e-6)
        np.testing.assert_allclose(found.frame[1, contact], data.contact[contact].frame, atol=1e-9)
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    body, point = model.nbody - 1, np.array([0.1, 0.2, 0.3])
    mujoco.mj_jac(model, data, linear, angular, point, body)
    ours = batch.jacobian("body", body, point=point)
    np.testing.assert_allclose(ours.linear[1], linear, atol=1e-12)
    np.testing.assert_allclose(ours.angular[1], angular, atol=1e-12)
