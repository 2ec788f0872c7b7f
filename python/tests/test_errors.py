"""Bad input: an exception of the fitting type that names the field and what is expected; the batch stays usable."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import manyworlds as mw
from manyworlds import State

# What is done to a batch of 3 cart-poles, the exception, and a part of its message.
CASES: list[tuple[str, Callable[[mw.Batch], Any], type[BaseException], str]] = [
    (
        "shape",
        lambda b: setattr(b, "ctrl", np.zeros((2, 1))),
        ValueError,
        r"'ctrl' has shape \[3, 1\] \[world, nu\], got",
    ),
    ("axes", lambda b: b.set("qpos", np.zeros((3, 2, 1))), ValueError, r"'qpos' has shape \[3, 2\]"),
    ("length", lambda b: b.set("qpos", [1, 2, 3]), ValueError, r"'qpos' has shape \[3, 2\].*got \[3\]"),
    ("rows", lambda b: b.set("qpos", np.zeros((3, 2)), worlds=[0]), ValueError, r"'qpos' has shape \[1, 2\]"),
    ("ragged", lambda b: b.set("qpos", [[1], [1, 2]]), ValueError, r"'qpos'.*expected shape \[3, 2\]"),
    ("text", lambda b: b.set("qpos", "x"), TypeError, "'qpos': numbers are expected, got dtype <U1"),
    ("complex", lambda b: b.set("qpos", np.zeros((3, 2), complex)), TypeError, "got dtype complex128"),
    ("objects", lambda b: b.set("qpos", [[None, 1]] * 3), TypeError, "got dtype object"),
    ("field", lambda b: b["qpoz"], KeyError, "there is no field 'qpoz'; did you mean 'qpos'"),
    ("set field", lambda b: b.set("qpoz", 0), KeyError, "did you mean 'qpos'"),
    ("attribute", lambda b: b.qpoz, AttributeError, "attribute of a batch 'qpoz'; did you mean 'qpos'"),
    ("set attribute", lambda b: setattr(b, "qpoz", 0), AttributeError, "field of a batch 'qpoz'; did you mean 'qpos'"),
    ("computed", lambda b: setattr(b, "xpos", 0), AttributeError, "'xpos' is computed by the stage kinematics"),
    ("set computed", lambda b: b.set("xpos", 0), ValueError, "'xpos' is computed by the stage kinematics"),
    ("counter", lambda b: b.set("nreset", 0), ValueError, "'nreset' is counted by steps"),
    ("not finite", lambda b: b.set("time", np.nan), ValueError, "'time' of world 0 is NaN"),
    ("mask", lambda b: b.reset([True, False]), ValueError, r"the mask has shape \[2\]; the batch has 3 worlds: \[3\]"),
    ("mask axes", lambda b: b.forward(np.ones((3, 1), bool)), ValueError, "the mask has shape"),
    ("world", lambda b: b.get("qpos", worlds=[3]), IndexError, "there is no world 3: the batch has 3"),
    ("twice", lambda b: b.get("qpos", worlds=[1, 1]), ValueError, "a world is listed twice"),
    ("worlds", lambda b: b.get("qpos", worlds=[0.5]), TypeError, "worlds are a mask of booleans or a list of indices"),
    ("steps", lambda b: b.step(-1), ValueError, "n is -1; it has to be at least 0"),
    ("half steps", lambda b: b.step(1.5), TypeError, "float"),
    ("key", lambda b: b.reset(keyframe="hangin"), KeyError, "no keyframe 'hangin'; did you mean 'hanging'"),
    ("key id", lambda b: b.reset(keyframe=9), KeyError, "no keyframe 9"),
    ("keys", lambda b: b.reset(keyframe=[0]), ValueError, "1 keyframes are given for 3 worlds"),
    ("bits", lambda b: b.get_state(1 << 20), ValueError, "0x100000 are no parts of a state"),
    ("state", lambda b: b.set_state(np.zeros((3, 1)), State.PHYSICS), ValueError, r"'state' has shape \[3, 4\]"),
    ("controls", lambda b: b.rollout(ctrl=np.zeros((3, 5))), ValueError, r"\[world, step, nu\]: \[3, T, 1\]"),
    ("no steps", lambda b: b.rollout(), ValueError, "give ctrl"),
    ("two steps", lambda b: b.rollout(ctrl=np.zeros((5, 1)), steps=4), ValueError, "'ctrl' is for 5 steps"),
    ("every", lambda b: b.rollout(steps=4, every=0), ValueError, "every is 0"),
    ("record", lambda b: b.rollout(steps=4, record=["qpoz"]), KeyError, "did you mean 'qpos'"),
    ("expand", lambda b: b.expand(["body_mas"]), ValueError, "no field 'body_mas'; did you mean 'body_mass'"),
    ("structure", lambda b: b.expand(["body_parentid"]), ValueError, "'body_parentid' cannot be expanded"),
    (
        "same",
        lambda b: b.set_model("body_mass", 1.0),
        ValueError,
        "'body_mass' is the same in all worlds; expand it first",
    ),
    ("no model field", lambda b: b.set_model("qpos", 1.0), KeyError, "no field of a model 'qpos'"),
    ("world model", lambda b: b.model_of(5), IndexError, "there is no world 5"),
    ("snapshot", lambda b: b.restore({"qpos": np.zeros((3, 9))}), ValueError, "snapshot"),
    ("contacts", lambda b: b.get("contact_adhesion"), ValueError, "does not keep 'contact_adhesion'"),
]


@pytest.mark.parametrize("what", [case[0] for case in CASES])
def test_bad_input_leaves_the_batch_as_it_was(what: str, make: Any, cartpole: mw.Model) -> None:
    _, act, kind, message = next(case for case in CASES if case[0] == what)
    batch = shared(make, cartpole)
    batch.reset()
    before = batch.get_state()
    with pytest.raises(kind, match=message) as raised:
        act(batch)
    assert type(raised.value) is kind or isinstance(raised.value, mw.UnknownNameError)
    np.testing.assert_array_equal(batch.get_state(), before)
    batch.step()
    assert (batch.time > 0).all()


_SHARED: dict[str, mw.Batch] = {}


def shared(make: Any, model: mw.Model) -> mw.Batch:
    """One batch for all cases of a backend: what is wrong must not break it."""
    if make.device not in _SHARED:
        _SHARED[make.device] = make(model, 3)
    return _SHARED[make.device]


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"num_worlds": -1}, ValueError, "num_worlds is -1; it has to be at least 1"),
        ({"num_worlds": 0}, ValueError, "num_worlds is 0"),
        ({"num_worlds": 1.5}, TypeError, "float"),
        ({"num_worlds": 1 << 40}, ValueError, "worlds are too many"),
        ({"num_worlds": 1 << 31}, MemoryError, "the most that fit are"),
        ({"device": "gpu:99"}, ValueError, "no GPU adapter '99'; found: 0: "),
        ({"device": "no such card"}, ValueError, "no GPU adapter 'no such card'"),
        ({"device": 3}, TypeError, "device is a string, got int"),
        ({"overflow": "grwo"}, ValueError, "overflow is 'grwo'; valid: grow flag error"),
        ({"on_status": "shout"}, ValueError, "on_status is 'shout'; valid: warn raise ignore"),
        ({"nconmax": -1}, ValueError, "nconmax is -1"),
        ({"seed": -1}, ValueError, "seed is -1"),
    ],
    ids=str,
)
def test_bad_arguments_of_a_batch(arguments: Any, kind: type[Exception], message: str, cartpole: mw.Model) -> None:
    given = {"num_worlds": 2, "device": "cpu", **arguments}
    with pytest.raises(kind, match=message):
        mw.Batch(cartpole, given.pop("num_worlds"), **given)


def test_a_batch_is_of_a_model() -> None:
    with pytest.raises(TypeError, match="a batch is of a Model, got str"):
        mw.Batch("model.xml", 1)  # type: ignore[arg-type]
    refused = "<mujoco><option integrator='discrete' solver='CG'><flag ipc='enable'/></option></mujoco>"
    with pytest.raises(NotImplementedError, match="flag ipc"):
        mw.Batch(mw.Model.from_xml_string(refused), 1, device="cpu")


def test_too_little_room_is_an_error_where_it_is_to_be_one(humanoid: mw.Model) -> None:
    batch = mw.Batch(humanoid, 2, device="cpu", nconmax=1, njmax=60, overflow="error", on_status="ignore")
    with pytest.raises(ValueError, match="left out in 2 of 2 worlds.*there is room for 1 and 60"):
        batch.step(200)
    batch.reset()
    batch.step()


NO_ADAPTER = """
import manyworlds as mw
model = mw.Model.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
batch = mw.Batch(model, 2)
assert batch.backend == "cpu" and "using the CPU backend: no hardware GPU" in batch.notice, batch.notice
try:
    mw.Batch(model, 2, device="gpu")
