"""The time of a step on a GPU, by what its kernels issue, occupy and move. Bounds: nothing here is measured.

A kernel takes the longest of three times: that of issuing its instructions, that of one warp's latencies at the
occupancy which registers and workgroup memory leave, and that of its traffic. Take a throughput as good to a factor of
1.5, and the ratio of two versions of a kernel as good.
"""

from dataclasses import dataclass
from math import ceil

WARP = 32


@dataclass
class Device:
    """A GPU, by its vendor's figures; SM: its multiprocessor."""

    name: str
    target: str
    sms: int
    hertz: float
    memory: float
    """Bytes per second of device memory."""
    cache: float
    """Bytes of the second-level cache."""
    cache_speed: float
    """Bytes per second of it."""
    near_cache: float
    """Bytes of an SM's own cache, which workgroup memory shares."""
    shared: int
    """Bytes of workgroup memory of an SM."""
    groups: int
    """Most groups on an SM."""
    warps: int
    """Most warps on an SM."""


DEVICES = (
    Device("RTX 6000 Ada", "sm_89", 142, 2.5e9, 960e9, 96e6, 5.0e12, 128e3, 100 << 10, 24, 48),
    # registers of sm_89 stand in for those of Blackwell
    Device("RTX PRO 6000", "sm_89", 188, 2.6e9, 1792e9, 128e6, 8.0e12, 128e3, 100 << 10, 24, 48),
    Device("H100 SXM", "sm_90", 132, 1.75e9, 3350e9, 50e6, 5.5e12, 228e3, 228 << 10, 32, 64),
)

SCHEDULERS = 4
REGISTERS = 65536
# share of issue slots that kernels with 24 to 64 resident warps an SM reach, stalls and fetches included. nanoG1, a
# step in CUDA for one robot, was counted the same way and held against the throughput that its authors publish: 0.39
# and 0.41 (RTX PRO 6000), 0.46 to 0.66 (H100)
UTILISATION = 0.42
# the same where latencies are added instead of compared, which fits the RTX PRO 6000 as well
UTILISATION_ADDED = 0.75
# machine instructions for an instruction of PTX
MACHINE = 1.08
# cycles that a warp by itself spends on an instruction, with the overlap that straight code allows: guesses, from
# microbenchmarks that others have published
CYCLES = {
    "float": 2.8,
    "compare": 2.8,
    "integer": 2.5,
    "move": 2,
    "branch": 8,
    "special": 12,
    "divide": 16,
    "load_shared": 9,
    "store_shared": 3,
    "load_local": 12,
    "store_local": 3,
    "store_global": 4,
    "barrier": 22,
    "fence": 0,
}
# of a load that a cache holds, and of one from device memory
LOAD_NEAR, LOAD_FAR = 14, 70
LOCAL = 14
# a barrier of a single warp costs less
BARRIER_OF_WARP = 14
# worlds step chunk by chunk, so that a cache has to hold no more of them
CHUNK = 8192
# of a dispatch
LAUNCH = 2e-6


@dataclass
class Time:
    """Seconds of a kernel, and the warps that an SM holds of it."""

    issue: float
    latency: float
    memory: float
    warps: int

    @property
    def total(self):
        return max(self.issue, self.latency, self.memory) + LAUNCH

    @property
    def bound(self):
        return max(("issue", "latency", "memory"), key=lambda name: getattr(self, name))


def estimate(configuration, figures, device, worlds, added=False):
    """The time of each kernel of a step; `added`: latency adds to issue, which is harder on few warps."""
    touched = configuration.layout["bytes_touched"] * min(worlds, CHUNK)
    return {
        kernel.name: time_of(
            kernel, figures["compiled"][kernel.name][device.target], figures["issued"]["kernels"][kernel.name],
            device, worlds, touched, added
        )
        for kernel in configuration.single
    }  # fmt: skip


def time_of(kernel, compiled, issued, device, worlds, touched, added):
    warps_of_group = max(1, kernel.threads // WARP)
    groups = ceil(worlds / kernel.tile)
    fit = groups_that_fit(compiled, device, warps_of_group)
    classes = issued["classes"]
    local = classes.get("load_local", 0) + classes.get("store_local", 0)

    instructions = issued["warp_instructions"] * MACHINE + local
    issue = instructions * worlds / (device.sms * SCHEDULERS * device.hertz * UTILISATION)

    # what a world issues, times the worlds that a warp serves, as often as groups follow one another
    cycles = cycles_of(kernel, issued, local) * kernel.tile / warps_of_group
    latency = max(1, groups / (device.sms * fit)) * cycles / device.hertz

    speed = device.cache_speed if touched < 0.9 * device.cache else 0.85 * device.memory
    memory = kernel.moved * worlds / speed
    resident = min(fit, groups / device.sms)
    if compiled["stack"] * WARP * resident * warps_of_group > 0.6 * device.near_cache:
        memory += local * 4 * WARP * worlds / device.cache_speed

    if added:
        issue, latency = 0, issue * UTILISATION / UTILISATION_ADDED + 2 * latency
    return Time(issue, latency, memory, fit * warps_of_group)


def groups_that_fit(compiled, device, warps_of_group):
    """Groups that an SM holds at once."""
    registers = ceil(max(compiled["registers"], 16) / 8) * 8 * WARP * warps_of_group
    limits = [device.groups, device.warps // warps_of_group, REGISTERS // registers]
    if compiled["shared"]:
        # the system takes a kibibyte of each group
        limits.append(device.shared // (compiled["shared"] + 1024))
    return min(limits)


def cycles_of(kernel, issued, local):
    """Cycles of one warp for what a world issues."""
    classes = issued["classes"]
    # of the elements that are loaded those are far that the traffic counts
    loads = max(1, WARP * classes.get("load_global", 1) * issued["active_lanes"])
    far = min(1.0, kernel.moved / 4 / loads)
    load = LOAD_NEAR * (1 - far) + LOAD_FAR * far
    cycles = sum(count * CYCLES.get(name, load) for name, count in classes.items()) + LOCAL * local
    if kernel.threads <= WARP:
        cycles -= BARRIER_OF_WARP * classes.get("barrier", 0)
    return cycles


def table(configuration, figures, worlds, added=False):
    """Lines of text: for each device millions of steps per second, and the time of each kernel."""
    for device in DEVICES:
        times = estimate(configuration, figures, device, worlds, added)
        rate = worlds / sum(time.total for time in times.values()) / 1e6
        parts = (f"{name[:2]} {1e6 * t.total:.0f} us {t.bound}, {t.warps} warps" for name, t in times.items())
        yield f"{device.name:14} {worlds} worlds {rate:6.1f} M steps/s   {'; '.join(parts)}"
