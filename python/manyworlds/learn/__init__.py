"""Learning of tasks: proximal policy optimisation in JAX, and what was learnt with NumPy alone.

    python -m manyworlds train cartpole --out runs/cartpole
    python -m manyworlds play runs/cartpole --film cartpole.gif
    python -m manyworlds export runs/cartpole cartpole.onnx

    from manyworlds.learn import Policy
    policy = Policy.load("runs/cartpole")
    action = policy.act(env.reset())

`manyworlds.learn.ppo` is the algorithm on an Environment; it alone needs JAX, `pip install 'manyworlds[learn]'`.
"""

from .config import TASKS, Config
from .errors import LearnError, MissingExtraError
from .policy import About, Policy

__all__ = ["TASKS", "About", "Config", "LearnError", "MissingExtraError", "Policy"]
