"""Plots as SVG inside the page, in the colour roles of its light and dark mode; the same plot gives the same bytes.

Matplotlib knows no CSS variables. A plot therefore draws each role in a reserved colour, and the SVG gets the CSS
variable of the role in its place; ``kit/style.css`` defines the variables for both modes. Matplotlib takes a second to
import, so only drawing functions import it.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lxml import etree
from markupsafe import Markup

from cqa_spark.process.terminal import visible_line
from cqa_spark.reports.kit.wording import interval, points, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


GROUPS = 8
"""Number of colours for feature groups; they repeat from the ninth group on."""

ROLES = ("ink", "muted", "line", "accent", "loss", *(f"group-{number}" for number in range(1, GROUPS + 1)))

_SENTINEL = {role: f"#fa57{number:02x}" for number, role in enumerate(ROLES)}
_ROLE = {sentinel: role for role, sentinel in _SENTINEL.items()}
_PATTERN = re.compile("|".join(_SENTINEL.values()), re.IGNORECASE)

WIDE = 900
"""Width of a plot on a desktop, in CSS pixels."""

NARROW = 344
"""Width of a plot on a phone, or of one of several in a row, in CSS pixels."""

NAME_LENGTH = 26

_UNITS_PER_INCH = 72
_SVG = "{http://www.w3.org/2000/svg}"
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_NAMESPACE = re.compile(r' xmlns(:\w+)?="[^"]*"')
_REFERENCE = re.compile(r"#([\w-]+)")
_FONT_FAMILY = re.compile(r"font-family: [^;\"]*; ?")


def sentinel(role: str) -> str:
    """The reserved colour that a plot draws a role in."""
    return _SENTINEL[role]


def group_role(index: int) -> str:
    """The role of a feature group, by its position from 0."""
    return f"group-{index % GROUPS + 1}"


def themed(svg: str) -> str:
    """Replace every reserved colour by its CSS variable."""
    return _PATTERN.sub(lambda match: f"var(--{_ROLE[match[0].lower()]})", svg)


@dataclass(frozen=True)
class Picture:
    """A figure, drawn in sentinel colours, and its text alternative for screen readers."""

    figure: Figure
    description: str


Plotter = Callable[[int], Picture]
"""Makes a plot of a width in CSS pixels: a function of the plotted values and the width, without the values."""


@dataclass(frozen=True)
class Drawing:
    """One plot; ``wide`` is None for a plot that is always small, one of several in a row."""

    narrow: Markup
    wide: Markup | None = None


def draw(plotter: Plotter, name: str, width: int) -> Markup:
    """Draw a plot; its names may contain ``$``, and its ids depend on the content alone.

    Args:
        plotter: makes the plot.
        name: unique on the page; letters, digits and hyphens. It never comes from a system's or user's name.
        width: in CSS pixels.
    """
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "cqa-spark", "text.parse_math": False}):
        plot = plotter(width)
        return _to_svg(plot.figure, name, plot.description)


def draw_small(plotter: Plotter, name: str) -> Drawing:
    """Draw a plot that is one of several in a row; the arguments are those of ``draw``."""
    return Drawing(draw(plotter, name, NARROW))


def draw_both(plotter: Plotter, name: str) -> Drawing:
    """Draw a plot in both widths; the arguments are those of ``draw``."""
    return Drawing(narrow=draw(plotter, f"{name}-narrow", NARROW), wide=draw(plotter, f"{name}-wide", WIDE))


def new_axes(width: int, height: float) -> tuple[Figure, Axes]:
    """An empty figure with a horizontal axis only; width and height are in CSS pixels."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(
        figsize=(width / _UNITS_PER_INCH, height / _UNITS_PER_INCH),
        layout=ConstrainedLayoutEngine(w_pad=0.02, h_pad=0.03),
    )
    figure.patch.set_visible(False)
    axes = figure.add_subplot()
    axes.patch.set_visible(False)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(sentinel("line"))
    axes.tick_params(axis="both", length=0, labelsize=12, labelcolor=sentinel("muted"), pad=5)
    axes.set_axisbelow(True)
    return figure, axes


