"""The colours of all figures and files: told apart with any colour vision."""

from collections.abc import Iterable

import numpy as np

# Vermilion to blue.
COLOURS: list[tuple[float, str]] = [
    (0.0, "#7a2100"),
    (0.15, "#b93c00"),
    (0.3, "#e67e3c"),
    (0.42, "#f6c9a5"),
    (0.5, "#f4f4f1"),
    (0.58, "#b5d3e8"),
    (0.7, "#64a4cf"),
    (0.85, "#1f6fad"),
    (1.0, "#0a3d73"),
]
# Clear up to one cell in a hundred, on light and dark pages: what is left stands out.
SUSPICION_COLOURS = [
    (0.0, "rgba(138, 143, 152, 0.10)"),
    (0.2, "rgba(200, 140, 100, 0.18)"),
    (0.4, "rgba(230, 126, 60, 0.45)"),
    (0.6, "rgba(228, 95, 28, 0.65)"),
    (0.8, "rgba(226, 76, 12, 0.83)"),
    (1.0, "rgba(225, 66, 5, 1)"),
]
# The same of low values: the lowest stand out.
LOW_COLOURS = [(1 - at, colour) for at, colour in reversed(SUSPICION_COLOURS)]
HELD_OUT = "#a3a8ae"  # a grey that no value has
LOW, HIGH, GREY, GREEN = "#d55e00", "#0072b2", "#8a8f98", "#009e73"
OUTLINE = "#111111", "#ffffff"  # a wide line under a narrow one: seen on all colours
SELECTED, REPAIRED = "#c2189b", "#2e8b57"
REPAIR_MARK = "#ffffff", REPAIRED  # on dark pages one sees both, on light ones green
MARK = SELECTED, "#ffffff"  # the same two tones around the cell that is looked at
# Of points on a map: as bright on black as on white.
CORNER_COLOURS = {"error": "#e0650a", "odd": "#0aa57a", "hard": "#2e8fd0", "fine": GREY}
CLEAR = "rgba(0,0,0,0)"
AXIS = "rgba(128,128,128,0.55)"  # seen on white and on black
GRID = "rgba(128,128,128,0.18)"
# Of lines: Okabe and Ito's colours that show on white and on black, and dashes.
STYLES = (
    (HIGH, "solid"),
    (LOW, "dash"),
    (GREEN, "solid"),
    ("#cc79a7", "dashdot"),
    ("#56b4e9", "dash"),
    ("#e69f00", "dashdot"),
)
CHANCE_STYLE = (GREY, "dot")


def sign_colours(sizes: Iterable[float]) -> list[str]:
    """Of bars: below 0 they hurt."""
    return [LOW if size < 0 else HIGH for size in sizes]


def colours_between(start: float, end: float) -> list[tuple[float, str]]:
    """A part of `COLOURS`, as a scale of its own: the same colours mean the same."""
    if (start, end) == (0.0, 1.0):
        return COLOURS
    inner = [(at, colour) for at, colour in COLOURS if start < at < end]
    first, last = ("#" + bytes(rgb_at(at)).hex() for at in (start, end))
    places = [(start, first), *inner, (end, last)]
    return [((at - start) / (end - start), colour) for at, colour in places]


def see_through(colour: str, share: float) -> str:
    """A colour of which only this share is seen, the rest being what is behind it."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {share:g})"


def rgb_at(place: float) -> tuple[int, int, int]:
    """Red, green and blue of `COLOURS` at a place from 0 to 1, for files."""
    places, codes = zip(*COLOURS, strict=True)
    parts = [[int(code[k : k + 2], 16) for code in codes] for k in (1, 3, 5)]
    red, green, blue = (round(float(np.interp(place, places, p))) for p in parts)
    return red, green, blue
