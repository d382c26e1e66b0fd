# SPDX-License-Identifier: Apache-2.0
"""tools/terminal-picture draws the content of a terminal as well-formed SVG."""

import pathlib
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def run(arguments, stdin=b""):
    return subprocess.run(
        [sys.executable, ROOT / "tools/terminal-picture", *arguments],
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=120,
    )


def draw(text, *arguments):
    done = run(arguments, text if isinstance(text, bytes) else text.encode())
    assert done.returncode == 0, done.stderr
    return ElementTree.fromstring(done.stdout)


def texts(svg):
    return [(e.text, e.get("class")) for e in svg.iter(SVG + "text") if e.get("class") != "name"]


def bars(svg):
    """Width and height of the drawing below the title bar."""
    return [
        (e.get("width"), e.get("height")) for e in svg.iter(SVG + "rect") if e.get("x") and e.get("class") != "edge"
    ]


class Picture(unittest.TestCase):
    def test_markup_is_escaped(self):
        svg = draw("<script>a & b</script>", "--title", "\"<x>\" & 'y'")
        self.assertEqual(texts(svg), [("<script>a & b</script>", "fg")])
        self.assertEqual(svg.get("aria-label"), "\"<x>\" & 'y'")
        self.assertEqual(svg.find(SVG + "title").text, "\"<x>\" & 'y'")
        self.assertEqual(
            {e.tag for e in svg.iter()}
            - {SVG + name for name in ("svg", "title", "style", "rect", "path", "circle", "text")},
            set(),
        )

    def test_any_byte_gives_well_formed_output(self):
        draw(bytes(range(256)) * 3)
        draw("\x00\x0b\x1b[\x1b]8;;x\x07\x1b[999;38;5mA\x1b[38;5;999mB\x1b[38;2;1mC\u202e\ufffe\ud7ff\U0010ffff")

    def test_styles_become_attributes(self):
        svg = draw(
            "\x1b[1mbold\x1b[0m  \x1b[31mred\x1b[39m  \x1b[2mdim\x1b[22m  \x1b[38;5;196mpalette"
            "\x1b[m  \x1b[38;2;1;2;3mtrue"
        )
        self.assertEqual(texts(svg), [("bold", "fg"), ("red", "c1"), ("dim", "fg"), ("palette", None), ("true", None)])
        looks = {e.text: e for e in svg.iter(SVG + "text")}
        self.assertEqual(looks["bold"].get("font-weight"), "bold")
        self.assertEqual(looks["dim"].get("opacity"), ".6")
        self.assertEqual(looks["palette"].get("fill"), "#ff0000")
        self.assertEqual(looks["true"].get("fill"), "#010203")

    def test_reversed_text_has_a_background(self):
        svg = draw("\x1b[7mab")
        self.assertEqual(texts(svg), [("ab", "bg")])
        self.assertEqual(len(bars(svg)), 2)

    def test_a_bar_is_one_rectangle(self):
        svg = draw("██▌x  ▏")
        self.assertEqual(texts(svg), [("x", "fg")])
        self.assertEqual(bars(svg), [("21", "13"), ("1.05", "13")])

    def test_columns_of_a_histogram_fill_their_line(self):
        self.assertEqual(bars(draw("▁█▄")), [("8.4", "2.38"), ("8.4", "19"), ("8.4", "9.5")])

    def test_columns_stay_aligned_in_any_font(self):
        svg = draw("ab  你好 c")
        looks = {e.text: (e.get("x"), e.get("textLength")) for e in svg.iter(SVG + "text")}
        self.assertEqual(looks["ab"], ("16", "16.8"))
        self.assertEqual(looks["你好 c"], ("49.6", "50.4"))

    def test_progress_lines_are_overwritten(self):
        self.assertEqual(texts(draw("recording 1 s\r\x1b[Kdone\n")), [("done", "fg")])
        self.assertEqual(texts(draw("abc\b\bX\n")), [("aXc", "fg")])

    def test_long_lines_wrap(self):
        self.assertEqual([text for text, _ in texts(draw("a" * 45, "--columns", "20"))], ["a" * 20, "a" * 20, "a" * 5])
        self.assertEqual(len(texts(draw("1\n\n\n"))), 1)

    def test_lines_left_out_become_an_ellipsis(self):
        text = "".join("%d\n" % i for i in range(1, 10))
        self.assertEqual(
            [text for text, _ in texts(draw(text, "--lines", "1-2,5,8-20"))], ["1", "2", "…", "5", "…", "8", "9"]
        )
        self.assertEqual([text for text, _ in texts(draw(text, "--lines", "1-8"))][-2:], ["8", "…"])
        for wrong in ("0", "3-2", "x", "1-2-3", ""):
            self.assertEqual(run(["--lines", wrong]).returncode, 2, wrong)

    def test_both_colour_schemes_are_there(self):
        self.assertIn("prefers-color-scheme:dark", draw("x").find(SVG + "style").text)

    def test_a_command_runs_in_a_terminal_of_that_width(self):
        svg = draw(
            "",
            "--columns",
            "44",
            "--",
            sys.executable,
            "-c",
            "import os; print(os.isatty(1), os.get_terminal_size().columns)",
        )
        self.assertEqual(texts(svg), [("True 44", "fg")])

    def test_a_command_that_fails_draws_nothing(self):
        for command in (["/nonexistent/command"], [sys.executable, "-c", "import sys; sys.exit(3)"]):
            done = run(["--", *command])
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, b"")


unittest.main()
