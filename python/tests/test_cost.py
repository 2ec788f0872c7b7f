"""What calls cost: time beyond stepping, copies, memory."""

import resource
import time

import numpy as np

import manyworlds as mw


def seconds_per_call(call: object, count: int) -> float:
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(count):
            call()  # type: ignore[operator]
        best = min(best, (time.perf_counter() - begin) / count)
    return best


def test_a_call_costs_less_than_50_us_beyond_stepping(humanoid: mw.Model) -> None:
    batch = mw.Batch(humanoid, 4096, device="cpu")
    # a call of no step is all that there is beside the engine
    empty = seconds_per_call(lambda: batch.step(0), 50)
    print(f"\nstep(0) of 4,096 worlds: {1e6 * empty:.1f} us")
    small = mw.Batch(humanoid, 1, device="cpu")
    print(f"step(0) of one world: {1e6 * seconds_per_call(lambda: small.step(0), 2000):.2f} us")
    print(f"qpos of one world: {1e6 * seconds_per_call(lambda: small.qpos, 2000):.2f} us")
    print(f"ctrl of one world set: {1e6 * seconds_per_call(lambda: small.set('ctrl', 0.0), 2000):.2f} us")
    assert seconds_per_call(lambda: small.step(0), 2000) < 50e-6
    assert empty < 50e-6


def test_reading_costs_one_copy(humanoid: mw.Model) -> None:
    batch = mw.Batch(humanoid, 4096, device="cpu")
    batch.get("qpos")
    # the peak of memory grows by the array itself, not by a second one
    size = 4096 * humanoid.nv * 6 * 8
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    array = batch.get("cdof")
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert array.nbytes == size
    print(f"\n{size >> 10} KiB read, peak memory grew by {after - before} KiB")
    assert (after - before) * 1024 < 1.6 * size


def test_memory_does_not_grow(cartpole: mw.Model) -> None:
    batch = mw.Batch(cartpole, 64, device="cpu")

    def work(count: int) -> int:
        for _ in range(count):
            batch.step()
            batch.reset([True] + [False] * 63, keyframe="hanging")
            batch.ctrl = np.zeros((64, 1))
            batch.qpos
            batch.get(["qpos", "qvel"], worlds=[0, 5])
            batch.joint(0).qpos
            batch.snapshot()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    before = work(1000)
    grown = work(10_000) - before
    print(f"\n10,000 steps and resets: {grown / 1024:.0f} KiB more")
    assert grown < 2 << 20
