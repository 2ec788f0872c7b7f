"""Contacts, Jacobians, derivatives and inverse dynamics."""

from typing import Any

import numpy as np
import pytest

import manyworlds as mw


def standing(make: Any, model: mw.Model) -> mw.Batch:
    batch = make(model, 2)
    batch.step(300)
    batch.forward()
    return batch


def test_contact_forces_carry_the_weight(make: Any, humanoid: mw.Model, hopper: mw.Model) -> None:
    batch = standing(make, hopper if make.device == "gpu" else humanoid)
    model = batch.model
    found = batch.contacts()
    count = int(found.ncon[0])
    assert count > 0 and found.pos.shape == (2, batch.capacity.nconmax, 3)
    assert not found.force[0, count:].any() and (found.geom[0, count:] == -1).all()
    # normals are unit vectors, and forces in the axes of the world are those of the constraints
    np.testing.assert_allclose(np.linalg.norm(found.frame[0, :count, :3], axis=1), 1, rtol=1e-5)
    world = np.einsum("cij,ci->cj", found.frame[0, :count].reshape(-1, 3, 3), found.force[0, :count, :3])
    moved = np.zeros(model.nv)
    for c in range(count):
        for sign, geom in zip((-1, 1), found.geom[0, c]):
            body = int(model.geom_bodyid[geom])
            linear, angular = batch.jacobian("body", body, point=found.pos[0, c], worlds=[0])
            torque = found.frame[0, c].reshape(3, 3).T @ found.force[0, c, 3:]
            moved += sign * (world[c] @ linear[0] + torque @ angular[0])
    rest = batch.qfrc_constraint[0] - moved
    limits = batch.efc_J[0].reshape(-1, model.nv) if batch.has("efc_J") else None
    if limits is not None:
        nefc = int(batch.nefc[0])
        other = batch.efc_type[0, :nefc] < 5
        rest = rest - batch.efc_force[0, :nefc][other] @ limits[:nefc][other]
    np.testing.assert_allclose(rest, 0, atol=1e-8 if make.device == "cpu" else 0.05)


def test_jacobians_give_velocities(make: Any, hopper: mw.Model) -> None:
    batch = make(hopper, 2)
    batch.qvel = np.random.default_rng(2).normal(size=(2, hopper.nv))
    before = batch.get("xpos")
    batch.forward()
    before = batch.get("xpos")
    linear, angular = batch.jacobian("body", "thigh")
    assert linear.shape == angular.shape == (2, 3, hopper.nv) and linear.dtype == batch.dtype
    velocity = np.einsum("wij,wj->wi", linear, batch.qvel)
    if make.device == "cpu":
        h = 1e-6
        batch.qpos = batch.qpos + h * batch.qvel
        batch.forward()
        np.testing.assert_allclose((batch.xpos - before)[:, hopper.body("thigh").id] / h, velocity, atol=1e-4)
    with pytest.raises(ValueError, match="a joint has no Jacobian"):
        batch.jacobian("joint", 0)
    with pytest.raises(KeyError, match="did you mean 'thigh'"):
        batch.jacobian("body", "thig")


def test_derivatives_are_those_of_steps(cartpole: mw.Model) -> None:
    batch = mw.Batch(cartpole, 3, device="cpu")
    batch.qpos = np.random.default_rng(3).uniform(-0.1, 0.1, (3, 2))
    found = batch.derivatives()
    assert found.A.shape == (3, 4, 4) and found.B.shape == (3, 4, 1)
    base, moved = batch.get("qpos", [0]), mw.Batch(cartpole, 2, device="cpu")
    moved.qpos = np.concatenate([base, base])
    eps = 1e-6
    moved.ctrl = [[0], [eps]]
    moved.step()
    np.testing.assert_allclose((moved.qvel[1] - moved.qvel[0]) / eps, found.B[0, 2:, 0], rtol=1e-5)
    assert batch.derivatives([2, 0]).A.shape == (2, 4, 4)
    batch.forward()
    inverse = batch.inverse_derivatives()
    assert inverse.by_qacc.shape == (3, 2, 2)
    with pytest.raises(ValueError, match="no world is chosen"):
        batch.derivatives([])


def test_inverse_dynamics_undo_forward(make: Any, cartpole: mw.Model) -> None:
    batch = make(cartpole, 2)
    batch.ctrl = [[0.5], [-0.5]]
    batch.forward()
    batch.inverse()
    want = batch.qfrc_actuator
    np.testing.assert_allclose(batch.qfrc_inverse, want, atol=1e-9 if make.device == "cpu" else 1e-3)
