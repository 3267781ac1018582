"""check_page.py PAGE: a page of pm-translate --to=html is sound, and prints what is in it.

The elements are balanced; nothing outside the page is named; there is one script, the tool's own, and no handler in an
attribute; ids are unique; every link and every producer of a read is in the page; who reads is who is read; the boxes
of a tile that are drawn are those of the table of its group."""
import html.parser
import re
import sys

VOID = {"meta", "input", "br"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.stages, self.reads, self.read_by = [], [], [], {}, set(), set()
        self.scripts, self.stage, self.row, self.groups = [], None, "", []
        self.part, self.boxes, self.cells, self.rows = None, {}, None, {}

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert not any(name.startswith("on") or name in ("src", "srcset") for name in attributes), attributes
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if "href" in attributes:
            assert attributes["href"].startswith("#"), attributes
            self.links.append(attributes["href"][1:])
            if self.stage and self.row == "read by":
                self.read_by.add((attributes["href"][1:], self.stage))
        if tag == "script":
            self.scripts.append("")
        if tag == "a" and attributes.get("class", "").startswith("part"):
            self.part = attributes["href"][1:]
        if tag == "rect" and attributes["class"] == "box":
            box = tuple(float(attributes[name]) for name in ("x", "y", "width", "height"))
            assert self.boxes.setdefault(self.part, box) == box, (self.part, box)
        if tag == "tr":
            self.cells = []
        if tag in ("th", "td"):
            self.cells.append("")
        if tag == "a" and self.cells == [""]:
            self.rows[attributes["href"][1:]] = self.cells
        if tag == "section" and attributes.get("class") == "group":
            self.groups.append(attributes["data-title"])
        if tag == "article":
            self.stage = attributes["id"]
            self.stages[self.stage] = attributes
        if "data-from" in attributes:
            self.links.append(attributes["data-from"])
            if attributes["data-from"] != self.stage:
                self.reads.add((self.stage, attributes["data-from"]))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.getpos())
        if tag == "article":
            self.stage = None
        if tag == "table":
            self.cells = None

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        if self.open and self.open[-1] == "dt":
            self.row = data
        if self.cells and self.open[-1] in ("th", "td", "a"):
            self.cells[-1] += data

    def check_tiles(self):
        """A box reaches from the first of the table's rows and columns to the last, and at most a stride beyond."""
        for stage, (x, y, width, height) in self.boxes.items():
            for text, begin, extent in zip(self.rows[stage][2:4], (y, x), (height, width)):
                ends = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", text)
                first, last = (int(ends[1]), int(ends[2])) if ends else (0, 0)
                assert begin == first and last < begin + extent, (stage, text, begin, extent)
                assert extent <= 2 * (last - first) + 1, (stage, text, extent)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, page.open
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids), set(page.links) - set(page.ids)
    assert page.reads == page.read_by, page.reads ^ page.read_by
    page.check_tiles()
    assert len(page.scripts) == 1 and "drawLayers" in page.scripts[0]
    assert "\0" not in text and "@import" not in text and "url(http" not in text
    print(f"{len(page.stages)} stages, {len(page.reads)} reads, {len(page.groups)} groups")


main()
