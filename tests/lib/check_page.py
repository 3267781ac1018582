"""check_page.py PAGE: a page of pm-translate --to=html is sound, and prints what is in it.

The elements are balanced; nothing outside the page is named; there is one script, the tool's own, and no handler in an
attribute; ids are unique; every link and every producer of a read is in the page; who reads is who is read."""
import html.parser
import sys

VOID = {"meta", "input", "br"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.stages, self.reads, self.read_by = [], [], [], {}, set(), set()
        self.scripts, self.stage, self.row, self.groups, self.item = [], None, "", [], None

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

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        if self.open and self.open[-1] == "dt":
            self.row = data


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
    assert len(page.scripts) == 1 and "drawLayers" in page.scripts[0]
    assert "\0" not in text and "@import" not in text and "url(http" not in text
    print(f"{len(page.stages)} stages, {len(page.reads)} reads, {len(page.groups)} groups")


main()
