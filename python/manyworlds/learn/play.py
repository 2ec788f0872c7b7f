"""The command `play`."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import LearnError
from .export import with_policy
from .film import Film
from .policy import Policy
from .runner import Episodes, first_episodes
from .tasks import fix_command, task_of


@dataclass
class Options:
    """What the command was asked for."""

    policy: Path
    task: str | None = None
    worlds: int = 64
    seconds: float | None = None
    seed: int = 0
    device: str = "auto"
    command: Sequence[str] = ()
    film: Path | None = None
    window: bool = False
    camera: str | None = None
    size: tuple[int, int] = (320, 240)


def play(options: Options) -> int:
    """Lets a policy act, and says what its episodes came to; the exit status of the command."""
    policy = Policy.load(options.policy)
    if options.window:
        return _show(options, policy)
    found = task_of(policy, options.task)
    for setting in options.command:
        fix_command(found.task, setting)
    steps = None if options.seconds is None else max(round(options.seconds / found.task.dt), 1)
    with found.environment(options.worlds, options.seed, options.device) as env:
        film = None
        if options.film is not None:
            # without a time, the film is the first episode of the first world
            film = Film(env, options.film, camera=options.camera, size=options.size, whole=steps is not None)
        watch = (lambda _: None) if film is None else film.watch
        most, least = (found.longest, 0) if steps is None else (steps, steps)
        episodes = first_episodes(env, policy.raw, most=most, least=least, watch=watch)
        print("\n".join(summary(episodes)))
        if film is not None:
            print(f"written: {film.write()}")
    return 0


def _show(options: Options, policy: Policy) -> int:
    """Lets a policy act in a window, where a user commands, pulls and pushes; the exit status of the window."""
    binary = os.environ.get("MANYWORLDS_BIN") or shutil.which("manyworlds")
    if binary is None:
        raise LearnError(
            "the window is that of the command `manyworlds`, which is not installed: cargo install --path crates/cli, "
            "or set MANYWORLDS_BIN; pictures without a window are made by --film"
        )
    usual = Options(options.policy)
    for name in ("worlds", "seconds", "seed", "device", "command", "film", "size"):
        value = getattr(options, name)
        if (tuple(value) if name == "command" else value) != getattr(usual, name):
            raise LearnError(f"--window shows one world, which a user commands: leave out --{name}, or --window")
    made = with_policy(policy, options.task)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "policy.mwb"
        made.save(file)
        camera = [] if options.camera is None else ["--camera", options.camera]
        return subprocess.run([binary, "view", str(file), *camera], check=False).returncode


def summary(episodes: Episodes) -> list[str]:
    """What the first episodes of all worlds came to, line by line."""
    returns, lengths, over = episodes.returns, episodes.lengths, episodes.over
    still = f", {(~over).sum()} of them not over yet" if not over.all() else ""
    lines = [
        f"first episodes of {len(over)} worlds{still}:",
        f"return {returns.mean():.4g} ± {returns.std():.3g}, from {returns.min():.4g} to {returns.max():.4g}",
        f"length {lengths.mean():.4g} ± {lengths.std():.3g} steps",
    ]
    return [*lines, *(f"{name} {value:.4g} per step" for name, value in episodes.terms.items())]
