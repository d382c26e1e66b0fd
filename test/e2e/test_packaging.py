# SPDX-License-Identifier: Apache-2.0
"""Packages for old and new distributions, and the source archive: what must not get into one, and that they work."""

import glob
import gzip
import hashlib
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile

import pytest

import envs

ROOT = os.path.dirname(os.path.dirname(envs.HERE))
TOOL = os.path.join(ROOT, "tools", "package")


def tried(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def test_what_would_not_run_elsewhere_is_refused(tmp_path):
    """What is built for this machine needs its C library and its libraries: it is no package for others."""
    built = os.path.dirname(os.environ["INFTRACE"])
    words = """
import sys
sys.path.insert(0, sys.argv[1] + "/packaging")
import examine
for name in ("bin/inftrace", "lib/libinftrace.so.0"):
    with open(sys.argv[2] + name[name.index("/") :], "rb") as file:
        data = file.read()
    for processor in ("x86_64", "aarch64"):
        for fault in examine.faults(name, data + sys.argv[1].encode(), processor):
            print(name, processor, fault)
"""
    said = tried(sys.executable, "-c", words, ROOT, built).stdout
    assert "bin/inftrace %s it needs libz.so.1\n" % platform.machine() in said
    other = "aarch64" if platform.machine() == "x86_64" else "x86_64"
    assert "bin/inftrace %s it is for another processor\n" % other in said
    assert "bin/inftrace %s it has the path %s in it\n" % (other, ROOT) in said
    small = "it cannot be loaded where pages have %d KiB\n"
    assert ("bin/inftrace aarch64 " + small % 64 in said) == (platform.machine() == "x86_64")
    assert "bin/inftrace x86_64 " + small % 4 not in said
    newer = "lib/libinftrace.so.0 %s it needs dlopen of glibc 2.34, which 2.17 has not\n" % platform.machine()
    assert newer in said or platform.libc_ver()[1] < "2.34"


@pytest.mark.full("packs the product twice")
@pytest.mark.parametrize("kind", ["deb", "npm", "tar", "image"])
def test_every_kind_is_packed_the_same_twice(kind, tmp_path):
    built, folders = os.path.dirname(os.environ["INFTRACE"]), [tmp_path / "one", tmp_path / "other"]
    env = {**os.environ, "DEBFULLNAME": "A Person", "DEBEMAIL": "person@example.org"}
    for folder in folders:
        done = tried(TOOL, kind, "--target=native", "--built", built, "-o", folder, env=env)
        assert done.returncode == 0, done.stdout
    names = sorted(os.listdir(folders[0]))
    assert names and names == sorted(os.listdir(folders[1]))
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name
    if kind == "deb":
        maintainer = tried("dpkg-deb", "--field", folders[0] / names[0], "Maintainer").stdout
        assert maintainer == "A Person <person@example.org>\n"


def unpacked(path, root):
    """The configuration of an image, whose layers are below root then. Each blob is what its name says."""
    with tarfile.open(path) as archive:
        blobs = {entry.name: archive.extractfile(entry).read() for entry in archive}
    assert json.loads(blobs.pop("oci-layout"))["imageLayoutVersion"] == "1.0.0"
    index, loaded = json.loads(blobs.pop("index.json")), json.loads(blobs.pop("manifest.json"))[0]
    for name, data in blobs.items():
        assert name == "blobs/sha256/" + hashlib.sha256(data).hexdigest()

    def blob(descriptor):
        data = blobs[os.path.join("blobs", *descriptor["digest"].split(":"))]
        assert len(data) == descriptor["size"]
        return data

    manifest = json.loads(blob(index["manifests"][0]))
    layers = [gzip.decompress(blob(layer)) for layer in manifest["layers"]]
    config = json.loads(blob(manifest["config"]))
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in layers]
    assert blobs[loaded["Config"]] == blob(manifest["config"]) and len(loaded["Layers"]) == 2 == len(layers)
    for layer in layers:
        with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
            archive.extractall(root)
    return config


@pytest.mark.in_turn(2)
def test_an_image_has_the_c_library_and_inftrace_alone(tmp_path):
    built = os.path.dirname(os.environ["INFTRACE"])
    done = tried(TOOL, "image", "--target=native", "--built", built, "-o", tmp_path)
    assert done.returncode == 0, done.stdout
    config = unpacked(done.stdout.split()[-1], tmp_path / "root")
    program = tmp_path / "root" / config["config"]["Entrypoint"][0][1:]
    assert os.access(program, os.X_OK) and set(os.listdir(tmp_path / "root")) == {"etc", "lib", "lib64", "usr"}
    assert (program.parents[1] / "lib" / "inftrace" / "libinftrace-agent.so").exists()
    # the loader of the image, and the C library that it finds there; the program of a native build wants more
    loader = glob.glob(str(tmp_path / "root" / "lib*" / "ld-linux*"))[0][len(str(tmp_path / "root")) :]
    if not os.geteuid():
        said = tried("chroot", tmp_path / "root", loader, "--list", "/usr/lib/inftrace/libinftrace-agent.so").stdout
        assert "libc.so.6 => /lib/" in said and "not found" not in said, said


