# SPDX-License-Identifier: Apache-2.0
"""Refuses what would not run elsewhere: a file for another processor, one that needs a newer C library than it may or a
library that is not the C library's, one that the kernels of its processor with the largest pages could not load, one
with a path of this machine in it."""

import re
import struct
import sys
import tempfile

from content import LIBRARY, PARTS, PROGRAM
from portable import FOLDER, GLIBC, ROOT, run

# The agent and the library are loaded into programs, which have their own C library.
NEWEST = {PROGRAM: GLIBC, PARTS[0]: GLIBC, PARTS[1]: "2.17", LIBRARY: "2.17"}
MACHINES = {"x86_64": 62, "aarch64": 183}
LARGEST_PAGE = {"x86_64": 4096, "aarch64": 65536}
OF_THE_C_LIBRARY = r"(libc|libm|libdl|libpthread|librt|ld-linux-[\w-]+)\.so\.\d+"


def number(version):
    return tuple(map(int, version.split(".")))


def has_path(data, place):
    """One of a single name has to be a whole one: a build in /inftrace is not in share/doc/inftrace."""
    if place.count("/") > 1:
        return place.encode() in data
    return re.search(rb"(?<![\w.%-])" + re.escape(place.encode()) + rb"(?![\w.-])", data)


def faults(path, data, processor):
    """Of a file of a package: why it must not be in one. processor: None: it is for this machine alone."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        dynamic = run("readelf", "--wide", "--dynamic", file.name)
        symbols = run("readelf", "--wide", "--dyn-syms", file.name)
        segments = run("readelf", "--wide", "--segments", file.name)
    newest = NEWEST[path]
    if processor and struct.unpack_from("<H", data, 18)[0] != MACHINES[processor]:
        yield "it is for another processor"
    if processor or path == PARTS[1]:
        for name, version in sorted(set(re.findall(r" UND (\w+)@GLIBC_([\d.]+)", symbols))):
            if number(version) > number(newest):
                yield "it needs %s of glibc %s, which %s has not" % (name, version, newest)
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic) if processor else []:
        if not re.fullmatch(OF_THE_C_LIBRARY, library):
            yield "it needs " + library
    alignments = [int(number, 16) for number in re.findall(r"^ +LOAD .* (0x\w+)$", segments, re.MULTILINE)]
    if processor and min(alignments) < LARGEST_PAGE[processor]:
        yield "it cannot be loaded where pages have %d KiB" % (LARGEST_PAGE[processor] >> 10)
    if re.search(r"\((RPATH|RUNPATH)\)", dynamic):
        yield "it has a RUNPATH"
    for place in sorted({ROOT, FOLDER}):
        if has_path(data, place):
            yield "it has the path %s in it" % place


def examine(files, target):
    found = [
        "package: %s: %s" % (path, fault)
        for path, file in sorted(files.items())
        if path in NEWEST
        for fault in faults(path, file.data, target.processor)
    ]
    for path, file in sorted(files.items()):
        if path not in NEWEST and has_path(file.data, ROOT):
            found.append("package: %s: it has the path %s in it" % (path, ROOT))
    if found:
        sys.exit("\n".join(found))
