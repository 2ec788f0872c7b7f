"""The commands `train`, `play` and `export`: what they write, runs that go on with the same bits, what is refused."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manyworlds as mw
from manyworlds.learn import Config, LearnError, Policy, export, tasks
from manyworlds.learn.command import main

pytest.importorskip("jax")

from manyworlds.learn import checkpoint, ppo  # noqa: E402

# A task of a user's own: a command, groups, and fields that differ at all times at which they can.
OWN = """
import manyworlds as mw
from manyworlds import envs
from manyworlds.task import uniform

def reach(seen=2):
    task = mw.Task(envs.model("CartPoleSwingUp"), frame_skip=2, max_episode_steps=12)
    aim = task.command("aim", uniform(-1.0, 1.0, 2), seconds=(0.1, 0.2))
    task.observe("aim", aim)
    task.observe("place", task.qpos[:seen], noise=0.01)
    task.observe("everything", mw.task.concat(task.qpos, task.qvel, task.body_mass[1]), group="critic")
    off = abs(task.qpos[0] - aim[0])
    task.reward("near", 1.0 - off)
    task.metric("off", off)
    task.metric("aim", aim[0])
    task.terminate("far", off > 1.5)
    task.reset("qpos", uniform(-0.5, 0.5, 2))
    mass = mw.Randomize("body_mass", (0.8, 1.2), "scale", when="reset")
    damping = mw.Randomize("dof_damping", (0.8, 1.2), "scale", when="interval", seconds=(0.1, 0.2))
    return task, [mass, damping]

def fewer():
    return reach(1)

def weaker():
    task, chance = reach()
    task.action_high *= 0.5
    return task, chance

def nothing():
    return "a task"
"""
FEW = ["horizon=8", "epochs=2", "minibatches=2", "hidden=8,8", "target_divergence=0.01", "deviation=0.5"]
BATCH = 8 * 8


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder with a module of the user's."""
    made = tmp_path_factory.mktemp("learn")
    (made / "own_tasks.py").write_text(OWN)
    sys.path.insert(0, str(made))
    yield made
    sys.path.remove(str(made))


def train(out: Path, *more: str, task: str = "own_tasks:reach", updates: int = 6) -> int:
    steps = [] if "--steps" in more or "--resume" in more else ["--steps", str(BATCH * updates)]
    begins = [] if "--resume" in more else ["--worlds", "8", "--device", "cpu", "--config", *FEW]
    return main(["train", task, "--out", str(out), "--evaluate", "0", *begins, *steps, *more])


@pytest.fixture(scope="module")
def run(folder: Path) -> Path:
    """A run of six updates that was never interrupted, of the user's task."""
    assert train(folder / "run", "--tensorboard", "--checkpoint-every", "2", "--report-every", "2") == 0
    return folder / "run"


