# SPDX-License-Identifier: Apache-2.0
"""Tensors in files, compared with numpy and the onnx package: each reads what the other writes, bit by bit."""

import glob
import io
import json
import os
import subprocess
import zipfile

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
TOOL = os.path.join(os.path.dirname(os.environ["INFTRACE"]), "test", "e2e", "tensor_tool")
if not os.path.exists(TOOL) and os.environ.get("INFTRACE_TEST_STRICT") != "1":
    pytest.skip("tensor_tool is not beside inftrace: build all of it", allow_module_level=True)
ONNX_DATA = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data")

NUMPY_TYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
# ONNX's name: the type of ml_dtypes
NARROW = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float8e8m0": ml_dtypes.float8_e8m0fnu,
    "float6e2m3": ml_dtypes.float6_e2m3fn,
    "float6e3m2": ml_dtypes.float6_e3m2fn,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
}
PACKED = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4, "int2": ml_dtypes.int2, "uint2": ml_dtypes.uint2}
BITS = {"float16": 16, "bfloat16": 16, "float4e2m1": 4, "float6e2m3": 6, "float6e3m2": 6}


def tool(*args):
    done = subprocess.run([TOOL] + [str(arg) for arg in args], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(*args):
    done = subprocess.run([TOOL] + [str(arg) for arg in args], capture_output=True, text=True)
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    assert done.stderr.count("\n") == 1 and done.stderr.isprintable() or done.stderr.strip().isprintable()
    return done.stderr.strip()


def unpack(path, folder):
    """[(description, position, name, array)] of the tensors that inftrace's reader finds."""
    os.makedirs(str(folder), exist_ok=True)
    lines = tool("unpack", path, folder).splitlines()
    return [
        tuple(line.split(" ", 2)) + (np.load(os.path.join(str(folder), "%d.npy" % i)),) for i, line in enumerate(lines)
    ]


def same(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype.newbyteorder("=")
    assert np.ascontiguousarray(ours).tobytes() == np.ascontiguousarray(theirs.astype(ours.dtype)).tobytes()


def bits_of(array):
    """A narrow array as the integers that represent it in inftrace's .npy."""
    return array.view(np.uint16 if array.dtype.itemsize == 2 else np.uint8)


def any_values(dtype, shape, seed=1):
    random = np.random.default_rng(seed)
    n = int(np.prod(shape)) * np.dtype(dtype).itemsize
    array = np.frombuffer(random.integers(0, 256, n, dtype=np.uint8).tobytes(), dtype).reshape(shape)
    return array != 0 if dtype == "bool" else array


# ---- .npy


@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3), (0, 4), (2, 1, 3, 2), (1,) * 64])
@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_npy_of_every_dtype(tmp_path, dtype, shape):
    array = any_values(dtype, shape) if dtype != "bool" else np.random.default_rng(1).integers(0, 2, shape).astype(bool)
    array = np.asarray(array)
    np.save(tmp_path / "in.npy", array)
    [(description, position, name, ours)] = unpack(tmp_path / "in.npy", tmp_path / "out")
    assert description == "%s[%s]" % (dtype, ",".join(map(str, shape)))
    assert (position, name) == ("0", "")
    same(ours, array)


@pytest.mark.parametrize("order", [">", "<"])
@pytest.mark.parametrize("dtype", [d for d in NUMPY_TYPES if np.dtype(d).itemsize > 1])
def test_npy_of_both_byte_orders_and_layouts(tmp_path, dtype, order):
    array = np.asfortranarray(any_values(dtype, (3, 4, 5)).astype(np.dtype(dtype).newbyteorder(order)))
    np.save(tmp_path / "in.npy", array)
    assert b"'fortran_order': True" in open(tmp_path / "in.npy", "rb").read(128)
    same(unpack(tmp_path / "in.npy", tmp_path)[0][3], array)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_of_every_version(tmp_path, version):
    array = np.arange(12, dtype="i2").reshape(3, 4)
    with open(tmp_path / "in.npy", "wb") as out:
        np.lib.format.write_array(out, array, version=version)
    same(unpack(tmp_path / "in.npy", tmp_path)[0][3], array)


