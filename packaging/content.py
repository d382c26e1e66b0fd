# SPDX-License-Identifier: Apache-2.0
"""What every package has in it, taken from an installation of what is built: {path below the prefix: File}.

Nothing in a package tells when or where it was built: times are SOURCE_DATE_EPOCH, or that of the last commit.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

from portable import ROOT, run

PROGRAM, LIBRARY = "bin/inftrace", "lib/libinftrace.so.0"
PARTS = ["lib/inftrace/inftrace-run", "lib/inftrace/libinftrace-agent.so"]
# Folders of which everything is taken.
FOLDERS = ["include", "lib/pkgconfig", "share/man", "share/bash-completion", "share/zsh", "share/fish"]
DOCUMENTS = "share/doc/inftrace/"


class File:
    """data: bytes; or link: what a symbolic link names."""

    def __init__(self, data, is_program=False, link=None):
        self.data, self.link = data, link
        self.mode = 0o755 if is_program else 0o644


def read(path):
    with open(path, "rb") as file:
        return file.read()


def epoch():
    """The time of everything in a package: a zip file begins in 1980."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        command = ["git", "-C", ROOT, "log", "-1", "--format=%ct"]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            given = done.stdout.strip() or "0"
        except FileNotFoundError:
            given = "0"
    return max(int(given), 315532800)


def version():
    """That of the build, which the package for Python repeats."""

    def search(pattern, path):
        return re.search(pattern, read(os.path.join(ROOT, path)).decode()).group(1)

    ours = search(r"version: '([^']+)'", "meson.build")
    theirs = search(r'__version__ = "([^"]+)"', "python/inftrace/__init__.py")
    if ours != theirs:
        sys.exit("package: meson.build has version %s, python/inftrace/__init__.py %s" % (ours, theirs))
    return ours


def stripped(path, target, stage):
    """A compiler for old distributions has stripped it when it linked."""
    if not target.strip:
        return read(path)
    copy = os.path.join(stage, "stripped")
    run(target.strip, "--strip-unneeded", "--remove-section=.comment", "-o", copy, path)
    return read(copy)


def installed(folder, stage):
    """The prefix of an installation, and the name of its folder of libraries."""
    values = {}
    for option in json.loads(run("meson", "introspect", folder, "--buildoptions")):
        values[option["name"]] = option["value"]
    run("meson", "install", "-C", folder, "--no-rebuild", "--destdir", stage)
    return os.path.join(stage, values["prefix"].lstrip("/")), values["libdir"]


def files_below(prefix, libdir):
    """(path in a package, path in the installation) of the folders that are taken whole."""
    for folder in FOLDERS:
        there = os.path.join(prefix, re.sub("^lib/", libdir + "/", folder))
        for path, _, names in os.walk(there):
            for name in names:
                yield os.path.join(folder, os.path.relpath(os.path.join(path, name), there)), os.path.join(path, name)


def content(folder, target):
    """Of a build folder."""
    files = {}
    with tempfile.TemporaryDirectory() as stage:
        prefix, libdir = installed(folder, os.path.join(stage, "all"))
        for path in [PROGRAM, LIBRARY, *PARTS]:
            # a library by its short name is a link
            real = os.path.realpath(os.path.join(prefix, re.sub("^lib/", libdir + "/", path)))
            if not os.path.isfile(real):
                sys.exit("package: the build has installed no %s" % path)
            files[path] = File(stripped(real, target, stage), is_program=True)
        for path, real in files_below(prefix, libdir):
            files[path] = File(read(real))
    description = files["lib/pkgconfig/inftrace.pc"]
    # the folder that it lies in is in the prefix, wherever that is
    description.data = re.sub(rb"(?m)^prefix=.*", b"prefix=${pcfiledir}/../..", description.data)
    description.data = re.sub(rb"(?m)^libdir=.*", b"libdir=${prefix}/lib", description.data)
    files["lib/libinftrace.so"] = File(b"", link="libinftrace.so.0")
    files[DOCUMENTS + "LICENSE"] = File(read(os.path.join(ROOT, "LICENSE")))
    return files
