"""Registration of the ready-made environments with Gymnasium, which is not imported for it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

NAMESPACE = "manyworlds"
VERSION = 0


def announce() -> None:
    """Registers the environments, now or once Gymnasium is imported."""
    if sys.modules.get("gymnasium") is None:
        sys.meta_path.insert(0, _Waiting())
    else:
        _try()


def _try() -> None:
    # an older Gymnasium has no vector environments: neither import fails for that
    with contextlib.suppress(ImportError, TypeError):
        register()


def register() -> None:
    """Registers the environments in a namespace: `manyworlds/Ant-v0`.

    Without one they would be old versions of Gymnasium's own to it, which warns of those: `Ant-v0` beside `Ant-v5`.
    """
    from gymnasium.envs.registration import register, registry

    from .envs._registry import TASKS

    for name, entry in TASKS.items():
        env_id = f"{NAMESPACE}/{name}-v{VERSION}"
        if env_id not in registry:
            register(
                env_id,
                entry_point="manyworlds.envs.vector:ManyWorldsEnv",
                vector_entry_point="manyworlds.envs.vector:ManyWorldsVectorEnv",
                max_episode_steps=entry.max_episode_steps,
                kwargs={"task": name},
            )


class _Waiting(MetaPathFinder):
    """Sees the import of Gymnasium, once."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loading(spec.loader)
        return spec


class _Loading(Loader):
    """Loads Gymnasium as its own loader does, then registers."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # the module is left with its own loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        _try()
