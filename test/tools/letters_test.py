#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""letters_test.py INFTRACE: a short option means the same in every command, and an option never has two letters.
Walks the option tables by the help that is made from them."""

import collections
import re
import subprocess
import sys
import unittest

INFTRACE = sys.argv[1]
ROW = re.compile(r"^ {2,6}(?:-(\w), )? *--([\w-]+)", re.M)


def said(*words):
    return subprocess.run([INFTRACE, *words], stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout


def commands():
    text = said("help")
    return re.findall(r"^  (\w+)", text[text.index("Commands:") : text.index("Options:")], re.M)


class Letters(unittest.TestCase):
    def setUp(self):
        self.names, self.letters = collections.defaultdict(dict), collections.defaultdict(dict)
        for command in commands():
            text = said("help", command)
            for letter, name in ROW.findall(text):
                self.letters[name]
                if letter:
                    self.letters[name].setdefault(letter, command)
                    self.names[letter].setdefault(name, command)

    def test_tables_are_seen(self):
        self.assertEqual(set(self.names["h"]), {"help"})
        self.assertEqual(set(self.names["o"]), {"output"})
        self.assertGreater(len(self.letters), 60)

    def test_a_letter_has_one_long_name(self):
        self.assertEqual({letter: names for letter, names in self.names.items() if len(names) > 1}, {})

    def test_an_option_has_one_letter(self):
        self.assertEqual({name: letters for name, letters in self.letters.items() if len(letters) > 1}, {})


unittest.main(argv=sys.argv[:1])
