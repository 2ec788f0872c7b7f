"""What a long call had done when Ctrl-C ended it."""

from __future__ import annotations

import sys
from typing import Any

_NAME = "__manyworlds_kept__"


def keep(raised: BaseException, part: Any, what: str) -> BaseException:
    """The exception of a signal handler, which takes along what was done."""
    setattr(raised, _NAME, part)
    # the class stays: a process whose KeyboardInterrupt nobody catches ends as its shell expects
    if hasattr(raised, "add_note"):
        raised.add_note(f"manyworlds keeps {what}: manyworlds.kept(exception) returns them")
    return raised


def kept(exception: BaseException | None = None) -> Any:
    """What a call had done when Ctrl-C, or what another signal handler raised, ended it; None if it kept nothing.

    exception: what was raised; where not given, the last one that an interactive session has shown.

    `plan` keeps a Motion, `Batch.rollout` its dictionary of fields, both with fewer frames, and `fit` a Fit, where its
    iteration ends within half a second.

        try:
            motion = mw.plan(model, seconds=1e4)
        except KeyboardInterrupt as stop:
            motion = mw.kept(stop)
    """
    if exception is None:
        exception = getattr(sys, "last_value", None)
    if exception is not None and not isinstance(exception, BaseException):
        raise TypeError(f"an exception is expected, got {type(exception).__name__}")
    return getattr(exception, _NAME, None)
