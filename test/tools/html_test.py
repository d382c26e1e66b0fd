# SPDX-License-Identifier: Apache-2.0
"""html_test.py FILE...: checks HTML reports."""

import html.parser
import re
import sys
import xml.etree.ElementTree as ElementTree

VOID = {"meta", "br", "link", "hr", "img", "input"}


class Nesting(html.parser.HTMLParser):
    """Parses like a browser: every element is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open, self.problems = [], []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append("%s is closed at %s but not open" % (tag, self.getpos()))


def check(path):
    text = open(path, encoding="utf-8").read()
    nesting = Nesting()
    nesting.feed(text)
    problems = nesting.problems + ["%s is not closed" % tag for tag in nesting.open]
    tree = ElementTree.fromstring(text)
    ids = [e.get("id") for e in tree.iter() if e.get("id")]
    problems += ["id %s twice" % i for i in set(ids) if ids.count(i) > 1]
    for element in tree.iter():
        if element.tag in ("script", "link", "img", "iframe", "object", "embed", "image", "use"):
            problems.append("there is a %s" % element.tag)
        for name, value in element.items():
            if name.startswith("on") or name in ("src", "action"):
                problems.append("attribute %s" % name)
            if name == "href" and not (value.startswith("#") and value[1:] in ids):
                problems.append("link to %s" % value)
            if name in ("d", "x", "y", "width", "height", "cx", "cy", "r", "viewBox", "transform") and not re.fullmatch(
                r"[-MLHVhvz0-9. ]*|width=device.*", value
            ):
                problems.append("%s=%r" % (name, value[:60]))
            if name == "style" and "url" in value:
                problems.append("style %s" % value)
    for plot in tree.iter("svg"):
        named = (plot.get("aria-labelledby") or "").split()
        if plot.get("role") != "img" or len(named) != 2 or not set(named) <= set(ids):
            problems.append("a plot without a name")
        if [child.tag for child in plot][:2] != ["title", "desc"] or not all(child.text for child in list(plot)[:2]):
            problems.append("a plot without title and description")
    for table in tree.iter("table"):
        rows = list(table.iter("tr"))
        width = len(list(rows[0]))
        for row in rows:
            if sum(int(cell.get("colspan", 1)) for cell in row) != width:
                problems.append("a row of another width in %r" % table.findtext("caption/span"))
        if not table.findtext("caption/span"):
            problems.append("a table without a caption")
    for word in ("http:", "https:", "//", "url(", "@import"):
        if word in text.replace("://www.w3.org", ""):
            problems.append("the page names %s" % word)
    return problems


def main():
    found = [(path, problem) for path in sys.argv[1:] for problem in check(path)]
    for path, problem in found:
        print("%s: %s" % (path, problem))
    sys.exit(1 if found else 0)


main()
