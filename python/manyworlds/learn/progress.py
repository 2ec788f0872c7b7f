"""What a run of learning says: lines on the terminal, a table in a file, events for TensorBoard."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .errors import LearnError, need
from .files import write

Row = Sequence[float]


class Log:
    """`log.csv` of a run, a row for each update, and its events for TensorBoard where asked for."""

    def __init__(
        self, folder: Path, columns: Sequence[str], *, after: float | None = None, events: bool = False
    ) -> None:
        """after: steps of the checkpoint that the run goes on from; rows beyond it are left out, and come again."""
        self.columns, self.path = list(columns), folder / "log.csv"
        self.rows: list[Row] = []  # since the last report
        kept = [] if after is None else self._kept(after)
        text = io.StringIO()
        csv.writer(text).writerows([self.columns, *kept])
        write(self.path, lambda file: file.write(text.getvalue().encode()))
        self._file = open(self.path, "a", newline="", encoding="utf-8")  # noqa: SIM115
        self._writer = csv.writer(self._file)
        self._events: Any = None
        if events:
            purge = None if after is None else int(after) + 1
            self._events = need("tensorboardX", "tensorboard").SummaryWriter(str(folder), purge_step=purge)

    def _kept(self, after: float) -> list[list[str]]:
        """Rows of an earlier run, as far as its checkpoint."""
        if not self.path.is_file():
            return []
        with open(self.path, newline="", encoding="utf-8") as file:
            names, *rows = list(csv.reader(file)) or [[]]
        if names != self.columns:
            raise LearnError(f"{self.path}: the log of another run; move it away to go on")
        # a last row may be a part of one
        return [row for row in rows if len(row) == len(names) and float(row[0]) <= after]

    def add(self, row: Row) -> None:
        """Adds what an update came to."""
        self.rows.append(row)
        self._writer.writerow([int(row[0]), *row[1:]])
        self._file.flush()
        if self._events is not None:
            for name, value in zip(self.columns[1:], row[1:]):
                if math.isfinite(value):
                    self._events.add_scalar(name, value, int(row[0]))

    def report(self, steps: int, seconds_left: float) -> str:
        """A line about the updates since the last one: what the terms and metrics came to is their mean over these."""
        last = dict(zip(self.columns, self.rows[-1]))
        table = np.array(self.rows)
        words = [f"{int(last['steps']):,} of {steps:,} steps"]
        paces = table[:, self.columns.index("steps_per_second")]
        words.append(f"{1 / np.mean(1 / paces):,.0f} steps/s")
        # no episode has ended at first
        if np.isfinite(last["return"]):
            words += [f"return {last['return']:.4g}", f"length {last['length']:.4g}"]
        for k, name in enumerate(self.columns):
            if "/" in name:
                seen = table[:, k][np.isfinite(table[:, k])]
                words.append(f"{name.partition('/')[2]} {seen.mean():.3g}" if len(seen) else f"{name} none")
        self.rows = []
        return "  ".join([*words, f"{lasting(seconds_left)} left"])

    def close(self) -> None:
        """Ends the files."""
        self._file.close()
        if self._events is not None:
            self._events.close()


def lasting(seconds: float) -> str:
    """A time in words."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
