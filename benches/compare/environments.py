"""Rates of environments: ours on the CPU, EnvPool, and Gymnasium's AsyncVectorEnv, in turn, on the same task and model.

    python benches/compare/environments.py [Ant HalfCheetah …] [--worlds 64] [--seconds 4] [--rounds 3]

Needs manyworlds, gymnasium[mujoco] and envpool. Actions are the same uniform noise; the best of the rounds is shown, in
environment steps per second, with the ratios. All step the model file of the installed gymnasium.
"""

import argparse
import os
import time
from pathlib import Path

import gymnasium
import numpy as np

FILES = {"HalfCheetah": "half_cheetah.xml", "Walker2d": "walker2d_v5.xml"}


def ours(name: str, worlds: int):
    import manyworlds as mw
    from manyworlds import envs

    folder = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
    model = mw.Model.from_xml_path(folder / FILES.get(name, f"{name.lower()}.xml"))
    env = mw.Environment(envs.TASKS[name].make(model), worlds, device="cpu", on_status="ignore")
    return lambda action: env.step(action)


def pool(name: str, worlds: int):
    import envpool

    env = envpool.make(f"{name}-v5", env_type="gymnasium", num_envs=worlds, num_threads=os.cpu_count())
    env.reset()
    return lambda action: env.step(action)


def parallel(name: str, worlds: int):
    makers = [lambda: gymnasium.make(f"{name}-v5") for _ in range(worlds)]
    env = gymnasium.vector.AsyncVectorEnv(makers)
    env.reset(seed=0)
    return lambda action: env.step(action)


def rate(step, actions, seconds: float) -> float:
    """Steps of all worlds per second."""
    worlds = actions.shape[1]
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        step(actions[count % len(actions)])
        count += 1
    return count * worlds / (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=["Ant", "HalfCheetah", "Hopper", "Humanoid"])
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--async-worlds", type=int, default=4, help="each is a process")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    for name in args.names:
        space = gymnasium.make(f"{name}-v5").action_space
        draw = np.random.default_rng(0)
        sides = {"manyworlds": ours, "EnvPool": pool, "AsyncVectorEnv": parallel}
        best = dict.fromkeys(sides, 0.0)
        steps = {}
        for side, make in sides.items():
            worlds = args.async_worlds if side == "AsyncVectorEnv" else args.worlds
            shape = (100, worlds, *space.shape)
            actions = draw.uniform(space.low, space.high, shape).astype(space.dtype)
            steps[side] = (make(name, worlds), actions)
        # in turn, so that all meet the same machine
        for _ in range(args.rounds):
            for side, (step, actions) in steps.items():
                best[side] = max(best[side], rate(step, actions, args.seconds))
        row = "  ".join(f"{side} {value:,.0f}" for side, value in best.items())
        ratios = [best["manyworlds"] / best[side] for side in ("EnvPool", "AsyncVectorEnv")]
        print(f"{name}: {row}  ratios {ratios[0]:.2f} {ratios[1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
