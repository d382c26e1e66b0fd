# SPDX-License-Identifier: Apache-2.0
"""The places of probes in real runtimes' files: counts, instructions compared with objdump, broken files, modules."""

import glob
import os
import re
import shutil
import subprocess
import zipfile

import pytest

import envs
from conftest import environment

TOOL = os.path.join(os.path.dirname(os.environ.get("INFTRACE", "")), "test", "e2e", "sites_tool")
ONE_EACH = [
    "runs",
    "session creation",
    "model load",
    "session release",
    "graph transformers",
    "end of graph transformers",
    "weights",
    "end of operators",
]
# Passed between phases of session creation: nothing is read there, and hundreds of hits must cost little.
BORDERS = {
    "reads of model files": (1, 2),
    "creation of transformers": (1, 1),
    "graph preparation": (1, 1),
    "graph resolution": (1, 1),
    "kernel look-up": (1, 1),
    "memory planning": (1, 1),
    "each weight": (2, 2),
    "hashing of packed weights": (0, 40),
}
# Another compiler has split that function up.
LEFT_OUT = {"bytedeco": "graph resolution (no function is like it)"}
# Distinct Compute functions of releases, which are final.
OPERATORS = {
    "wheel 1.15": 478,
    "wheel 1.18": 528,
    "wheel 1.22": 614,
    "node 1.14": 470,
    "node 1.17": 526,
    "node 1.20": 554,
    "node 1.22": 621,
    "magika": 631,
    "jar": 614,
    "sherpa": 649,
    "wheel training": 616,
    "bytedeco": 495,
}
ARM64_OPERATORS = {
    "wheel 1.15": 476,
    "wheel 1.18": 526,
    "wheel 1.22": 612,
    "node 1.14": 470,
    "node 1.17": 525,
    "node 1.20": 552,
    "node 1.22": 612,
    "sherpa": 653,
}
# The same of versions with two executors, and the families that are left out.
OLD_OPERATORS = {"1.5": (371, 4), "1.7": (396, 3), "1.9": (414, 2), "1.13": (430, 0)}
OLD_STRINGS = ["wheel 1.15", "node 1.14"] + ([] if envs.ARM64 else ["sherpa"])
RUNTIMES = (
    ["wheel " + key for key in envs.WHEELS]
    + ["node " + key for key in envs.NODE_PACKAGES]
    + (["sherpa"] if envs.ARM64 else ["wheel training", "magika", "jar", "sherpa", "bytedeco"])
)
not_emulated = pytest.mark.skipif(bool(envs.ARM64), reason="an emulated program has mapped what its emulator has")
needs_x86_files = pytest.mark.skipif(bool(envs.ARM64), reason="these builds are for x86-64")


def unpacked(jar, folder, name="ai/onnxruntime/native/linux-x64/libonnxruntime.so"):
    with zipfile.ZipFile(jar) as archive:
        return archive.extract(name, folder)


def runtime_file(name, folder):
    kind, _, key = name.partition(" ")
    if kind == "wheel":
        return glob.glob(
            environment(envs.wheel, key).path
            + "/lib/python3*/site-packages/onnxruntime/capi/onnxruntime_pybind11_state*.so"
        )[0]
    if kind == "node":
        package = environment(envs.node_package, key)
        return package.library
    if kind == "jar":
        return unpacked(environment(envs.jar), folder)
    if kind == "bytedeco":
        return unpacked(
            environment(envs.bytedeco), folder, "org/bytedeco/onnxruntime/linux-x86_64/libonnxruntime.so.1.16.3"
        )
    return environment(envs.sherpa).library if kind == "sherpa" else environment(envs.magika)


