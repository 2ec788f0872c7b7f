"""Worlds that differ: by hand, and by chance with the same numbers everywhere."""

from typing import Any

import numpy as np

import manyworlds as mw
from manyworlds import Randomize


def test_fields_of_the_model_differ(make: Any, cartpole: mw.Model) -> None:
    batch = make(cartpole, 3)
    batch.expand(["body_mass", "body_inertia"])
    assert "body_mass" in batch.expanded and "dof_invweight0" in batch.expanded
    mass = cartpole.body_mass * np.array([[1], [2], [3]])
    batch.set_model("body_mass", mass)
    np.testing.assert_allclose(batch.get_model("body_mass"), mass, rtol=1e-6)
    # what follows is recomputed
    total = batch.get_model("body_subtreemass")[:, 0]
    np.testing.assert_allclose(total, cartpole.body_subtreemass[0] * np.array([1, 2, 3]), rtol=1e-6)
    batch.body("pole").mass = [0.5, 0.6, 0.7]
    np.testing.assert_allclose(batch.body("pole").mass, [0.5, 0.6, 0.7], rtol=1e-6)
    batch.ctrl = 1.0
    batch.step(5)
    assert len(set(batch.qvel[:, 0].tolist())) == 3
    own = batch.model_of(1)
    np.testing.assert_allclose(own.body("pole").mass, 0.6, rtol=1e-6)


def drawn(device: str, model: mw.Model, worlds: int, first: int = 0, seed: int = 7) -> dict[str, Any]:
    batch = mw.Batch(model, worlds, device=device, seed=seed)
    batch.randomize(
        Randomize("geom_friction", (0.5, 1.5), "scale", names="foot*", axes=0),
        {"field": "body_mass", "ranges": (0.8, 1.2), "operation": "scale", "distribution": "log_uniform"},
        Randomize("dof_armature", (0.0, 0.01), "add"),
        Randomize("qpos", (0.0, 0.01), "add", "normal"),
        first_world=first,
    )
    return {name: batch.get(name) for name in ("geom_friction", "body_mass", "dof_armature", "qpos")}


def test_the_same_numbers_on_both_backends_and_in_every_batch(hopper: mw.Model) -> None:
    all_of, gpu, rest = drawn("cpu", hopper, 6), drawn("gpu", hopper, 6), drawn("cpu", hopper, 2, first=4)
    for name, values in all_of.items():
        np.testing.assert_allclose(gpu[name], values, rtol=1e-6, atol=1e-9)
        np.testing.assert_array_equal(rest[name], values[4:])
        assert np.ptp(values, axis=0).any(), name
    other = drawn("cpu", hopper, 6, seed=8)
    assert (other["body_mass"] != all_of["body_mass"]).any()


def test_elements_by_pattern_and_axis(humanoid: mw.Model) -> None:
    batch = mw.Batch(humanoid, 16, device="cpu", seed=1)
    soles = humanoid.geoms("sole_*").id
    batch.randomize(Randomize("geom_friction", (0.3, 1.2), names="sole_*", axes=[0]))
    friction = batch.get_model("geom_friction")
    assert (friction[:, soles, 0] >= 0.3).all() and (friction[:, soles, 0] <= 1.2).all()
    assert np.ptp(friction[:, soles, 0], axis=0).all()
    others = np.setdiff1d(np.arange(humanoid.ngeom), soles)
    np.testing.assert_array_equal(friction[:, others], np.tile(humanoid.geom_friction[others], (16, 1, 1)))
    np.testing.assert_array_equal(friction[:, :, 1:], np.tile(humanoid.geom_friction[:, 1:], (16, 1, 1)))
    # another part of the same field keeps the first, and an episode of its own draws anew
    batch.randomize(Randomize("geom_friction", {0: (2.0, 3.0), 1: (0.1, 0.2)}, names="fist_*"), worlds=[0, 1])
    now = batch.get_model("geom_friction")
    np.testing.assert_array_equal(now[:, soles], friction[:, soles])
    fists = humanoid.geoms("fist_*").id
    assert (now[:2, fists, 0] >= 2).all() and (now[2:, fists] == friction[2:, fists]).all()
    assert ((now[:2, fists, 1] >= 0.1) & (now[:2, fists, 1] <= 0.2)).all()
    # degrees of freedom by the names of joints
    batch.randomize(Randomize("dof_damping", (5.0, 6.0), names="knee_*"))
    damping = batch.get_model("dof_damping")
    knees = humanoid.joints("knee_*").dofadr
    assert (damping[:, knees] >= 5).all() and np.allclose(
        np.delete(damping[0], knees), np.delete(humanoid.dof_damping, knees)
    )


def test_streams_and_episodes(cartpole: mw.Model) -> None:
    batch = mw.Batch(cartpole, 4, device="cpu", seed=3)
    both = [Randomize(f, (0.5, 2.0), "scale", stream="s") for f in ("body_mass", "body_inertia")]
    batch.randomize(both)
    factor = batch.get_model("body_mass")[:, 1:] / cartpole.body_mass[1:]
    inertia = batch.get_model("body_inertia")[:, 1:] / cartpole.body_inertia[1:]
    np.testing.assert_allclose(inertia, np.repeat(factor[:, :, None], 3, axis=2), rtol=1e-12)
    first = batch.get_model("body_mass")
    batch.randomize(both)
    assert (batch.get_model("body_mass") != first)[:, 1:].all()
    batch.randomize(both, episode=0)
    np.testing.assert_array_equal(batch.get_model("body_mass"), first)