@pytest.mark.parametrize(
    "texts",
    [["a", "", "bcd"], ["é\U0001f600", "日本"], [b"\xff\x00a", b""], ["a\0b"], []],
    ids=["ascii", "unicode", "bytes", "zero", "none"],
)
@pytest.mark.parametrize("order", ["<", ">"])
def test_npy_of_strings(tmp_path, texts, order):
    array = np.array(texts, dtype=None if texts else "U3")
    if array.dtype.kind == "U":
        array = array.astype(array.dtype.newbyteorder(order))
    np.save(tmp_path / "in.npy", array)
    [(description, _, _, ours)] = unpack(tmp_path / "in.npy", tmp_path / "out")
    assert description == "string[%d]" % len(texts)
    assert [text.encode() if isinstance(text, str) else text for text in ours.tolist()] == [
        text.encode() if isinstance(text, str) else text for text in texts
    ]


@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (100, 1, 1)])
@pytest.mark.parametrize("dtype", NUMPY_TYPES + ["U5"])
def test_npy_is_written_as_numpy_does(tmp_path, dtype, shape):
    array = np.full(shape, "abcdé") if dtype == "U5" else np.ones(shape, dtype)
    np.save(tmp_path / "in.npy", array)
    unpack(tmp_path / "in.npy", tmp_path / "out")
    assert open(tmp_path / "in.npy", "rb").read() == open(tmp_path / "out/0.npy", "rb").read()


# ---- numbers


def probes():
    """Doubles that test rounding: every float16, bfloat16 and narrower value, values between them, and ties."""
    half = np.arange(65536, dtype=np.uint16)
    exact = np.concatenate([half.view(np.float16).astype("f8"), half.view(ml_dtypes.bfloat16).astype("f8")])
    exact = np.unique(exact[np.isfinite(exact)])
    middle = (exact[1:] + exact[:-1]) / 2
    near = np.concatenate([np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)])
    return np.concatenate([exact, middle, near, [0.0, -0.0, 1e-320, -1e-320]])


def correctly_rounded(values, dtype):
    """Rounds to nearest, ties to even, by search among all finite numbers of the type; saturates beyond them."""
    codes = np.arange(1 << (8 * np.dtype(dtype).itemsize)).astype("u%d" % np.dtype(dtype).itemsize)
    numbers = codes.view(dtype).astype("f8")
    bits = {"float4_e2m1fn": 4, "float6_e2m3fn": 6, "float6_e3m2fn": 6}.get(np.dtype(dtype).name)
    if bits:
        numbers, codes = numbers[: 1 << bits], codes[: 1 << bits]
    keep = np.isfinite(numbers) & ~((numbers == 0) & np.signbit(numbers))
    order = np.argsort(numbers[keep], kind="stable")
    numbers, codes = numbers[keep][order], codes[keep][order]
    above = np.clip(np.searchsorted(numbers, values), 1, len(numbers) - 1)
    low, high = numbers[above - 1], numbers[above]
    take_high = (values - low > high - values) | ((values - low == high - values) & (codes[above] % 2 == 0))
    return np.where(take_high, high, low)


@pytest.mark.parametrize("name", ["float16"] + list(NARROW))
def test_every_number_of_a_narrow_float(tmp_path, name):
    dtype = NARROW.get(name, np.float16)
    bits = BITS.get(name, 8)
    codes = np.arange(1 << bits).astype(np.uint16 if bits == 16 else np.uint8)
    np.save(tmp_path / "codes.npy", codes.view(np.float16) if name == "float16" else codes)
    tool("values", tmp_path / "codes.npy", name, tmp_path / "values.npy")
    ours, theirs = np.load(tmp_path / "values.npy"), codes.view(dtype).astype("f8")
    assert np.array_equal(np.isnan(ours), np.isnan(theirs))
    there = ~np.isnan(theirs)
    assert ours[there].tobytes() == theirs[there].tobytes()


