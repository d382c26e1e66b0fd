# SPDX-License-Identifier: Apache-2.0
"""A wheel: the program as a script of it, so that it is on PATH, what it needs below lib, the package for Python."""

import base64
import hashlib
import os
import sys
import time
import zipfile

from content import DOCUMENTS, LIBRARY, PROGRAM, epoch, read, version
from licences import OURS
from portable import ROOT

# What pip puts below the prefix of Python; headers are for a system.
FOLDERS = (PROGRAM, LIBRARY, "lib/inftrace/", "share/")


def project():
    """Of pyproject.toml: what the metadata of a wheel repeats."""
    try:
        import tomllib
    except ImportError:
        sys.exit("package: a wheel is built by Python 3.11 or newer")
    with open(os.path.join(ROOT, "python", "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def metadata(of, number, entries, info):
    lines = ["Metadata-Version: 2.4", "Name: " + of["name"], "Version: " + number]
    lines.append("Summary: Profiles AI inference on Linux: records, reads recordings as tables, annotates programs.")
    lines.append("License-Expression: " + OURS)
    licences = sorted(path[len(info + "licenses/") :] for path in entries if path.startswith(info + "licenses/"))
    lines += ["License-File: " + path for path in licences]
    lines += ["Requires-Python: " + of["requires-python"]] + ["Classifier: " + one for one in of["classifiers"]]
    for extra, packages in of["optional-dependencies"].items():
        lines.append("Provides-Extra: " + extra)
        lines += ['Requires-Dist: %s ; extra == "%s"' % (package, extra) for package in packages]
    with open(os.path.join(ROOT, "python", of["readme"])) as file:
        return "\n".join([*lines, "Description-Content-Type: text/markdown", "", file.read()])


def python_files():
    folder = os.path.join(ROOT, "python", "inftrace")
    return {
        "inftrace/" + name: os.path.join(folder, name)
        for name in os.listdir(folder)
        if name.endswith((".py", ".typed"))
    }


def folders_between(files):
    """Folders of manual pages and completions that have folders alone: pip removes an empty folder only where it has
    removed a file, so each gets an empty one."""
    found = set()
    for path in files:
        if path.startswith("share/") and not path.startswith(DOCUMENTS):
            parts = path.split("/")[:-2]
            found.update("/".join(parts[:i]) for i in range(1, len(parts) + 1))
    return sorted(found)


def wheel(files, target, out):
    """The program finds what lies in ../lib beside it. Licences are where a wheel has them."""
    number, of = version(), project()
    info, data = "inftrace-%s.dist-info/" % number, "inftrace-%s.data/" % number
    name = "inftrace-%s-py3-none-%s.whl" % (number, target.wheel)
    entries = {path: read(file) for path, file in python_files().items()}
    for path, file in files.items():
        place = data + ("scripts/inftrace" if path == PROGRAM else "data/" + path)
        if path.startswith(DOCUMENTS):
            place = info + ("sboms/" if path.endswith(".json") else "licenses/") + path[len(DOCUMENTS) :]
        if path.startswith(FOLDERS):
            entries[place] = file.data
    entries.update({data + "data/%s/.inftrace" % folder: b"" for folder in folders_between(files)})
    entries[info + "METADATA"] = metadata(of, number, entries, info).encode()
    tags = "Wheel-Version: 1.0\nGenerator: inftrace %s\nRoot-Is-Purelib: false\nTag: py3-none-%s\n"
    entries[info + "WHEEL"] = (tags % (number, target.wheel)).encode()
    record = []
    for path, content in sorted(entries.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append("%s,sha256=%s,%d\n" % (path, digest, len(content)))
    entries[info + "RECORD"] = "".join([*record, info + "RECORD,,\n"]).encode()
    moment = time.gmtime(epoch())[:6]
    with zipfile.ZipFile(os.path.join(out, name), "w") as file:
        # the metadata last, as installers like it
        for path in sorted(entries, key=lambda path: (path.startswith(info), path)):
            entry = zipfile.ZipInfo(path, moment)
            is_program = path.startswith((data + "scripts/", data + "data/lib/"))
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            entry.create_system = 3
            file.writestr(entry, entries[path], zipfile.ZIP_DEFLATED, 9)
    return [name]
