"""The commands of `python -m manyworlds`: train, play, export."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .. import envs
from .._core import __version__
from .config import TASKS
from .errors import LearnError

DESCRIPTION = """Learns tasks by proximal policy optimisation, plays what was learnt, and exports it.

  python -m manyworlds train cartpole --out runs/cartpole
  python -m manyworlds play runs/cartpole --film cartpole.gif
  python -m manyworlds export runs/cartpole cartpole.onnx
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; its exit status: 0, 2 for what cannot be, 130 for Ctrl-C."""
    args = vars(parser().parse_args(arguments))
    verb = args.pop("verb")
    try:
        return {"train": _train, "play": _play, "export": _export}[verb](args)
    except (LearnError, OSError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _train(args: dict[str, object]) -> int:
    from . import train

    return train.train(train.Options(**args))  # type: ignore[arg-type]


def _play(args: dict[str, object]) -> int:
    from . import play

    return play.play(play.Options(**args))  # type: ignore[arg-type]


def _export(args: dict[str, object]) -> int:
    from . import export

    return export.export(**args)  # type: ignore[arg-type]


def parser() -> argparse.ArgumentParser:
    """What the commands take."""
    made = argparse.ArgumentParser(
        prog="python -m manyworlds", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--version", action="version", version=f"manyworlds {__version__}")
    verbs = made.add_subparsers(dest="verb", required=True, metavar="train|play|export")
    _describe_train(verbs.add_parser("train", help="learn a task", description="Learns a task."))
    _describe_play(verbs.add_parser("play", help="let a policy act", description="Lets a policy act, without JAX."))
    export = verbs.add_parser(
        "export",
        help="a policy as ONNX, or with its model",
        description="Writes a policy as a graph of ONNX, or, with its task and model, for the window and for browsers.",
    )
    export.add_argument("path", metavar="POLICY", type=Path, help="policy.npz, or the folder of a run")
    export.add_argument("out", metavar="OUT", type=Path, help="file .onnx or .mwb")
    export.add_argument("--task", help="as `play` takes it, for .mwb")
    return made


def _describe_train(train: argparse.ArgumentParser) -> None:
    names = ", ".join([*TASKS, *envs.TASKS])
    train.add_argument("task", metavar="TASK", help=f"{names}; or module:function, which returns a Task")
    train.add_argument("--steps", type=_count, help="of all worlds together")
    train.add_argument("--worlds", type=_count)
    train.add_argument("--seed", type=_count, help="of all draws; 1 where not given")
    train.add_argument("--device", help="of the worlds: auto, cpu, gpu, gpu:0, or a part of an adapter's name")
    train.add_argument("--out", type=Path, metavar="DIR", help="folder of the run; runs/TASK-SEED where not given")
    train.add_argument("--resume", action="store_true", help="go on with the run in --out, with the same bits")
    train.add_argument("--load", type=Path, metavar="POLICY", help="policy to begin with")
    train.add_argument("--tensorboard", action="store_true", help="write events for TensorBoard too")
    train.add_argument(
        "--config", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="numbers of learning: rate=3e-4"
    )
    train.add_argument("--report-every", type=_positive, metavar="N", help="updates from one line to the next")
    train.add_argument(
        "--checkpoint-every", type=_positive, metavar="N", help="updates from one checkpoint to the next"
    )
    train.add_argument(
        "--evaluate", type=_count, default=64, metavar="N", help="worlds that try the policy at the end; 0 for none"
    )


def _describe_play(play: argparse.ArgumentParser) -> None:
    play.add_argument("policy", metavar="POLICY", type=Path, help="policy.npz, or the folder of a run")
    play.add_argument("--task", help="another task than the policy's own, whose observations and actions are the same")
    play.add_argument("--worlds", type=_positive, default=64)
    play.add_argument("--seconds", type=_seconds, help="until all first episodes are over where not given")
    play.add_argument("--seed", type=_count, default=0)
    play.add_argument("--device", default="auto")
    play.add_argument(
        "--command",
        action="append",
        default=[],
        metavar="NUMBERS",
        help="keeps a command of the task: --command=-0.5,0,0, or --command name=0.5,0,0",
    )
    play.add_argument(
        "--film", type=Path, metavar="OUT", help=".gif, .png (a strip), .npy (qpos), or a folder of pictures"
    )
    play.add_argument("--window", action="store_true", help="in the window of the command `manyworlds`")
    play.add_argument("--camera", help="name, number, track, …: see Batch.render")
    play.add_argument("--size", type=_size, default=(320, 240), metavar="WxH", help="pixels of a picture")


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"0 or more is expected, got {text}")
    return value


def _positive(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"1 or more is expected, got {text}")
    return int(text)


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"seconds are above 0, got {text}")
    return value


def _size(text: str) -> tuple[int, int]:
    width, by, height = text.partition("x")
    if not (by and width.isdigit() and height.isdigit() and int(width) and int(height)):
        raise argparse.ArgumentTypeError(f"a size is 320x240, got {text}")
    return int(width), int(height)
