# SPDX-License-Identifier: Apache-2.0
"""Players of Tracy and of Perfetto's SDK. No package of the system has their sources, but two crates carry them. They
are fetched into the build folder with cargo when a benchmark runs first, and compiled there, which takes minutes."""

import glob
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))

# crate and version; sources in C++ and folders of headers in it, definitions
PEERS = {
    "tracy": (
        "tracy-client-sys",
        "0.30.1",
        "tracy/TracyClient.cpp",
        ["tracy"],
        ["TRACY_ENABLE", "TRACY_NO_BROADCAST", "TRACY_ONLY_LOCALHOST", "TRACY_NO_SYSTEM_TRACING", "TRACY_NO_SAMPLING"],
    ),
    "perfetto": ("perfetto-sdk-sys", "1.4.0", "libperfetto_c/perfetto_c.cc", ["libperfetto_c", "include"], []),
}
NAMES = {"tracy": "Tracy", "perfetto": "Perfetto's SDK"}


def _run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        lines = done.stdout.strip().splitlines()
        raise RuntimeError("%s: %s" % (command[0], lines[-1] if lines else done.returncode))


def _fetch(folder, crate, version):
    """The folder of the crate's files."""
    project = os.path.join(folder, crate)
    os.makedirs(os.path.join(project, "src"), exist_ok=True)
    open(os.path.join(project, "src", "lib.rs"), "w").close()
    with open(os.path.join(project, "Cargo.toml"), "w") as file:
        file.write('[package]\nname = "peer"\nversion = "0.1.0"\n[dependencies]\n%s = "=%s"\n' % (crate, version))
    home = os.path.join(folder, "cargo")
    _run(["cargo", "fetch", "--quiet"], cwd=project, env={**os.environ, "CARGO_HOME": home})
    return glob.glob(os.path.join(home, "registry/src/*/%s-%s" % (crate, version)))[0]


def _build(folder, peer, program):
    crate, version, source, includes, definitions = PEERS[peer]
    files = _fetch(folder, crate, version)
    options = ["-O2", "-w", *("-D" + name for name in definitions)]
    options += ["-I" + os.path.join(files, include) for include in includes]
    parts = [os.path.join(folder, peer + suffix) for suffix in ("-peer.o", "-event.o", "-player.o")]
    _run(["g++", "-std=c++17", *options, "-c", os.path.join(files, source), "-o", parts[0]])
    own = ["-std=gnu11", "-D_GNU_SOURCE", "-I" + os.path.join(HERE, "..", "src")]
    for part, name in zip(parts[1:], ("event_%s.c" % peer, "player.c")):
        _run(["gcc", *own, *options, "-c", os.path.join(HERE, name), "-o", part])
    _run(["g++", *parts, "-o", program, "-pthread", "-ldl", "-lrt"])


def program_of(build, peer):
    """(the player, None), or (None, why it cannot be had)."""
    folder = os.path.abspath(os.path.join(build, "bench", "peers"))
    program = os.path.join(folder, "event_" + peer)
    if os.access(program, os.X_OK):
        return program, None
    for tool in ("cargo", "g++"):
        if not shutil.which(tool):
            return None, "%s is not installed" % tool
    os.makedirs(folder, exist_ok=True)
    try:
        _build(folder, peer, program)
    except (RuntimeError, OSError, IndexError) as error:
        return None, str(error)
    return program, None