@pytest.mark.full("builds for old distributions")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, for chroot")
def test_the_program_of_an_image_runs_there(tmp_path):
    done = tried(TOOL, "image", "-o", tmp_path)
    assert done.returncode == 0, done.stdout
    config = unpacked(done.stdout.split()[-1], tmp_path / "root")
    done = tried("chroot", tmp_path / "root", *config["config"]["Entrypoint"], "--version")
    assert done.returncode == 0 and done.stdout.startswith("inftrace "), done.stdout


@pytest.mark.in_turn(2)
def test_an_archive_runs_where_it_is_unpacked(lab, wheel, tmp_path):
    built = os.path.dirname(os.environ["INFTRACE"])
    (path,) = tried(TOOL, "tar", "--target=native", "--built", built, "-o", tmp_path).stdout.split()
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path)
    (top,) = [name for name in os.listdir(tmp_path) if not name.endswith(".gz")]
    program = str(tmp_path / top / "bin" / "inftrace")
    done = lab.plain(
        [program, "record", "-o", "tar.pftrace", "--", *lab.python(wheel, "infer", "run", lab.model("cnn"))]
    )
    assert done.status == 0 and "inferences" in done.err, done.err
    os.unlink(tmp_path / top / "lib" / "inftrace" / "libinftrace-agent.so")
    done = lab.plain([program, "record", "--", "/bin/true"])
    assert done.status == 3 and done.err.startswith("inftrace: cannot find the agent: "), done.err
    done = lab.plain([program, "attach", "--inject", str(os.getpid())])
    assert done.status == 3 and done.err.startswith("inftrace: cannot find the agent: "), done.err
    os.unlink(tmp_path / top / "lib" / "inftrace" / "inftrace-run")
    done = lab.plain([program, "model", "--runtime", os.path.dirname(wheel.library), lab.model("cnn")])
    assert done.status == 3 and done.err.startswith("inftrace: cannot find the runner: "), done.err


@pytest.mark.parametrize(
    "machine, said",
    [
        ("platform: 'win32', arch: 'x64'", "this machine is win32 on x64: inftrace runs on Linux on x64 and arm64"),
        ("platform: 'linux', arch: 's390x'", "this machine is linux on s390x: inftrace runs on Linux on x64 and arm64"),
        (
            "platform: 'linux', arch: 'x64', report: { getReport: () => ({ header: {} }) }",
            "this system has musl: inftrace needs glibc, as ONNX Runtime does",
        ),
        (
            "platform: 'linux', arch: 'x64', "
            "report: { getReport: () => ({ header: { glibcVersionRuntime: '2.17' } }) }",
            "this system has glibc 2.17: inftrace needs 2.28 or newer",
        ),
        (
            "platform: 'linux', arch: 'arm64'",
            "its package for this machine, @inftrace/linux-arm64, is not installed; install inftrace again, with "
            "optional packages",
        ),
    ],
)
def test_the_shim_of_npm_says_what_is_wrong(machine, said):
    if not shutil.which("node"):
        pytest.skip("no Node.js")
    words = (
        "for (const [name, value] of Object.entries({ %s })) Object.defineProperty(process, name, { value });" % machine
    )
    words += "require(%r);" % os.path.join(ROOT, "packaging", "inftrace.js")
    done = tried("node", "-e", words)
    assert (done.returncode, done.stdout) == (3, "inftrace: %s\n" % said)


@pytest.mark.full("makes a source archive, and builds it")
def test_a_source_archive_is_built_without_a_network(tmp_path):
    built = os.path.dirname(os.environ["INFTRACE"])
    done = tried("meson", "dist", "-C", built, "--no-tests", "--formats", "gztar", "--allow-dirty")
    assert done.returncode == 0, done.stdout
    (name,) = [name for name in os.listdir(os.path.join(built, "meson-dist")) if name.endswith(".tar.gz")]
    with tarfile.open(os.path.join(built, "meson-dist", name)) as archive:
        archive.extractall(tmp_path)
    source, alone = tmp_path / name[: -len(".tar.gz")], ["unshare", "--map-root-user", "--net"]
    for command in (["meson", "setup", "build", "-Dtests=false"], ["ninja", "-C", "build", "product"]):
        done = tried(*alone, *command, cwd=source)
        assert done.returncode == 0, done.stdout
    assert (source / "web" / "dist" / "index.html").stat().st_size > 100
    done = tried(source / "build" / "inftrace", "--version")
    assert done.stdout.endswith(" (%s)\n" % (source / "commit").read_text().strip("()\n"))


BARE = [("bullseye", "x86_64"), ("bookworm", "x86_64"), ("trixie", "x86_64"), ("bookworm", "aarch64")]


@pytest.mark.full("installs packages in bare systems")
@pytest.mark.parametrize("suite, processor", BARE)
def test_packages_work_in_bare_systems_and_leave_nothing(suite, processor):
    """Those for aarch64 in an emulator, without attaching."""
    if os.geteuid() or not shutil.which("mmdebstrap"):
        pytest.skip("needs root and mmdebstrap")
    env = {**os.environ, "ARCH": {"x86_64": "amd64", "aarch64": "arm64"}[processor]}
    done = tried(TOOL, "all", "--target", processor)
    assert done.returncode == 0, done.stdout
    done = tried(os.path.join(ROOT, "tools", "try-package.sh"), suite, env=env)
    if done.returncode == 77:
        pytest.skip(done.stdout)
    assert done.returncode == 0 and "FAILED" not in done.stdout, done.stdout
