"""Fields, steps, resets, states and rollouts, on both backends."""

from typing import Any

import numpy as np
import pytest
from conftest import MODELS

import manyworlds as mw
from manyworlds import State, Status


def noise(model: mw.Model, *shape: int) -> Any:
    return np.random.default_rng(1).uniform(-1, 1, (*shape, model.nu))


def test_fields_have_worlds_first(make: Any, hopper: mw.Model) -> None:
    batch = make(hopper, 3)
    real = np.float32 if make.device == "gpu" else np.float64
    assert batch.qpos.shape == (3, hopper.nq) and batch.qpos.dtype == batch.dtype == real
    assert batch.xpos.shape == (3, hopper.nbody, 3) and batch.xmat.shape == (3, hopper.nbody, 9)
    assert batch.time.shape == batch.ncon.shape == (3,) and batch.ncon.dtype == batch.status.dtype == np.int32
    assert batch["contact_dist"].shape == (3, batch.capacity.nconmax)
    assert batch["body_mass"].shape == (3, hopper.nbody)
    assert "Shape: [world, nq]" in (mw.Batch.qpos.__doc__ or "")
    assert len(batch) == batch.num_worlds == 3 and batch.backend == make.device


def test_what_attributes_return_cannot_be_written(make: Any, cartpole: mw.Model) -> None:
    batch = make(cartpole, 2)
    with pytest.raises(ValueError, match="read-only"):
        batch.qpos[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        batch["qvel"][:] = 1
    own = batch.get("qpos")
    own[0] = 7
    assert not batch.qpos.any()


def test_writes_of_rows_numbers_and_some_worlds(make: Any, cartpole: mw.Model) -> None:
    batch = make(cartpole, 4)
    batch.qpos = [0.5, 0.25]
    np.testing.assert_array_equal(batch.qpos, [[0.5, 0.25]] * 4)
    batch["qvel"] = np.arange(8).reshape(4, 2)
    batch.set("ctrl", 0.125, worlds=[1])
    np.testing.assert_array_equal(batch.ctrl[:, 0], [0, 0.125, 0, 0])
    batch.set("qpos", [[1, 1], [3, 3]], worlds=[3, 1])
    np.testing.assert_array_equal(batch.qpos[:, 0], [0.5, 3, 0.5, 1])
    np.testing.assert_array_equal(batch.get("qvel", worlds=[2, 0]), [[4, 5], [0, 1]])
    np.testing.assert_array_equal(batch.get("qvel", worlds=np.array([False, True, False, True])), [[2, 3], [6, 7]])
    np.testing.assert_array_equal(batch.get("qvel", worlds=slice(1, 3)), [[2, 3], [4, 5]])
    np.testing.assert_array_equal(batch.get("qvel", worlds=-1), [[6, 7]])
    batch.time = 2.0
    np.testing.assert_array_equal(batch.time, [2, 2, 2, 2])
    # any memory layout and number type, converted once
    for array in (
        np.ones((2, 4)).T,
        np.ones((8, 2), np.float32)[::2],
        np.ones((4, 2), np.int64),
        np.ones((4, 2), bool),
    ):
        batch.qpos = array
        np.testing.assert_array_equal(batch.qpos, np.ones((4, 2)))


def test_objects_by_name(make: Any, hopper: mw.Model) -> None:
    batch = make(hopper, 2)
    name = hopper.names("joint")[-1]
    batch.joint(name).qpos = [[0.1], [0.2]]
    np.testing.assert_allclose(batch.joint(name).qpos, [[0.1], [0.2]], rtol=1e-6)
    np.testing.assert_array_equal(batch.joint(name).qpos, batch.qpos[:, hopper.joint(name).qposadr, None])
    batch.forward()
    thigh = hopper.body("thigh").id
    np.testing.assert_array_equal(batch.body("thigh").xpos, batch.xpos[:, thigh])
    np.testing.assert_array_equal(batch.bodies(["trunk", "thigh"]).xpos, batch.xpos[:, [1, thigh]])
    np.testing.assert_allclose(batch.body("thigh").mass, [hopper.body_mass[thigh]] * 2, rtol=1e-6)
    assert batch.actuator(0).ctrl.shape == (2, 1)
    with pytest.raises(ValueError, match="read-only"):
        batch.body("thigh").xpos[:] = 0
    with pytest.raises(KeyError, match="no body 'thig'; did you mean 'thigh'"):
        batch.body("thig")
    with pytest.raises(AttributeError, match="attribute of a body 'xpoz'; did you mean 'xpos'"):
        batch.body("thigh").xpoz
    with pytest.raises(ValueError, match="'qpos' has shape \\[2, 1\\], got \\[3\\]"):
        batch.joint(name).qpos = [1, 2, 3]


def test_steps_are_those_of_the_engine_in_one_call_or_many(make: Any, hopper: mw.Model) -> None:
    one, many = make(hopper, 3), make(hopper, 3)
    one.ctrl = many.ctrl = noise(hopper, 3)
    one.step(12)
    for _ in range(12):
        many.step()
    np.testing.assert_array_equal(one.qpos, many.qpos)
    np.testing.assert_allclose(one.time, 12 * hopper.opt.timestep, rtol=1e-6)
    assert np.abs(one.qpos - one.qpos[0]).max() > 0


def test_reset_to_keyframes_and_states(make: Any, cartpole: mw.Model) -> None:
    batch = make(cartpole, 3)
    batch.ctrl = 1.0
    batch.step(3)
    state = batch.get_state(State.FULLPHYSICS)
    assert state.shape == (3, batch.state_size(State.FULLPHYSICS)) == (3, 1 + cartpole.nq + cartpole.nv)
    batch.reset([True, False, False])
    assert batch.time[0] == 0 and batch.time[1] > 0
    batch.reset(keyframe="hanging")
    np.testing.assert_allclose(batch.qpos, np.tile(cartpole.key("hanging").qpos, (3, 1)), rtol=1e-6)
    batch.reset([2, 0], keyframe=[None, 0])
    np.testing.assert_allclose(batch.qpos[0], cartpole.key_qpos[0], rtol=1e-6)
    np.testing.assert_array_equal(batch.qpos[2], cartpole.qpos0)
    batch.reset(state=state)
    np.testing.assert_array_equal(batch.get_state(State.FULLPHYSICS), state)
    batch.set_state(state[0], State.FULLPHYSICS, worlds=[1])
    np.testing.assert_array_equal(batch.get_state(State.FULLPHYSICS, [1, 0]), state[[0, 0]])
    batch.copy_world(0, [False, False, True])
    np.testing.assert_array_equal(batch.qpos[2], batch.qpos[0])


def test_rollout_has_the_bits_of_steps(make: Any, hopper: mw.Model) -> None:
    ctrl = noise(hopper, 2, 10)
    rolled, stepped = make(hopper, 2), make(hopper, 2)
    start = rolled.get_state(State.FULLPHYSICS)
    rolled.step(3)
    found = rolled.rollout(start, ctrl, record=["qpos", "time", "ncon", "state"], every=2)
    assert found["qpos"].shape == (2, 5, hopper.nq) and found["time"].shape == (2, 5)
    assert found["qpos"].dtype == rolled.dtype and found["ncon"].dtype == np.int32
    stepped.set_state(rolled.get_state(State.WARMSTART), State.WARMSTART)
    stepped.step(3)
    stepped.set_state(start, State.FULLPHYSICS)
    for t in range(10):
        stepped.ctrl = ctrl[:, t]
        stepped.step()
        if t % 2 == 1:
            np.testing.assert_array_equal(found["qpos"][:, t // 2], stepped.qpos)
            np.testing.assert_array_equal(found["state"][:, t // 2], stepped.get_state(State.FULLPHYSICS))
    again = make(hopper, 2).rollout(steps=4, record=["qpos"])
    assert again["qpos"].shape == (2, 4, hopper.nq)


def test_several_fields_are_one_copy(cartpole: mw.Model) -> None:
    batch = mw.Batch(cartpole, 64, device="gpu", on_status="ignore")
    batch.step()
    batch.wait()
    before = batch.moved
    found = batch.get(["qpos", "qvel", "ctrl"])
    after = batch.moved
    assert after.submissions - before.submissions == 1
    assert after.to_host - before.to_host == 4 * 64 * (cartpole.nq + cartpole.nv + cartpole.nu)
    assert sum(array.nbytes for array in found.values()) == after.to_host - before.to_host
    # nothing comes back unless it is read
    before = batch.moved
    for _ in range(5):
        batch.step()
    assert batch.moved.to_host == before.to_host
    # the state before them is kept there once
    assert batch.moved.submissions - before.submissions == 1
    # what is written goes there once, beside a few words that say where to
    before = batch.moved
    batch.ctrl = np.ones((64, cartpole.nu))
    sent = batch.moved.to_device - before.to_device
    assert 4 * 64 * cartpole.nu <= sent < 4 * 64 * cartpole.nu + 512
    assert batch.moved.submissions - before.submissions == 1


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_an_object_of_some_worlds_costs_what_they_cost(cartpole: mw.Model, device: str) -> None:
    costs = []
    for worlds in (8, 64):
        batch = mw.Batch(cartpole, worlds, device=device, on_status="ignore")
        hinge = batch.joint("hinge")
        before = batch.moved
        hinge.set("qpos", [[0.5], [0.25]], worlds=[5, 2])
        after = batch.moved
        np.testing.assert_array_equal(hinge.get("qpos", [5, 2]), [[0.5], [0.25]])
        last = batch.moved
        costs.append((after.to_device - before.to_device, after.to_host - before.to_host, last.to_host - after.to_host))
        want = np.zeros((worlds, 1))
        want[[5, 2]] = [[0.5], [0.25]]
        np.testing.assert_array_equal(hinge.qpos, want)
        hinge.set("qpos", np.zeros((0, 1)), worlds=[])
        assert hinge.get("qpos", []).shape == (0, 1)
        with pytest.raises(ValueError, match="shape"):
            hinge.set("qpos", [[1], [2], [3]], worlds=[5, 2])
        batch.expand("dof_damping")
        hinge.set("damping", [[0.5]], worlds=[3])
        np.testing.assert_array_equal(hinge.get("damping", [3]), [[0.5]])
        np.testing.assert_array_equal(hinge.damping[3:5, 0] == 0.5, [True, False])
    assert costs[0] == costs[1]
    # the positions of two worlds, back and forth
    assert costs[0][1:] == ((16, 16) if device == "gpu" else (0, 0))


def test_status_is_flagged_warned_of_and_raised(make: Any, cartpole: mw.Model) -> None:
    batch = make(cartpole, 3)
    batch.set("ctrl", np.nan, worlds=[1])
    with pytest.warns(mw.StatusWarning, match="bad_ctrl in 1 of 3 worlds") as told:
        batch.step()
        batch.qpos
    assert told[0].filename == __file__
    batch.step()
    assert batch.status.tolist() == [0, Status.BAD_CTRL, 0] and batch.status_counts() == {"bad_ctrl": 1}
    assert np.isfinite(batch.qpos).all()
    batch.clear_status()
    assert not batch.status.any()

    strict = make(cartpole, 3, on_status="raise")
    strict.set("qpos", np.inf, worlds=[0])
    with pytest.raises(mw.StatusError, match="bad_qpos in 1 of 3 worlds"):
        strict.step()
        strict.qpos
    strict.reset()
    strict.ctrl = 0
    strict.step()
    assert strict.time[0] > 0

    silent = make(cartpole, 1, on_status="ignore")
    silent.ctrl = np.nan
    silent.step()
    assert silent.status[0] == Status.BAD_CTRL


def test_room_grows_or_is_reported(humanoid: mw.Model) -> None:
    batch = mw.Batch(humanoid, 2, device="cpu", nconmax=1, njmax=8)
    batch.step(200)
    assert batch.dropped is None and batch.growth[0].before.nconmax == 1 and batch.capacity.nconmax > 1
    flagged = mw.Batch(humanoid, 2, device="cpu", nconmax=1, njmax=60, overflow="flag", on_status="ignore")
    flagged.step(200)
    dropped = flagged.dropped
    assert dropped is not None and dropped.worlds == [0, 1] and dropped.wanted.nconmax > 1
    assert flagged.status[0] & Status.CONTACT_OVERFLOW


@pytest.mark.parametrize("name", sorted(path.stem for path in MODELS.glob("*.xml")))
def test_every_field_has_the_shape_of_the_table(name: str) -> None:
    from manyworlds._tables import DATA

    model = mw.Model.from_xml_path(MODELS / f"{name}.xml")
    batch = mw.Batch(model, 2, device="cpu", on_status="ignore")
    batch.step(2)
    for field in DATA.values():
        if batch.has(field.name):
            assert batch[field.name].shape == (2, *batch._row(field)), field.name
            assert getattr(batch, field.name).shape == (2, *batch._row(field))


def test_arrays_go_on_without_a_copy(make: Any, cartpole: mw.Model) -> None:
    own = make(cartpole, 2).get("qpos")
    assert own.flags.c_contiguous and own.flags.writeable
    other = np.from_dlpack(own)
    assert np.shares_memory(own, other)
    other[0, 0] = 5
    assert own[0, 0] == 5
