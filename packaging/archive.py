# SPDX-License-Identifier: Apache-2.0
"""A tar archive with the same bytes each time, and the package that is one: a folder that runs from where it lies."""

import gzip
import io
import os
import tarfile

from content import epoch, version


def tar(files, top):
    """The bytes of an archive of the files, in a folder of that name, compressed."""
    plain, packed = io.BytesIO(), io.BytesIO()
    folders = {top}
    for path in files:
        parts = (top + "/" + path).split("/")[:-1]
        folders.update("/".join(parts[:i]) for i in range(1, len(parts) + 1))
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(folders | {top + "/" + path for path in files}):
            entry = tarfile.TarInfo(name)
            entry.mtime = epoch()
            file = files.get(name[len(top) + 1 :])
            if not file:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            elif file.link:
                entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, file.link, 0o777
            else:
                entry.size, entry.mode = len(file.data), file.mode
            archive.addfile(entry, io.BytesIO(file.data) if file and not file.link else None)
    with gzip.GzipFile("", "wb", 9, packed, epoch()) as stream:
        stream.write(plain.getvalue())
    return packed.getvalue()


def archive(files, target, out):
    top = "inftrace-%s-%s" % (version(), target.system)
    with open(os.path.join(out, top + ".tar.gz"), "wb") as file:
        file.write(tar(files, top))
    return [top + ".tar.gz"]