def short(name: str, letters: int = NAME_LENGTH) -> str:
    """A name on one line, truncated to a number of letters, so that it fits beside a plot."""
    name = visible_line(name)
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def folded(name: str, letters: int, lines: int) -> str:
    """A name on at most some lines; the last one is truncated like a ``short`` name.

    Args:
        name: the name.
        letters: characters that fit on a line.
        lines: largest number of lines.
    """
    wrapped = textwrap.wrap(visible_line(name), letters, break_on_hyphens=False)
    last = " ".join(wrapped[lines - 1 :])
    return "\n".join([*wrapped[: lines - 1], short(last, letters)] if last else wrapped)


def _to_svg(figure: Figure, name: str, description: str) -> Markup:
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.BytesIO()
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None})
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    root = etree.fromstring(buffer.getvalue(), parser)
    _drop_document_parts(root)
    _prefix_ids(root, name)
    _use_page_style(root)
    _describe(root, description)
    return Markup(_NAMESPACE.sub("", etree.tostring(root, encoding="unicode")))


def _drop_document_parts(root: etree._Element) -> None:
    etree.strip_elements(root, f"{_SVG}metadata", f"{_SVG}style", with_tail=False)
    etree.strip_attributes(root, "version")
    for attribute in ("width", "height"):
        del root.attrib[attribute]


def _prefix_ids(root: etree._Element, name: str) -> None:
    """Drop ids without a reference, and make the others unique on the page."""
    values = [str(value) for element in root.iter() for key, value in element.items() if key != "id"]
    referred = {reference for value in values for reference in _REFERENCE.findall(value)}
    for element in root.iter():
        attributes = {str(key): str(value) for key, value in element.items()}
        if "id" in attributes:
            del element.attrib["id"]
        if attributes.get("id") in referred:
            element.set("id", f"{name}-{attributes['id']}")
        if _XLINK_HREF in attributes:
            del element.attrib[_XLINK_HREF]
            element.set("href", f"#{name}-{attributes[_XLINK_HREF].removeprefix('#')}")
        if "clip-path" in attributes:
            element.set("clip-path", attributes["clip-path"].replace("url(#", f"url(#{name}-"))


def _use_page_style(root: etree._Element) -> None:
    """Take colours and the font family from the style sheet."""
    for element in root.iter():
        style = element.get("style")
        if style:
            element.set("style", themed(_FONT_FAMILY.sub("", str(style))))


def _describe(root: etree._Element, description: str) -> None:
    root.set("role", "img")
    root.set("aria-label", visible_line(description))
    root.set("focusable", "false")


# Horizontal bar chart with named bars.

_AXIS = 12
_NAME_FONT, _NAME_HEIGHT, _NAME_GAP = 12, 14, 5
"""Font size, line height and distance from the bar of a name beside it, in CSS pixels."""


