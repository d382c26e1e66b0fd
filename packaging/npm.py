# SPDX-License-Identifier: Apache-2.0
"""Packages for npm: one for each processor, which npm leaves out where system, processor or C library differ, and
`inftrace`, which depends on all of them and starts the program of the one that is there."""

import json
import os

from archive import tar
from content import DOCUMENTS, File, read, version
from licences import OURS
from portable import ROOT

# Node's names of the processors.
PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}
SUMMARY = "Profiles AI inference on Linux: every operator of every inference in an unmodified program"


def describe(number, **more):
    found = {"version": number, "description": SUMMARY, "license": OURS, **more}
    return File((json.dumps(found, indent=2) + "\n").encode())


def write(out, name, files):
    with open(os.path.join(out, name), "wb") as file:
        file.write(tar(files, "package"))
    return name


def npm(files, target, out):
    number, shim = version(), {}
    cpu = PROCESSORS[target.machine]
    ours = {path: file for path, file in files.items() if not file.link and not path.startswith("share/man/")}
    named = "@inftrace/linux-" + cpu
    ours["package.json"] = describe(number, name=named, os=["linux"], cpu=[cpu], libc=["glibc"], preferUnplugged=True)
    ours["LICENSE"] = files[DOCUMENTS + "LICENSE"]
    text = "# %s\n\nThe program of [inftrace](https://www.npmjs.com/package/inftrace) for Linux with glibc on %s.\n"
    ours["README.md"] = File((text % (named, cpu)).encode())
    names = [write(out, "inftrace-linux-%s-%s.tgz" % (cpu, number), ours)]
    pages = sorted(path for path in files if path.startswith("share/man/"))
    shim = {"man/" + os.path.basename(path): files[path] for path in pages}
    shim["bin/inftrace.js"] = File(read(os.path.join(ROOT, "packaging", "inftrace.js")), is_program=True)
    shim["LICENSE"] = files[DOCUMENTS + "LICENSE"]
    shim["README.md"] = File(read(os.path.join(ROOT, "packaging", "npm.md")))
    every = {"@inftrace/linux-" + cpu: number for cpu in sorted(PROCESSORS.values())}
    shim["package.json"] = describe(
        number,
        name="inftrace",
        bin={"inftrace": "bin/inftrace.js"},
        man=["./man/" + os.path.basename(path) for path in pages],
        engines={"node": ">=14"},
        optionalDependencies=every,
    )
    return [*names, write(out, "inftrace-%s.tgz" % number, shim)]
