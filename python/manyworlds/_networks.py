"""Small networks from files and from other packages, as layers of weights and biases."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Array

# Activations, in the order of the numbers that stand for them in a numeric.
ACTIVATIONS = ("tanh", "relu", "elu", "softsign", "sigmoid", "silu")
# Most units of a layer, hidden layers, and inputs, which the engine allows.
WIDEST, DEEPEST, MOST_INPUTS = 64, 4, 32

Layers = list[tuple[Array, Array]]
"""Weights [units, units before] and biases [units] of each layer."""

NetworkSource: TypeAlias = "str | os.PathLike[str] | Sequence[tuple[ArrayLike, ArrayLike]] | Any"


def read_network(source: NetworkSource) -> tuple[Layers, str | None]:
    """Layers of a network, and its activation where the source has one.

    source: a file, `.npz` (`w0`, `b0`, `w1`, …, and `activation`) or `.onnx` (needs the package onnx); or pairs of
    weights [units, units before] and biases; or a `torch.nn.Sequential` of linear layers and activations.

    Raises ValueError for a layer or an activation that networks of actuators do not have, FileNotFoundError for a file
    that is not there.
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        readers = {".npz": _of_arrays, ".onnx": _of_onnx}
        if path.suffix not in readers:
            raise ValueError(f"'{path}' is no network: its name ends with {' or '.join(readers)}")
        if not path.is_file():
            raise FileNotFoundError(f"there is no network '{path}'")
        layers, activation = readers[path.suffix](path)
    elif hasattr(source, "state_dict") and hasattr(source, "children"):
        layers, activation = _of_modules(list(source.children()))
    else:
        layers, activation = [(np.asarray(w, np.float64), np.asarray(b, np.float64)) for w, b in source], None
    return _checked(layers), activation


def packed_network(layers: Layers, activation: str) -> list[float]:
    """The numbers of a network as the custom numeric has them: a head, and bias and weights of each unit."""
    hidden = [len(b) for _, b in layers[:-1]]
    rows = [np.column_stack([b, w]).ravel() for w, b in layers]
    head = [ACTIVATIONS.index(activation), layers[0][0].shape[1], len(hidden), *hidden]
    return [float(x) for x in np.concatenate([head, *rows])]


def _checked(layers: Layers) -> Layers:
    """Layers that fit each other and the engine."""
    if not layers:
        raise ValueError("a network has at least one layer")
    before = layers[0][0].shape[-1] if layers[0][0].ndim == 2 else 0
    if not 1 <= before <= MOST_INPUTS:
        raise ValueError(f"a network has 1 to {MOST_INPUTS} inputs, got {before}")
    for k, (w, b) in enumerate(layers):
        if b.ndim != 1 or w.shape != (len(b), before):
            raise ValueError(
                f"layer {k}: weights of shape {list(w.shape)} and biases of shape {list(b.shape)}; expected "
                f"[units, {before}] and [units]"
            )
        if not (np.isfinite(w).all() and np.isfinite(b).all()):
            raise ValueError(f"layer {k}: a weight or a bias is not finite")
        before = len(b)
    if before != 1:
        raise ValueError(f"the network of an actuator has one output, its torque; this one has {before}")
    if len(layers) - 1 > DEEPEST or any(len(b) > WIDEST for _, b in layers):
        shape = ", ".join(str(len(b)) for _, b in layers[:-1])
        raise ValueError(
            f"a network has at most {DEEPEST} hidden layers of at most {WIDEST} units; this one has {shape}"
        )
    return layers


def _of_arrays(path: Path) -> tuple[Layers, str | None]:
    """Layers of arrays by name."""
    with np.load(path, allow_pickle=False) as file:
        count = sum(name.startswith("w") for name in file.files)
        missing = [f"{kind}{k}" for k in range(count) for kind in "wb" if f"{kind}{k}" not in file.files]
        if not count or missing:
            raise ValueError(f"'{path}' has no array '{(missing or ['w0'])[0]}'; a network has w0, b0, w1, b1, …")
        layers = [(file[f"w{k}"].astype(np.float64), file[f"b{k}"].astype(np.float64)) for k in range(count)]
        return layers, str(file["activation"]) if "activation" in file.files else None


