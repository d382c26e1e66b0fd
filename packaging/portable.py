# SPDX-License-Identifier: Apache-2.0
"""What a build for old and new distributions needs: a compiler, libraries, and a cross file for Meson.

The compiler is zig's, from PyPI, which has the C library's symbols of every version. Libraries are Debian's static
ones, which apt fetches and checks without installing anything; libmicrohttpd alone is compiled, from Debian's source,
since Debian's brings libraries for TLS. Everything lies in one folder. Knows nothing of packages.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "build", "package")
ZIG = "0.17.1"
# The oldest C library that the programs run with. The agent needs less: files.py checks both.
GLIBC = "2.28"
SUITE = "bookworm"
KEY = "/usr/share/keyrings/debian-archive-keyring.gpg"
# Debian's names of the processors.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# What is linked; and packages with texts of licences, and with what the programs for the kernel include.
LIBRARIES = ["libbpf-dev", "libelf-dev", "zlib1g-dev", "libdeflate-dev", "libzstd-dev", "libsqlite3-dev"]
LIBRARIES += ["libpcre2-dev", "libncurses-dev", "libedit-dev", "libbsd-dev", "libmd-dev"]
MORE = ["linux-libc-dev", "base-files", "libtinfo6"]
SERVER = "libmicrohttpd"
SERVER_OPTIONS = "--disable-https --disable-doc --disable-examples --disable-curl --disable-tools --enable-static"
SERVER_OPTIONS += " --disable-shared --disable-postprocessor --disable-dauth --disable-bauth --disable-nls"


def say(text):
    print("* " + text, file=sys.stderr, flush=True)


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit("package: %s failed:\n%s" % (" ".join(command[:3]), done.stdout[-4000:]))
    return done.stdout


def write(path, text, mode=0o644):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def compilers():
    """The Python with zig in it."""
    folder = os.path.join(FOLDER, "zig-" + ZIG)
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(os.path.join(folder, "ready")):
        say("getting the compiler (zig %s from PyPI)" % ZIG)
        shutil.rmtree(folder, ignore_errors=True)
        run(sys.executable, "-m", "venv", folder)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "ziglang==" + ZIG)
        write(os.path.join(folder, "ready"), "")
    return python


def compiler(processor, folder):
    """A script that compiles for the processor. Meson asks for -E, with which zig takes no version of the C library,
    and which linker it is, whose name older ones do not know."""
    path = os.path.join(folder, "cc")
    script = """#!/bin/sh
