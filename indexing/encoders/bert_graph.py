"""A BERT encoder as an ONNX graph, built straight from its weights: no export step, no file, no torch.

The graph reads texts of one length, (texts, tokens) token ids without padding, so that it needs no attention mask and
the texts beside a text do not enter its vector, rounding apart. Attention and GELU are ONNX Runtime's fused operators
from the start. The weights are handed over as arrays; the graph itself is a few kilobytes.

Reference: Devlin et al., *BERT*, 2019; fused operators: ONNX Runtime's `com.microsoft` operator set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Pooling = Literal["mean", "cls", "none", "layers"]
Weights = Mapping[str, NDArray[Any]]

_FUSED = "com.microsoft"
_INLINE_BYTES = 1024  # ONNX Runtime takes small constants only inside the graph


@dataclass(frozen=True, slots=True)
class BertShape:
    """The sizes of a BERT, under the names of its `config.json`."""

    num_hidden_layers: int
    num_attention_heads: int
    layer_norm_eps: float


@dataclass(slots=True)
class _Graph:
    """Collects nodes and constants; every method returns the name of its output."""

    nodes: list[Any] = field(default_factory=list)
    constants: dict[str, NDArray[Any]] = field(default_factory=dict)

    def constant(self, value: NDArray[Any]) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants[name] = np.asarray(value, order="C")
        return name

    def node(self, operator: str, inputs: Sequence[str], *, domain: str = "", **attributes: Any) -> str:
        from onnx import helper

        name = f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], domain=domain, **attributes))
        return name

    def linear(self, inputs: str, weight: NDArray[Any]) -> str:
        return self.node("MatMul", [inputs, self.constant(weight.T)])


def build_session(weights: Weights, shape: BertShape, pooling: Pooling) -> Any:
    """An ONNX Runtime session of one thread that maps token ids (texts, tokens) to pooled vectors (texts, hidden).

    Args:
        weights: the tensors of a `BertModel`, under its names without a prefix, float32.
        shape: the sizes that the weights do not tell.
        pooling: the mean over all tokens, or the first token's vector; none: then (texts, tokens, hidden) comes out;
            layers: the means after all layers but the first, then the maxima after the middle one and the last but one.
    """
    graph = _Graph()
    hidden = _embeddings(graph, weights, shape)
    after = []
    for layer in range(shape.num_hidden_layers):
        hidden = _layer(graph, weights, f"encoder.layer.{layer}.", hidden, shape)
        after.append(hidden)
    if pooling == "mean":
        output = graph.node("ReduceMean", [hidden, graph.constant(np.array([1]))], keepdims=0)
    elif pooling == "layers":
        tokens = graph.constant(np.array([1]))
        means = [graph.node("ReduceMean", [each, tokens], keepdims=0) for each in after[1:] or after]
        middle, late = after[(len(after) - 1) // 2], after[max(len(after) - 2, 0)]
        maxima = [graph.node("ReduceMax", [each, tokens], keepdims=0) for each in (middle, late)]
        output = graph.node("Concat", [*means, *maxima], axis=1)
    elif pooling == "cls":
        output = graph.node("Gather", [hidden, graph.constant(np.array(0))], axis=1)
    else:
        return _session(graph, hidden, ["texts", "tokens", "hidden"])
    return _session(graph, output, ["texts", "hidden"])


def _embeddings(graph: _Graph, weights: Weights, shape: BertShape) -> str:
    words = graph.node("Gather", [graph.constant(weights["embeddings.word_embeddings.weight"]), "ids"])
    # There is one segment, so its embedding belongs to every position.
    table = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    positions = graph.node("Gather", [graph.constant(table), "positions"])
    return _normalise(graph, weights, "embeddings.", graph.node("Add", [words, positions]), shape)


def _layer(graph: _Graph, weights: Weights, layer: str, inputs: str, shape: BertShape) -> str:
    projections = [f"{layer}attention.self.{name}" for name in ("query", "key", "value")]
    weight = graph.constant(np.concatenate([weights[f"{name}.weight"].T for name in projections], axis=1))
    bias = graph.constant(np.concatenate([weights[f"{name}.bias"] for name in projections]))
    attended = graph.node("Attention", [inputs, weight, bias], domain=_FUSED, num_heads=shape.num_attention_heads)
    mixed = graph.linear(attended, weights[f"{layer}attention.output.dense.weight"])
    mixed = _add_and_normalise(graph, weights, f"{layer}attention.output.", mixed, inputs, shape)
    inner = graph.linear(mixed, weights[f"{layer}intermediate.dense.weight"])
    inner_bias = graph.constant(weights[f"{layer}intermediate.dense.bias"])
    inner = graph.node("BiasGelu", [inner, inner_bias], domain=_FUSED)
    outer = graph.linear(inner, weights[f"{layer}output.dense.weight"])
    return _add_and_normalise(graph, weights, f"{layer}output.", outer, mixed, shape)


def _add_and_normalise(
    graph: _Graph, weights: Weights, block: str, inputs: str, residual: str, shape: BertShape
) -> str:
    # The fused SkipLayerNormalization takes five times as long as these three nodes on a CPU.
    biased = graph.node("Add", [inputs, graph.constant(weights[f"{block}dense.bias"])])
    return _normalise(graph, weights, block, graph.node("Add", [biased, residual]), shape)


def _normalise(graph: _Graph, weights: Weights, block: str, inputs: str, shape: BertShape) -> str:
    scale, shift = (graph.constant(weights[f"{block}LayerNorm.{part}"]) for part in ("weight", "bias"))
    return graph.node("LayerNormalization", [inputs, scale, shift], axis=-1, epsilon=shape.layer_norm_eps)


def _session(graph: _Graph, output: str, axes: Sequence[str]) -> Any:
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    onnxruntime.disable_telemetry_events()  # the environment says so too, but it may have been imported before us
    initializers = []
    large = {name: value for name, value in graph.constants.items() if value.nbytes >= _INLINE_BYTES}
    for name, value in graph.constants.items():
        if name not in large:
            initializers.append(numpy_helper.from_array(value, name))
            continue
        tensor = TensorProto(
            name=name,
            data_type=helper.np_dtype_to_tensor_dtype(value.dtype),
            dims=value.shape,
            data_location=TensorProto.EXTERNAL,
        )
        tensor.external_data.add(key="location", value="memory")  # any name: the arrays below take its place
        initializers.append(tensor)
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT32, ["texts", "tokens"]),
        helper.make_tensor_value_info("positions", TensorProto.INT32, ["tokens"]),
    ]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, axes)]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "bert", inputs, outputs, initializers),
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(_FUSED, 1)],
        ir_version=9,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # callers run several batches side by side instead: no waiting for each other
    # Higher levels would only fuse what is slower fused, see _add_and_normalise.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in large.values()]
    options.add_external_initializers(list(large), values)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
