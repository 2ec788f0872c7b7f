"""Threads, Ctrl-C, forked processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import manyworlds as mw


def interrupted(batch: mw.Batch, call: Any, after: float) -> float:
    """Presses Ctrl-C during a call; seconds until it ends."""
    # a shell leaves interrupts ignored in what it runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()
    return time.perf_counter() - begin - after


@pytest.mark.parametrize("how", ["step", "rollout"])
def test_ctrl_c_ends_long_calls_with_the_bits_of_whole_steps(how: str, make: Any, cartpole: mw.Model) -> None:
    batch = make(cartpole, 256)
    batch.ctrl = np.linspace(-1, 1, 256)[:, None]
    batch.step(3)
    batch.wait()
    many = 100_000_000 if how == "step" else 2_000_000
    call = (lambda: batch.step(many)) if how == "step" else (lambda: batch.rollout(steps=many, record=[]))
    assert interrupted(batch, call, 0.7) < 1.0
    # the batch goes on, where one stands that took as many steps at once
    taken = round(float(batch.time[0]) / cartpole.opt.timestep)
    assert 3 < taken < many
    if make.device == "cpu":
        other = mw.Batch(cartpole, 256, device="cpu")
        other.ctrl = batch.ctrl
        other.step(taken)
        np.testing.assert_array_equal(other.qpos, batch.qpos)
    batch.step()
    assert not batch.status.any()


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_ctrl_c_keeps_the_frames_of_a_rollout(device: str, cartpole: mw.Model) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    batch = mw.Batch(cartpole, 64, device=device)
    start = batch.get_state()
    ctrl = np.random.default_rng(0).uniform(-1, 1, (64, 1_000_000, 1))
    timer = threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as raised:
        batch.rollout(ctrl=ctrl, record=["qpos", "time", "state"], every=5)
    timer.join()
    found = mw.kept(raised.value)
    frames = found["qpos"].shape[1]
    assert 0 < frames < 200_000 and found["time"].shape == (64, frames)
    np.testing.assert_allclose(found["time"][0], 5 * cartpole.opt.timestep * np.arange(1, frames + 1), rtol=1e-4)
    # the worlds stand where the last frame is, and the frames are those of a shorter rollout
    np.testing.assert_array_equal(batch.qpos, found["qpos"][:, -1])
    few = min(frames, 8)
    batch.set_state(start)
    again = batch.rollout(ctrl=ctrl[:, : 5 * few], record=["qpos"], every=5)["qpos"]
    np.testing.assert_allclose(again, found["qpos"][:, :few], atol=0 if device == "cpu" else 1e-4)


def test_two_batches_in_two_threads(humanoid: mw.Model) -> None:
    def run(seed: int) -> Any:
        batch = mw.Batch(humanoid, 8, device="cpu", seed=seed)
        batch.randomize(mw.Randomize("qpos", (0, 0.01), "add", "normal"))
        for _ in range(20):
            batch.step(5)
        return batch.get("qpos")

    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(run, [1, 2, 3, 4]))
    for seed, qpos in zip([1, 2, 3, 4], together):
        np.testing.assert_array_equal(run(seed), qpos)


def test_other_threads_run_while_worlds_step(humanoid: mw.Model) -> None:
    batch, counted, done = mw.Batch(humanoid, 64, device="cpu"), [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.perf_counter()
    batch.step(150)
    seconds = time.perf_counter() - begin
    done.set()
    thread.join()
    assert counted[0] > 50 * seconds


def test_one_batch_in_two_threads_takes_every_step(cartpole: mw.Model) -> None:
    batch = mw.Batch(cartpole, 4, device="cpu")

    def work(_: int) -> None:
        for _ in range(50):
            batch.step(2)
            batch.set("ctrl", 0.1)
            assert np.ptp(batch.time) == 0

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    np.testing.assert_allclose(batch.time, 400 * cartpole.opt.timestep)


def test_a_handler_of_a_call_cannot_call_the_batch(cartpole: mw.Model) -> None:
    batch = mw.Batch(cartpole, 256, device="cpu")

    def handler(*_: object) -> None:
        batch.step()

    old = signal.signal(signal.SIGUSR1, handler)
    try:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        with pytest.raises(RuntimeError, match="the batch is busy"):
            batch.step(100_000_000)
    finally:
        signal.signal(signal.SIGUSR1, old)
    batch.step()


FORKED = """
import os, sys, manyworlds as mw
text = '<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>'
batch = mw.Batch(mw.Model.from_xml_string(text), 2, device="cpu")
batch.step()
child = os.fork()
if child == 0:
    try:
        batch.step()
    except RuntimeError as problem:
        os._exit(7 if "spawn" in str(problem) else 1)
    os._exit(2)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_is_told_to_spawn() -> None:
    assert subprocess.run([sys.executable, "-c", FORKED], timeout=60).returncode == 7
