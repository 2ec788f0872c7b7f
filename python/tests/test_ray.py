"""The example with Ray: actors together are one batch, also after one of them died."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python" / "examples"))

pytestmark = pytest.mark.filterwarnings("default")


def test_actors_are_one_batch_also_after_one_died() -> None:
    import ray
    import ray_rollouts
    from ray import cloudpickle

    # the example is a module here, which workers cannot import
    cloudpickle.register_pickle_by_value(ray_rollouts)

    path, worlds, steps = str(ROOT / "models" / "hopper.xml"), 10, 60
    one = ray_rollouts.Worker(path, worlds, 0, 7, "cpu")
    want = [one.rollout(episode, steps) for episode in range(2)]
    # worlds differ from each other, and episodes too
    assert len(np.unique(want[0]["qpos"], axis=0)) == worlds
    assert not np.array_equal(want[0]["qpos"], want[1]["qpos"])
    ray.init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    try:
        # unequal shares: 3, 3 and 4 worlds over two processors
        workers = ray_rollouts.start(path, worlds, 3, seed=7, device="cpu")
        for episode in range(2):
            found = ray_rollouts.gather(workers, episode, steps)
            assert all(np.array_equal(found[name], want[episode][name]) for name in found)
            if episode == 0:
                # a process is lost between two episodes
                with pytest.raises(ray.exceptions.RayActorError):
                    ray.get(workers[1].die.options(max_task_retries=0).remote())
    finally:
        ray.shutdown()
