"""Batches that go on later, with the same bits."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manyworlds as mw


def varied(make: Any, model: mw.Model) -> mw.Batch:
    """A batch that has something to keep of everything: contacts, models that differ, draws."""
    batch = make(model, 3, seed=5)
    batch.randomize(mw.Randomize("geom_friction", (0.5, 1.5), "scale"), mw.Randomize("body_mass", (0.9, 1.1), "scale"))
    batch.ctrl = np.random.default_rng(4).uniform(-1, 1, (3, model.nu))
    batch.step(40)
    return batch


def test_snapshots_go_on_with_the_same_bits(make: Any, hopper: mw.Model) -> None:
    batch = varied(make, hopper)
    kept = batch.snapshot()
    batch.step(10)
    want = batch.get(["qpos", "qvel", "time"])
    batch.reset()
    batch.restore(kept)
    batch.step(10)
    for name, array in want.items():
        np.testing.assert_array_equal(batch.get(name), array)


def test_pickles_and_files_go_on_with_the_same_bits(make: Any, hopper: mw.Model, tmp_path: Path) -> None:
    batch = varied(make, hopper)
    batch.save(tmp_path / "batch.npz")
    others = [pickle.loads(pickle.dumps(batch)), mw.Batch.load(tmp_path / "batch.npz")]
    batch.step(10)
    batch.randomize(mw.Randomize("body_mass", (0.9, 1.1), "scale"))
    batch.step(2)
    for other in others:
        assert (other.backend, other.capacity, other.expanded) == (make.device, batch.capacity, batch.expanded)
        other.step(10)
        # the next draw is the same too
        other.randomize(mw.Randomize("body_mass", (0.9, 1.1), "scale"))
        other.step(2)
        np.testing.assert_array_equal(other.qpos, batch.qpos)
        np.testing.assert_array_equal(other.get_model("body_mass"), batch.get_model("body_mass"))


def test_files_appear_whole_or_not_at_all(cartpole: mw.Model, tmp_path: Path) -> None:
    batch = mw.Batch(cartpole, 2, device="cpu")
    with pytest.raises(ValueError, match="saved as .npz"):
        batch.save(tmp_path / "batch.pkl")
    with pytest.raises(FileNotFoundError):
        batch.save(tmp_path / "nowhere" / "batch.npz")
    with pytest.raises(FileNotFoundError):
        mw.Batch.load(tmp_path / "nothing.npz")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(ValueError, match="not a batch"):
        mw.Batch.load(tmp_path / "other.npz")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other.npz"]


def test_a_snapshot_of_another_model_changes_nothing(cartpole: mw.Model, hopper: mw.Model) -> None:
    batch, other = mw.Batch(cartpole, 2, device="cpu"), mw.Batch(hopper, 2, device="cpu")
    before = batch.get_state()
    with pytest.raises(ValueError, match="in the snapshot"):
        batch.restore(other.snapshot())
    np.testing.assert_array_equal(batch.get_state(), before)
