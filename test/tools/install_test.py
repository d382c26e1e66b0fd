# SPDX-License-Identifier: Apache-2.0
"""install_test.py BUILD: checks the files of `make install`, and that inftrace works from there."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


def option(name):
    options = json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())
    return next(o["value"] for o in options if o["name"] == name)


def install(folder):
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", folder], check=True)


class Uninstall(unittest.TestCase):
    def test_every_file_is_removed_again(self):
        with tempfile.TemporaryDirectory() as folder:
            install(folder)
            self.assertTrue([path for path in pathlib.Path(folder).rglob("*") if not path.is_dir()])
            # Meson has a log of the last installation
            subprocess.run(["meson", "--internal", "uninstall"], cwd=BUILD, check=True, stdout=subprocess.DEVNULL)
            self.assertEqual([path for path in pathlib.Path(folder).rglob("*") if not path.is_dir()], [])


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        install(cls.folder.name)
        cls.prefix = pathlib.Path(cls.folder.name + option("prefix"))
        cls.program = cls.prefix / "bin/inftrace"

    def test_the_program_runs(self):
        done = subprocess.run([self.program, "--version"], stdout=subprocess.PIPE, text=True, check=True)
        self.assertRegex(done.stdout, r"^inftrace \d+\.\d+\.\d+( \([0-9a-f]{12}\+?\))?\n$")

    def test_the_agent_is_where_the_program_looks(self):
        agent = self.prefix / option("libdir") / "inftrace/libinftrace-agent.so"
        self.assertTrue(agent.exists(), agent)

    def test_programs_find_the_library_and_its_header(self):
        libraries = self.prefix / option("libdir")
        self.assertTrue((libraries / "libinftrace.so.0").exists())
        self.assertTrue((libraries / "libinftrace.so").exists())
        self.assertTrue((self.prefix / "include/inftrace.h").exists())
        flags = subprocess.run(
            ["pkg-config", f"--define-variable=prefix={self.prefix}", "--cflags", "--libs", "inftrace"],
            env={"PKG_CONFIG_PATH": str(libraries / "pkgconfig"), "PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "annotate")
            example = pathlib.Path(__file__).resolve().parents[2] / "examples/annotate.c"
            subprocess.run(["cc", example, "-o", program, *flags.split(), f"-Wl,-rpath,{libraries}"], check=True)
            done = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
        self.assertIn("not recorded", done.stdout)

    def test_every_command_has_its_manual_page(self):
        overview = subprocess.run([self.program, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
        lines = overview.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
        pages = {"inftrace.1", *(f"inftrace-{line.split()[0]}.1" for line in lines)}
        self.assertEqual(pages, {path.name for path in (self.prefix / "share/man/man1").iterdir()})

    def test_every_document_is_installed_but_the_one_for_developers(self):
        source = pathlib.Path(__file__).resolve().parents[2] / "doc"
        self.assertEqual(
            {path.name for path in source.glob("*.md")} - {"contributing.md"},
            {path.name for path in (self.prefix / "share/doc/inftrace/doc").glob("*.md")},
        )

    def test_completions_and_the_licence_are_where_shells_and_people_look(self):
        for path in (
            "bash-completion/completions/inftrace",
            "zsh/site-functions/_inftrace",
            "fish/vendor_completions.d/inftrace.fish",
            "doc/inftrace/LICENSE",
            "doc/inftrace/README.md",
            "doc/inftrace/doc/using.md",
            "doc/inftrace/doc/pictures/report.svg",
        ):
            self.assertTrue((self.prefix / "share" / path).stat().st_size > 100, path)


unittest.main()
