"""Rates of the ready-made tasks on a device, with their own models: environment steps per second.

    python benches/compare/tasks.py [Ant Humanoid …] [--device gpu] [--worlds 1024,4096] [--seconds 3]

Needs manyworlds. A line of JSON for each task and number of worlds: steps that show what they came to, and steps that are
only sent; actions are the same uniform noise. The first steps, which compile kernels, are not counted.
"""

import argparse
import json
import time

import numpy as np

import manyworlds as mw
from manyworlds import envs


def rate(act, wait, actions, seconds: float) -> float:
    """Steps of all worlds per second."""
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        act(actions[count % len(actions)])
        count += 1
        # the host is not to run ahead for ever
        if count % 16 == 0:
            wait()
    wait()
    return count * actions.shape[1] / (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help="default: all")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--worlds", default="1024,4096")
    parser.add_argument("--seconds", type=float, default=3.0)
    args = parser.parse_args()
    for name in args.names or list(envs.TASKS):
        task = envs.task(name)
        for worlds in map(int, args.worlds.split(",")):
            env = mw.Environment(task, worlds, device=args.device, on_status="ignore")
            draw = np.random.default_rng(0)
            actions = draw.uniform(task.action_low, task.action_high, (8, worlds, len(task.action_low)))
            for action in actions:
                env.step(action)
            row = {"task": name, "worlds": worlds, "device": env.batch.device, "version": mw.__version__}
            row["shown"] = round(rate(env.step, lambda: None, actions, args.seconds))
            row["sent"] = round(rate(env.send, env.receive, actions, args.seconds))
            print(json.dumps(row), flush=True)
            env.close()


if __name__ == "__main__":
    main()