class Sites:
    def __init__(self, path):
        done = subprocess.run([TOOL, "sites", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stderr
        lines = [line.split("\t") for line in done.stdout.splitlines()]
        self.facts = {line[0]: line[1] for line in lines if len(line) < 5}
        self.sites = [(line[0], *map(int, line[1:])) for line in lines if len(line) == 5]

    def of(self, kind):
        return [site for site in self.sites if site[0] == kind]


@pytest.mark.parametrize("name", RUNTIMES)
def test_every_family_is_found_in_every_runtime(name, tmp_path):
    path = runtime_file(name, str(tmp_path))
    found = Sites(path)
    assert found.facts["left out"] == LEFT_OUT.get(name, "")
    assert re.fullmatch(r"1\.\d+\.\d+", found.facts["version"])
    assert found.facts["build id"] in subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, text=True).stdout
    assert (found.facts["old strings"] == "1") == (name in OLD_STRINGS)
    for kind in ONE_EACH:
        assert len(found.of(kind)) == 1, kind
    assert 1 <= len(found.of("partitioning")) <= 8
    assert 1 <= len(found.of("provider compilation")) <= 8
    assert 10 <= len(found.of("weight pre-packing")) <= 80
    for kind, (least, most) in BORDERS.items():
        least = 0 if kind in found.facts["left out"] else least
        assert least <= len(found.of(kind)) <= most and all(site[3] for site in found.of(kind)), kind
    operators = ARM64_OPERATORS if envs.ARM64 else OPERATORS
    if name in operators:
        assert len(found.of("operators")) == operators[name]
    else:
        assert len(found.of("operators")) > 600
    (check_cost_arm64 if envs.ARM64 else check_cost)(found)
    data = open(path, "rb").read()
    is_emulated = is_emulated_arm64 if envs.ARM64 else is_emulated_x86
    for kind, offset, _, is_cheap, _ in found.sites:
        assert is_emulated(data[offset : offset + 4]) == bool(is_cheap), (kind, offset)
    assert len({site[1] for site in found.sites}) == len(found.sites)


def check_cost(found):
    """Sites that are hit often must be cheap: 1 us instead of 10 or more."""
    for kind in ONE_EACH:
        assert found.of(kind)[0][3], kind
    dear = [site for site in found.of("operators") if not site[3]]
    assert len(dear) <= len(found.of("operators")) / 30


def check_cost_arm64(found):
    """An entry, which a return probe needs, is never cheap there, and a place behind it often comes too late."""
    for kind in ONE_EACH:
        address, is_cheap, start = found.of(kind)[0][2:]
        assert is_cheap or address == start, kind
    for site in found.of("operators"):
        assert site[3] or site[2] == site[4]
    assert any(site[3] for site in found.of("operators")) and found.of("end of operators")[0][3]


def is_emulated_x86(code):
    return (
        0x50 <= code[0] < 0x58
        or (code[0] == 0x41 and 0x50 <= code[1] < 0x58)
        or code[0] in (0xE8, 0xE9, 0xEB, 0x90)
        or 0x70 <= code[0] < 0x80
        or (code[0] == 0x0F and 0x80 <= code[1] < 0x90)
    )


def is_emulated_arm64(code):
    """b, bl; b.cond; cbz, cbnz; tbz, tbnz; adr, adrp; br, blr, ret."""
    word = int.from_bytes(code, "little")
    rows = [(0x7C000000, 0x14000000), (0xFF000010, 0x54000000), (0x7E000000, 0x34000000), (0x7E000000, 0x36000000)]
    rows += [(0x1F000000, 0x10000000), (0xFF9FFC1F, 0xD61F0000)]
    return any(word & mask == value for mask, value in rows)


@needs_x86_files
@pytest.mark.parametrize("key", list(OLD_OPERATORS))
def test_every_operator_is_found_in_old_runtimes_and_what_is_not_is_named(key):
    found = Sites(runtime_file("wheel " + key, ""))
    n_operators, n_left_out = OLD_OPERATORS[key]
    assert found.facts["version"].startswith(key + ".") and len(found.of("operators")) == n_operators
    left_out = list(filter(None, found.facts["left out"].split("; ")))
    assert len(left_out) == n_left_out and all(re.fullmatch(r".* \(.*\)", line) for line in left_out)
    for kind in ("runs", "session creation", "model load", "session release", "weights"):
        assert len(found.of(kind)) == 1 and found.of(kind)[0][3], kind
    assert len({site[4] for site in found.of("end of operators")}) == 2


BRANCH = re.compile(r"b|bl|br|blr|ret|cbn?z|tbn?z|b\.\w+")
OBJDUMP = "aarch64-linux-gnu-objdump" if envs.ARM64 else "objdump"
needs_objdump = pytest.mark.skipif(not shutil.which(OBJDUMP), reason=OBJDUMP + " is not installed")


def disassembled(path, start=None, end=None):
    """(address, text) of each instruction."""
    where = [] if start is None else ["--start-address=%d" % start, "--stop-address=%d" % end]
    process = subprocess.Popen(
        [OBJDUMP, "-d", "-w", "--no-show-raw-insn", *where, path], stdout=subprocess.PIPE, text=True, errors="replace"
    )
    for line in process.stdout:
        address, colon, text = line.partition(":\t")
        if colon and line.startswith(" "):
            yield int(address, 16), text.strip()


@needs_objdump
@pytest.mark.skipif(not envs.ARM64, reason="for aarch64")
@pytest.mark.parametrize("name", ["wheel newest", "node 1.14", "sherpa"])
def test_sites_in_aarch64_code_lie_where_what_they_read_is_there(name, tmp_path):
    path = runtime_file(name, str(tmp_path))
    sites = Sites(path).sites
    few = [site for i, site in enumerate(sites) if site[0] != "operators" or i % 25 == 0]
    for kind, _, address, _, start in few:
        before = [[*text.split(None, 1), ""][:2] for _, text in disassembled(path, start, address)]
        words = [text[0] for text in before]
        if kind.startswith("end of"):
            # by a table's slot, for a class: ldr xN, [xM, #slot] ... blr xN, and nothing but straight code behind it
            call = max(i for i, word in enumerate(words) if word == "blr")
            loads = [
                text[1] for text in before[:call] if text[0] == "ldr" and text[1].startswith(before[call][1] + ",")
            ]
            assert loads[-1].endswith("#16]" if kind == "end of operators" else "#24]"), (kind, hex(address))
            assert not list(filter(BRANCH.fullmatch, words[call + 1 :])), (kind, hex(address))
            continue
        # the straight path from the function's begin, with `this` and the first argument where they were
        assert not list(filter(BRANCH.fullmatch, words)), (kind, hex(address))
        if kind not in BORDERS:
            written = {text[1].split(",")[0] for text in before if not re.match("st|cmp|tst|fcmp|nop", text[0])}
            assert not {"x0", "x1", "w0", "w1"} & written, (kind, hex(address))


@needs_x86_files
@needs_objdump
@pytest.mark.parametrize(
    "name",
    ["wheel newest", *(pytest.param(name, marks=pytest.mark.full("more files")) for name in ("node 1.14", "magika"))],
)
@pytest.mark.in_turn(2)
def test_sites_are_where_a_disassembler_sees_an_instruction(name, tmp_path):
    path = runtime_file(name, str(tmp_path))
    sites = Sites(path).sites
    few = [site for i, site in enumerate(sites) if site[0] != "operators" or i % 25 == 0]
    for kind, _, address, _, start in few:
        code = list(disassembled(path, start, address + 15))
        seen = [text for at, text in code if at == address]
        assert seen, (kind, hex(address))
        if kind in BORDERS:
            # whatever precedes it goes straight on to it
            before = [text.split()[0] for at, text in code if at < address]
            assert not [word for word in before if word.startswith(("j", "call", "ret", "push"))], (kind, before)
        elif not kind.startswith("end of"):
            # only endbr64 may precede the site of an entry
            assert [text.split()[0] for at, text in code if at < address] in ([], ["endbr64"]), (kind, hex(address))
        else:
            slot = "0x10(" if kind == "end of operators" else "0x18("
            before = [text for at, text in code if at < address][-8:]
            assert any(text.startswith("call") and "*" + slot in text for text in before), (kind, before)


@needs_x86_files
@needs_objdump
@pytest.mark.in_turn(3)
def test_lengths_of_a_whole_library_are_those_of_a_disassembler():
    path = runtime_file("wheel 1.15", "")
    ours = subprocess.Popen([TOOL, "lengths", path], stdout=subprocess.PIPE, text=True)
    theirs = iter(disassembled(path))
    n, following = 0, None
    address, text = next(theirs)
    for line in ours.stdout:
        at, size, *_ = line.split("\t")
        at, size = int(at, 16), int(size)
        if at != following:  # the next function
            while address < at:
                address, text = next(theirs)
        assert (address, size > 0) == (at, True), (hex(at), size, hex(address), text)
        following = at + size
        n += 1
        address, text = next(theirs, (0, ""))
    assert n > 2000000


def test_a_library_that_is_no_runtime_is_refused():
    done = subprocess.run([TOOL, "sites", TOOL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("it contains no runtime that inftrace records")


@pytest.mark.parametrize("name", ["wheel 1.15", "node 1.22" if envs.ARM64 else "magika"])
@pytest.mark.in_turn(2)
def test_broken_files_are_errors_at_most(name, tmp_path):
    done = subprocess.run(
        [TOOL, "broken", runtime_file(name, str(tmp_path)), "80"], stdout=subprocess.PIPE, text=True, timeout=300
    )
    assert done.returncode == 0
    outcome = dict(line.split("\t", 1) for line in done.stdout.splitlines())
    assert "died" not in outcome, done.stdout
    # the missing part may hold only symbols, which a process does not load
    found, refused = map(int, outcome["cut"].split("\t"))
    assert found + refused == 80 and found < 30
    found, refused = map(int, outcome["changed"].split("\t"))
    assert found + refused == 80 and found > 5 and refused > 5


def modules_of(pid):
    done = subprocess.run([TOOL, "modules", str(pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def started(args, **more):
    """Starts a program and waits until it has printed a line; it ends with its standard input."""
    process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)
    assert process.stdout.readline()
    return process


WAIT = "import sys, onnxruntime; print(1, flush=True); sys.stdin.read()"


@not_emulated
def test_the_runtime_of_a_program_is_found(wheel):
    process = started([wheel.python, "-c", WAIT])
    modules = modules_of(process.pid)
    process.communicate()
    runtimes = [module for module in modules if module[0] == "runtime"]
    assert [os.path.basename(module[2]).split(".")[0] for module in runtimes] == ["onnxruntime_pybind11_state"]
    assert not [module for module in modules if module[0] == "refused"]


@not_emulated
@pytest.mark.root
def test_a_runtime_in_another_mount_namespace_and_deleted_is_found(wheel, tmp_path):
    library = glob.glob(wheel.path + "/lib/python3*/site-packages/onnxruntime/capi/onnxruntime_pybind11_state*.so")[0]
    script = "mount -t tmpfs none %s && cp %s %s/it.so && exec %s -c '%s' %s/it.so" % (
        tmp_path,
        library,
        tmp_path,
        wheel.python,
        "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], os.RTLD_LAZY); KEEP print(1, flush=True); sys.stdin.read()",
        tmp_path,
    )
    for keep, is_deleted in (("", "0"), ("os.unlink(sys.argv[1]);", "1")):
        process = started(["unshare", "-m", "sh", "-c", script.replace("KEEP", keep)], stderr=subprocess.PIPE)
        runtimes = [module for module in modules_of(process.pid) if module[0] == "runtime"]
        process.communicate()
        assert [(module[2], module[3]) for module in runtimes] == [(str(tmp_path) + "/it.so", is_deleted)]
    assert not os.listdir(tmp_path)
