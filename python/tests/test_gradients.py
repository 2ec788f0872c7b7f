"""Gradients of rollouts: against differences of whole rollouts, and by the checkers of JAX and PyTorch."""

from typing import Any

import numpy as np
import pytest

import manyworlds as mw
from manyworlds import gradients

# a free body on a tendon, a ball joint, a motor, a filter, sensors of place, speed and turn
MODEL = """<mujoco><option timestep="0.01" tolerance="1e-14"/><worldbody>
  <body pos="0 0 1"><joint name="h" axis="0 1 0" damping=".1"/><geom size=".03" fromto="0 0 0 .3 0 0" type="capsule"/>
    <body pos=".3 0 0"><joint name="b" type="ball" stiffness="1" damping=".02"/>
      <geom type="box" size=".1 .05 .03" pos=".1 0 0"/><site name="s" pos=".2 0 0"/></body></body>
  <body name="loose" pos="1 0 1"><freejoint/><geom type="box" size=".1 .08 .05"/><site name="t" pos=".1 0 0"/></body>
  </worldbody>
  <tendon><spatial stiffness="20" damping=".3" springlength=".4"><site site="s"/><site site="t"/></spatial></tendon>
  <actuator><motor joint="h"/><general joint="h" dyntype="filter" dynprm=".05" gainprm="2"/></actuator>
  <sensor><framepos objtype="site" objname="s"/><framequat objtype="body" objname="loose"/><jointvel joint="h"/>
  </sensor></mujoco>"""
STEPS, WORLDS = 6, 2


def start(model: mw.Model) -> list[np.ndarray]:
    """A state of each world, with quaternions that are not of length one, and controls."""
    rng = np.random.default_rng(3)
    qpos = np.tile(model.qpos0, (WORLDS, 1)) + 0.2 * rng.normal(size=(WORLDS, model.nq))
    qvel, act = rng.normal(size=(WORLDS, model.nv)), rng.normal(size=(WORLDS, model.na))
    return [qpos, qvel, act, rng.uniform(-1, 1, (WORLDS, STEPS, model.nu))]


@pytest.fixture(scope="module")
def simulation() -> gradients.Simulation:
    return gradients.Simulation(mw.Model.from_xml_string(MODEL), WORLDS)


def weights(motion: gradients.Outcome) -> gradients.Outcome:
    """A cost: a weight for each element of a motion."""
    rng = np.random.default_rng(4)
    return gradients.Outcome(*(rng.normal(size=np.shape(x)) for x in motion))


def cost(simulation: gradients.Simulation, given: list[np.ndarray]) -> float:
    motion = simulation.rollout(*given)
    return sum(float((w * x).sum()) for w, x in zip(weights(motion), motion))


def test_gradients_are_those_of_differences(simulation: gradients.Simulation) -> None:
    given = start(simulation.model)
    motion = simulation.rollout(*given)
    assert motion.qpos.shape == (WORLDS, STEPS, simulation.model.nq)
    found = simulation.gradient(*given, motion, weights(motion))
    for k, (name, got) in enumerate(zip(found._fields, found)):
        assert got.shape == given[k].shape
        for place in np.ndindex(got.shape):
            both = []
            for by in (1e-6, -1e-6):
                changed = [x.copy() for x in given]
                changed[k][place] += by
                both.append(cost(simulation, changed))
            assert got[place] == pytest.approx((both[0] - both[1]) / 2e-6, rel=1e-6, abs=1e-6), (name, place)


def test_rollouts_are_those_of_a_batch(simulation: gradients.Simulation) -> None:
    qpos, qvel, act, ctrl = start(simulation.model)
    motion = simulation.rollout(qpos, qvel, act, ctrl)
    batch = mw.Batch(simulation.model, WORLDS, device="cpu")
    batch.qpos, batch.qvel, batch.act = qpos, qvel, act
    for step in range(STEPS):
        batch.ctrl = ctrl[:, step]
        batch.step()
        np.testing.assert_array_equal(motion.qpos[:, step], batch.qpos)
        np.testing.assert_array_equal(motion.sensordata[:, step], batch.sensordata)
    one = simulation.rollout(qpos[0], qvel, act, ctrl)
    shared = simulation.gradient(qpos[0], qvel, act, ctrl, one, weights(one))
    assert shared.qpos.shape == (simulation.model.nq,) and shared.qvel.shape == qvel.shape
    both = simulation.gradient(np.tile(qpos[0], (WORLDS, 1)), qvel, act, ctrl, one, weights(one))
    np.testing.assert_allclose(shared.qpos, both.qpos.sum(0), rtol=1e-12)
    none = simulation.rollout(qpos, qvel, act, ctrl[:, :0])
    assert none.qpos.shape == (WORLDS, 0, simulation.model.nq)


