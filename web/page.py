#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page.py WHAT SOURCE WORK [OUT]: builds the page of `inftrace view`, or the extension for VS Code, outside of the
source tree. WORK gets a copy of SOURCE and the npm packages of its lock file, or those of the folder above.

    packages SOURCE WORK        gets the packages; 1 and the reason if it cannot
    build    SOURCE WORK OUT    writes what build.mjs makes into OUT
    types    SOURCE WORK        checks the types
    format   SOURCE WORK        checks the layout; `npm run format` in web mends it
    test     SOURCE WORK        runs the tests of the parts
    dist     OUT                copies the page into the source archive that Meson makes"""

import os
import shutil
import subprocess
import sys

FILES = ("app.js", "app.css", "index.html", "icon.svg")


def copy(source, work):
    os.makedirs(work, exist_ok=True)
    for name in os.listdir(source):
        if os.path.isfile(os.path.join(source, name)):
            shutil.copyfile(os.path.join(source, name), os.path.join(work, name))
    above = os.path.join(work, "..", "node_modules")
    if os.path.isdir(above) and not os.path.lexists(os.path.join(work, "node_modules")):
        os.symlink(os.path.join("..", "node_modules"), os.path.join(work, "node_modules"))
    for folder in ("src", "test"):
        shutil.rmtree(os.path.join(work, folder), ignore_errors=True)
        shutil.copytree(os.path.join(source, folder), os.path.join(work, folder))


def packages(source, work):
    copy(source, work)
    lock = open(os.path.join(source, "package-lock.json")).read()
    marker = os.path.join(work, "node_modules", ".ready")
    if os.path.exists(marker) and open(marker).read() == lock:
        return 0
    # without a network this ends after some seconds
    retries = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000"]
    done = subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-timeout=30000", *retries],
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if "error" in line.lower()]
        print((lines or ["npm ci failed"])[0], file=sys.stderr)
        return 1
    with open(marker, "w") as out:
        out.write(lock)
    return 0


def node(work, *args):
    return subprocess.run(["node", *args], cwd=work).returncode


def test(source, work):
    copy(source, work)
    tests = sorted(name for name in os.listdir(os.path.join(work, "test")) if name.endswith(".test.ts"))
    out = os.path.join(work, "tests")
    shutil.rmtree(out, ignore_errors=True)
    bundled = node(
        work,
        "node_modules/esbuild/bin/esbuild",
        "--bundle",
        "--platform=node",
        "--format=esm",
        "--log-level=warning",
        "--out-extension:.js=.mjs",
        "--outdir=tests",
        *("test/" + name for name in tests),
    )
    return bundled or node(work, "--test", *("tests/" + name[:-3] + ".mjs" for name in tests))


def dist(built):
    out = os.path.join(os.environ["MESON_DIST_ROOT"], "web", "dist")
    os.makedirs(out, exist_ok=True)
    for name in FILES:
        shutil.copyfile(os.path.join(built, name), os.path.join(out, name))
    return 0


def main(args):
    what, rest = args[0], [os.path.abspath(arg) for arg in args[1:]]
    if what == "packages":
        return packages(*rest)
    if what == "build":
        copy(rest[0], rest[1])
        return node(rest[1], "build.mjs", rest[2])
    if what == "types":
        copy(rest[0], rest[1])
        return node(rest[1], "node_modules/typescript/bin/tsc", "--noEmit")
    if what == "format":
        copy(rest[0], rest[1])
        return node(rest[1], "node_modules/prettier/bin/prettier.cjs", "--check", "src", "test", "build.mjs")
    if what == "test":
        return test(*rest)
    return dist(*rest)


sys.exit(main(sys.argv[1:]))
