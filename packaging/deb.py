# SPDX-License-Identifier: Apache-2.0
"""A package for Debian and Ubuntu of any age: it depends on the C library alone. For downloads; a distribution builds
one of its own, with its own libraries."""

import email.utils
import gzip
import hashlib
import os
import re
import tempfile

from content import DOCUMENTS, File, epoch, version
from portable import ARCHITECTURES, GLIBC, run

# Of a package that nobody has signed: an address that receives no mail, and says so.
NOBODY = "inftrace developers", "inftrace@packages.invalid"
CONTROL = """Package: inftrace
Version: %s
Architecture: %s
Maintainer: %s
Installed-Size: %d
Depends: libc6 (>= %s)
Section: devel
Priority: optional
Description: profiler of AI inference, for unmodified programs
 inftrace shows every operator of every inference in an unmodified program with
 a stock ONNX Runtime, whichever language the program is written in. It starts
 the program or attaches while it runs, and shows models, sessions, inferences,
 operators, processors, memory and energy on one clock.
"""
CHANGELOG = """inftrace (%s) unstable; urgency=medium

  * A build of its own developers, for all releases of Debian and Ubuntu with
    glibc %s or newer. CHANGELOG.md in the source has the changes.

 -- %s  %s
"""
OVERRIDES = """# It runs on releases of any age, so it brings its libraries along; the file copyright lists them.
inftrace: embedded-library
# One package, to be downloaded: program, library, and what a program needs to be linked with it.
inftrace: package-name-doesnt-match-sonames
inftrace: non-dev-pkg-with-shlib-symlink
# The library keeps every function that it ever had.
inftrace: no-symbols-control-file
"""


def maintainer():
    """Who builds the package: as for Debian's own tools."""
    return "%s <%s>" % (os.environ.get("DEBFULLNAME") or NOBODY[0], os.environ.get("DEBEMAIL") or NOBODY[1])


def compressed(data):
    return gzip.compress(data, 9, mtime=0)


def system_files(files, target, number):
    """What a package of Debian has in it, below its root."""
    found = {}
    for path, file in files.items():
        place = path.replace("share/zsh/site-functions", "share/zsh/vendor-completions")
        data = file.data
        if path.startswith("share/man/"):
            place, data = place + ".gz", compressed(data)
        # Debian has the texts of licences, and lists inftrace's in the copyright file
        if path.startswith(DOCUMENTS) and os.path.basename(path) in ("LICENSE", "GPL-2", "GPL-3", "LGPL-2.1", "LGPL-3"):
            continue
        found["usr/" + place] = File(
            data, is_program=file.mode == 0o755 and not place.endswith(".so.0"), link=file.link
        )
    # where compilers for other processors look, too
    description = found.pop("usr/lib/pkgconfig/inftrace.pc")
    description.data = re.sub(rb"(?m)^prefix=.*", b"prefix=/usr", description.data)
    found["usr/lib/%s-linux-gnu/pkgconfig/inftrace.pc" % target.machine] = description
    agent = found["usr/lib/inftrace/libinftrace-agent.so"]
    agent.mode = 0o644
    copyright_text = found["usr/" + DOCUMENTS + "copyright"]
    for name in ("Apache-2.0", "GPL-2", "GPL-3", "LGPL-2.1", "LGPL-3"):
        copyright_text.data += ("/usr/share/common-licenses/%s\n" % name).encode()
    date = email.utils.formatdate(epoch())
    changes = CHANGELOG % (number, GLIBC, maintainer(), date)
    found["usr/" + DOCUMENTS + "changelog.gz"] = File(compressed(changes.encode()))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "inftrace-watch.service"), "rb") as unit:
        found["usr/lib/systemd/system/inftrace-watch.service"] = File(unit.read())
    found["usr/share/lintian/overrides/inftrace"] = File(OVERRIDES.encode())
    return found


def place(root, path, file):
    """Writes a file below the root."""
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), mode=0o755, exist_ok=True)
    if file.link:
        os.symlink(file.link, full)
        return
    with open(full, "wb") as out:
        out.write(file.data)
    os.chmod(full, file.mode)


def deb(files, target, out):
    number = version()
    architecture = ARCHITECTURES[target.machine]
    found = system_files(files, target, number)
    size = sum(len(file.data) // 1024 + 1 for file in found.values())
    sums = [
        "%s  %s\n" % (hashlib.md5(file.data).hexdigest(), path) for path, file in sorted(found.items()) if not file.link
    ]
    found["DEBIAN/control"] = File((CONTROL % (number, architecture, maintainer(), size, GLIBC)).encode())
    found["DEBIAN/md5sums"] = File("".join(sums).encode())
    found["DEBIAN/shlibs"] = File(("libinftrace 0 inftrace (>= %s)\n" % number).encode())
    found["DEBIAN/triggers"] = File(b"activate-noawait ldconfig\n")
    name = "inftrace_%s_%s.deb" % (number, architecture)
    with tempfile.TemporaryDirectory() as root:
        before = os.umask(0o022)
        for path, file in found.items():
            place(root, path, file)
        os.umask(before)
        os.chmod(root, 0o755)
        # with the time of the epoch, which dpkg-deb gives to everything newer
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch())}
        command = ["dpkg-deb", "-Zxz", "--threads-max=1", "--root-owner-group", "--build", root]
        run(*command, os.path.join(out, name), env=environment)
    return [name]
