"""Optimum of the pendulum by another optimiser over another engine: scipy's L-BFGS-B over MuJoCo, with bounds.

    python crates/control/tests/planning/optimum.py    # writes pendulum.json beside it

The cost is that of pendulum.xml: an L2 norm of the distance to upright, quadratic speed and control, over 60 steps and the state
that they lead to, under the last control. Gradients are adjoint, from mjd_transitionFD.
"""

import json
import pathlib

import mujoco
import numpy as np
import scipy.optimize

HERE = pathlib.Path(__file__).parent
STEPS = 60
START = (2.4, -0.5)

model = mujoco.MjModel.from_xml_path(str(HERE / "pendulum.xml"))
data = mujoco.MjData(model)


def cost(q, v, u):
    """Cost of a step and its gradient with respect to q, v, u."""
    r = np.array([np.cos(q) - 1, np.sin(q)])
    length = np.sqrt(r @ r + 0.3**2)
    value = 2 * (length - 0.3) + 0.05 * 0.5 * v**2 + 0.1 * 0.5 * u**2
    slope = 2 * (r @ np.array([-np.sin(q), np.cos(q)])) / length
    return value, np.array([slope, 0.05 * v]), 0.1 * u


def total(controls):
    mujoco.mj_resetData(model, data)
    data.qpos[0], data.qvel[0] = START
    value, states, steps = 0.0, [], []
    for u in controls:
        data.ctrl[0] = u
        a, b = np.zeros((2, 2)), np.zeros((2, 1))
        mujoco.mjd_transitionFD(model, data, 1e-7, True, a, b, None, None)
        states.append((data.qpos[0], data.qvel[0]))
        steps.append((a, b))
        value += cost(*states[-1], u)[0]
        mujoco.mj_step(model, data)
    last, slope, effort = cost(data.qpos[0], data.qvel[0], controls[-1])
    value += last
    gradient = np.zeros(len(controls))
    gradient[-1] += effort
    for k in reversed(range(len(controls))):
        a, b = steps[k]
        _, by_state, by_control = cost(*states[k], controls[k])
        gradient[k] += by_control + (b.T @ slope)[0]
        slope = by_state + a.T @ slope
    return value, gradient


if __name__ == "__main__":
    best = None
    for first in (0.0, 0.5, -0.5):
        found = scipy.optimize.minimize(
            total, np.full(STEPS, first), jac=True, method="L-BFGS-B", bounds=[(-1, 1)] * STEPS,
            options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9},
        )
        print(first, found.fun, found.message, np.abs(found.x).max())
        if best is None or found.fun < best.fun:
            best = found
    text = {"start": START, "cost": best.fun, "controls": [round(float(u), 9) for u in best.x]}
    (HERE / "pendulum.json").write_text(json.dumps(text) + "\n")
