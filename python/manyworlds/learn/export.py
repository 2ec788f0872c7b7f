"""The command `export`: a policy as a graph of ONNX, or with its task and model for windows and pages."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import Array
from .._model import Model
from .errors import LearnError, need
from .files import write
from .policy import LIMIT, Policy
from .tasks import task_of

OPSET, IR = 17, 8
# Observations that the graph is tried with, and the largest difference that is let pass, relative to the actions' span.
TRIALS, TOLERANCE = 1000, 1e-5


def graph(policy: Policy) -> Any:
    """A model of ONNX: `observation` [batch, n] of the policy's group in, `action` [batch, m] in the task's units out.

    Normalisation, the network, and the limits and span of the actions are inside.
    """
    onnx = need("onnx", "export")
    helper, numbers = onnx.helper, onnx.numpy_helper
    constants: list[Any] = []
    nodes: list[Any] = []
    last = "observation"

    def constant(name: str, value: Any) -> str:
        constants.append(numbers.from_array(np.asarray(value, dtype=np.float32), name))
        return name

    def then(kind: str, *others: str, to: str | None = None) -> None:
        nonlocal last
        out = to or f"{kind.lower()}_{len(nodes)}"
        nodes.append(helper.make_node(kind, [last, *others], [out]))
        last = out

    then("Sub", constant("mean", policy.mean))
    then("Div", constant("deviation", policy.deviation))
    then("Clip", constant("least", -LIMIT), constant("most", LIMIT))
    for k, (weight, bias) in enumerate(policy.layers):
        then("Gemm", constant(f"weight_{k}", weight), constant(f"bias_{k}", bias))
        if k < len(policy.layers) - 1:
            then("Tanh")
    then("Clip", constant("action_least", -1.0), constant("action_most", 1.0))
    then("Mul", constant("half_span", (policy.high - policy.low) / 2))
    then("Add", constant("middle", (policy.high + policy.low) / 2), to="action")

    def array(name: str, size: int) -> Any:
        return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["batch", size])

    inputs, outputs = array("observation", len(policy.mean)), array("action", len(policy.low))
    whole = helper.make_graph(nodes, "policy", [inputs], [outputs], constants)
    made = helper.make_model(whole, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="manyworlds")
    made.ir_version = IR
    helper.set_model_props(made, properties(policy))
    onnx.checker.check_model(made)
    return made


def properties(policy: Policy) -> dict[str, str]:
    """What the graph says of itself; lists as JSON."""
    about = policy.about
    return {
        "task": about.task,
        "model": about.model,
        "library": about.library,
        "observation": json.dumps([list(term) for term in about.seen]),
        "action_low": json.dumps(list(about.action_low)),
        "action_high": json.dumps(list(about.action_high)),
        "dt": repr(about.dt),
        "steps": str(about.steps),
    }


def trials(policy: Policy) -> Array:
    """Observations around those of learning, some of them beyond its limits."""
    random = np.random.default_rng(0)
    width = random.choice([1.0, 3.0, 30.0], (TRIALS, 1))
    normal = random.normal(size=(TRIALS, len(policy.mean)))
    return (policy.mean + width * policy.deviation * normal).astype(np.float32)


def difference(policy: Policy, graph: bytes) -> float:
    """Largest difference of a graph's actions from the policy's, relative to half of the actions' span."""
    session = need("onnxruntime", "export").InferenceSession(graph, providers=["CPUExecutionProvider"])
    observations = trials(policy)
    found = session.run(["action"], {"observation": observations})[0]
    scale = np.maximum((policy.high - policy.low) / 2, np.abs([policy.low, policy.high]).max(0))
    return float((np.abs(found.astype(np.float64) - policy.act(observations)) / scale).max())


def acting(policy: Policy) -> dict[str, Any]:
    """A policy as part of a task, for the engine."""
    layers = [{"weights": w.T.ravel().tolist(), "biases": b.tolist()} for w, b in policy.layers]
    return {
        "first": policy.about.policy[0],
        "mean": policy.mean.tolist(),
        "deviation": policy.deviation.tolist(),
        "limit": LIMIT,
        "layers": layers,
        "low": policy.low.tolist(),
        "high": policy.high.tolist(),
    }


def with_policy(policy: Policy, name: str | None = None) -> Model:
    """The model of a policy's task, with the task and the policy; episodes end by what happens, not by time."""
    found = task_of(policy, name, whole=policy.about.policy[0] > 0)
    whole = {**found.task.to_dict(), "autoreset": True, "max_episode_steps": None, "policy": acting(policy)}
    return Model(found.task.model._core.with_task(json.dumps(whole)))


def export(path: Path, out: Path, task: str | None = None) -> int:
    """Writes a policy as ONNX or as a model that it moves; the exit status of the command."""
    policy = Policy.load(path)
    if out.suffix == ".mwb":
        made = with_policy(policy, task)
        write(out, lambda file: file.write(made._core.to_bytes()))
        print(f"written: {out}; `manyworlds view {out}` and the page for browsers show it")
        return 0
    if out.suffix != ".onnx":
        raise LearnError(f"{out}: a policy is written to a file .onnx, or, with its task and model, .mwb")
    return _export_graph(policy, out)


def _export_graph(policy: Policy, out: Path) -> int:
    """Writes a policy as ONNX, tried against it where onnxruntime is installed."""
    text = graph(policy).SerializeToString()
    tried = "not tried: onnxruntime is not installed, pip install 'manyworlds[export]'"
    if importlib.util.find_spec("onnxruntime") is not None:
        apart = difference(policy, text)
        if not apart <= TOLERANCE:
            raise LearnError(
                f"the graph differs from the policy by {apart:.1e} of the actions' span, of which {TOLERANCE:g} is let "
                f"pass; {out} is not written. Please report this with the policy"
            )
        tried = f"differs from the policy by at most {apart:.1e} of the actions' span, for {TRIALS:,} observations"
    write(out, lambda file: file.write(text))
    print(f"written: {out}; {tried}")
    return 0