@pytest.mark.parametrize("name", ["float16"] + list(NARROW))
def test_rounding_to_a_narrow_float(tmp_path, name):
    dtype = NARROW.get(name, np.float16)
    values = probes()
    np.save(tmp_path / "in.npy", values)
    tool("cast", tmp_path / "in.npy", name, tmp_path / "out.npy")
    ours = np.load(tmp_path / "out.npy").view(dtype).astype("f8")
    theirs = correctly_rounded(values, dtype)
    wrong = ours != theirs
    assert not wrong.any(), [(v, o, t) for v, o, t in zip(values[wrong], ours[wrong], theirs[wrong])][:5]


@pytest.mark.parametrize(
    "name",
    [
        "float16",
        "bfloat16",
        "float8e4m3fn",
        "float8e5m2",
        "float8e4m3fnuz",
        "float8e5m2fnuz",
        "float8e8m0",
        "float4e2m1",
        "float6e2m3",
    ],
)
def test_what_is_no_number_in_a_narrow_float(tmp_path, name):
    np.save(tmp_path / "in.npy", np.array([np.nan, np.inf, -np.inf, -np.nan]))
    tool("cast", tmp_path / "in.npy", name, tmp_path / "out.npy")
    ours = np.load(tmp_path / "out.npy").view(NARROW.get(name, np.float16)).astype("f8")
    info = ml_dtypes.finfo(NARROW.get(name, np.float16))
    assert np.isnan(ours[0]) and np.isnan(ours[3]) or name in ("float4e2m1", "float6e2m3") and ours[0] == 0
    if name in ("float16", "bfloat16", "float8e5m2"):
        assert ours[1] == np.inf and ours[2] == -np.inf
    else:
        assert ours[1] == float(info.max) and ours[2] == float(info.min)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_rounding_to_integers(tmp_path, dtype):
    info = np.iinfo(dtype)
    values = np.array(
        [0, 0.5, 1.5, 2.5, -0.5, -1.5, 1e300, -1e300, np.nan, np.inf, -np.inf, 100.49, float(info.max), float(info.min)]
    )
    np.save(tmp_path / "in.npy", values)
    tool("cast", tmp_path / "in.npy", dtype, tmp_path / "out.npy")
    exact = [
        min(
            max(
                0 if np.isnan(v) else info.max if v == np.inf else info.min if v == -np.inf else int(np.rint(v)),
                info.min,
            ),
            info.max,
        )
        for v in values
    ]
    assert np.load(tmp_path / "out.npy").tolist() == exact


def test_doubles_become_floats_without_infinities(tmp_path):
    values = np.array([1.5, 1e39, -1e39, np.inf, 1e-46, 3.4028235677973366e38, 0.1])
    np.save(tmp_path / "in.npy", values)
    tool("cast", tmp_path / "in.npy", "float32", tmp_path / "out.npy")
    most = np.finfo("f4").max
    assert np.load(tmp_path / "out.npy").tolist() == [1.5, most, -most, np.inf, 0, most, np.float32(0.1)]


# ---- TensorProto


def protos():
    for name in NUMPY_TYPES:
        yield name, helper.np_dtype_to_tensor_dtype(np.dtype(name)), np.dtype(name)
    for name, dtype in list(NARROW.items()) + list(PACKED.items()):
        yield name, getattr(TensorProto, name.upper()), np.dtype(dtype)


def as_written(array, name):
    """The contents of inftrace's .npy for an array of that type."""
    if name in PACKED:
        return array.astype(np.int8 if name.startswith("int") else np.uint8)
    return bits_of(array) if name in NARROW else array


def values_of(name, dtype, shape):
    if name in PACKED:
        info = ml_dtypes.iinfo(dtype)
        return np.random.default_rng(2).integers(info.min, info.max + 1, shape).astype(dtype)
    if name in NARROW:
        codes = np.random.default_rng(2).integers(0, 1 << BITS.get(name, 8), shape)
        return codes.astype(np.uint16 if dtype.itemsize == 2 else np.uint8).view(dtype)
    if name == "bool":
        return np.random.default_rng(2).integers(0, 2, shape).astype(bool)
    return np.asarray(any_values(dtype, shape))