def named_bars(
    names: Sequence[str],
    values: Sequence[float],
    texts: Sequence[str],
    width: int,
    *,
    row: int,
    thickness: float,
    font: int,
    gap: int,
    room: float,
    colours: Sequence[str] | None = None,
    letters: int = NAME_LENGTH,
    lines: int = 1,
    names_above: bool = False,
) -> Figure:
    """Draw bars from top to bottom; each is labelled with its value, so there is no value axis.

    Args:
        names: labels of the bars; at least one.
        values: lengths of the bars.
        texts: the formatted values, shown after the bars.
        width: width of the figure, in CSS pixels.
        row: row height, in CSS pixels.
        thickness: bar thickness, as a share of the row height.
        font: font size of the values, in CSS pixels.
        gap: between a bar and its text, in CSS pixels.
        room: space for the value of the longest bar, as a share of the plot width.
        colours: a colour role for each bar; None for the accent colour.
        letters: characters of a name on a line.
        lines: lines from which on names are truncated.
        names_above: put each name above its bar instead of to its left, where long names would leave no room.
    """
    figure, axes = new_axes(width, row * len(names) + _AXIS)
    colour = sentinel("accent") if colours is None else [sentinel(role) for role in colours]
    below = 0.25 if names_above else 0.0
    centres = [position + below for position in range(len(names))]
    axes.barh(centres, values, height=thickness, color=colour)
    for position, name in enumerate(names):
        label = folded(name, letters, lines)
        if names_above:
            axes.annotate(label, (0, position - below), va="center_baseline", fontsize=font, color=sentinel("ink"))
        else:
            _name_beside(axes, label, position)
    for value, at, text in zip(values, centres, texts, strict=True):
        axes.annotate(
            text,
            (value, at),
            xytext=(gap, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=font,
            color=sentinel("muted"),
        )
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.margins(x=room)
    axes.set_xlim(left=0)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines["bottom"].set_visible(False)
    return figure


def _name_beside(axes: Axes, label: str, position: int) -> None:
    """Write each line by itself, so that it ends at the bar in any font."""
    lines = label.split("\n")
    for number, line in enumerate(lines):
        axes.annotate(
            line,
            (0, position),
            xytext=(-_NAME_GAP, ((len(lines) - 1) / 2 - number) * _NAME_HEIGHT),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            fontsize=_NAME_FONT,
            color=sentinel("ink"),
        )


# Dot-and-whisker plot: values with their intervals.

_ROW = 30
_INTERVAL_AXIS = 34


@dataclass(frozen=True)
class Whisker:
    """One row: a name, a value with its interval (fractions), and a colour role; ``accent`` is bold."""

    name: str
    value: float
    low: float
    high: float
    role: str


def whiskers(rows: Sequence[Whisker], reference: float | None, width: int) -> Figure:
    """Draw rows from top to bottom, in percentage points, with a dotted line at the reference.

    Args:
        rows: at least one.
        reference: a fraction; None for no line.
        width: width of the figure, in CSS pixels.
    """
    figure, axes = new_axes(width, _ROW * len(rows) + _INTERVAL_AXIS)
    for position, row in enumerate(rows):
        _draw(axes, position, row)
    if reference is not None:
        axes.axvline(reference * 100, color=sentinel("muted"), linewidth=1, dashes=(2, 3), zorder=1)
    axes.set_yticks(range(len(rows)), [folded(row.name, NAME_LENGTH, 2) for row in rows])
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_color(sentinel(row.role))
    axes.set_ylim(len(rows) - 0.45, -0.65)
    axes.xaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.locator_params(axis="x", nbins=max(3, width // 110))
    return figure


def described(rows: Sequence[Whisker]) -> str:
    """The rows as text, for screen readers."""
    return "; ".join(f"{row.name} {points(row.value)} {interval(row.low, row.high)}" for row in rows)


def _draw(axes: Axes, position: int, row: Whisker) -> None:
    colour = sentinel(row.role)
    axes.plot(
        [row.low * 100, row.high * 100],
        [position, position],
        color=colour,
        linewidth=2,
        solid_capstyle="round",
        alpha=0.55,
    )
    axes.plot([row.value * 100], [position], marker="o", markersize=8, color=colour)
    weight = "bold" if row.role == "accent" else "normal"
    label_above(axes, points(row.value), (row.value * 100, position), 6, color=colour, weight=weight)


def label_above(axes: Axes, text: str, position: tuple[float, float], gap: int, **style: Any) -> None:
    """Write a value above its dot; the gap is in CSS pixels."""
    axes.annotate(
        text, position, xytext=(0, gap), textcoords="offset points", ha="center", va="bottom", fontsize=11, **style
    )


# Waterfall: steps from zero to a sum.

_STEP, _STEP_WITH_NAME = 26, 40
"""Height of a step, in CSS pixels: beside its name, and below it."""


def waterfall(names: Sequence[str], steps: Sequence[float], total: str, width: int) -> Figure:
    """Draw steps from top to bottom, each from where the one above ends; the last bar is their sum, from zero.

    Args:
        names: labels of the steps; at least one.
        steps: their lengths, negative to the left.
        total: label of the sum.
        width: width of the figure, in CSS pixels.
    """
    names_above = width < WIDE
    figure, axes = new_axes(width, (_STEP_WITH_NAME if names_above else _STEP) * (len(names) + 1) + _INTERVAL_AXIS)
    thickness = 0.36 if names_above else 0.62
    start = 0.0
    for position, step in enumerate([*steps, sum(steps)]):
        is_total = position == len(steps)
        left = 0.0 if is_total else start
        role = "ink" if is_total else "accent" if step > 0 else "loss"
        axes.barh(position, step, left=left, height=thickness, color=sentinel(role))
        end = left + step
        if not is_total:
            # Leads the eye to where the next bar starts.
            axes.plot(
                [end, end],
                [position + thickness / 2, position + 1 - thickness / 2],
                color=sentinel("muted"),
                linewidth=1,
            )
            start = end
        axes.annotate(
            signed(step),
            (max(left, end), position),
            xytext=(5, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=11,
            color=sentinel("muted"),
        )
    axes.axvline(0, color=sentinel("muted"), linewidth=1, dashes=(2, 3), zorder=1)
    shown = [short(name, 2 * NAME_LENGTH) for name in (*names, total)]
    axes.set_yticks(range(len(shown)), ["" if names_above else name for name in shown])
    for position, (name, label) in enumerate(zip(shown, axes.get_yticklabels(), strict=True)):
        label.set_color(sentinel("ink"))
        if names_above:
            axes.annotate(
                name,
                (0, position - 0.42),
                xycoords=axes.get_yaxis_transform(),
                fontsize=11,
                va="center_baseline",
                color=sentinel("ink"),
            )
    axes.set_ylim(len(steps) + 0.6, -0.7)
    axes.margins(x=0.16)
    axes.xaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.locator_params(axis="x", nbins=max(3, width // 130))
    return figure


# Curve: a value by a number or a time, with its interval as a band.

_HEIGHT = 260
_LABEL = 48
"""Width of a label with some space, in CSS pixels."""


def curve_of(values: Sequence[Whisker], positions: Sequence[float], width: int) -> Figure:
    """Draw values in percentage points; of many values, only some have labels.

    Args:
        values: at least one; a name is the label on the horizontal axis.
        positions: of the values on the horizontal axis, ascending.
        width: width of the figure, in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    colour = sentinel("accent")
    low, high = ([getattr(value, end) * 100 for value in values] for end in ("low", "high"))
    axes.fill_between(positions, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(positions, [value.value * 100 for value in values], color=colour, marker="o", linewidth=2)
    labelled = range(0, len(values), -(-len(values) * _LABEL // width))
    for index in labelled:
        value = values[index].value
        label_above(axes, points(value), (positions[index], value * 100), 7, color=colour)
    axes.set_xticks([positions[index] for index in labelled], [values[index].name for index in labelled])
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.margins(x=0.08, y=0.12)
    return figure


_BINS_HEIGHT = 240
_LARGEST_DOT = 14
"""Height of the plot of bins, and diameter of its largest dot, in CSS pixels."""


def shares_of_bins(
    positions: Sequence[float],
    percentages: Sequence[float],
    numbers: Sequence[int],
    width: int,
    *,
    certain: float | None,
    smallest: float = 0.0,
) -> tuple[Figure, Axes]:
    """Draw the percentage that is right in each bin of scores; the area of a dot is the number of cases.

    Args:
        positions: of the bins, from left to right.
        percentages: share of each bin that is right.
        numbers: cases of each bin; the greatest is above 0.
        width: in CSS pixels.
        certain: the position of a probability of 1, for the dotted diagonal on which probabilities should lie; None for
            scores that are no probabilities.
        smallest: least area of a dot, in square CSS pixels.
    """
    figure, axes = new_axes(width, _BINS_HEIGHT)
    if certain is not None:
        axes.plot([0, certain], [0, 100], color=sentinel("muted"), linewidth=1, dashes=(2, 3), zorder=1)
    areas = [max(smallest, _LARGEST_DOT**2 * number / max(numbers)) for number in numbers]
    axes.scatter(positions, percentages, s=areas, color=sentinel("accent"), linewidths=0, zorder=3)
    axes.set_ylim(-6, 106)
    axes.set_yticks([0, 50, 100], ["0", "50", "100 %"])
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    return figure, axes
