# SPDX-License-Identifier: Apache-2.0
"""The checks of the tree reject bad trees: a check that cannot fail checks nothing."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
CC = os.environ.get("CC", "cc").split()


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def layers(self, layers):
        (self.folder / "src").mkdir(exist_ok=True)
        path = self.write("layers.txt", layers)
        return subprocess.run(
            [sys.executable, TOOLS / "check-layers", path, self.folder / "src"], stdout=subprocess.PIPE, text=True
        )

    def agent(self, source, check="check-agent"):
        lib = self.folder / "lib.so"
        subprocess.run([*CC, "-x", "c", "-fPIC", "-shared", "-O0", "-o", lib, self.write("lib.c", source)], check=True)
        return subprocess.run([TOOLS / check, lib], stdout=subprocess.PIPE, text=True)

    def test_an_include_to_the_left_is_taken(self):
        self.write(
            "src/event/a.c", '#include "base/err.h"\n#include <stdio.h>\n#include "event/a.h"\n#include "inftrace.h"\n'
        )
        result = self.layers("# a comment\nbase:\nevent: base\n")
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_an_include_to_the_right_is_refused(self):
        self.write("src/base/a.c", '#include "base/a.h"\n\n  #  include "event/event.h"\n')
        result = self.layers("base:\nevent: base\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn('src/base/a.c:3: base may not include event ("event/event.h")', result.stdout)

    def test_an_include_of_a_sibling_that_is_not_named_is_refused(self):
        self.write("src/store/a.h", '#include "trace/perfetto/perfetto_read.h"\n')
        self.assertEqual(self.layers("base:\ntrace: base\nstore: base\n").returncode, 1)

    def test_an_include_without_a_room_is_refused(self):
        self.write("src/base/a.c", '#include "a.h"\n')
        self.assertIn("does not name its room", self.layers("base:\n").stdout)

    def test_an_unknown_room_is_refused(self):
        self.write("src/util/a.c", "")
        self.assertIn("do not name the room util", self.layers("base:\n").stdout)

    def test_a_cycle_is_refused(self):
        result = self.layers("base: event\nevent: base\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("base names event, which does not stand higher", result.stdout)

    def test_a_room_of_a_wing_is_not_its_sibling(self):
        self.write("src/show/text/a.c", '#include "show/json/json.h"\n')
        result = self.layers("show/json:\nshow/text:\n")
        self.assertIn('show/text may not include show/json ("show/json/json.h")', result.stdout)
        self.assertEqual(self.layers("show/json:\nshow/text: show/json\n").returncode, 0)

    def tables(self, listing, build="files('plug_a.c', 'plug_b.c', 'plugs.c')", **files):
        self.write("src/plugs.c", listing)
        self.write("src/meson.build", build)
        for name, text in files.items():
            self.write(f"src/plug_{name}.c", text)
        path = self.write("tables.txt", "# a comment\nsrc/plugs.c plug_\nsrc/none.c none_\n")
        return subprocess.run(
            [sys.executable, TOOLS / "check-tables", path, self.folder], stdout=subprocess.PIPE, text=True
        )

    PLUGS = "#define PLUGS(F) \\\n\tF(a) \\\n\tF(b)\n#define ENTRY(name) &plug_##name,\nint x = { PLUGS(ENTRY) };\n"
    A, B = (
        "/* const struct plug plug_x = 1; */\nconst struct plug plug_a = {\n};\n",
        "const struct plug plug_b = { 0 };\n",
    )

    def test_a_table_that_lists_what_its_files_define_is_taken(self):
        result = self.tables(self.PLUGS, a=self.A, b=self.B)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        result = self.tables("x *const plugs[] = { &plug_a, /* &plug_c */ &plug_b, NULL };", a=self.A, b=self.B)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_a_file_may_make_its_constants_by_a_macro(self):
        maker = "#define MAKE(plug, n) \\\n\tconst struct plug plug_##plug = { \\\n\t\tn };\nMAKE(a, 1)\nMAKE(b, 2)\n"
        self.assertEqual(self.tables(self.PLUGS, a=maker).stdout, "")

    def test_a_file_that_is_not_listed_and_a_row_without_a_file_are_refused(self):
        result = self.tables(self.PLUGS.replace("F(b)", "F(c)"), a=self.A, b=self.B)
        self.assertEqual(result.returncode, 1)
        self.assertIn("plug_b, which plugs.c does not list", result.stdout)
        self.assertIn("c is listed, and no file plug_*.c defines plug_c", result.stdout)

    def test_a_row_may_have_a_folder_of_its_own(self):
        self.write("src/b/plug_b.c", self.B)
        self.write("src/b/meson.build", "files('plug_b.c')")
        self.assertEqual(self.tables(self.PLUGS, a=self.A).stdout, "")
        self.write("src/b/meson.build", "files('c.c')")
        self.assertIn("b/meson.build does not name it", self.tables(self.PLUGS, a=self.A).stdout)

    def test_a_row_that_stands_twice_is_refused(self):
        self.assertIn(
            "a is listed 2 times", self.tables(self.PLUGS.replace("F(b)", "F(b) F(a)"), a=self.A, b=self.B).stdout
        )

    def test_a_file_without_a_constant_or_that_is_not_built_is_refused(self):
        result = self.tables(
            self.PLUGS, build="names = ['a']", a=self.A, b="static const struct plug plug_b = { 0 };\n"
        )
        self.assertIn("plug_b.c: it defines no constant plug_<name>", result.stdout)
        self.assertRegex(result.stdout, "plug_b.c: .*meson.build does not name it")
        self.assertNotIn("plug_a.c:", result.stdout)

    def circles(self, *options, **sources):
        objects = []
        for name, source in sources.items():
            objects.append(self.folder / f"{name}.c.o")
            subprocess.run(
                [*CC, "-x", "c", "-c", "-O0", "-o", objects[-1], self.write(f"{name}.c", source)], check=True
            )
        return subprocess.run(
            [sys.executable, TOOLS / "check-circles", *options, *objects], stdout=subprocess.PIPE, text=True
        )

    def test_calls_in_a_line_are_taken(self):
        result = self.circles(
            a="void b(void); void a(void) { b(); }", b="void c(void); void b(void) { c(); }", c="void c(void) { }"
        )
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_a_circle_of_calls_is_refused_unless_it_is_allowed(self):
        circle = {
            "wheel_a": "void b(void); void a(void) { b(); }",
            "wheel_b": "void c(void); void b(void) { c(); }",
            "wheel_c": "void a(void); void (*const next)(void) = a; void c(void) { }",
        }
        result = self.circles(**circle)
        self.assertEqual(result.returncode, 1)
        self.assertIn("wheel_a.c wheel_b.c wheel_c.c", result.stdout)
        self.assertIn("wheel_c.c -> wheel_a.c: a", result.stdout)
        self.assertEqual(self.circles("--allow", "wheel", **circle).returncode, 0)
        self.assertEqual(self.circles("--allow", "wheel_a", **circle).returncode, 1)

    def test_reading_the_table_that_lists_one_is_taken(self):
        result = self.circles(
            table="void a(void); extern int one; int *const table[] = { &one };",
            a="extern int *const table[]; int one; int *a(void) { return table[0]; }",
        )
        self.assertEqual(result.returncode, 0)

    def map(self, layers, page):
        self.write("src/base/a.c", "")
        self.write("src/show/text/a.h", "")
        return subprocess.run(
            [
                sys.executable,
                TOOLS / "check-map",
                self.write("layers.txt", layers),
                self.write("page.md", page),
                self.folder / "src",
            ],
            stdout=subprocess.PIPE,
            text=True,
        )

    def test_a_map_of_all_rooms_is_taken(self):
        result = self.map(
            "# rooms\nbase:\nshow/text: base\n", "| room |\n| `src/base` | a |\n| `src/show/text` | b |\n"
        )
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_a_map_that_lacks_a_room_or_invents_one_is_refused(self):
        result = self.map("base:\n", "| `src/base` | a |\n| `src/show` | b |\n")
        self.assertEqual(result.returncode, 1)
        for words in (
            "layers.txt does not name src/show/text",
            "page.md does not name src/show/text",
            "page.md names src/show, which holds no C file",
        ):
            self.assertIn(words, result.stdout)

    def test_a_room_of_more_than_forty_files_is_refused(self):
        for n, status in ((39, 0), (40, 1)):  # beside a.c
            for i in range(n):
                self.write("src/base/file_%d.c" % i, "")
            result = self.map("base:\nshow/text:\n", "| `src/base` | a |\n| `src/show/text` | b |\n")
            self.assertEqual(result.returncode, status, n)
        self.assertIn("src/base has 41 files; 40 is the most", result.stdout)

    def sizes(self, name, text):
        self.write(f"src/{name}", text)
        return subprocess.run(
            [sys.executable, TOOLS / "check-sizes", self.folder / "src"], stdout=subprocess.PIPE, text=True
        )

    def function(self, parameters="void", body="\treturn;\n"):
        return f"static void f({parameters})\n{{\n{body}}}\n"

    def test_a_small_file_is_taken(self):
        result = self.sizes(
            "a.c", self.function("int (*a)(int, int), int b, int c, int d, int e, int f", "\ta();\n" * 80)
        )
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_a_long_function_is_refused(self):
        self.assertIn("a.c:1: f has 81 lines", self.sizes("a.c", self.function(body="\ta();\n" * 81)).stdout)
        table = self.sizes("a.c", self.function(body="\tcase 1:\n\t\treturn 2;\n" * 41))
        self.assertEqual(table.returncode, 0)

    def test_seven_parameters_are_refused(self):
        result = self.sizes("a.h", self.function("int a, int b, int c, int d,\n\t      int e, int f, int g"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("f has 7 parameters", result.stdout)

    def test_deep_braces_long_lines_and_long_files_are_refused(self):
        self.assertIn("5 levels", self.sizes("a.c", self.function(body="{{{{{ }}}}}\n")).stdout)
        self.assertEqual(self.sizes("a.c", self.function(body='\ta("{{{{{"); /* {{{{{ */\n')).returncode, 0)
        self.assertIn("a.c:1: 121 columns", self.sizes("a.c", "\t" + "a" * 113 + "\n").stdout)
        self.assertIn("has 801 lines", self.sizes("a.c", "\n" * 801).stdout)

    def test_a_quiet_library_is_taken(self):
        result = self.agent(
            "void __gmon_start__(void) {} void *dlsym(void *a, const char *b) { return 0; } "
            "int inftrace_on(void) { return 0; }"
        )
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_a_foreign_export_is_refused(self):
        result = self.agent("int dlopen(void) { return 0; }")
        self.assertEqual(result.returncode, 1)
        self.assertIn("must not export: dlopen", result.stdout)

    def test_a_loud_library_is_refused(self):
        result = self.agent(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
            'void inftrace_a(int a) { printf("%d", a); fprintf(stderr, "%d", a); if (a) abort(); exit(fork()); }'
        )
        self.assertEqual(result.returncode, 1)
        for name in ("abort", "exit", "fork", "fprintf", "printf"):
            self.assertRegex(result.stdout, rf"must not import:.*\b{name}\b")

    def test_a_function_that_came_after_the_oldest_c_library_is_refused(self):
        old = self.agent("#include <dlfcn.h>\nvoid *f(void) { return dlopen(0, 0); }", "check-library")
        self.assertEqual((old.returncode, old.stdout), (0, ""))
        new = self.agent("#include <stdlib.h>\nvoid *f(void *p) { return reallocarray(p, 2, 3); }", "check-library")
        self.assertEqual(new.returncode, 1)
        self.assertIn("lacks: reallocarray", new.stdout)

    def test_a_missing_library_is_skipped_visibly(self):
        result = subprocess.run([TOOLS / "check-agent", self.folder / "none.so"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 77)
        self.assertIn("skipped", result.stdout)


unittest.main()