def _of_modules(modules: list[Any]) -> tuple[Layers, str | None]:
    """Layers of PyTorch's modules."""
    chain = _Chain()
    for module in modules:
        kind = type(module).__name__
        if kind == "Linear":
            weight, bias = (None if x is None else x.detach().cpu().numpy() for x in (module.weight, module.bias))
            chain.layer(np.asarray(weight, np.float64), _bias(bias, weight))
        elif kind.lower() in ACTIVATIONS:
            chain.activation(kind, getattr(module, "alpha", 1.0))
        elif kind not in ("Identity", "Dropout"):
            raise ValueError(f"a layer '{kind}' is unknown; linear layers are, and {', '.join(ACTIVATIONS)}")
    return chain.done()


def _of_onnx(path: Path) -> tuple[Layers, str | None]:
    """Layers of a chain of ONNX's nodes."""
    try:
        onnx = importlib.import_module("onnx")
        array_of = importlib.import_module("onnx.numpy_helper").to_array
    except ImportError as error:
        raise ImportError("networks of ONNX are read by its package: pip install 'manyworlds[export]'") from error
    graph = onnx.load(str(path)).graph
    arrays = {one.name: array_of(one).astype(np.float64) for one in graph.initializer}
    chain = _Chain()
    for node in graph.node:
        own = [arrays[name] for name in node.input if name in arrays]
        given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        kind = node.op_type
        if kind == "Gemm" and (given.get("alpha", 1.0), given.get("beta", 1.0), given.get("transA", 0)) != (1, 1, 0):
            raise ValueError(f"'{path}': Gemm with alpha, beta or transA is unknown; put factors into the weights")
        if kind in ("Gemm", "MatMul") and own:
            weight = own[0] if given.get("transB", 0) else own[0].T
            chain.layer(weight, _bias(own[1] if len(own) > 1 else None, weight))
        elif kind == "Add" and own and chain.layers and not chain.is_after_activation:
            chain.layers[-1] = (chain.layers[-1][0], chain.layers[-1][1] + own[0].ravel())
        elif kind.lower() in ACTIVATIONS:
            chain.activation(kind, given.get("alpha", 1.0))
        elif kind not in ("Identity", "Flatten", "Dropout"):
            known = "Gemm, MatMul, Add, Tanh, Relu, Elu, Softsign, Sigmoid"
            raise ValueError(f"'{path}' has a layer '{kind}', which is unknown; known are {known}")
    return chain.done()


class _Chain:
    """Layers with an activation between each two."""

    def __init__(self) -> None:
        self.layers: Layers = []
        self._kind: str | None = None
        self.is_after_activation = True

    def layer(self, weight: Array, bias: Array) -> None:
        if not self.is_after_activation:
            raise ValueError(
                "two linear layers follow each other: an activation stands between them; multiply them out"
            )
        self.layers.append((weight, bias))
        self.is_after_activation = False

    def activation(self, kind: str, alpha: float) -> None:
        kind = kind.lower()
        if self.is_after_activation:
            raise ValueError(f"'{kind}' stands where a linear layer is expected: each layer has one activation")
        if kind == "elu" and alpha != 1.0:
            raise ValueError(f"an 'elu' with alpha {alpha:g} is unknown; alpha is 1")
        if self._kind not in (None, kind):
            raise ValueError(f"hidden layers have one activation, not {self._kind} and {kind}")
        self._kind, self.is_after_activation = kind, True

    def done(self) -> tuple[Layers, str | None]:
        if self.layers and self.is_after_activation:
            raise ValueError(f"the output has no activation, here it has {self._kind}")
        return self.layers, self._kind


def _bias(bias: Any, weight: Any) -> Array:
    return np.zeros(len(weight)) if bias is None else np.asarray(bias, np.float64).ravel()