@pytest.mark.parametrize("shape", [(), (3,), (5, 3), (0,), (2, 2, 7)])
@pytest.mark.parametrize("name,number,dtype", list(protos()), ids=[p[0] for p in protos()])
def test_raw_tensors(tmp_path, name, number, dtype, shape):
    array = values_of(name, dtype, shape)
    proto = numpy_helper.from_array(np.asarray(array, dtype), "the input")
    assert proto.data_type == number and proto.HasField("raw_data")
    (tmp_path / "t.pb").write_bytes(proto.SerializeToString())
    [(description, position, found, ours)] = unpack(tmp_path / "t.pb", tmp_path / "out")
    assert description == "%s[%s]" % (name, ",".join(map(str, shape)))
    assert (position, found) == ("0", "the input")
    same(ours, as_written(array, name))


@pytest.mark.parametrize("name,number,dtype", list(protos()), ids=[p[0] for p in protos()])
def test_tensors_in_fields_by_type(tmp_path, name, number, dtype):
    array = values_of(name, dtype, (5, 3))
    if array.dtype.kind in "fc" or name in NARROW:
        wide = array.astype("c16" if array.dtype.kind == "c" else "f8")
        array = np.nan_to_num(wide, posinf=1, neginf=-1).astype(dtype)
    proto = helper.make_tensor("x", number, array.shape, array.flatten())
    assert not proto.HasField("raw_data")
    (tmp_path / "t.pb").write_bytes(proto.SerializeToString())
    [(_, _, found, ours)] = unpack(tmp_path / "t.pb", tmp_path / "out")
    assert found == "x"
    theirs = as_written(np.asarray(numpy_helper.to_array(proto)), name)
    same(ours, theirs)


def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def test_fields_that_are_not_packed(tmp_path):
    values = [3, -4, 5]
    dims = b"".join(b"\x08" + varint(dim) for dim in (1, 3))
    data = dims + b"\x10\x06" + b"".join(b"\x28" + varint(value) for value in values)
    (tmp_path / "t.pb").write_bytes(data)
    [(description, _, _, ours)] = unpack(tmp_path / "t.pb", tmp_path / "out")
    assert description == "int32[1,3]" and ours.tolist() == [values]


def test_strings_of_tensors(tmp_path):
    proto = helper.make_tensor("s", TensorProto.STRING, (2, 2), ["a", "", "日本", "x y"])
    (tmp_path / "t.pb").write_bytes(proto.SerializeToString())
    [(description, _, _, ours)] = unpack(tmp_path / "t.pb", tmp_path / "out")
    assert description == "string[2,2]" and ours.tolist() == [["a", ""], ["日本", "x y"]]


def test_what_is_no_tensor_is_refused(tmp_path):
    external = numpy_helper.from_array(np.zeros(3, "f4"))
    external.ClearField("raw_data")
    external.data_location = TensorProto.EXTERNAL
    external.external_data.add(key="location", value="weights.bin")
    few = helper.make_tensor("x", TensorProto.FLOAT, (2,), [1, 2])
    few.dims[0] = 3
    wide = helper.make_tensor("x", TensorProto.UINT8, (1,), [1])
    wide.int32_data[0] = 256
    model = helper.make_model(helper.make_graph([], "g", [], []))
    cases = [
        (numpy_helper.from_list([np.zeros(3, "f4")], "s"), "a sequence, an optional or a map"),
        (numpy_helper.from_optional(np.zeros(3, "f4"), "o"), "a sequence, an optional or a map"),
        (external, "external data"),
        (few, "2 values, but its shape needs 3"),
        (wide, "which uint8 does not have"),
        (model, "not be an ONNX tensor"),
        (TensorProto(), "element type is 0"),
    ]
    for proto, words in cases:
        (tmp_path / "t.pb").write_bytes(proto.SerializeToString())
        said = refusal("unpack", tmp_path / "t.pb", tmp_path)
        assert words in said and "t.pb" in said, said


