"""manyworlds: a MuJoCo-compatible physics engine that steps thousands of different worlds as arrays.

import manyworlds as mw

model = mw.Model.from_xml_path("humanoid.xml")
batch = mw.Batch(model, num_worlds=4096)
batch.ctrl = 0.1
batch.step(100)
print(batch.qpos.shape)  # (4096, 28)
"""

from . import _gymnasium, enums, planning, task
from ._batch import Batch
from ._core import ModelError, __version__, adapters
from ._element import Element
from ._environment import Environment, Step
from ._fit import Fit, fit
from ._inertia import RandomizeInertia
from ._kept import kept
from ._model import Model, ModelWarning
from ._randomize import Randomize
from ._results import Capacity, Contacts, Dropped, Growth, InverseDerivatives, Jacobian, Moved, Transition
from ._spec import Spec
from ._status import StatusError, StatusWarning
from ._tables import UnknownNameError
from .enums import State, Status
from .planning import Iteration, Motion, Planner, plan
from .task import Task

__all__ = [
    "Batch",
    "Capacity",
    "Contacts",
    "Dropped",
    "Element",
    "Environment",
    "Fit",
    "Growth",
    "InverseDerivatives",
    "Iteration",
    "Jacobian",
    "Model",
    "ModelError",
    "ModelWarning",
    "Motion",
    "Moved",
    "Planner",
    "Randomize",
    "RandomizeInertia",
    "Spec",
    "State",
    "Status",
    "StatusError",
    "StatusWarning",
    "Step",
    "Task",
    "Transition",
    "UnknownNameError",
    "__version__",
    "adapters",
    "enums",
    "fit",
    "kept",
    "plan",
    "planning",
    "task",
]

_gymnasium.announce()
