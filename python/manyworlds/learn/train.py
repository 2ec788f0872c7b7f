"""The command `train`."""

from __future__ import annotations

import importlib.util
import math
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import checkpoint as checkpoints
from .checkpoint import Checkpoint
from .config import Config, altered, changed, suited
from .errors import LearnError, need
from .interrupt import Wish
from .nets import create, policy_arrays, with_policy
from .policy import About, Policy
from .ppo import Training
from .progress import Log
from .runner import first_episodes
from .tasks import Found, find

# Reports and checkpoints of a run, where not asked otherwise.
REPORTS, CHECKPOINTS = 50, 20
# Seeds of the worlds in which a policy is tried are so far from those of training.
UNSEEN = 1_000_000
FILES = ("checkpoint.npz", "log.csv", "policy.npz")


@dataclass
class Options:
    """What the command was asked for; None for what was not said."""

    task: str
    steps: int | None = None
    worlds: int | None = None
    seed: int | None = None
    device: str | None = None
    out: Path | None = None
    resume: bool = False
    load: Path | None = None
    tensorboard: bool = False
    config: Sequence[str] = ()
    report_every: int | None = None
    checkpoint_every: int | None = None
    evaluate: int = 64


def train(options: Options) -> int:
    """Learns a task; the exit status of the command."""
    found = find(options.task)
    seed = 1 if options.seed is None else options.seed
    out = options.out or Path("runs") / f"{options.task.replace(':', '-')}-{seed}"
    there = [name for name in FILES if (out / name).exists()]
    if options.resume:
        run = _again(options, found, out)
    elif there:
        onward = "--resume goes on with it, " if FILES[0] in there else "remove it, or "
        raise LearnError(f"{out} holds a run already ({there[0]}): {onward}another --out begins anew")
    else:
        run = _new(options, found, out)
    with run.training.env, Wish() as wish:
        ended = run.learn(wish)
    if ended:
        again = shlex.join(["python", "-m", "manyworlds", "train", options.task, "--out", str(out), "--resume"])
        print(f"ended after {run.training.runner.steps:,} of {run.training.config.steps:,} steps; to go on:\n{again}")
        return 128 + ended
    run.finish(options.evaluate, options.task)
    return 0


@dataclass
class Run:
    """A run of learning with its files."""

    found: Found
    training: Training
    out: Path
    log: Log
    seed: int
    device: str
    report_every: int
    checkpoint_every: int

    def learn(self, wish: Wish) -> int:
        """Learns to the end, or until a signal; its number, else 0."""
        training, begin, first, saved = self.training, time.perf_counter(), self.training.done, -1
        try:
            while training.done < training.updates and not wish.signal:
                self.log.add(training.advance())
                if training.done == training.updates or training.done % self.report_every == 0:
                    pace = (time.perf_counter() - begin) / (training.done - first)
                    left = pace * (training.updates - training.done)
                    print(self.log.report(training.updates * training.config.batch, left), flush=True)
                if training.done % self.checkpoint_every == 0:
                    self.save()
                    saved = training.done
        finally:
            self.log.close()
        if saved != training.done:
            self.save()
        return wish.signal if training.done < training.updates else 0

    def save(self) -> None:
        """Writes the policy, and what the run needs to go on."""
        training, found = self.training, self.found
        about = About.of(found.task, found.name, training.config, steps=training.runner.steps, seed=self.seed)
        Policy(policy_arrays(training.state), about).save(self.out / "policy.npz")
        note = {"task": found.name, "digest": found.digest, "seed": self.seed, "device": self.device}
        checkpoints.save(self.out / "checkpoint.npz", training, note)

    def finish(self, worlds: int, title: str) -> None:
        """Draws the curve, and tries the policy in worlds that training has not seen."""
        if importlib.util.find_spec("matplotlib") is None:
            print("no curve.png: it needs matplotlib, pip install 'manyworlds[learn]'", file=sys.stderr)
        else:
            from . import curves

            curves.draw([self.out / "log.csv"], self.out / "curve.png", f"{title}, seed {self.seed}")
        if worlds:
            policy = Policy.load(self.out)
            with self.found.environment(worlds, self.seed + UNSEEN, self.device) as env:
                tried = first_episodes(env, policy.raw, most=self.found.longest)
            print(
                f"{worlds} episodes without noise: return {tried.returns.mean():.1f} ± {tried.returns.std():.1f}, "
                f"length {tried.lengths.mean():.0f}"
            )
        print(f"written: {self.out}/policy.npz")