def rows(out: Path) -> list[dict[str, str]]:
    """Rows of a log, without what depends on the clock."""
    with open(out / "log.csv", newline="") as file:
        found = list(csv.DictReader(file))
    clock = ("seconds", "steps_per_second", "physics")
    return [{key: value for key, value in row.items() if key not in clock} for row in found]


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says that cannot be done."""
    capsys.readouterr()
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and "Traceback" not in said
    return said


def test_a_run_leaves_a_log_a_curve_a_policy_and_events(run: Path) -> None:
    log = rows(run)
    assert [int(row["steps"]) for row in log] == [BATCH * k for k in range(1, 7)]
    assert set(log[0]) > {"return", "length", "learning_rate", "reward/near", "metric/off", "metric/aim"}
    # the mean distance and its reward are of the same steps
    assert all(float(row["reward/near"]) == pytest.approx(1 - float(row["metric/off"]), abs=1e-6) for row in log)
    assert (run / "curve.png").read_bytes().startswith(b"\x89PNG")
    events = next(run.glob("events.out.tfevents.*")).read_bytes()
    assert events.count(b"metric/off") == events.count(b"learning_rate") == 6
    about = Policy.load(run).about
    assert (about.task, about.model, about.seed, about.steps) == ("own_tasks:reach", "cartpole", 1, 6 * BATCH)
    assert [list(term) for term in about.seen] == [["policy", "aim", 2], ["policy", "place", 2]]
    assert (about.policy, about.critic, list(about.hidden)) == ((0, 4), (4, 9), [8, 8])
    assert not [path for path in run.iterdir() if path.name.startswith(".")]


def test_a_run_that_was_stopped_goes_on_with_the_same_bits(
    run: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "stopped"
    advance = ppo.Training.advance

    def interrupted(training: ppo.Training) -> tuple[float, ...]:
        # in the middle of an update, which is finished
        if training.done == 2:
            signal.raise_signal(signal.SIGINT)
        return advance(training)

    handler = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(ppo.Training, "advance", interrupted)
    assert train(out, "--checkpoint-every", "2") == 128 + signal.SIGINT
    assert signal.getsignal(signal.SIGINT) is handler
    said = capsys.readouterr().out
    assert f"ended after {3 * BATCH:,} of {6 * BATCH:,} steps" in said and f"--out {out} --resume" in said
    monkeypatch.setattr(ppo.Training, "advance", advance)
    # rows of updates that were not kept, as of a process that was killed
    with open(out / "log.csv", "a") as file:
        last = (out / "log.csv").read_text().splitlines()[-1].split(",")
        file.write(",".join([str(4 * BATCH), *last[1:]]) + f"\n{5 * BATCH},0.1")
    assert train(out, "--resume") == 0
    assert rows(out) == rows(run)
    for name in ("policy.npz", "checkpoint.npz"):
        with np.load(run / name) as theirs, np.load(out / name) as ours:
            assert set(ours.files) == set(theirs.files)
            for key in set(ours.files) - {"about"}:
                np.testing.assert_array_equal(ours[key], theirs[key], err_msg=key)
    kept = checkpoint.read(out / "checkpoint.npz")
    assert kept.part("chance")["_left"].any() and kept.part("learner")[".rate"] != np.float32(kept.config.rate)


def test_a_second_signal_ends_at_once() -> None:
    from manyworlds.learn.interrupt import Wish

    with pytest.raises(KeyboardInterrupt), Wish() as wish:
        signal.raise_signal(signal.SIGTERM)
        assert wish.signal == signal.SIGTERM
        signal.raise_signal(signal.SIGINT)


def test_another_seed_has_other_bits_and_a_policy_is_where_learning_begins(run: Path, folder: Path) -> None:
    assert train(folder / "other", "--seed", "2", updates=1) == 0
    assert train(folder / "loaded", "--seed", "2", "--load", str(run), updates=1) == 0
    names = ("run", "other", "loaded")
    first, other, loaded = (Policy.load(folder / name).arrays["actor.0.weight"] for name in names)
    # one update moves it a little
    assert 0 < np.abs(loaded - first).max() < 0.1 < np.abs(other - first).max()
    counts = [int(Policy.load(folder / name).arrays["seen.count"]) for name in names]
    assert counts[2] == counts[0] + counts[1]


def test_a_run_can_be_made_longer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "longer"
    assert train(out, updates=1) == 0
    assert "has all of its 64 steps" in refused(capsys, "train", "own_tasks:reach", "--out", str(out), "--resume")
    assert train(out, "--resume", "--steps", str(2 * BATCH)) == 0
    assert [int(row["steps"]) for row in rows(out)] == [BATCH, 2 * BATCH]


def test_the_policy_in_numpy_is_that_in_jax(run: Path) -> None:
    policy, found = Policy.load(run), tasks.find("own_tasks:reach")
    kept = checkpoint.read(run / "checkpoint.npz")
    state = ppo.state_of(kept.part("learner"), ppo.create(kept.config, 0, 9, 1))
    with found.environment(16, 3, "cpu") as env:
        seen = np.concatenate([env.reset(), 100 * env.step(0.5).observation])
    best = np.asarray(ppo.act_best(kept.config, state, seen))
    np.testing.assert_allclose(policy.raw(seen), best, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(policy.act(seen), ppo.spanned(found.task, best), rtol=1e-5, atol=1e-6)
    # the policy's group alone is enough; other sizes are not
    np.testing.assert_array_equal(policy.act(seen[:, :4]), policy.act(seen))
    assert np.isfinite(policy.act(np.full((1, 4), np.nan))).all()
    with pytest.raises(ValueError, match=r"an observation has 9 numbers, 4 of the policy; got \[2, 5\]"):
        policy.act(seen[:2, :5])


def test_a_graph_acts_as_the_policy(run: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    out = folder / "graphs" / "reach.onnx"
    assert main(["export", str(run), str(out)]) == 0
    assert "for 1,000 observations" in capsys.readouterr().out
    policy = Policy.load(run)
    # limits that are not about 0, and actions beyond them
    policy.arrays["actor.2.bias"] = np.float32([1.0])
    about = policy.about
    moved = Policy(policy.arrays, type(about)(**{**vars(about), "action_low": [-1.0], "action_high": [5.0]}))
    session = runtime.InferenceSession(export.graph(moved).SerializeToString())
    seen = export.trials(moved)
    (found,) = session.run(None, {"observation": seen})
    np.testing.assert_allclose(found, moved.act(seen), rtol=1e-5, atol=1e-5)
    assert found.max() == 5 > found.min() and export.difference(moved, graph(moved)) < 1e-5
    # the check finds another graph
    assert export.difference(policy, graph(moved)) > 0.1
    says = {one.key: one.value for one in onnx.load(out).metadata_props}
    assert says["task"] == "own_tasks:reach" and json.loads(says["action_high"]) == [1.0]
    assert json.loads(says["observation"]) == [["policy", "aim", 2], ["policy", "place", 2]]


def graph(policy: Policy) -> bytes:
    return bytes(export.graph(policy).SerializeToString())


def test_a_graph_that_differs_is_not_written(
    run: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr(export, "LIMIT", 0.1)
    assert "the graph differs from the policy" in refused(capsys, "export", str(run), str(folder / "wrong.onnx"))
    assert not (folder / "wrong.onnx").exists()
    assert "is written to a file .onnx, or" in refused(capsys, "export", str(run), str(folder / "wrong"))


def test_a_model_with_its_policy_acts_as_the_policy(
    run: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "reach.mwb"
    # a file does not start code of the user's
    assert "say --task own_tasks:reach" in refused(capsys, "export", str(run), str(out))
    assert main(["export", str(run), str(out), "--task", "own_tasks:reach"]) == 0
    assert "manyworlds view" in capsys.readouterr().out
    policy, worlds = Policy.load(run), 5
    batch = mw.Batch(mw.Model.from_xml_path(out), worlds, device="cpu")
    every = np.ones(worlds, bool)
    batch._core.seed_task(every, [3] * worlds, list(range(worlds)))
    batch._core.begin_episodes(every)
    for _ in range(20):
        seen = batch.get("observation")
        batch._core.step_by_policy()
        np.testing.assert_allclose(batch.get("action"), policy.act(seen), rtol=1e-5, atol=1e-5)
    # a command that is given is seen from the next observation on
    batch._core.give_command(every, "aim", [0.25, -0.5])
    for _ in range(5):
        batch._core.step_by_policy()
        going = ~batch.get("terminated").astype(bool).ravel()
        np.testing.assert_array_equal(batch.get("observation")[going, :2], np.tile([0.25, -0.5], (going.sum(), 1)))
    assert "no task 'own_task'" in refused(capsys, "export", str(run), str(out), "--task", "own_task")
    assert "part 1 of its observation" in refused(capsys, "export", str(run), str(out), "--task", "cartpole")


def test_the_window_is_a_command_of_its_own(
    run: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play = ["play", str(run), "--task", "own_tasks:reach", "--window"]
    monkeypatch.delenv("MANYWORLDS_BIN", raising=False)
    monkeypatch.setenv("PATH", str(folder))
    assert "cargo install --path crates/cli" in refused(capsys, *play)
    # stands for the command, and keeps what it was given
    stand_in = folder / "window.sh"
    stand_in.write_text(f'#!/bin/sh\necho "$@" > {folder}/given; /bin/cp "$2" {folder}/shown.mwb; exit 7\n')
    stand_in.chmod(0o755)
    monkeypatch.setenv("MANYWORLDS_BIN", str(stand_in))
    assert "say --task own_tasks:reach" in refused(capsys, "play", str(run), "--window")
    assert "leave out --command, or --window" in refused(capsys, *play, "--command", "0.5,0")
    assert "leave out --film" in refused(capsys, *play, "--film", "a.gif")
    assert main([*play, "--camera", "track"]) == 7
    assert (folder / "given").read_text().split()[2:] == ["--camera", "track"]
    assert mw.Model.from_bytes((folder / "shown.mwb").read_bytes()).nq == 2


def test_playing_says_what_episodes_came_to(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play = ["play", str(run), "--task", "own_tasks:reach", "--worlds", "4", "--device", "cpu"]
    assert main(play) == 0
    said = capsys.readouterr().out
    assert "first episodes of 4 worlds:" in said and "metric/off" in said
    assert main(play) == 0 and capsys.readouterr().out == said
    assert main([*play, "--seconds", "0.1", "--seed", "1"]) == 0
    assert "4 of them not over yet" in capsys.readouterr().out
    # a command that is kept: the metric is what was asked for
    for setting in ("0.25,0", "aim=0.25,0"):
        assert main([*play, "--seconds", "1", "--command", setting]) == 0
        assert "metric/aim 0.25 per step" in capsys.readouterr().out
    assert "'aim' has 2 finite numbers" in refused(capsys, *play, "--command", "0.25")
    assert "numbers are expected" in refused(capsys, *play, "--command", "a,b")
    assert "no command 'aims'" in refused(capsys, *play, "--command", "aims=0,0")
    with pytest.raises(LearnError, match="the task has no command"):
        tasks.fix_command(tasks.find("cartpole").task, "1")
    # a task that comes with the package
    tasks.fix_command(tasks.find("quadruped").task, "1,0,0")


def test_films(run: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("PIL.Image")
    play = ["play", str(run), "--task", "own_tasks:reach", "--worlds", "2", "--device", "cpu", "--size", "64x48"]
    for name in ("film.gif", "strip.png", "positions.npy", "pictures"):
        assert main([*play, "--seconds", "0.5", "--film", str(folder / name)]) == 0
    pictures = list((folder / "pictures").glob("*.png"))
    with image.open(folder / "film.gif") as film, image.open(folder / "strip.png") as strip:
        assert film.size == (64, 48) and film.n_frames == len(pictures) >= 10
        assert film.info["duration"] * film.n_frames == pytest.approx(500, abs=60)
        assert strip.size == (8 * 64, 48)
    frames = np.load(folder / "positions.npy")
    assert frames.shape == (round(0.5 / tasks.find("own_tasks:reach").task.dt), 2)
    assert "there are pictures in this folder already" in refused(capsys, *play, "--film", str(folder / "pictures"))
    assert "a film is .gif" in refused(capsys, *play, "--film", str(folder / "film.mp4"))
    assert "camera" in refused(capsys, *play, "--film", str(folder / "f.gif"), "--camera", "nowhere")


def test_tasks_that_are_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def asked(task: str) -> str:
        return refused(capsys, "train", task, "--out", str(folder / "none"))

    said = asked("Antt")
    assert "there is no task 'Antt'" in said and "'Ant'?" in said and "module:function for a task of your own" in said
    assert "there is no module 'no_such'" in asked("no_such:make")
    assert "there is no function of own_tasks 'reech'" in asked("own_tasks:reech")
    assert "it has returned str" in asked("own_tasks:nothing")
    assert "has no module" in asked(":make")
    assert not (folder / "none").exists()


def test_numbers_that_cannot_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def asked(*more: str) -> str:
        return refused(capsys, "train", "cartpole", "--device", "cpu", "--out", str(folder / "none"), *more)

    assert "no key of --config 'epoch'" in asked("--config", "epoch=3")
    assert "key=value" in asked("--config", "epochs")
    assert "--config epochs is a whole number, got '3.5'" in asked("--config", "epochs=3.5")
    assert "hidden is sizes, as 64,64" in asked("--config", "hidden=big")
    assert "which 7 minibatches do not divide" in asked("--config", "minibatches=7")
    assert "rate is above 0" in asked("--config", "rate=-1")
    assert "fewer than those of one update" in asked("--steps", "10")
    assert "no 64 worlds of CartPoleSwingUp on device 'quantum'" in asked("--device", "quantum")
    with pytest.raises(SystemExit):
        main(["play", "policy.npz", "--size", "large"])
    assert "a size is 320x240" in capsys.readouterr().err
    assert Config.from_dict(json.loads(json.dumps(Config(hidden=(3,)).as_dict()))) == Config(hidden=(3,))


def test_runs_that_cannot_go_on(run: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def asked(*more: str, task: str = "own_tasks:reach", out: Path = run) -> str:
        return refused(capsys, "train", task, "--out", str(out), *more)

    assert "holds a run already (checkpoint.npz): --resume" in asked()
    (folder / "begun").mkdir()
    (folder / "begun" / "log.csv").touch()
    assert "holds a run already (log.csv): remove it, or another --out" in asked(out=folder / "begun")
    assert "own_tasks.py" in asked("--device", "cpu", out=folder / "own_tasks.py")
    assert "to go on from: leave out --resume" in asked("--resume", out=folder / "empty")
    assert "is a run of 'own_tasks:reach', not of 'CartPoleSwingUp'" in asked("--resume", task="cartpole")
    for more in (["--seed", "0"], ["--worlds", "9"], ["--config", "rate=1"], ["--device", "gpu"], ["--load", "p.npz"]):
        assert f"keeps its {more[0]}" in asked("--resume", *more)
    whole = (run / "checkpoint.npz").read_bytes()
    for name, content in (("cut", whole[: len(whole) // 2]), ("empty", b""), ("text", b"no checkpoint")):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "checkpoint.npz").write_bytes(content)
        assert "no checkpoint that `train` has written, or a part of one" in asked("--resume", out=folder / name)
    (folder / "cut" / "checkpoint.npz").write_bytes((run / "policy.npz").read_bytes())
    assert "a checkpoint of format none" in asked("--resume", out=folder / "cut")


def test_a_task_that_has_changed_cannot_go_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "changed"
    assert train(out, updates=1) == 0
    kept = checkpoint.read(out / "checkpoint.npz")
    from manyworlds.learn.files import write_arrays

    write_arrays(out / "checkpoint.npz", kept.arrays, {**kept.about, "digest": "another"})
    said = refused(capsys, "train", "own_tasks:reach", "--out", str(out), "--resume")
    assert "is no longer that of" in said and f"--load {out}/policy.npz" in said

    def says(**values: Any) -> str:
        write_arrays(out / "checkpoint.npz", kept.arrays, {**kept.about, **values})
        return refused(capsys, "train", "own_tasks:reach", "--out", str(out), "--resume", "--steps", str(3 * BATCH))

    for wrong in ({"capacity": 3}, {"capacity": [1]}, {"done": "x"}, {"seconds": None}):
        assert "parts of this checkpoint are missing or wrong" in says(**wrong)
    assert "is of version 0.0.1, this is" in says(library="0.0.1")
    assert "is of device abacus, this is cpu" in says(used="abacus")


def test_policies_of_other_tasks(run: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "code of yours, which a file does not start: say --task own_tasks:reach" in refused(capsys, "play", str(run))
    said = refused(capsys, "play", str(run), "--task", "own_tasks:fewer")
    assert "part 2 of its observation is 'place' of length 2, that of the task is 'place' of length 1" in said
    said = refused(capsys, "play", str(run), "--task", "cartpole")
    assert "part 1 of its observation is 'aim' of length 2, that of the task is 'position' of length 1" in said
    said = refused(capsys, "play", str(run), "--task", "own_tasks:weaker")
    assert "number 0 of its actions is between -1 and 1, in the task between -1 and 0.5" in said
    out = ["--out", str(folder / "none")]
    said = refused(capsys, "train", "cartpole", "--load", str(run), *out, "--device", "cpu")
    assert "the policy is of 'own_tasks:reach', not of 'CartPoleSwingUp'" in said
    said = refused(capsys, "train", "own_tasks:reach", "--load", str(run), *out, "--device", "cpu")
    assert "give its --config hidden" in said


def test_files_that_are_no_policies(run: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def asked(content: bytes) -> str:
        (folder / "bad.npz").write_bytes(content)
        return refused(capsys, "play", str(folder / "bad.npz"))

    whole = (run / "policy.npz").read_bytes()
    assert "there is no such file" in refused(capsys, "play", str(folder / "nowhere.npz"))
    for content in (b"", b"text", whole[:-100], whole.replace(b"NUMPY", b"NUMPI", 3)):
        assert "no policy that `train` has written, or a part of one" in asked(content)
    assert "a policy of format none" in asked((run / "checkpoint.npz").read_bytes())
    with np.load(run / "policy.npz") as file:
        arrays = dict(file)
    for name, wrong, text in [
        ("actor.0.bias", np.zeros(3, np.float32), r"'actor.0.bias' is [8] of float32, got [3]"),
        ("log_deviation", np.full(1, np.nan, np.float32), "'log_deviation' is not finite"),
        # an object would be unpickled
        ("log_deviation", np.array([print], dtype=object), "allow_pickle=False"),
    ]:
        np.savez(folder / "wrong.npz", **{**arrays, name: wrong})
        assert text in asked((folder / "wrong.npz").read_bytes())
    about = json.loads(arrays["about"].tobytes())

    def says(**values: Any) -> str:
        said = json.dumps({key: value for key, value in {**about, **values}.items() if value is not None})
        np.savez(folder / "wrong.npz", **{**arrays, "about": np.frombuffer(said.encode(), np.uint8)})
        return asked((folder / "wrong.npz").read_bytes())

    assert "it does not say its dt" in says(dt=None)
    assert "the policy sees numbers 5 to 12" in says(policy=[5, 12])
    assert "the critic sees numbers -1 to 4" in says(critic=[-1, 4])
    assert "its actions have no finite range" in says(action_low=[2.0])
    assert "parts of this policy do not fit" in says(action_high=[1.0, 1.0])
    assert "its net has relu" in says(activation="relu")
    assert "the limit 5" in says(limit=5)


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    from manyworlds.learn.files import write

    path = tmp_path / "kept.txt"
    path.write_text("old")

    def fails(file: Any) -> None:
        file.write(b"half")
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        write(path, fails)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


WITHOUT = """
import sys
sys.modules |= dict.fromkeys(("jax", "matplotlib", "onnxruntime", "tensorboardX"))
import manyworlds.learn
from manyworlds.learn.command import main
sys.exit(main(sys.argv[1:]))
"""


def test_only_learning_needs_jax(run: Path, folder: Path) -> None:
    def without(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-W", "error", "-c", WITHOUT, *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=folder, env={**os.environ, "PYTHONPATH": ""})

    done = without("play", "run", "--task", "own_tasks:reach", "--worlds", "2", "--device", "cpu")
    assert done.returncode == 0 and "first episodes of 2 worlds" in done.stdout, done.stderr
    done = without("train", "cartpole", "--out", "none")
    assert done.returncode == 2 and "pip install 'manyworlds[learn]'" in done.stderr
    assert "Traceback" not in done.stderr and not (folder / "none").exists()


def test_the_commands_describe_themselves() -> None:
    done = subprocess.run([sys.executable, "-m", "manyworlds", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "train" in done.stdout and "export" in done.stdout and not done.stderr
    done = subprocess.run([sys.executable, "-m", "manyworlds"], capture_output=True, text=True)
    assert done.returncode == 2 and "required" in done.stderr