@pytest.mark.parametrize("step", [45, pytest.param(1, marks=pytest.mark.full("each case starts a process"))])
@pytest.mark.in_turn(3)
def test_every_node_case_of_onnx(tmp_path, step):
    """Inputs and outputs of the test cases of the onnx package: all that are tensors, or every fifteenth."""
    from onnx.backend.test.case.node import collect_testcases

    n = 0
    for case in collect_testcases(None)[::step]:
        folder = tmp_path / "set"
        folder.mkdir(exist_ok=True)
        for old in glob.glob(str(folder / "*")):
            os.unlink(old)
        inputs = [value for value in (case.data_sets or [((), ())])[0][0]]
        if not inputs or not all(isinstance(value, (np.ndarray, np.generic)) for value in inputs):
            continue
        for i, value in enumerate(inputs):
            proto = numpy_helper.from_array(np.asarray(value), "x%d" % i)
            (folder / ("input_%d.pb" % i)).write_bytes(proto.SerializeToString())
        found = unpack(folder, tmp_path / "out")
        assert [(int(position), name) for _, position, name, _ in found] == [
            (i, "x%d" % i) for i in range(len(inputs))
        ], case.name
        for value, (description, _, _, ours) in zip(inputs, found):
            theirs = np.asarray(value)
            assert description.endswith("[%s]" % ",".join(map(str, theirs.shape)))
            if description.startswith("string"):
                assert ours.tolist() == [
                    v if isinstance(v, str) else v.decode() for v in theirs.flatten()
                ] or np.array_equal(ours.astype(object), theirs)
            else:
                same(ours, as_written(theirs, description.split("[")[0]))
            n += 1
    assert n > 3000 // step, n


def test_the_data_sets_beside_models_of_onnx(tmp_path):
    folders = sorted(glob.glob(os.path.join(ONNX_DATA, "*", "test_*")))
    assert len(folders) > 50
    n = 0
    for folder in folders:
        n_sets = len(glob.glob(os.path.join(folder, "test_data_set_*")))
        files = glob.glob(os.path.join(folder, "test_data_set_*", "*put_*.pb"))
        kinds = [
            onnx.load(os.path.join(folder, "model.onnx")).graph.input[i].type.WhichOneof("value")
            for i in range(len(glob.glob(os.path.join(folder, "test_data_set_0", "input_*.pb"))))
        ]
        if any(kind != "tensor_type" for kind in kinds) or not kinds or "sequence" in folder:
            continue
        assert len(tool("sets", folder).splitlines()) == len(files), folder
        n += n_sets
    assert n > 50, n


# ---- .npz


def arrays():
    return {
        "x": np.arange(6, dtype="f4").reshape(2, 3),
        "mask": np.ones((1, 4), "i8"),
        "big": np.zeros((300, 1000), "f4"),
        "scalar": np.array(3, "u1"),
        "a name/with é": np.array(["a", "b"]),
        "fortran": np.asfortranarray(np.eye(3)),
    }


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path, save):
    save(tmp_path / "in.npz", **arrays())
    found = {name: (position, ours) for _, position, name, ours in unpack(tmp_path / "in.npz", tmp_path / "out")}
    assert list(found) == list(arrays())
    for name, theirs in arrays().items():
        assert found[name][0] == "-1"
        if theirs.dtype.kind == "U":
            assert found[name][1].tolist() == theirs.tolist()
        else:
            same(found[name][1], theirs)


