"""Rollouts of one large batch, spread over processes with Ray.

    pip install manyworlds ray
    python python/examples/ray_rollouts.py models/hopper.xml --actors 2 --worlds 64 --steps 200

Each actor steps its share of the worlds. What a world does follows from the seed, the episode and its number among all
worlds, and from nothing that an actor remembers: any number of actors gives the same bits, and an actor that died is
started again and asked again.

On a machine with several GPUs each actor takes one: `--device gpu:{}` becomes "gpu:0", "gpu:1" and so on (Vulkan
does not follow CUDA_VISIBLE_DEVICES, so that Ray's own numbering is not used). On several machines the model's
file has to be at the same path on each, or the text of the model is sent instead.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

import numpy as np
import ray

import manyworlds as mw


class Worker:
    """Worlds `first` to `first + count` of a large batch."""

    def __init__(self, path: str, count: int, first: int, seed: int, device: str) -> None:
        self.model = mw.Model.from_xml_path(path)
        self.batch = mw.Batch(self.model, count, device=device, seed=seed, on_status="ignore")
        self.first, self.seed = first, seed

    def rollout(self, episode: int, steps: int) -> dict[str, Any]:
        """Starts, controls and steps of an episode: qpos and qvel after the last step, and status bits."""
        batch = self.batch
        batch.reset()
        start = mw.Randomize("qvel", (0.0, 0.1), "add", "normal")
        batch.randomize(start, episode=episode, first_world=self.first)
        # controls of a world depend on its number alone, not on the batch that it is in
        worlds = range(self.first, self.first + batch.num_worlds)
        draws = [np.random.default_rng((self.seed, episode, w)).uniform(-1, 1, (steps, self.model.nu)) for w in worlds]
        found = batch.rollout(ctrl=np.stack(draws), record=["qpos", "qvel"], every=steps)
        return {"qpos": found["qpos"][:, -1], "qvel": found["qvel"][:, -1], "status": batch.status}

    def die(self) -> None:
        """Ends the process, as a lost machine would."""
        os._exit(1)


def start(path: str, worlds: int, actors: int, seed: int = 0, device: str = "auto") -> list[Any]:
    """Actors that share the worlds; Ray starts a dead one again and repeats its calls."""
    remote = ray.remote(max_restarts=-1, max_task_retries=3)(Worker)
    bounds = [worlds * a // actors for a in range(actors + 1)]
    return [
        remote.remote(os.path.abspath(path), end - begin, begin, seed, device.format(a))
        for a, (begin, end) in enumerate(zip(bounds, bounds[1:]))
    ]


def gather(workers: list[Any], episode: int, steps: int) -> dict[str, Any]:
    """One episode of all worlds, in their order."""
    parts = ray.get([worker.rollout.remote(episode, steps) for worker in workers])
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--device", default="auto", help='"{}" in it is the number of the actor')
    args = parser.parse_args()
    ray.init(include_dashboard=False)
    workers = start(args.model, args.worlds, args.actors, device=args.device)
    for episode in range(args.episodes):
        begin = time.perf_counter()
        found = gather(workers, episode, args.steps)
        rate = args.worlds * args.steps / (time.perf_counter() - begin)
        print(f"episode {episode}: {rate:,.0f} steps/s, mean height {found['qpos'][:, 1].mean():.3f}")


if __name__ == "__main__":
    main()
