"""Models of the repository, and both backends. A missing adapter is a failure, not a skip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import manyworlds as mw

MODELS = Path(__file__).resolve().parents[2] / "models"


def model_of(name: str) -> mw.Model:
    return mw.Model.from_xml_path(MODELS / f"{name}.xml")


@pytest.fixture(scope="session")
def humanoid() -> mw.Model:
    return model_of("humanoid")


@pytest.fixture(scope="session")
def cartpole() -> mw.Model:
    return model_of("cartpole")


@pytest.fixture(scope="session")
def hopper() -> mw.Model:
    return model_of("hopper")


@pytest.fixture(params=["cpu", "gpu"])
def make(request: pytest.FixtureRequest) -> Callable[..., mw.Batch]:
    """Makes batches on each backend."""

    def on(model: mw.Model, worlds: int, **options: Any) -> mw.Batch:
        return mw.Batch(model, worlds, device=request.param, **options)

    on.device = request.param  # type: ignore[attr-defined]
    return on