def npy_bytes(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def test_npz_of_other_writers(tmp_path):
    """A comment that resembles an end record, sizes after the data, 64-bit sizes."""
    array = np.arange(5, dtype="i4")

    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def seek(self, *args):
            raise OSError("a pipe")

        def tell(self):
            raise OSError("a pipe")

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as out:
        with out.open("a.npy", "w", force_zip64=True) as item:
            item.write(npy_bytes(array))
        out.comment = b"PK\5\6 is how archives end" * 3
    (tmp_path / "pipe.npz").write_bytes(pipe.getvalue())
    same(unpack(tmp_path / "pipe.npz", tmp_path)[0][3], array)


def archive(files, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as zip_:
        for name, data in files:
            zip_.writestr(name, data)
    return out.getvalue()


def test_bad_archives_are_refused(tmp_path):
    good = npy_bytes(np.arange(1000, dtype="i4"))
    stored = archive([("a.npy", good)])
    damaged = stored.replace(b"\x63\0\0\0\x64\0\0\0", b"\x63\0\0\0\x65\0\0\0")
    locked = stored.replace(b"PK\1\2\x14\3\x14\0\0", b"PK\1\2\x14\3\x14\0\1")
    assert damaged != stored and locked != stored
    cases = [
        (damaged, "checksum"),
        (locked, "encrypted"),
        (archive([("a.npy", good)], zipfile.ZIP_LZMA), "method 14"),
        (stored[:-1], "it is truncated"),
        (archive([("readme.txt", b"hello")]), "its name does not end in .npy"),
        (archive([("a.npy", b"hello")]), "it is not an .npy file"),
        (archive([("a.npy", good[:-1])]), "the file is truncated"),
    ]
    for data, words in cases:
        (tmp_path / "t.npz").write_bytes(data)
        said = refusal("unpack", tmp_path / "t.npz", tmp_path)
        assert words in said, said


def test_an_archive_without_tensors_is_one(tmp_path):
    np.savez(tmp_path / "in.npz")
    assert unpack(tmp_path / "in.npz", tmp_path) == []


# ---- files of ml_dtypes


@pytest.mark.filterwarnings("ignore:Custom dtypes")
@pytest.mark.parametrize("name", [name for name in list(NARROW) + list(PACKED)])
def test_values_that_numpy_saved_without_a_type(tmp_path, name):
    dtype = np.dtype({**NARROW, **PACKED}[name])
    array = values_of(name, dtype, (33,))
    np.save(tmp_path / "in.npy", array)
    tool("values", tmp_path / "in.npy", name, tmp_path / "values.npy")
    ours, theirs = np.load(tmp_path / "values.npy"), array.astype("f8")
    assert np.array_equal(ours, theirs, equal_nan=True)


# ---- generated values


@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_made_up_floats(tmp_path, dtype, kind):
    tool("fill", dtype, 100000, 3, "x", kind, tmp_path / "a.npy")
    values = np.load(tmp_path / "a.npy").astype("f8")
    if kind == "uniform":
        assert values.min() >= -1 and (values.max() < 1 or dtype == "float16" and values.max() == 1)
        assert abs(values.mean()) < 0.01 and abs(values.std() - 3**-0.5) < 0.01
        assert np.abs(np.histogram(values, 20)[0] / 5000 - 1).max() < 0.06
    else:
        assert np.isfinite(values).all() and np.abs(values).max() <= 6
        assert abs(values.mean()) < 0.02 and abs(values.std() - 1) < 0.01
        assert abs((np.abs(values) < 1).mean() - 0.6827) < 0.01 and abs((np.abs(values) < 2).mean() - 0.9545) < 0.01
    # Consecutive values are not correlated.
    assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 0.02


def test_made_up_values_depend_on_seed_and_name_alone(tmp_path):
    def made(seed, name, dtype="float32"):
        tool("fill", dtype, 1000, seed, name, "uniform", tmp_path / "a.npy")
        return np.load(tmp_path / "a.npy")

    first = made(1, "x")
    assert made(1, "x").tobytes() == first.tobytes()
    for other in (made(2, "x"), made(1, "y"), made(1, "")):
        assert (other == first).mean() < 0.01
        assert abs(np.corrcoef(other, first)[0, 1]) < 0.15


def generator(seed, name):
    """An independent implementation of the generator. Its numbers must never change, because published results name a
    seed."""
    mask = (1 << 64) - 1

    def scrambled(x):
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
        x = (x ^ x >> 27) * 0x94D049BB133111EB & mask
        return x ^ x >> 31

    state = 0xCBF29CE484222325 ^ scrambled(seed + 0x9E3779B97F4A7C15 & mask)
    for byte in name.encode():
        state = (state ^ byte) * 0x100000001B3 & mask
    while True:
        state = state + 0x9E3779B97F4A7C15 & mask
        yield scrambled(state)


def test_made_up_values_never_change(tmp_path):
    def made(dtype, *more):
        tool("fill", dtype, 200, 2**64 - 1, "data é", *(more or ("uniform",))[:1], tmp_path / "a.npy", *more[1:])
        return np.load(tmp_path / "a.npy")

    def drawn(n=200):
        numbers = generator(2**64 - 1, "data é")
        return [next(numbers) for _ in range(n)]

    assert made("float32").tolist() == [(x >> 40) * 2.0**-23 - 1 for x in drawn()]
    assert made("float64").tolist() == [(x >> 11) * 2.0**-52 - 1 for x in drawn()]
    assert made("float16").tolist() == [float(np.float16((x >> 40) * 2.0**-23 - 1)) for x in drawn()]
    assert made("int64").tolist() == [x >> 63 for x in drawn()]
    assert made("int32", "uniform", "10", "999").tolist() == [10 + (x * 990 >> 64) for x in drawn()]
    sums = [sum(x >> 16 * i & 0xFFFF for x in drawn(600)[3 * k : 3 * k + 3] for i in range(4)) for k in range(200)]
    assert made("float64", "normal").tolist() == [(total - 393210) / 65536 for total in sums]
    pairs = [(x >> 40) * 2.0**-23 - 1 for x in drawn(400)]
    assert made("complex64").tolist() == [complex(*pairs[i : i + 2]) for i in range(0, 400, 2)]
    words = [
        "".join("bdfgklmnprstvwhz"[(x >> 8 * i) % 16] + "aeiou"[(x >> 8 * i + 4) % 5] for i in range(1, 2 + x % 3))
        for x in drawn()
    ]
    assert made("string").tolist() == words


@pytest.mark.parametrize(
    "dtype,low,high",
    [
        ("int64", 0, 1),
        ("int32", 0, 1),
        ("uint8", 0, 255),
        ("int8", 0, 127),
        ("int4", 0, 7),
        ("uint4", 0, 15),
        ("int2", 0, 1),
        ("uint2", 0, 3),
        ("bool", 0, 1),
        ("uint16", 0, 127),
    ],
)
def test_made_up_integers(tmp_path, dtype, low, high):
    tool("fill", dtype, 20000, 3, "x", "uniform", tmp_path / "a.npy")
    values = np.load(tmp_path / "a.npy").astype("i8")
    assert sorted(set(values.tolist())) == list(range(low, high + 1))
    counts = np.bincount(values - low) / (len(values) / (high - low + 1))
    assert np.abs(counts - 1).max() < 0.5


def test_made_up_integers_of_a_range(tmp_path):
    tool("fill", "int64", 20000, 3, "x", "uniform", tmp_path / "a.npy", "-3", "30521")
    values = np.load(tmp_path / "a.npy")
    assert values.min() >= -3 and values.max() <= 30521 and values.min() < 10 and values.max() > 30500
    tool("fill", "uint64", 20000, 3, "x", "uniform", tmp_path / "a.npy", "0", "18446744073709549568")
    assert np.load(tmp_path / "a.npy").max() > 2**63
    assert "int8" in refusal("fill", "int8", 1, 3, "x", "uniform", tmp_path / "a.npy", "0", "128")
    assert "no whole number" in refusal("fill", "int8", 1, 3, "x", "uniform", tmp_path / "a.npy", "0.2", "0.8")


@pytest.mark.parametrize("name", list(NARROW))
def test_made_up_narrow_floats_are_finite(tmp_path, name):
    for kind in ("uniform", "normal", "zeros", "ones"):
        tool("fill", name, 5000, 3, "x", kind, tmp_path / "a.npy")
        values = np.load(tmp_path / "a.npy").view(NARROW[name]).astype("f8")
        assert np.isfinite(values).all()
        if kind == "ones":
            assert (values == 1).all()
        if kind == "zeros":
            assert (values == (2.0**-127 if name == "float8e8m0" else 0)).all()
        if kind == "uniform":
            assert np.abs(values).max() <= 1 and len(set(values.tolist())) > 4


def test_made_up_words(tmp_path):
    tool("fill", "string", 500, 3, "x", "uniform", tmp_path / "a.npy")
    words = np.load(tmp_path / "a.npy").tolist()
    assert all(2 <= len(word) <= 6 and word.isalpha() and word.islower() for word in words)
    assert len(set(words)) > 100


# ---- comparison


def compared(tmp_path, expected, actual, absolute=0.0, relative=0.0, dtype="-"):
    np.save(tmp_path / "e.npy", expected)
    np.save(tmp_path / "a.npy", actual)
    return json.loads(tool("compare", tmp_path / "e.npy", tmp_path / "a.npy", dtype, absolute, relative))


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "complex64", "complex128", "int8", "int64", "uint64", "uint8"]
)
def test_differences_are_those_of_numpy(tmp_path, dtype):
    random = np.random.default_rng(5)
    wide = "c16" if dtype.startswith("c") else "f8"
    expected = (random.normal(size=(20, 50)) * 50).astype(dtype)
    if dtype.startswith("c"):
        expected = (expected + 1j * random.normal(size=(20, 50))).astype(dtype)
    actual = (expected.astype(wide) + random.normal(size=(20, 50))).astype(dtype)
    said = compared(tmp_path, expected, actual, 0.3, 0.02)
    difference = np.abs(actual.astype(wide) - expected.astype(wide))
    there = expected.flatten() != 0
    relative = difference.flatten()[there] / np.abs(expected.astype(wide)).flatten()[there]
    assert said["n_finite"] == 1000 and said["n_relative"] == there.sum()
    off = (
        ~np.isclose(actual.astype(wide), expected.astype(wide), 0.02, 0.3)
        if np.dtype(dtype).kind in "fc"
        else actual != expected
    )
    assert said["n_off"] == off.sum() and said["first_off"] == np.argmax(off)
    assert said["max_abs"] == pytest.approx(difference.max(), rel=1e-9)
    assert said["max_abs_index"] == np.argmax(difference)
    assert said["max_rel"] == pytest.approx(relative.max(), rel=1e-9)
    e, a = expected.astype(wide).flatten(), actual.astype(wide).flatten()
    assert said["cosine"] == pytest.approx(np.vdot(e, a).real / np.linalg.norm(e) / np.linalg.norm(a), rel=1e-9)


