# SPDX-License-Identifier: Apache-2.0
"""An image for containers, as an archive in the layout of OCI that `docker load` takes, too: Debian's libc6, and
inftrace. Built without a daemon, and without running anything of it."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import time

from archive import tar
from content import epoch, version
from portable import ARCHITECTURES, package_of_debian

TYPE = "application/vnd.oci.image."
COMMAND = ["/usr/bin/inftrace", "watch", "--metrics", "9465"]


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def compressed(data):
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, epoch()) as stream:
        stream.write(data)
    return packed.getvalue()


def descriptor(kind, data, **more):
    return {"mediaType": TYPE + kind, "digest": digest(data), "size": len(data), **more}


def encoded(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def system(architecture):
    """The layer with the C library, as its package has it."""
    path = package_of_debian("libc6", architecture)
    done = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit("package: cannot read %s" % path)
    return done.stdout


def image(files, target, out):
    architecture, number = ARCHITECTURES[target.machine], version()
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch()))
    plain = [system(architecture), gzip.decompress(tar(files, "usr"))]
    layers = [compressed(layer) for layer in plain]
    labels = {"title": "inftrace", "version": number, "licenses": "Apache-2.0"}
    config = encoded(
        {
            "architecture": architecture,
            "os": "linux",
            "created": made,
            "config": {
                "Entrypoint": COMMAND[:1],
                "Cmd": COMMAND[1:],
                "Env": ["PATH=/usr/bin"],
                "Labels": {"org.opencontainers.image." + name: text for name, text in labels.items()},
            },
            "rootfs": {"type": "layers", "diff_ids": [digest(layer) for layer in plain]},
            "history": [{"created": made, "comment": name} for name in ("Debian's libc6", "inftrace")],
        }
    )
    manifest = encoded(
        {
            "schemaVersion": 2,
            "mediaType": TYPE + "manifest.v1+json",
            "config": descriptor("config.v1+json", config),
            "layers": [descriptor("layer.v1.tar+gzip", layer) for layer in layers],
        }
    )
    tag = {"annotations": {"org.opencontainers.image.ref.name": number}}
    index = {"schemaVersion": 2, "manifests": [descriptor("manifest.v1+json", manifest, **tag)]}
    blobs = {"blobs/" + digest(blob).replace(":", "/"): blob for blob in (config, manifest, *layers)}
    # what docker looks for before it knew of the layout
    loaded = {"Config": next(iter(blobs)), "RepoTags": ["inftrace:" + number], "Layers": list(blobs)[2:]}
    blobs["oci-layout"] = encoded({"imageLayoutVersion": "1.0.0"})
    blobs["index.json"] = encoded(index)
    blobs["manifest.json"] = encoded([loaded])
    name = "inftrace-%s-image-%s.tar" % (number, architecture)
    with tarfile.open(os.path.join(out, name), "w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(blobs.items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mtime, entry.mode = len(data), epoch(), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return [name]
