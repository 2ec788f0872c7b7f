"""Proximal policy optimisation: each piece against a plain loop, and a task that is learnt in seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("jax")

import jax  # noqa: E402

from manyworlds.learn import LearnError, ppo  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")
CONFIG = ppo.Config(worlds=16, horizon=32, epochs=4, minibatches=4, rate=3e-3, hidden=(16, 16))


class Point:
    """Points on a line that are to be pushed to 0; they end beyond 1.5, and are cut off after 20 steps."""

    def __init__(self, worlds: int, seed: int) -> None:
        self.num_worlds, self.random = worlds, np.random.default_rng(seed)
        self.task = SimpleNamespace(observation_size=1, action_low=np.array([-0.5]), action_high=np.array([0.5]))
        self.places, self.steps = np.zeros(worlds), np.zeros(worlds, int)
        self.over = np.ones(worlds, bool)
        self.shown = np.zeros((worlds, 1), np.float32)

    def begin(self) -> None:
        self.places[self.over] = self.random.uniform(-1, 1, self.over.sum())
        self.steps[self.over] = 0

    def reset(self) -> np.ndarray:
        self.over[:] = True
        self.begin()
        self.over[:] = False
        return self.places[:, None].astype(np.float32)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, ...]:
        assert (np.abs(action) <= 0.5).all()
        new = self.over.copy()
        self.begin()
        self.places += np.where(new, 0, action[:, 0])
        self.steps += ~new
        reward = np.where(new, 0, 1 - np.abs(self.places))
        terminated = ~new & (np.abs(self.places) > 1.5)
        truncated = ~new & ~terminated & (self.steps >= 20)
        self.over = terminated | truncated
        # what a fall shows and pays is no number; the same array each time, as an environment may return a view
        np.copyto(self.shown[:, 0], np.where(terminated, np.nan, self.places))
        return self.shown, np.where(terminated, np.nan, reward), terminated, truncated


def random_rollout(steps: int, worlds: int) -> ppo.Rollout:
    random = np.random.default_rng(0)
    terminated = random.random((steps, worlds)) < 0.1
    truncated = ~terminated & (random.random((steps, worlds)) < 0.1)
    ended = terminated | truncated
    # the step after an end begins an episode: it does not end, and pays nothing
    for t in range(1, steps):
        ended[t] &= ~ended[t - 1]
    live = np.ones((steps, worlds), bool)
    live[1:] = ~ended[:-1]
    reward = np.where(live, random.normal(size=(steps, worlds)), 0).astype(np.float32)
    observation = random.normal(size=(steps + 1, worlds, 3)).astype(np.float32)
    action = random.normal(size=(steps, worlds, 2)).astype(np.float32)
    return ppo.Rollout(observation, action, reward, terminated & ended, truncated & ended, live)


def test_advantages_are_those_of_each_episode_alone() -> None:
    rollout = random_rollout(40, 8)
    value = np.random.default_rng(1).normal(size=(41, 8)).astype(np.float32)
    found = np.asarray(ppo.advantages(CONFIG, rollout, rollout.reward, value))
    ended = rollout.terminated | rollout.truncated
    assert rollout.terminated.any() and rollout.truncated.any() and not rollout.live.all()
    for w in range(8):
        for t in np.flatnonzero(rollout.live[:, w]):
            # the sum of discounted surprises until the episode or the rollout ends
            want, factor = 0.0, 1.0
            for k in range(t, 40):
                following = 0.0 if rollout.terminated[k, w] else value[k + 1, w]
                want += factor * (rollout.reward[k, w] + CONFIG.discount * following - value[k, w])
                factor *= CONFIG.discount * CONFIG.trace
                if ended[k, w]:
                    break
            assert found[t, w] == pytest.approx(want, rel=1e-4, abs=1e-5)


def test_a_step_after_an_end_teaches_nothing() -> None:
    rollout = random_rollout(32, 16)
    state = ppo.create(CONFIG, 0, 3, 2)
    # what was done and what was seen next do not matter there, nor does the value of the last observation of a fall
    dead = ~rollout.live
    action = np.where(dead[..., None], 100.0, rollout.action).astype(np.float32)
    other = rollout._replace(action=action)
    first, again, wrong = (
        ppo.update(CONFIG, state, r, np.float32(0))[0]
        for r in (rollout, other, other._replace(live=np.ones_like(rollout.live)))
    )
    for a, b in zip(jax.tree.leaves(first._replace(key=0)), jax.tree.leaves(again._replace(key=0))):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first.net.log_deviation, wrong.net.log_deviation)
    # statistics leave out these steps too
    assert first.seen.count == rollout.live.sum()
    np.testing.assert_allclose(first.seen.mean, rollout.observation[:-1][rollout.live].mean(0), rtol=1e-4, atol=1e-6)


def test_moments_are_those_of_all_values_together() -> None:
    random = np.random.default_rng(2)
    parts = [random.normal(3.0, scale, (n, 4)).astype(np.float32) for n, scale in ((5, 1), (70, 2), (1, 9), (30, 0.1))]
    moments = ppo.Moments.empty(4)
    for part in parts:
        live = random.random(len(part)) < 0.8
        part[~live] = 1e3
        moments = moments.add(part, live)
        part[~live] = np.nan
    values = np.concatenate(parts)
    np.testing.assert_allclose(moments.mean, np.nanmean(values, 0), rtol=1e-5)
    np.testing.assert_allclose(moments.deviation, np.nanstd(values, 0), rtol=1e-4)
    assert moments.count == (~np.isnan(values[:, 0])).sum()


def test_returns_are_discounted_within_episodes_and_across_rollouts() -> None:
    rollout = random_rollout(40, 4)
    halves = [ppo.Rollout(*(x[part] for x in rollout)) for part in (slice(0, 20), slice(20, 40))]
    whole = ppo.discounted(CONFIG, rollout, np.zeros(4, np.float32))[1]
    owed, first = ppo.discounted(CONFIG, halves[0], np.zeros(4, np.float32))
    second = ppo.discounted(CONFIG, halves[1], owed)[1]
    np.testing.assert_allclose(whole, np.concatenate([first, second]), rtol=1e-6)
    want = np.zeros(4)
    for t in range(40):
        want = want * CONFIG.discount + rollout.reward[t]
        np.testing.assert_allclose(whole[t], want, rtol=1e-4, atol=1e-5)
        want[rollout.terminated[t] | rollout.truncated[t]] = 0


def test_a_runner_counts_episodes_and_marks_their_first_steps() -> None:
    runner = ppo.Runner(Point(4, 0))
    rows = [runner.step(np.full((4, 1), 9.0, np.float32)) for _ in range(30)]
    live = np.stack([row[5] for row in rows])
    ended = np.stack([row[3] | row[4] for row in rows])
    assert live[0].all()
    np.testing.assert_array_equal(live[1:], ~ended[:-1])
    # observations were copied: each is that before its step
    assert len(np.unique(np.stack([row[0] for row in rows])[:3], axis=0)) == 3
    assert len(runner.episodes) == ended.sum()
    assert sum(length for _, length in runner.episodes) + runner.lengths.sum() == live.sum()


def test_it_learns_and_the_same_seed_gives_the_same_bits() -> None:
    config = replace(CONFIG, steps=16 * 32 * 25)
    runs = [ppo.train(Point(16, 3), config, 3) for _ in range(2)]
    (state, log), (again, other) = runs
    for a, b in zip(jax.tree.leaves(state.net), jax.tree.leaves(again.net)):
        np.testing.assert_array_equal(a, b)
    curve = [row[2:4] for row in log]
    np.testing.assert_array_equal(curve, [row[2:4] for row in other])
    assert not np.array_equal(
        curve[-1], ppo.train(Point(16, 4), replace(config, steps=config.steps // 5), 4)[1][-1][2:4]
    )
    before = ppo.evaluate(Point(16, 5), config, ppo.create(config, 3, 1, 1))[0].mean()
    sums, lengths = ppo.evaluate(Point(16, 5), config, state)
    assert (lengths == 20).all()
    # at most a step or two are needed to get to 0
    assert sums.mean() > 18.5 > before + 5
    # what is kept of it is the same, and learning goes on from it
    loaded = ppo.state_of(ppo.arrays_of(state), ppo.create(config, 0, 1, 1))
    np.testing.assert_array_equal(ppo.evaluate(Point(16, 5), config, loaded)[0], sums)
    x = np.ones((16, 1), np.float32)
    np.testing.assert_array_equal(ppo.act(config, loaded, x, np.int32(0)), ppo.act(config, state, x, np.int32(0)))
    with pytest.raises(LearnError, match=r"'.net.actor\[0\]\[0\]' of shape \[2, 16\] is expected, got \[1, 16\]"):
        ppo.state_of(ppo.arrays_of(state), ppo.create(config, 0, 2, 1))


def test_the_learning_rate_follows_the_divergence() -> None:
    config = replace(CONFIG, target_divergence=0.01, least_rate=1e-4, most_rate=1e-2)
    for before, divergence, after in [
        (1e-3, 0.021, 1e-3 / 1.5),
        (1e-3, 0.019, 1e-3),
        (1e-3, 0.006, 1e-3),
        (1e-3, 0.004, 1.5e-3),
        # the policy that acted: nothing is known yet
        (1e-3, 0.0, 1e-3),
        (1.2e-4, 1.0, 1e-4),
        (9e-3, 1e-3, 1e-2),
    ]:
        rate = ppo.adapted(config, np.float32(before), np.float32(divergence))
        assert rate.dtype == np.float32 and float(rate) == pytest.approx(after, rel=1e-6)
    assert ppo.adapted(CONFIG, 1e-3, 1.0) == 1e-3
    # a rate that is far too large comes down; a schedule does not look at the divergence
    rollout = random_rollout(32, 16)
    config = replace(config, rate=1e-2, target_divergence=1e-5)
    rates = [ppo.update(c, ppo.create(c, 0, 3, 2), rollout, np.float32(0))[0].rate for c in (config, CONFIG)]
    assert float(rates[0]) < 2e-3 and rates[1] == np.float32(CONFIG.rate) and rates[0].dtype == np.float32


def test_learning_that_diverges_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    training = ppo.Training(Point(16, 3), CONFIG, 3)
    net = training.state.net._replace(log_deviation=np.float32([np.nan]))
    monkeypatch.setattr(ppo, "update", lambda *_: (training.state._replace(net=net), np.float32(0)))
    with pytest.raises(LearnError, match="learning has diverged after 512 steps: try a smaller --config rate"):
        training.advance()


def test_curves_of_several_runs(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from manyworlds.learn import curves

    logs = [tmp_path / f"{seed}.csv" for seed in range(2)]
    for seed, log in enumerate(logs):
        # no episode has ended at first
        rows = [(32 * i, 0.1 * i, np.nan if i < 3 else i + seed, 20, 320, 0.5, 0.01, 0.6) for i in range(1, 20)]
        log.write_text("\n".join(",".join(map(str, row)) for row in [ppo.COLUMNS, *rows]) + "\n")
    curves.draw(logs, tmp_path / "curves.png", "Point")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