def test_what_is_not_finite_is_counted_apart(tmp_path):
    nan, inf = np.nan, np.inf
    expected = np.array([nan, nan, 1.0, inf, inf, -inf, 0.0, 0.0, 2.0, 5.0], "f4")
    actual = np.array([nan, 1.0, nan, inf, -inf, 3.0, -0.0, 1.0, 2.0, inf], "f4")
    said = compared(tmp_path, expected, actual, 0.5, 0.5)
    assert (said["n_one_nan"], said["n_one_infinite"]) == (2, 3)
    assert (said["n_off"], said["first_off"], said["n_finite"], said["n_relative"]) == (6, 1, 3, 1)
    assert (said["max_abs"], said["max_abs_index"]) == (1, 7)
    assert not said["is_same"]


def test_integers_are_compared_exactly(tmp_path):
    said = compared(tmp_path, np.array([2**63 - 1, 5]), np.array([2**63 - 2, 5]), 10, 10)
    assert said["n_off"] == 1 and said["max_abs"] == 1
    said = compared(tmp_path, np.array([0, 2**64 - 1], "u8"), np.array([0, 2**64 - 2], "u8"), 10, 10)
    assert said["n_off"] == 1 and said["first_off"] == 1 and said["max_abs"] == 1
    said = compared(tmp_path, np.array([-(2**63)]), np.array([2**63 - 1]))
    assert said["max_abs"] == 2.0**64


def test_other_types_and_shapes_are_said(tmp_path):
    assert compared(tmp_path, np.zeros(3, "f4"), np.zeros(3, "f8"))["why"] == "the type is float64, not float32"
    assert (
        compared(tmp_path, np.zeros((2, 3)), np.zeros((3, 2)))["why"] == "the shape is float64[3,2], not float64[2,3]"
    )
    assert compared(tmp_path, np.array(["a", "b"]), np.array(["a", "bc"]))["first_off"] == 1


def test_narrow_floats_are_compared_by_value(tmp_path):
    expected = np.array([1.0, 2.0, 4.0], ml_dtypes.bfloat16)
    actual = np.array([1.0, 2.015625, 4.0], ml_dtypes.bfloat16)
    said = compared(tmp_path, bits_of(expected), bits_of(actual), 0, 0.01, "bfloat16")
    assert said["is_same"] and said["max_abs"] == 0.015625 and said["max_abs_index"] == 1
