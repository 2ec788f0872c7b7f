"""Episodes of one large batch, spread over processes with Ray.

    pip install 'manyworlds[ray]'
    python python/examples/ray_rollouts.py models/hopper.xml --actors 2 --worlds 64 --steps 200

Any number of actors gives the same bits. On a machine with several GPUs each actor takes one: `--device gpu:{}` becomes
"gpu:0", "gpu:1" and so on.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import manyworlds as mw
from manyworlds.ray import Rollouts

# speeds that differ where an episode begins
START = mw.Randomize("qvel", (0.0, 0.1), "add", "normal")


def random_controls(model: mw.Model, seed: int) -> Any:
    """Controls that depend on the episode and the world's number alone, and so not on its actor."""
    size = model.nu

    def controls(episode: int, world: int, steps: int) -> np.ndarray:
        return np.random.default_rng((seed, episode, world)).uniform(-1, 1, (steps, size))

    return controls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="auto", help='"{}" in it is the number of the actor')
    args = parser.parse_args()
    model = mw.Model.from_xml_path(args.model)
    controls = random_controls(model, args.seed)
    options = {"device": args.device, "seed": args.seed, "randomize": [START], "on_status": "ignore"}
    with Rollouts(model, args.worlds, actors=args.actors, controls=controls, **options) as rollouts:
        for episode in range(args.episodes):
            begin = time.perf_counter()
            found = rollouts.rollout(episode, args.steps, every=args.steps)
            rate = args.worlds * args.steps / (time.perf_counter() - begin)
            print(f"episode {episode}: {rate:,.0f} steps/s, mean height {found['qpos'][:, -1, 1].mean():.3f}")


if __name__ == "__main__":
    main()
