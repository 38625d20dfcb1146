"""A BERT encoder as an ONNX graph, built straight from its weights: no export step, no file, no torch.

The graph reads texts of one length, (texts, tokens) token ids without padding, so that it needs no attention mask and
the texts beside a text do not enter its vector, rounding apart. Attention and GELU are ONNX Runtime's fused operators
from the start; OpenVINO knows them too.

Reference: Devlin et al., *BERT*, 2019; fused operators: ONNX Runtime's `com.microsoft` operator set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Pooling = Literal["mean", "cls", "none", "layers"]
Weights = Mapping[str, NDArray[Any]]

_FUSED = "com.microsoft"


@dataclass(frozen=True, slots=True)
class BertShape:
    """The sizes of a BERT, under the names of its `config.json`."""

    num_hidden_layers: int
    num_attention_heads: int
    layer_norm_eps: float


WEIGHTS, PAGE = "weights", 4096


@dataclass(slots=True)
class Graph:
    """Collects nodes and constants; the methods that add some return the name of their output."""

    nodes: list[Any] = field(default_factory=list)
    constants: dict[str, NDArray[Any]] = field(default_factory=dict)
    output: str = ""  # (texts, hidden), or (texts, tokens, hidden) without pooling
    axes: tuple[str, ...] = ("texts", "hidden")

    def constant(self, value: NDArray[Any]) -> str:
        """Add an array to the graph as a constant."""
        name = f"constant_{len(self.constants)}"
        self.constants[name] = np.asarray(value, order="C")
        return name

    def node(self, operator: str, inputs: Sequence[str], *, domain: str = "", **attributes: Any) -> str:
        """Add an operator of these inputs."""
        from onnx import helper

        name = f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], domain=domain, **attributes))
        return name

    def linear(self, inputs: str, weight: NDArray[Any]) -> str:
        """Add the product with a matrix, which is stored transposed."""
        return self.node("MatMul", [inputs, self.constant(weight.T)])

    def model(self, inline_bytes: int) -> tuple[bytes, dict[str, NDArray[Any]]]:
        """The graph as an ONNX file, and the constants of `inline_bytes` or more.

        These are not in it but in a file `WEIGHTS`, one after the other, each from the beginning of a page.
        """
        from onnx import TensorProto, helper, numpy_helper

        external = {name: value for name, value in self.constants.items() if value.nbytes >= inline_bytes}
        inline = {name: value for name, value in self.constants.items() if name not in external}
        initializers = [numpy_helper.from_array(value, name) for name, value in inline.items()]
        start = 0
        for name, value in external.items():
            kind = helper.np_dtype_to_tensor_dtype(value.dtype)
            tensor = TensorProto(name=name, data_type=kind, dims=value.shape, data_location=TensorProto.EXTERNAL)
            for key, text in (("location", WEIGHTS), ("offset", str(start)), ("length", str(value.nbytes))):
                tensor.external_data.add(key=key, value=text)
            initializers.append(tensor)
            start += value.nbytes + -value.nbytes % PAGE
        inputs = [
            helper.make_tensor_value_info("ids", TensorProto.INT32, ["texts", "tokens"]),
            helper.make_tensor_value_info("positions", TensorProto.INT32, ["tokens"]),
        ]
        outputs = [helper.make_tensor_value_info(self.output, TensorProto.FLOAT, self.axes)]
        model = helper.make_model(
            helper.make_graph(self.nodes, "bert", inputs, outputs, initializers),
            opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(_FUSED, 1)],
            ir_version=9,
        )
        return model.SerializeToString(), external


def build_graph(weights: Weights, shape: BertShape, pooling: Pooling) -> Graph:
    """A graph that maps token ids (texts, tokens) to pooled vectors (texts, hidden).

    The weights are the tensors of a `BertModel`, under its names without a prefix, float32. Pooling is the mean over
    all tokens, or the first token's vector; none: then (texts, tokens, hidden) comes out; layers: the means after all
    layers but the first, then the maxima after the middle one and the last but one.
    """
    graph = Graph()
    hidden = _embeddings(graph, weights, shape)
    states = []
    for layer in range(shape.num_hidden_layers):
        hidden = _layer(graph, weights, f"encoder.layer.{layer}.", hidden, shape)
        states.append(hidden)
    if pooling == "mean":
        graph.output = graph.node("ReduceMean", [hidden, graph.constant(np.array([1]))], keepdims=0)
    elif pooling == "layers":
        tokens = graph.constant(np.array([1]))
        means = [graph.node("ReduceMean", [state, tokens], keepdims=0) for state in states[1:] or states]
        middle, late = states[(len(states) - 1) // 2], states[max(len(states) - 2, 0)]
        maxima = [graph.node("ReduceMax", [state, tokens], keepdims=0) for state in (middle, late)]
        graph.output = graph.node("Concat", [*means, *maxima], axis=1)
    elif pooling == "cls":
        graph.output = graph.node("Gather", [hidden, graph.constant(np.array(0))], axis=1)
    else:
        graph.output, graph.axes = hidden, ("texts", "tokens", "hidden")
    return graph


def _embeddings(graph: Graph, weights: Weights, shape: BertShape) -> str:
    words = graph.node("Gather", [graph.constant(weights["embeddings.word_embeddings.weight"]), "ids"])
    # There is one segment, so its embedding belongs to every position.
    table = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    positions = graph.node("Gather", [graph.constant(table), "positions"])
    return _normalise(graph, weights, "embeddings.", graph.node("Add", [words, positions]), shape)


def _layer(graph: Graph, weights: Weights, layer: str, inputs: str, shape: BertShape) -> str:
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


def _add_and_normalise(graph: Graph, weights: Weights, block: str, inputs: str, residual: str, shape: BertShape) -> str:
    # The fused SkipLayerNormalization takes five times as long as these three nodes on a CPU.
    biased = graph.node("Add", [inputs, graph.constant(weights[f"{block}dense.bias"])])
    return _normalise(graph, weights, block, graph.node("Add", [biased, residual]), shape)


def _normalise(graph: Graph, weights: Weights, block: str, inputs: str, shape: BertShape) -> str:
    scale, shift = (graph.constant(weights[f"{block}LayerNorm.{parameter}"]) for parameter in ("weight", "bias"))
    return graph.node("LayerNormalization", [inputs, scale, shift], axis=-1, epsilon=shape.layer_norm_eps)
