"""What a drawing of matplotlib shows, read from the geometry of its SVG: texts with their boxes, and curves."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"
_EM = 62.0  # hundredths of the size of the font: width of the last character
_CALL = re.compile(r"(\w+)\(([^)]*)\)")


@dataclass(frozen=True)
class Box:
    """A rectangle; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box, slack: float = 0.5) -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        return across > slack and min(self.bottom, other.bottom) - max(self.top, other.top) > slack

    def join(self, other: Box) -> Box:
        return Box(min(self.left, other.left), min(self.top, other.top),
                   max(self.right, other.right), max(self.bottom, other.bottom))  # fmt: skip


@dataclass(frozen=True)
class Label:
    """A text of a drawing: the id of its group, what it says, and where it is."""

    id: str
    text: str
    box: Box


class Drawing:
    """An SVG whose texts are paths."""

    def __init__(self, svg: bytes) -> None:
        parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
        self.root = ElementTree.fromstring(svg, parser)
        self.width, self.height = map(float, self.root.attrib["viewBox"].split()[2:])
        groups = {str(each.get("id")): each for each in self.root.iter(f"{_SVG}g") if each.get("id")}
        self.axes = [group for name, group in groups.items() if re.fullmatch(r"axes_\d+", name)]
        self.legend = groups.get("legend")

    def labels(self, within: ElementTree.Element | None = None) -> list[Label]:
        """All texts, or those within an element."""
        return [label for group in (within or self.root).iter(f"{_SVG}g") for label in _read_label(group)]

    def titles(self) -> list[Label]:
        return [label for label in self.labels() if label.id.startswith("title-")]

    def legend_box(self) -> Box | None:
        if self.legend is None:
            return None
        boxes = [label.box for label in self.labels(self.legend)]
        whole = boxes[0]
        for box in boxes[1:]:
            whole = whole.join(box)
        return Box(whole.left - 30, whole.top, whole.right, whole.bottom)  # with the lines before the names

    def frame(self, axes: ElementTree.Element) -> Box:
        """The area of a panel: the first path that is drawn for it."""
        path = axes.find(f"{_SVG}g/{_SVG}path")
        assert path is not None
        return _read_path(path.attrib["d"])

    def curves(self, axes: ElementTree.Element) -> dict[str, tuple[str, str, str]]:
        """Colour, dashes and mark of every curve that has a name, in one panel."""
        found = {}
        for group in axes.iter(f"{_SVG}g"):
            path = group.find(f"{_SVG}path")
            if path is not None and "clip-path" in path.attrib and not re.match(r"line2d_|patch_", group.get("id", "")):
                style = dict(part.strip().split(": ", 1) for part in path.get("style", "").split(";"))
                mark = group.find(f"{_SVG}defs/{_SVG}path")
                shape = "" if mark is None else " ".join(mark.attrib["d"].split())
                found[str(group.get("id"))] = (style["stroke"], style.get("stroke-dasharray", ""), shape)
        return found


def find_faults(drawing: Drawing) -> list[str]:
    """List what is wrong: no label on an axis, a title or legend on something else, curves that look alike."""
    return [*_find_missing_labels(drawing), *_find_overlaps(drawing), *_find_same_curves(drawing)]


def _find_missing_labels(drawing: Drawing) -> Iterator[str]:
    for axes in drawing.axes:
        found = {label.id.rsplit("-", 1)[0] for label in drawing.labels(axes) if label.text.strip()}
        yield from (f"{axes.get('id')} has no {side}" for side in ("x-label", "y-label") if side not in found)


def _find_overlaps(drawing: Drawing) -> Iterator[str]:
    titles, legend = drawing.titles(), drawing.legend_box()
    for first, second in itertools.combinations(titles, 2):
        if first.box.overlaps(second.box):
            yield f"the titles {first.text!r} and {second.text!r} overlap"
    for title in titles:
        if title.box.left < 0 or title.box.right > drawing.width or title.box.top < 0:
            yield f"the title {title.text!r} leaves the drawing"
    if legend is None:
        return
    named = [label for axes in drawing.axes for label in drawing.labels(axes)]
    yield from (f"the legend covers {label.text!r}" for label in named if legend.overlaps(label.box))
    yield from (f"the legend covers {axes.get('id')}" for axes in drawing.axes if legend.overlaps(drawing.frame(axes)))
    if legend.right > drawing.width or legend.bottom > drawing.height + 1:
        yield "the legend leaves the drawing"


def _find_same_curves(drawing: Drawing) -> Iterator[str]:
    for axes in drawing.axes:
        looks = drawing.curves(axes)
        colours = {colour for colour, _, _ in looks.values()}
        if len(set(looks.values())) < len(looks):
            yield f"two curves of {axes.get('id')} look alike: {sorted(looks)}"
        elif len(colours) < min(len(looks), 12):
            yield f"two curves of {axes.get('id')} share a colour: {sorted(looks)}"


def _read_label(group: ElementTree.Element) -> Iterator[Label]:
    comments = [each for each in group if each.tag is ElementTree.Comment]
    inner = group.find(f"{_SVG}g")
    if not comments or inner is None:
        return
    calls = {name: [float(number) for number in values.split()] for name, values in
             _CALL.findall(inner.get("transform", ""))}  # fmt: skip
    (x, y), scale = calls.get("translate", [0.0, 0.0]), calls.get("scale", [0.1, -0.1])[0]
    ends = [(0.0, 0.0), *(_read_shift(use) for use in inner.iter(f"{_SVG}use"))]
    width, rise = scale * (max(end[0] for end in ends) + _EM), scale * max(end[1] for end in ends)
    height = scale * 75 + rise
    is_turned = abs(calls.get("rotate", [0.0])[0] + 90) < 1
    box = Box(x - height, y - width, x, y) if is_turned else Box(x, y - height, x + width, y)
    yield Label(str(group.get("id")), (comments[0].text or "").strip(), box)


def _read_shift(use: ElementTree.Element) -> tuple[float, float]:
    calls = dict(_CALL.findall(use.get("transform", "")))
    numbers = [float(number) for number in calls.get("translate", "0 0").split()]
    return numbers[0], numbers[1] if len(numbers) > 1 else 0.0


def _read_path(data: str) -> Box:
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", data)]
    x, y = numbers[::2], numbers[1::2]
    return Box(min(x), min(y), max(x), max(y))
