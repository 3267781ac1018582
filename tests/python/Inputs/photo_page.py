"""photo_page.py PAGE FOLDER: a notebook as HTML, as Chromium draws it without a network: pictures, sliders, graphs whose names
differ, and the pixels. Its files go to FOLDER."""
import base64
import html
import io
import json
import os
import re
import subprocess
import sys

import numpy
import PIL.Image

page, folder = sys.argv[1:]
MOST_BYTES = 1_000_000
WIDTH, HEIGHT = 1000, 6000

# Run in a copy of the page, when all is loaded: what is there, where, and how the page looks after the first slider has been moved.
REPORT = """
<script>
addEventListener('load', () => {
  const box = element => { const b = element.getBoundingClientRect(); return [b.x, b.y, b.width, b.height] };
  const shown = [...document.querySelectorAll('.jp-OutputArea-output')];
  const all = selector => shown.flatMap(output => [...output.querySelectorAll(selector)]);
  const sliders = all('input[type=range]');
  const clips = () => all('[style*=clip-path]').map(element => element.style.clipPath);
  const before = clips();
  sliders[0].value = 20;
  sliders[0].dispatchEvent(new Event('input'));
  const report = {
    images: all('img').map(image => ({natural: [image.naturalWidth, image.naturalHeight], box: box(image), src: image.src})),
    graphs: all('svg').map(graph => ({box: box(graph), shapes: [...graph.querySelectorAll('path, polygon, circle, text')].map(box)})),
    ids: shown.flatMap(output => [...output.querySelectorAll('[id]')].map(element => element.id)),
    used: all('svg a').map(link => link.getAttribute('xlink:href') || link.getAttribute('href')),
    before: before, after: clips(),
  };
  const text = document.createElement('pre');
  text.id = 'pm-report';
  text.textContent = JSON.stringify(report);
  document.body.appendChild(text);
});
</script>
"""


def chromium(*options, page):
    command = ["unshare", "--net", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               "--force-device-scale-factor=1", f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}",
               *options, "file://" + os.path.abspath(page)]
    return subprocess.run(command, check=True, capture_output=True, timeout=120, env=os.environ | {"HOME": folder}).stdout.decode()


def report():
    copy = os.path.join(folder, "reporting.html")
    with open(page, encoding="utf-8") as given, open(copy, "w", encoding="utf-8") as made:
        text = given.read()
        assert text.count("</body>") == 1
        made.write(text.replace("</body>", REPORT + "</body>"))
    found = re.search(r'<pre id="pm-report">(.*?)</pre>', chromium("--dump-dom", page=copy), re.DOTALL)
    return json.loads(html.unescape(found[1]))


def has_area(box):
    return box[2] > 0 and box[3] > 0


def is_inside(box, other, slack=2):
    return (box[0] >= other[0] - slack and box[1] >= other[1] - slack and box[0] + box[2] <= other[0] + other[2] + slack
            and box[1] + box[3] <= other[1] + other[3] + slack)


def pixels(image):
    return numpy.asarray(image.convert("RGB")).astype("i2")


def difference(screen, image):
    """Of a picture from what the screen has in its place."""
    x, y, width, height = (round(number) for number in image["box"])
    own = PIL.Image.open(io.BytesIO(base64.b64decode(image["src"].split(",", 1)[1])))
    assert own.size == (width, height), (own.size, image["box"])
    return abs(pixels(own) - pixels(screen.crop((x, y, x + width, y + height)))).mean()


assert os.path.getsize(page) < MOST_BYTES, os.path.getsize(page)
seen = report()
assert len(seen["images"]) == 5 and all(min(i["natural"]) > 100 and has_area(i["box"]) for i in seen["images"]), seen["images"]
# Two graphs of stages, and the roofline.
assert len(seen["graphs"]) == 3, len(seen["graphs"])
for graph in seen["graphs"]:
    assert min(graph["box"][2:]) > 100 and len(graph["shapes"]) > 10, graph
    assert all(is_inside(shape, graph["box"]) for shape in graph["shapes"]), graph
assert len(seen["ids"]) > 20 and len(seen["ids"]) == len(set(seen["ids"])), seen["ids"]
assert all(used[1:] in seen["ids"] for used in seen["used"] if used and used.startswith("#")), seen["used"]
assert seen["before"] == ["inset(0px 0px 0px 50%)"] * 2, seen["before"]
assert seen["after"] == ["inset(0px 0px 0px 20%)", "inset(0px 0px 0px 50%)"], seen["after"]

shot = os.path.join(folder, "screen.png")
chromium(f"--screenshot={shot}", page=page)
screen = PIL.Image.open(shot)
assert difference(screen, seen["images"][0]) < 1
for graph in seen["graphs"]:
    x, y, width, height = (round(number) for number in graph["box"])
    colours = numpy.unique(pixels(screen.crop((x, y, x + width, y + height))).reshape(-1, 3), axis=0)
    assert len(colours) > 20, len(colours)
