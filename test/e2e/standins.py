# SPDX-License-Identifier: Apache-2.0
"""Libraries that stand in for CUDA's where PyTorch's wheel is used on CPUs alone: PyTorch loads them and finds no GPU.
Each has the name, the versions and the symbols that PyTorch's libraries want of it."""

import collections
import glob
import os
import re
import subprocess

SYSTEM = re.compile(r"(ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so)")
# what is called although there is no GPU
BODIES = {
    **dict.fromkeys(["cudaGetDeviceCount", "cudaDriverGetVersion", "cudaRuntimeGetVersion"], "movl $0, (%rdi)"),
    **dict.fromkeys(["cudaGetErrorString", "cudaGetErrorName"], "lea text(%rip), %rax\nret"),
}


def _wants(path):
    """Names of libraries; versions of each; symbols as (name, version or None, whether it is data); what it defines."""
    text = subprocess.run(["readelf", "-dVW", "--dyn-syms", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    versions, symbols, defined, library = collections.defaultdict(set), set(), set(), None
    for line in text.splitlines():
        found = re.search(r"Version: \d+\s+File: (\S+)", line)
        library = found[1] if found else library
        found = re.search(r"Name: (\S+)\s+Flags", line)
        if found and library:
            versions[library].add(found[1])
        found = re.match(r"\s+\d+: [0-9a-f]+\s+\S+ (\S+)\s+(\S+)\s+\S+\s+(\S+) (\S+)", line)
        if not found:
            continue
        kind, bind, section, name = found.groups()
        name, _, version = name.partition("@")
        if section != "UND":
            defined.add(name)
        elif version or bind != "WEAK":
            symbols.add((name, version.lstrip("@") or None, kind == "OBJECT"))
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text), versions, symbols, defined


def _source(symbols):
    lines = [".text", 'text: .asciz "there is no GPU"']
    for name, is_data in sorted(symbols):
        lines.append(".globl %s\n.type %s, %s" % (name, name, "@object" if is_data else "@function"))
        if is_data:
            lines.append(".data\n%s: .zero 4096\n.size %s, 4096\n.text" % (name, name))
        else:
            lines.append("%s: %s\nxor %%eax, %%eax\nret" % (name, BODIES.get(name, "")))
    return "\n".join(lines) + "\n"


def _make(folder, library, symbols, versions):
    """symbols: of each version, and of None, (name, whether it is data)."""
    with open(os.path.join(folder, "standin.s"), "w") as file:
        file.write(_source({symbol for of in symbols.values() for symbol in of}))
    with open(os.path.join(folder, "standin.map"), "w") as file:
        for version in sorted(versions):
            names = [name for name, _ in symbols.get(version, [])] or ["none"]
            file.write("%s { global: %s; };\n" % (version, "; ".join(names)))
    command = ["cc", "-shared", "-nostdlib", "-Wl,-soname," + library, "-o", os.path.join(folder, library)]
    if versions:
        command.append("-Wl,--version-script=" + os.path.join(folder, "standin.map"))
    subprocess.run([*command, os.path.join(folder, "standin.s")], check=True)


def make(folder):
    """Into the folder of PyTorch's libraries."""
    wants = [_wants(path) for path in glob.glob(os.path.join(folder, "*.so*"))]
    own = set(os.listdir(folder))
    libraries = {name for needed, *_ in wants for name in needed if name not in own and not SYSTEM.match(name)}
    versions = {name: set().union(*(of.get(name, ()) for _, of, *_ in wants)) for name in libraries}
    library_of = {version: name for name, of in versions.items() for version in of}
    defined = set().union(*(names for *_, names in wants))
    symbols = collections.defaultdict(lambda: collections.defaultdict(set))
    for _, _, wanted, _ in wants:
        for name, version, is_data in wanted:
            if version in library_of:
                symbols[library_of[version]][version].add((name, is_data))
            elif not version and name not in defined and re.match(r"_?(cu|nv|nccl)", name):
                symbols[min(libraries)][None].add((name, is_data))
    for name in libraries:
        _make(folder, name, symbols[name], versions[name])
