"""What a batch does where worlds raise a status bit."""

from __future__ import annotations

from ._warn import warn

POLICIES = ("warn", "raise", "ignore")


class StatusWarning(RuntimeWarning):
    """A status bit was raised in some worlds."""


class StatusError(RuntimeError):
    """A status bit was raised in some worlds; the batch stays usable, and `clear_status` or `reset` clears it."""


class Watch:
    """Compares status counts with those that were reported before."""

    __slots__ = ("policy", "reported")

    def __init__(self, policy: str) -> None:
        if policy not in POLICIES:
            raise ValueError(f"on_status is '{policy}'; valid: {' '.join(POLICIES)}")
        self.policy = policy
        self.reported: dict[str, int] = {}

    def report(self, counts: dict[str, int], worlds: int) -> None:
        """Warns of, or raises, bits that are new: of a kind that no world had, or with `raise`, in more worlds."""
        before, self.reported = self.reported, counts
        raises = self.policy == "raise"
        new = {k: n for k, n in counts.items() if n > (before.get(k, 0) if raises or not before.get(k) else n)}
        if not new or self.policy == "ignore":
            return
        listed = ", ".join(f"{name} in {count} of {worlds} worlds" for name, count in new.items())
        text = f"{listed}; Batch.status has the bits of each world"
        if raises:
            raise StatusError(text)
        warn(text, StatusWarning)
