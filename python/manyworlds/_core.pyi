# The engine itself, whose calls the package around it describes; only what it hands on is named here.
from typing import Any, Callable

__version__: str

class ModelError(ValueError):
    """The text of a model, or its meaning, is wrong: one line for each problem, with file, line, column and remedy."""

adapters: Callable[[], list[str]]

def __getattr__(name: str) -> Any: ...
