"""Worlds spread over processes, GPUs and machines with Ray: rollouts, environments and evaluation.

    import manyworlds.ray as spread
    from manyworlds import envs

    with spread.Environment(envs.task("Ant"), 4096, actors=4, device="gpu:{}") as env:
        observation = env.reset()
        observation, reward, terminated, truncated = env.step(action)

Each actor has a share of the worlds. Any number of actors gives the same bits, and an actor that died is started again
and goes on where it was. In `device`, "{}" is the number of the actor, and "{gpu}" that of the GPU which Ray gave it.
`manyworlds.ray.rllib` has environments for RLlib.
"""

from __future__ import annotations

from .environment import Environment
from .evaluation import Evaluation, evaluate
from .rollouts import Rollouts
from .team import ActorLostError

__all__ = ["ActorLostError", "Environment", "Evaluation", "Rollouts", "evaluate"]
