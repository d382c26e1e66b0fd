# SPDX-License-Identifier: Apache-2.0
"""`inftrace model --dry-run --json` beside the reference: wherever both know a value's type or a dimension, they agree.

The models are those of the `onnx` package: its node cases, one for each way to use an operator, and its small whole
models. How many dimensions each side knows is printed, and has a floor."""
import collections
import glob
import json
import os
import subprocess

import onnx
import pytest
from onnx import shape_inference

INFTRACE = os.environ["INFTRACE"]
DATA = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data")


def analyse(path, *options):
    done = subprocess.run([INFTRACE, "model", "--dry-run", "--json", *options, str(path)], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def our_types(analysis):
    """{value: {"kind", "element_type", "shape"}} of the graph itself."""
    return {value["name"]: value for node in analysis["nodes"] if node["depth"] == 0 for value in node["outputs"]}


ELEMENTS = {"FLOAT": "float32", "DOUBLE": "float64"}


def their_type(proto):
    """The same form; kind None where nothing is said."""
    kind = proto.WhichOneof("value")
    if not kind:
        return {"kind": None}
    part = getattr(proto, kind)
    if kind in ("tensor_type", "sparse_tensor_type"):
        name = onnx.TensorProto.DataType.Name(part.elem_type)
        shape = None
        if part.HasField("shape"):
            shape = [dim.dim_value if dim.HasField("dim_value") else None for dim in part.shape.dim]
        return {"kind": kind[:-5], "element_type": ELEMENTS.get(name, name.lower()) if part.elem_type else None, "shape": shape}
    inner = part.value_type if kind == "map_type" else part.elem_type
    return {"kind": kind[:-5], "of": their_type(inner)}


class Tally:
    """What both know, what only one knows, and where they differ."""

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
        self._fact("rank", where, None if mine is None else len(mine), None if other is None else len(other), ours, theirs)
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


def compare_models(models, folder):
    """models: (name, ModelProto) without the types of their values; what the reference infers from that is compared."""
    tally = Tally()
    for name, model in models:
        path = folder / "model.onnx"
        bare = onnx.ModelProto()
        bare.CopyFrom(model)
        del bare.graph.value_info[:]
        for output in bare.graph.output:
            output.type.Clear()
        path.write_bytes(bare.SerializeToString())
        ours = our_types(analyse(path))
        try:
            inferred = shape_inference.infer_shapes(bare, data_prop=True)
        except Exception:  # the reference cannot read it: nothing to compare with
            tally.n["models that the reference refuses"] += 1
            continue
        theirs = {value.name: their_type(value.type) for value in list(inferred.graph.value_info) + list(inferred.graph.output)}
        tally.n["models"] += 1
        for value, theirs_type in theirs.items():
            if value in ours:
                tally.compare((name, value), ours[value], theirs_type)
    for what in sorted(tally.n):
        print("%-40s %d" % (what, tally.n[what]))
    return tally


def node_cases():
    from onnx.backend.test.case.node import collect_testcases
    return [(case.name, case.model) for case in collect_testcases(None) if case.model]


def stored(kind):
    return [(os.path.basename(os.path.dirname(path)), onnx.load(path)) for path in sorted(glob.glob(f"{DATA}/{kind}/*/model.onnx"))]


def light():
    return [(os.path.basename(path), onnx.load(path)) for path in sorted(glob.glob(f"{DATA}/light/*.onnx"))]