def test_jax_differentiates(simulation: gradients.Simulation) -> None:
    jax = pytest.importorskip("jax")
    from jax.test_util import check_grads

    with jax.enable_x64(True):
        rollout = simulation.jax()
        check_grads(rollout, tuple(start(simulation.model)), order=1, modes=["rev"], atol=1e-5, rtol=1e-5)
        given = start(simulation.model)
        by_start = jax.jit(jax.grad(lambda *x: (rollout(*x).qpos ** 2).sum(), argnums=(0, 3)))(*given)
        motion = simulation.rollout(*given)
        zero = [np.zeros_like(x) for x in motion[1:]]
        want = simulation.gradient(*given, motion, gradients.Outcome(2 * motion.qpos, *zero))
        np.testing.assert_allclose(by_start[0], want.qpos, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(by_start[1], want.ctrl, rtol=1e-12, atol=1e-12)
    # in single precision as well
    assert simulation.jax()(*(np.asarray(x, np.float32) for x in given)).qpos.dtype == np.float32


def test_torch_differentiates(simulation: gradients.Simulation) -> None:
    torch = pytest.importorskip("torch")
    given = [torch.tensor(x, requires_grad=True) for x in start(simulation.model)]
    assert torch.autograd.gradcheck(lambda *x: tuple(simulation.torch()(*x)), given, atol=1e-5, rtol=1e-5)


def test_what_has_no_gradient_is_refused(simulation: gradients.Simulation) -> None:
    qpos, qvel, act, ctrl = start(simulation.model)
    with pytest.raises(ValueError, match=r"'ctrl' has shape \[2, steps, 2\], got \[2, 2\]"):
        simulation.rollout(qpos, qvel, act, ctrl[:, 0])
    with pytest.raises(ValueError, match=r"'qvel' has shape \[2, 10\] or \[10\], got \[3\]"):
        simulation.rollout(qpos, qvel[0, :3], act, ctrl)
    fast = qvel.copy()
    fast[1] = 1e12
    with pytest.raises(ValueError, match="world 1 diverges in step 0"):
        simulation.rollout(qpos, fast, act, ctrl)
    holed = ctrl.copy()
    holed[1, 2, 0] = np.nan
    with pytest.raises(ValueError, match="'ctrl' of world 1 in step 2 has nan at 0"):
        simulation.rollout(qpos, qvel, act, holed)
    motion = simulation.rollout(qpos, qvel, act, ctrl)
    with pytest.raises(ValueError, match="'cost.qpos'"):
        simulation.gradient(qpos, qvel, act, ctrl, motion, motion._replace(qpos=motion.qpos[:, 1:]))
    late = "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody><actuator>"
    late += "<motor joint='j' delay='.01' nsample='6'/></actuator></mujoco>"
    with pytest.raises(ValueError, match="delays or histories"):
        gradients.Simulation(mw.Model.from_xml_string(late), 1)


def test_methods_of_derivatives(cartpole: Any) -> None:
    batch = mw.Batch(cartpole, 3, device="cpu")
    batch.qpos = np.random.default_rng(0).uniform(-0.2, 0.2, (3, cartpole.nq))
    exact, near = batch.derivatives(), batch.derivatives(method="differences")
    for got, want in zip(exact, near):
        np.testing.assert_allclose(got, want, atol=1e-7)
    assert not np.array_equal(exact.A, near.A) and not exact.one_sided.any() and exact.one_sided.shape == (3,)
    np.testing.assert_array_equal(near.B, batch.derivatives(eps=1e-6).B)
    assert batch.inverse_derivatives(method="exact").one_sided.shape == (3,)
    with pytest.raises(ValueError, match='"exact" or "differences"'):
        batch.derivatives(method="symbolic")
    with pytest.raises(ValueError, match="exact derivatives change nothing"):
        batch.derivatives(method="exact", eps=1e-3)