triple=%s-linux-gnu.%s
case " $* " in
*" -E "*) triple=${triple%%.%s} ;;
*" -Wl,--version "*) echo "LLD 22.0 (compatible with GNU linkers)" && exit ;;
esac
export ZIG_GLOBAL_CACHE_DIR=%s ZIG_LOCAL_CACHE_DIR=%s
exec %s -m ziglang cc -target $triple "$@"
"""
    cache = os.path.join(FOLDER, "zig-cache")
    write(path, script % (processor, GLIBC, GLIBC, cache, cache, compilers()), 0o755)
    write(os.path.join(folder, "ar"), '#!/bin/sh\nexec %s -m ziglang ar "$@"\n' % compilers(), 0o755)
    return path


def mirror():
    """The mirror of Debian that this machine uses, or MIRROR."""
    given = os.environ.get("MIRROR")
    if not shutil.which("apt-get"):
        sys.exit("package: libraries for old distributions come from Debian: this system has no apt-get")
    if not given:
        found = run("apt-get", "indextargets", "--format", "$(REPO_URI)").split()
        given = next((uri for uri in found if re.search(r"/debian/*$", uri)), None)
    if not given:
        sys.exit("package: MIRROR must name a mirror of Debian: this machine uses none")
    return given


def apt_command(architecture, apt):
    """apt-get in a folder of its own, with the list of packages: what it checks, it checks as always."""
    for part in ["state/lists/partial", "cache/archives/partial"]:
        os.makedirs(os.path.join(apt, part))
    where = "[signed-by=%s] %s %s main\n" % (KEY, mirror(), SUITE)
    write(os.path.join(apt, "list"), "deb %sdeb-src %s" % (where, where))
    settings = {"Dir::Etc::sourcelist": os.path.join(apt, "list"), "Dir::Etc::sourceparts": "-"}
    settings.update({"Dir::State": os.path.join(apt, "state"), "Dir::Cache": os.path.join(apt, "cache")})
    settings.update({"Dir::State::status": "/dev/null", "APT::Architecture": architecture})
    settings.update({"APT::Architectures": architecture, "APT::Sandbox::User": "root"})
    command = ["apt-get", "-qq"]
    for name, value in settings.items():
        command += ["-o", "%s=%s" % (name, value)]
    run(*command, "update")
    return command


def package_of_debian(name, architecture):
    """The path of one package, which is fetched once."""
    apt = os.path.join(FOLDER, "apt-%s-%s" % (name, architecture))
    if not glob.glob(os.path.join(apt, "*.deb")):
        say("getting %s of Debian" % name)
        shutil.rmtree(apt, ignore_errors=True)
        run(*apt_command(architecture, apt), "download", name, cwd=apt)
    return glob.glob(os.path.join(apt, "*.deb"))[0]


def fetch(architecture, apt):
    """The packages that are linked, and what comes with them."""
    command = apt_command(architecture, apt)
    run(*command, "download", *LIBRARIES, *MORE, cwd=apt)
    run(*command, "source", "--download-only", SERVER, cwd=apt)


def unpack(apt, tree):
    """Unpacks every package into the tree, those of MORE below it. [(name, version, source)]"""
    had = []
    for deb in sorted(glob.glob(os.path.join(apt, "*.deb"))):
        fields = dict(re.findall(r"^(Package|Version|Source): (\S+)", run("dpkg-deb", "-f", deb), re.M))
        name = fields["Package"]
        run("dpkg-deb", "-x", deb, tree if name in LIBRARIES else os.path.join(tree, name))
        if name in LIBRARIES:
            had.append((name, fields["Version"], fields.get("Source", name)))
    return had


def make_one_folder(processor, tree):
    """Takes libraries and headers out of the processor's own folders, and lets descriptions name the tree."""
    for place in ("usr/include", "usr/lib"):
        apart = os.path.join(tree, place, processor + "-linux-gnu")
        if os.path.isdir(apart):
            shutil.copytree(apart, os.path.join(tree, place), symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(apart)
    for path in glob.glob(os.path.join(tree, "usr/lib/pkgconfig/*.pc")):
        if not os.path.islink(path):
            with open(path) as file:
                text = file.read().replace("/%s-linux-gnu" % processor, "")
            write(path, re.sub(r"(?<!\})/usr\b", os.path.join(tree, "usr"), text))


def build_server(processor, apt, tree):
    """libmicrohttpd without TLS. (name, version, source)"""
    (archive,) = glob.glob(os.path.join(apt, SERVER + "_*.orig.tar.*"))
    source, build = os.path.join(tree, "server"), os.path.join(tree, "server-build")
    os.makedirs(source)
    os.makedirs(build)
    run("tar", "-xf", archive, "-C", source, "--strip-components=1")
    options = ["--host=%s-linux-gnu" % processor, "--prefix=" + os.path.join(tree, "usr"), "RANLIB=true"]
    options += ["CC=" + os.path.join(tree, "cc"), "AR=" + os.path.join(tree, "ar"), "CFLAGS=-O2 -g0"]
    run("../server/configure", "--quiet", *SERVER_OPTIONS.split(), *options, cwd=build)
    run("make", "-s", "-C", "src/microhttpd", "install", cwd=build)
    run("make", "-s", "-C", "src/include", "install", cwd=build)
    run("make", "-s", "install-pkgconfigDATA", cwd=build)
    shutil.copyfile(os.path.join(source, "COPYING"), os.path.join(tree, "usr/share/doc", SERVER + "-copying"))
    shutil.rmtree(source)
    shutil.rmtree(build)
    (description,) = glob.glob(os.path.join(apt, SERVER + "_*.dsc"))
    return (SERVER, os.path.basename(description)[len(SERVER) + 1 : -len(".dsc")], SERVER)


def libraries(processor):
    """The folder with compiler, libraries and headers for a processor, made once for each list of libraries."""
    tree = os.path.join(FOLDER, "libraries-" + processor)
    wanted = " ".join([ZIG, GLIBC, SUITE, *LIBRARIES, *MORE, SERVER_OPTIONS, tree]) + "\n"
    ready = os.path.join(tree, "ready")
    if os.path.exists(ready) and open(ready).read() == wanted:
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    compiler(processor, tree)
    say("getting libraries for %s from Debian (%s)" % (processor, SUITE))
    apt = os.path.join(tree, "apt")
    fetch(ARCHITECTURES[processor], apt)
    had = unpack(apt, tree)
    make_one_folder(processor, tree)
    say("compiling %s for %s" % (SERVER, processor))
    had.append(build_server(processor, apt, tree))
    shutil.rmtree(apt)
    write(os.path.join(tree, "versions"), "".join("%s %s %s\n" % one for one in had))
    write(ready, wanted)
    return tree


def versions(processor):
    """[(library's package, version, source package)] of what is linked in."""
    with open(os.path.join(libraries(processor), "versions")) as file:
        return [tuple(line.split()) for line in file]


def atomics(processor, tree):
    """[An archive with what Debian's compiler takes from a library of its own]"""
    if processor != "aarch64":
        return []
    archive, part = os.path.join(tree, "atomics.a"), os.path.join(tree, "atomics.o")
    if not os.path.exists(archive):
        run(os.path.join(tree, "cc"), "-c", os.path.join(ROOT, "packaging", "atomics_arm64.S"), "-o", part)
        run(os.path.join(tree, "ar"), "rcs", archive, part)
    return [archive]


def cross_file(processor, printer):
    """For Meson. printer runs in place of the new program, which prints manual pages and completions."""
    tree = libraries(processor)
    include = os.path.join(tree, "usr/include")
    kernel = os.path.join(tree, "linux-libc-dev/usr/include")
    lines = ["[binaries]", "c = %r" % os.path.join(tree, "cc"), "ar = %r" % os.path.join(tree, "ar")]
    lines += ["pkgconfig = 'pkg-config'"]
    if printer:
        # Meson first tries a program of its own
        script = '#!/bin/sh\n[ "${1##*/}" = inftrace ] || exit 0\nshift\nexec %s "$@"\n' % printer
        write(os.path.join(tree, "print"), script, 0o755)
        lines += ["exe_wrapper = %r" % os.path.join(tree, "print")]
    lines += ["[built-in options]"]
    lines += ["c_link_args = %r" % ["-s", "-Wl,--build-id=none", *atomics(processor, tree)]]
    lines += ["[properties]", "needs_exe_wrapper = %s" % ("true" if printer else "false")]
    lines += ["pkg_config_libdir = %r" % os.path.join(tree, "usr/lib/pkgconfig")]
    lines += ["libdl_apart = true"]
    lines += ["bpf_includes = %r" % [include, kernel, os.path.join(kernel, processor + "-linux-gnu")]]
    lines += ["[host_machine]", "system = 'linux'", "cpu_family = %r" % processor, "cpu = %r" % processor]
    lines += ["endian = 'little'"]
    path = os.path.join(tree, "cross.ini")
    text = "\n".join(lines) + "\n"
    if not os.path.exists(path) or open(path).read() != text:
        write(path, text)
    return path
