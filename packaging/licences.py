# SPDX-License-Identifier: Apache-2.0
"""What is inside a package that is not inftrace's own, and what its licences ask for: a text for people, the licences'
texts, and the same as SPDX data for tools."""

import datetime
import glob
import hashlib
import json
import os

import portable
from content import DOCUMENTS, File, epoch, read

PAGE = ("preact", "MIT", "https://preactjs.com")
# Debian's source package: licence, home.
LIBRARIES = {
    "libbpf": ("LGPL-2.1-only OR BSD-2-Clause", "https://github.com/libbpf/libbpf"),
    "elfutils": ("LGPL-3.0-or-later OR GPL-2.0-or-later", "https://sourceware.org/elfutils"),
    "zlib": ("Zlib", "https://zlib.net"),
    "libdeflate": ("MIT", "https://github.com/ebiggers/libdeflate"),
    "libzstd": ("BSD-3-Clause OR GPL-2.0-only", "https://facebook.github.io/zstd"),
    "sqlite3": ("blessing", "https://www.sqlite.org"),
    "pcre2": ("BSD-3-Clause", "https://www.pcre.org"),
    "ncurses": ("X11-distribute-modifications-variant", "https://invisible-island.net/ncurses"),
    "libedit": ("BSD-3-Clause", "https://www.thrysoee.dk/editline"),
    "libbsd": ("BSD-3-Clause AND ISC", "https://libbsd.freedesktop.org"),
    "libmd": ("BSD-3-Clause AND ISC", "https://www.hadrons.org/software/libmd"),
    "libmicrohttpd": ("LGPL-2.1-or-later", "https://www.gnu.org/software/libmicrohttpd"),
}
OURS = "Apache-2.0 AND (GPL-2.0-only OR BSD-2-Clause)"
TEXTS = ["GPL-2", "GPL-3", "LGPL-2.1", "LGPL-3"]

HEAD = """inftrace is licensed under the Apache License, Version 2.0 (LICENSE). The programs for the kernel inside of it
are licensed under GPL-2.0-only OR BSD-2-Clause. Copyright 2026 the inftrace developers.

The page of `inftrace view`, which is inside of bin/inftrace, contains Preact: MIT licence, Copyright (c) 2015-present
Jason Miller.
"""
LINKED = """
bin/inftrace and lib/inftrace/inftrace-run contain these libraries, unchanged, from Debian 12 (bookworm):

%s
licenses/NAME has the copyright and the licence of each, as its Debian package or its source has them.

libelf (of elfutils; taken under LGPL-3.0-or-later) and libmicrohttpd (LGPL-2.1-or-later) are linked statically. You may
change them and link inftrace again, and you may take inftrace apart to debug such a change. What that needs:

- their sources: `apt-get source elfutils=%s libmicrohttpd=%s` with a mirror of Debian 12, or
  https://snapshot.debian.org;
- the source of inftrace %s, which is all of it, under a free licence;
- `tools/package tar`, which builds bin/inftrace from both. Run it, put your libelf.a or libmicrohttpd.a into
  build/package/libraries-%s/usr/lib, delete build/package/%s, and run it again.

The same source is offered, for as long as this version is, where you got this package from.
"""


def linked(target):
    """[(source package, version)] of the libraries inside."""
    if not target.processor:
        return []
    return sorted({source: version for _, version, source in portable.versions(target.processor)}.items())


def licence_texts(target):
    """Those of Debian's packages, and the texts that they refer to."""
    tree = portable.libraries(target.processor)
    files = {}
    for name, _, source in portable.versions(target.processor):
        path = os.path.join(tree, "usr/share/doc", name + "-copying")
        if not os.path.exists(path):
            # that of ncurses is in the package of a library
            (path,) = glob.glob(os.path.join(tree, "usr/share/doc", name, "copyright")) or glob.glob(
                os.path.join(tree, "libtinfo6/usr/share/doc/libtinfo6/copyright")
            )
        files[DOCUMENTS + "licenses/" + source] = File(read(path))
    for name in TEXTS:
        path = os.path.join(tree, "base-files/usr/share/common-licenses", name)
        files[DOCUMENTS + "licenses/" + name] = File(read(path))
    return files


def describe(name, version, licence, home):
    return {
        "SPDXID": "SPDXRef-" + name,
        "name": name,
        "versionInfo": version,
        "downloadLocation": home,
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }


def spdx(files, target, number):
    """SPDX 2.3, as JSON: the package, its programs with their hashes, and what is linked into them."""
    parts = [PAGE[:1] + (page_version(),) + PAGE[1:]]
    parts += [(name, version, *LIBRARIES[name]) for name, version in linked(target)]
    programs = [path for path in sorted(files) if files[path].mode == 0o755]
    hashes = {path: hashlib.sha256(files[path].data).hexdigest() for path in programs}
    digest = hashlib.sha256("".join(hashes[path] for path in programs).encode()).hexdigest()
    ours = describe("inftrace", number, OURS, "NOASSERTION")
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-inftrace")]
    relations += [("SPDXRef-inftrace", "CONTAINS", "SPDXRef-" + part[0]) for part in parts]
    relations += [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-File-%d" % i) for i in range(len(programs))]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "inftrace-" + number,
        "documentNamespace": "https://spdx.org/spdxdocs/inftrace-%s-%s" % (number, digest),
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: inftrace-package"],
        },
        "packages": [ours, *(describe(*part) for part in parts)],
        "files": [
            {
                "SPDXID": "SPDXRef-File-%d" % i,
                "fileName": "./" + path,
                "checksums": [
                    {"algorithm": "SHA1", "checksumValue": hashlib.sha1(files[path].data).hexdigest()},
                    {"algorithm": "SHA256", "checksumValue": hashes[path]},
                ],
                "licenseConcluded": "NOASSERTION",
                "licenseInfoInFiles": ["NOASSERTION"],
                "copyrightText": "NOASSERTION",
            }
            for i, path in enumerate(programs)
        ],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            for one, kind, other in relations
        ],
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def page_version():
    with open(os.path.join(portable.ROOT, "web", "package-lock.json")) as file:
        return json.load(file)["packages"]["node_modules/preact"]["version"]


def add(files, target, number):
    """The documents that a package has about its licences."""
    text = HEAD
    libraries = dict(linked(target))
    if libraries:
        rows = "".join("%-14s %-26s %s\n" % (name, libraries[name], LIBRARIES[name][0]) for name in sorted(libraries))
        text += LINKED % (rows, libraries["elfutils"], libraries["libmicrohttpd"], number, *[target.machine] * 2)
        files.update(licence_texts(target))
    files[DOCUMENTS + "copyright"] = File(text.encode())
    files[DOCUMENTS + "inftrace.spdx.json"] = File(spdx(files, target, number))
