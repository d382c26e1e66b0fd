# SPDX-License-Identifier: Apache-2.0
"""Compares `inftrace model --dry-run --json` with the reference: where both know a value's type or a dimension, they
agree.

The models are those of the `onnx` package: its node cases, one for each way to use an operator, and its small whole
models. The number of dimensions that each side knows is printed, and has a lower limit."""

import collections
import functools
import glob
import json
import os
import subprocess
import warnings

import numpy
import onnx
import pytest
from onnx import shape_inference

from lab import PATIENCE

INFTRACE = os.environ["INFTRACE"]
DATA = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data")


def analyse(path, *options):
    done = subprocess.run(
        [INFTRACE, "model", "--dry-run", "--json", *options, str(path)], capture_output=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def our_types(analysis):
    """{value: {"kind", "element_type", "shape"}} of the main graph."""
    return {value["name"]: value for node in analysis["nodes"] if node["depth"] == 0 for value in node["outputs"]}


ELEMENTS = {"FLOAT": "float32", "DOUBLE": "float64"}


def their_type(proto):
    """The same form for the reference; kind is None if it does not know the type."""
    kind = proto.WhichOneof("value")
    if not kind:
        return {"kind": None}
    part = getattr(proto, kind)
    if kind in ("tensor_type", "sparse_tensor_type"):
        name = onnx.TensorProto.DataType.Name(part.elem_type)
        shape = None
        if part.HasField("shape"):
            shape = [dim.dim_value if dim.HasField("dim_value") else None for dim in part.shape.dim]
        return {
            "kind": kind[:-5],
            "element_type": ELEMENTS.get(name, name.lower()) if part.elem_type else None,
            "shape": shape,
        }
    inner = part.value_type if kind == "map_type" else part.elem_type
    return {"kind": kind[:-5], "of": their_type(inner)}


class Tally:
    """Counts what both know and what only one knows, and lists differences."""

    def __init__(self):
        self.n = collections.Counter()
        self.differ = []

    def compare(self, where, ours, theirs):
        if theirs["kind"] is None or ours["kind"] is None:
            self.n["kind only ours"] += theirs["kind"] is None and ours["kind"] is not None
            self.n["kind only theirs"] += ours["kind"] is None and theirs["kind"] is not None
            return
        if ours["kind"] != theirs["kind"]:
            self.differ.append((where, ours, theirs))
        elif "of" in theirs:
            self.compare(where, ours.get("of", {"kind": None}), theirs["of"])
        else:
            self._compare_tensors(where, ours, theirs)

    def _compare_tensors(self, where, ours, theirs):
        self._fact("element type", where, ours["element_type"], theirs["element_type"], ours, theirs)
        mine, other = ours["shape"], theirs["shape"]
        self._fact(
            "rank", where, None if mine is None else len(mine), None if other is None else len(other), ours, theirs
        )
        if mine is None or other is None or len(mine) != len(other):
            return
        for a, b in zip(mine, other):
            self._fact("dimension", where, a if isinstance(a, int) else None, b, ours, theirs)

    def _fact(self, what, where, mine, other, ours, theirs):
        if mine is not None and other is not None:
            self.n[what + " both"] += 1
            if mine != other:
                self.differ.append((where, ours, theirs))
        elif mine is not None:
            self.n[what + " only ours"] += 1
        elif other is not None:
            self.n[what + " only theirs"] += 1


def bare(model):
    """The model without its declared types, except those of the inputs: everything else must be inferred."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.value_info[:]
    for output in copy.graph.output:
        output.type.Clear()
    return copy


def compare_models(models, folder):
    """Compares with what the reference infers, and with the outputs that the authors of the models declare."""
    inferred, said = Tally(), Tally()
    for name, model in models:
        path = folder / "model.onnx"
        stripped = bare(model)
        path.write_bytes(stripped.SerializeToString())
        ours = our_types(analyse(path))
        theirs = shape_inference.infer_shapes(stripped, data_prop=True).graph
        inferred.n["models"] += 1
        for tally, values in ((inferred, [*theirs.value_info, *theirs.output]), (said, model.graph.output)):
            for value in values:
                if value.name in ours:
                    tally.compare((name, value.name), ours[value.name], their_type(value.type))
    for title, tally in (("inferred by the reference", inferred), ("outputs as the models' authors say", said)):
        print("\n" + title)
        for what in sorted(tally.n):
            print("  %-32s %d" % (what, tally.n[what]))
    assert not inferred.differ
    assert not said.differ
    return inferred.n, said.n


@functools.lru_cache(maxsize=None)
def node_cases():
    """Models made by the package, one for each way to use an operator, with the actual shapes of their outputs."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(case.name, case.model) for case in collect_testcases(None) if case.model]


def stored(kind):
    return [
        (os.path.basename(os.path.dirname(path)), onnx.load(path))
        for path in sorted(glob.glob(f"{DATA}/{kind}/*/model.onnx"))
    ]


def light(name="*"):
    return [(os.path.basename(path), onnx.load(path)) for path in sorted(glob.glob(f"{DATA}/light/light_{name}.onnx"))]


@pytest.mark.in_turn(3)
def test_every_way_to_use_an_operator(tmp_path):
    inferred, said = compare_models(node_cases(), tmp_path)
    assert inferred["models"] >= 1800
    assert inferred["dimension both"] >= 25000
    assert inferred["rank both"] >= 13000 and inferred["element type both"] >= 14000
    # what only the reference knows, and what only inftrace knows
    assert inferred["dimension only theirs"] + inferred["rank only theirs"] + inferred["kind only theirs"] <= 30
    assert inferred["dimension only ours"] >= 1400
    # the actual dimensions of the outputs
    assert said["dimension both"] >= 0.87 * (said["dimension both"] + said["dimension only theirs"])


@pytest.mark.parametrize("kind,least", [("simple", 50), ("pytorch-converted", 360), ("pytorch-operator", 120)])
def test_small_whole_models(kind, least, tmp_path):
    inferred, _ = compare_models(stored(kind), tmp_path)
    assert inferred["dimension both"] >= least
    assert not inferred["dimension only theirs"]


def test_known_nets_are_known_in_full(tmp_path):
    inferred, _ = compare_models(light(), tmp_path)
    assert inferred["dimension both"] >= 11000
    assert not inferred["dimension only theirs"]


# Published figures of these nets: multiply-adds of layers with weights, in millions, and parameters. The model files
# also contain batch normalisation's running mean and variance as constants, which count here: (n) of them.
NETS = {
    "vgg19": (19632, 143667240, 0),
    "resnet50": (4089, 25557032, 53120),
    "squeezenet": (349, 1235496, 0),
    "bvlc_alexnet": (654, 60965224, 0),
    "densenet121": (2834, 7978856, 167296),
}


@pytest.mark.parametrize("net", NETS)
def test_costs_of_known_nets(net):
    multiply_adds, parameters, statistics = NETS[net]
    analysis = analyse(f"{DATA}/light/light_{net}.onnx")
    products = sum(one["flops"] for one in analysis["operators"] if one["op_type"] in ("Conv", "Gemm"))
    assert products / 2e6 == pytest.approx(multiply_adds, rel=0.01)
    assert analysis["total"]["flops"] == pytest.approx(2e6 * multiply_adds, rel=0.12)
    assert analysis["total"]["parameters"] == parameters + statistics
    assert analysis["total"]["nodes_not_known"] == 0


def test_free_dimensions_given_here_are_those_given_to_the_reference(tmp_path):
    """batch=3 on the command line has the same effect as 3 in the file."""
    nodes = [
        onnx.helper.make_node("Conv", ["x", "w"], ["c"], name="c"),
        onnx.helper.make_node("Shape", ["c"], ["s"], name="s"),
        onnx.helper.make_node("Expand", ["one", "s"], ["e"], name="e"),
        onnx.helper.make_node("Add", ["e", "c"], ["y"], name="y"),
    ]
    weights = [
        onnx.numpy_helper.from_array(numpy.zeros(shape, "float32"), name)
        for name, shape in (("w", (4, 3, 3, 3)), ("one", (1,)))
    ]

    def save(batch):
        graph = onnx.helper.make_graph(
            nodes,
            "g",
            [onnx.helper.make_tensor_value_info("x", 1, [batch, 3, 8, 8])],
            [onnx.helper.make_tensor_value_info("y", 1, None)],
            weights,
        )
        onnx.save(onnx.helper.make_model(graph), tmp_path / f"{batch}.onnx")
        return tmp_path / f"{batch}.onnx"

    free, fixed = analyse(save("batch"), "--dim", "batch=3"), analyse(save(3))
    for field in ("nodes", "total", "inputs", "outputs"):
        assert free[field] == fixed[field]
    assert free["total"]["nodes_not_known"] == 0


FLOAT, UINT8, INT8, INT32 = (getattr(onnx.TensorProto, name) for name in ("FLOAT", "UINT8", "INT8", "INT32"))
SCALE, POINT = (FLOAT, ()), (UINT8, ())
# Operators of com.microsoft: type, attributes, inputs (element type, shape, value if not 1; None: omitted), number of
# outputs.
FUSED = [
    ("FusedMatMul", {"transA": 1, "transB": 1}, [(FLOAT, (2, 5, 4)), (FLOAT, (3, 5))], 1),
    ("Gelu", {}, [(FLOAT, (2, 3))], 1),
    ("FastGelu", {}, [(FLOAT, (2, 3)), (FLOAT, (3,))], 1),
    ("BiasGelu", {}, [(FLOAT, (2, 3)), (FLOAT, (3,))], 1),
    ("QuickGelu", {}, [(FLOAT, (2, 3))], 1),
    (
        "FusedConv",
        {"activation": "Relu", "pads": [1, 1, 1, 1], "strides": [2, 2]},
        [(FLOAT, (1, 3, 9, 8)), (FLOAT, (4, 3, 3, 3))],
        1,
    ),
    ("FusedGemm", {"activation": "Relu", "transB": 1}, [(FLOAT, (2, 3)), (FLOAT, (4, 3)), (FLOAT, (4,))], 1),
    ("SkipLayerNormalization", {}, [(FLOAT, (2, 3, 8)), (FLOAT, (2, 3, 8)), (FLOAT, (8,))], 1),
    ("SkipSimplifiedLayerNormalization", {}, [(FLOAT, (2, 3, 8)), (FLOAT, (2, 3, 8)), (FLOAT, (8,))], 1),
    (
        "EmbedLayerNormalization",
        {},
        [(INT32, (2, 3)), None, (FLOAT, (9, 8)), (FLOAT, (5, 8)), None, (FLOAT, (8,)), (FLOAT, (8,))],
        2,
    ),
    ("Attention", {"num_heads": 2}, [(FLOAT, (2, 3, 8)), (FLOAT, (8, 24)), (FLOAT, (24,))], 1),
    ("MultiHeadAttention", {"num_heads": 2}, [(FLOAT, (2, 3, 8)), (FLOAT, (2, 5, 8)), (FLOAT, (2, 5, 12))], 1),
    (
        "GroupQueryAttention",
        {"num_heads": 4, "kv_num_heads": 2},
        [(FLOAT, (2, 3, 64)), (FLOAT, (2, 3, 32)), (FLOAT, (2, 3, 32)), None, None, (INT32, (2,), 2), (INT32, (1,), 3)],
        1,
    ),
    ("QLinearAdd", {}, [(UINT8, (2, 1, 3)), SCALE, POINT, (UINT8, (4, 3)), SCALE, POINT, SCALE, POINT], 1),
    ("QLinearMul", {}, [(UINT8, (2, 3)), SCALE, POINT, (UINT8, (2, 1)), SCALE, POINT, SCALE, POINT], 1),
    ("QLinearGlobalAveragePool", {}, [(UINT8, (1, 3, 5, 6)), SCALE, POINT, SCALE, POINT], 1),
    ("QLinearLeakyRelu", {"alpha": 0.1}, [(INT8, (2, 3)), SCALE, (INT8, ()), SCALE, (INT8, ())], 1),
    ("QLinearConcat", {"axis": 1}, [SCALE, POINT, (UINT8, (2, 3)), SCALE, POINT, (UINT8, (2, 4)), SCALE, POINT], 1),
    ("DynamicQuantizeMatMul", {}, [(FLOAT, (2, 3, 4)), (UINT8, (4, 5)), (FLOAT, (1,)), (UINT8, (1,))], 1),
    (
        "MatMulIntegerToFloat",
        {},
        [(UINT8, (2, 4)), (UINT8, (4, 5)), (FLOAT, (1,)), (FLOAT, (1,)), (UINT8, (1,)), (UINT8, (1,))],
        1,
    ),
    ("QGemm", {"transB": 1}, [(UINT8, (2, 4)), SCALE, POINT, (UINT8, (5, 4)), SCALE, POINT, None, None, None], 1),
    (
        "MatMulNBits",
        {"K": 32, "N": 5, "bits": 4, "block_size": 32},
        [(FLOAT, (2, 3, 32)), (UINT8, (5, 1, 16)), (FLOAT, (5,))],
        1,
    ),
    ("QuantizeLinear", {}, [(FLOAT, (2, 3)), SCALE, POINT], 1),
    ("DequantizeLinear", {}, [(UINT8, (2, 3)), SCALE, POINT], 1),
    ("Inverse", {}, [(FLOAT, (2, 3, 3))], 1),
]
RUNNER = """
import json, sys
import numpy, onnxruntime
path, inputs = sys.argv[1], json.loads(sys.argv[2])
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
feeds = {name: numpy.full(shape, value, kind) for name, (kind, shape, value) in inputs.items()}
for name in feeds:
    if len(feeds[name].shape) > 1 and feeds[name].shape[-1] == feeds[name].shape[-2]:
        feeds[name] = numpy.broadcast_to(numpy.eye(feeds[name].shape[-1], dtype=feeds[name].dtype), feeds[name].shape)
print(json.dumps([[str(one.dtype), list(one.shape)] for one in session.run(None, feeds)]))
"""


@pytest.mark.parametrize("op_type,attributes,inputs,n_outputs", FUSED, ids=[one[0] for one in FUSED])
@pytest.mark.in_turn(5)
def test_fused_operators_make_what_the_runtime_makes(wheel, tmp_path, op_type, attributes, inputs, n_outputs):
    names = ["in%d" % i if one else "" for i, one in enumerate(inputs)]
    outputs = ["out%d" % i for i in range(n_outputs)]
    given = {name: one for name, one in zip(names, inputs) if one}
    node = onnx.helper.make_node(op_type, names, outputs, domain="com.microsoft", **attributes)
    graph = onnx.helper.make_graph(
        [node],
        "g",
        [onnx.helper.make_tensor_value_info(name, *one[:2]) for name, one in given.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
    )
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)]
    path = tmp_path / "model.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    kinds = {
        name: (onnx.helper.tensor_dtype_to_np_dtype(one[0]).name, one[1], one[2] if len(one) > 2 else 1)
        for name, one in given.items()
    }
    done = subprocess.run(
        [wheel.python, "-c", RUNNER, str(path), json.dumps(kinds)], capture_output=True, timeout=PATIENCE
    )
    if b"Could not find an implementation" in done.stderr:
        pytest.skip("this runtime has no kernel for it")
    assert done.returncode == 0, done.stderr.decode()
    ours = our_types(analyse(path))
    assert [[ours[name]["element_type"], ours[name]["shape"]] for name in outputs] == json.loads(done.stdout)
