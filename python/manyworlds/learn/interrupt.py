"""Ctrl-C and the signal to end, as a wish: what is under way is finished first."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType
from typing import Any


class Wish:
    """While it is entered, a first signal to end sets `signal`; a second one interrupts at once."""

    def __init__(self) -> None:
        self.signal = 0
        self._old: dict[int, Any] = {}

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.signal:
            raise KeyboardInterrupt
        self.signal = number
        print("ends after this update; once more to end at once", file=sys.stderr, flush=True)

    def __enter__(self) -> Wish:
        # handlers are the main thread's
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._old[number] = signal.signal(number, self._asked)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)