except RuntimeError as problem:
    assert "no GPU adapter" in str(problem), problem
else:
    raise SystemExit("no error")
"""


def test_without_an_adapter_there_is_the_cpu() -> None:
    nothing = {"VK_DRIVER_FILES": "/nonexistent.json", "VK_ICD_FILENAMES": "/nonexistent.json"}
    done = subprocess.run(
        [sys.executable, "-c", NO_ADAPTER], env={**os.environ, **nothing}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_closed_batch_says_so(make: Any, cartpole: mw.Model) -> None:
    with make(cartpole, 1) as batch:
        batch.step()
        assert not batch.closed
    assert batch.closed and "closed" in repr(batch)
    batch.close()
    calls: list[Callable[[], Any]] = [batch.step, lambda: batch.qpos, batch.reset, batch.snapshot, lambda: batch.status]
    for call in calls:
        with pytest.raises(RuntimeError, match="the batch is closed"):
            call()


def test_controls_that_are_not_finite_are_flagged(make: Any, cartpole: mw.Model) -> None:
    batch = make(cartpole, 2, on_status="ignore")
    batch.ctrl = [[np.nan], [0.5]]
    batch.step()
    assert batch.status.tolist() == [mw.Status.BAD_CTRL, 0] and np.isfinite(batch.qpos).all()


def test_randomize_says_what_is_wrong(cartpole: mw.Model) -> None:
    batch = mw.Batch(cartpole, 2, device="cpu")
    term = {"field": "body_mass", "ranges": (0.5, 1.5), "operation": "scale"}
    for change, kind, message in [
        ({"field": "body_mas"}, KeyError, "did you mean 'body_mass'"),
        ({"operation": "mul"}, ValueError, "'body_mass': operation is 'mul'; valid: set"),
        ({"distribution": "gamma"}, ValueError, "distribution is 'gamma'; valid: uniform"),
        ({"ranges": (2, 1)}, ValueError, "reversed"),
        ({"names": "pol"}, KeyError, "no body 'pol'; did you mean 'pole'"),
        ({"axes": 4}, ValueError, "'body_mass': axes 4"),
        ({"field": "body_parentid"}, ValueError, "cannot be expanded"),
        ({"ranges": (-2, -1)}, ValueError, "body_mass"),
    ]:
        with pytest.raises(kind, match=message):
            batch.randomize({**term, **change})
    assert batch.expanded == []
    with pytest.raises(TypeError, match="colour"):
        batch.randomize({**term, "colour": 1})


def test_a_fault_of_the_engine_is_an_exception(capfd: pytest.CaptureFixture[str]) -> None:
    # and not a PanicException, which `except Exception` would miss; what it says is in the exception only
    with pytest.raises(RuntimeError, match="a fault of the engine, please report.*error.rs:.*on purpose"):
        mw._core._panic()
    assert capfd.readouterr() == ("", "")


def test_a_mesh_named_twice_is_missing_twice() -> None:
    mesh = "<collision><geometry><mesh filename='package://p/m.stl'/></geometry></collision>"
    with pytest.raises(mw.ModelError) as raised:
        mw.Model.from_urdf(f"<robot name='r'><link name='a'>{mesh}{mesh}</link></robot>")
    assert str(raised.value).count("mesh 'package://p/m.stl' is not found") == 2