def _every(asked: int | None, updates: int, times: int) -> int:
    return math.ceil(updates / times) if asked is None else asked


def _run(
    options: Options, found: Found, out: Path, config: Config, seed: int, device: str, kept: Checkpoint | None = None
) -> Run:
    """A run that begins, or goes on from a checkpoint."""
    if config.steps < config.batch:
        raise LearnError(
            f"--steps {config.steps:,} are fewer than those of one update, {config.worlds} worlds x {config.horizon} "
            f"steps: {config.batch:,} or more"
        )
    policy = Policy.load(options.load) if options.load else None
    if policy is not None:
        policy.check(found.task, found.name, whole=True)
    if options.tensorboard:
        need("tensorboardX", "tensorboard")
    state = create(config, seed, found.task.observation_size, len(found.task.action_low))
    if policy is not None:
        state = with_policy(state, policy.arrays)
    capacity: dict[str, Any] = {} if kept is None else dict(zip(("nconmax", "njmax"), kept.about["capacity"]))
    training = Training(found.environment(config.worlds, seed, device, **capacity), config, seed, state)
    if kept is not None:
        checkpoints.restore(training, kept)
    after = None if kept is None else training.runner.steps
    log = Log(out, training.columns, after=after, events=options.tensorboard)
    every = (
        _every(options.report_every, training.updates, REPORTS),
        _every(options.checkpoint_every, training.updates, CHECKPOINTS),
    )
    return Run(found, training, out, log, seed, device, *every)


def _new(options: Options, found: Found, out: Path) -> Run:
    """A run that begins."""
    config = changed(suited(found.name), options.config)
    given = {key: getattr(options, key) for key in ("steps", "worlds") if getattr(options, key) is not None}
    config = altered(config, **given).of(found.task)
    seed = 1 if options.seed is None else options.seed
    return _run(options, found, out, config, seed, options.device or "auto")


def _again(options: Options, found: Found, out: Path) -> Run:
    """A run that goes on."""
    path = out / "checkpoint.npz"
    if not path.is_file():
        raise LearnError(f"there is no {path} to go on from: leave out --resume, or name the folder of a run as --out")
    kept = checkpoints.read(path)
    about, config = kept.about, kept.config
    if about["task"] != found.name:
        raise LearnError(f"{out} is a run of '{about['task']}', not of '{found.name}': name its own task")
    if about["digest"] != found.digest:
        raise LearnError(
            f"the task '{found.name}' is no longer that of {path}: learning cannot go on with other worlds; begin anew "
            f"from what was learnt, with --load {out}/policy.npz and another --out"
        )
    before = {"worlds": config.worlds, "seed": about["seed"], "device": about["device"], "config": None, "load": None}
    for name, value in before.items():
        if getattr(options, name) not in (None, (), [], value):
            now = "" if value is None else f", which is {value}"
            raise LearnError(
                f"a run that goes on keeps its --{name}{now}: leave it out, or begin anew in another --out"
            )
    if options.steps is not None:
        config = altered(config, steps=options.steps)
    if config.steps // config.batch <= int(about["done"]):
        raise LearnError(f"{out} has all of its {int(about['done']) * config.batch:,} steps: more of them with --steps")
    return _run(options, found, out, config, int(about["seed"]), str(about["device"]), kept)
