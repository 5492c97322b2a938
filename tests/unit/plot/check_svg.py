"""Reads SVG files with a strict XML parser and refuses elements and attributes that pictures must not have.

    check_svg.py FOLDER
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree

NAMESPACE = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "g", "rect", "path", "circle", "line", "text", "tspan", "title", "desc"}
ATTRIBUTES = {
    "width", "height", "viewBox", "role", "font-family", "fill", "fill-opacity", "stroke", "stroke-width",
    "stroke-linejoin", "stroke-dasharray", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "d", "font-size",
    "text-anchor", "transform", "data-x", "data-y", "data-series",
}
NUMBERS = {"width", "height", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "font-size"}


def faults(file):
    root = ElementTree.parse(file).getroot()
    if root.tag != NAMESPACE + "svg" or root.get("role") != "img":
        yield "the root is no image"
    width, height = float(root.get("width")), float(root.get("height"))
    for element in root.iter():
        name = element.tag.removeprefix(NAMESPACE)
        if name not in ELEMENTS:
            yield f"element {element.tag}"
        for attribute in set(element.keys()) - ATTRIBUTES:
            yield f"attribute {attribute} of {name}"
        for attribute in NUMBERS & set(element.keys()):
            # Turned labels may begin a little outside; nothing may be far away or no number.
            if not -200 <= float(element.get(attribute)) <= max(width, height) + 200:
                yield f"{attribute}={element.get(attribute)} of {name}"
    if root.find(NAMESPACE + "title") is None or root.find(NAMESPACE + "desc") is None:
        yield "no title or description"


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.svg"))
    bad = [f"{file.name}: {fault}" for file in files for fault in faults(file)]
    print("\n".join(bad))
    return 1 if bad or len(files) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
