"""What removal curves say beside the paper: gains, areas, and a likely cause."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from cellval.experiments.data import SOURCES
from cellval.experiments.result import Line
from cellval.experiments.wording import listed
from cellval.validation.curves import Refill, Removal

CLASS = "2D-KNN within the class"
NAMES = ("2D-KNN", CLASS, "2D-MC", "1D", "2D-LOO", "Random")
RANDOM = "Random"
LOWEST, HIGHEST = "lowest first", "highest first"
EARLY = 0.2  # of the cells: where gains of removing the lowest are read
ENDS = (0.5, 1.0)  # mean accuracies over half of a curve, and over the whole
PAPERS = ("census", "credit", "breast_cancer")  # where the paper claims gains
CLAIM = 0.02  # and how much
SMALL = 0.01  # of accuracy: not worth a word


class Setting(NamedTuple):
    """How an order of cells is judged."""

    protocol: str  # are trees measured on the rows that gave the values?
    refill: Refill  # what a removed cell becomes


MAIN = Setting("other rows", "mean")
SHARED = Setting("same rows", "mean")  # the paper's
DRAWN = Setting("other rows", "draw")
SETTINGS = {
    MAIN: "other rows, mean refill",
    SHARED: "same rows, mean refill",
    DRAWN: "other rows, drawn refill",
}


@dataclass(frozen=True, eq=False)
class Curves:
    """Removal curves by table, setting, method and direction; each by seed."""

    tables: Sequence[str]
    known: dict[tuple[str, Setting, str, str], list[Removal]] = field(
        default_factory=dict
    )

    def gains(self, name: str, setting: Setting, method: str) -> np.ndarray:
        """By seed, what removing the lowest cells does to the accuracy."""
        own = self.known[name, setting, method, LOWEST]
        return np.array([curve.gain_at(EARLY)[0] for curve in own])

    def gain(self, name: str, setting: Setting, method: str = "2D-KNN") -> float:
        """Mean of the `gains`."""
        return float(self.gains(name, setting, method).mean())

    def areas(self, setting: Setting, method: str, way: str, end: float) -> np.ndarray:
        """By table, mean accuracy up to a share of the cells, less a random order's."""
        found = []
        for name in self.tables:
            own, luck = (self.known[name, setting, m, way] for m in (method, RANDOM))
            # methods that take long have fewer seeds
            pairs = zip(own, luck, strict=False)
            found.append(np.mean([a.mean(end) - b.mean(end) for a, b in pairs]))
        return np.array(found)

    def area(self, setting: Setting, method: str, way: str) -> str:
        """Mean over tables of the `areas` of half the curve and of the whole."""
        means = (self.areas(setting, method, way, end).mean() for end in ENDS)
        return slashed(means)

    def shift(self, setting: Setting, tables: Sequence[str]) -> tuple[float, float]:
        """What a setting adds to 2D-KNN's gain in the main one, and standard error."""
        more = np.concatenate(
            [
                self.gains(name, setting, "2D-KNN") - self.gains(name, MAIN, "2D-KNN")
                for name in tables
            ]
        )
        error = more.std(ddof=1) / np.sqrt(more.size) if more.size > 1 else np.inf
        return float(more.mean()), float(error)

    def raised(self, setting: Setting, tables: Sequence[str]) -> list[str]:
        """Titles of the tables where a setting adds more than noise to the gain."""
        shifts = {name: self.shift(setting, [name]) for name in tables}
        return [
            SOURCES[name].title
            for name, (mean, error) in shifts.items()
            if mean >= SMALL and mean > 2 * error
        ]


def slashed(differences: Iterable[float]) -> str:
    """Percentage points with their signs."""
    return " / ".join(f"{100 * d:+.1f}" for d in differences)


def lines(curves: Curves) -> list[Line]:
    """Of the table of results."""
    titles = " / ".join(SOURCES[name].title for name in curves.tables)
    claimed = listed(SOURCES[n].title for n in PAPERS)
    found = [
        Line(
            f"2D-KNN, accuracy without the lowest {EARLY:.0%} of cells, {words}: "
            f"{titles}",
            f"at least +2 points on {claimed}"
            if setting == SHARED
            else "not in the paper",
            f"{slashed(curves.gain(n, setting) for n in curves.tables)} points",
        )
        for setting, words in SETTINGS.items()
    ]
    for method in NAMES[:-1]:
        low, high = (curves.area(MAIN, method, way) for way in (LOWEST, HIGHEST))
        found.append(
            Line(
                f"{method}, accuracy less a random order's while half / all of the "
                f"cells go, {SETTINGS[MAIN]}",
                _expected(method),
                f"lowest first {low}, highest first {high} points",
            )
        )
    return found


def _expected(method: str) -> str:
    if method == CLASS:
        return "not in the paper"
    if method in ("2D-KNN", "2D-MC"):
        return "lowest above, highest below"
    return "close to random" if method == "1D" else "random or worse"


def verdict(curves: Curves) -> str:
    """What was measured, what explains the paper's gains, and how methods compare."""
    first, same, drawn = (
        slashed(curves.gain(n, setting) for n in curves.tables) for setting in SETTINGS
    )
    areas = "; ".join(
        f"{words} {curves.area(setting, '2D-KNN', LOWEST)}"
        for setting, words in SETTINGS.items()
    )
    high = curves.area(MAIN, "2D-KNN", HIGHEST)
    return (
        f"Without the lowest {EARLY:.0%} by 2D-KNN, accuracy changes by {first} points "
        f"(in that order); measured on the rows that gave the values by {same}; with "
        f"drawn cells of the column for means by {drawn}. {_claims(curves)} "
        f"{cause(curves)} Mean accuracy less a random order's over half / all of the "
        f"curve, lowest first: {areas}; highest first {high}. {_ranking(curves)}"
    )


def _claims(curves: Curves) -> str:
    names = [name for name in PAPERS if name in curves.tables]
    met = listed(str(len(names) - len(_lacking(curves, own))) for own in SETTINGS)
    titles = listed(SOURCES[name].title for name in names)
    return f"The paper's +2 on {titles} is met on {met} of {len(names)}."


def _lacking(curves: Curves, setting: Setting) -> list[str]:
    """Tables without the gain that the paper claims for them."""
    names = (name for name in PAPERS if name in curves.tables)
    return [name for name in names if curves.gain(name, setting) < CLAIM]


def cause(curves: Curves) -> str:
    """Which of two suspects moves the gain of removing the lowest cells.

    The paper shares rows, and refills with means, too: what draws add explains a loss,
    but no difference from the paper.
    """
    rows, draws = (
        f"{100 * mean:+.1f} ± {100 * error:.1f}"
        for mean, error in (curves.shift(own, curves.tables) for own in (SHARED, DRAWN))
    )
    said = (
        f"Sharing rows, as the paper does, adds {rows} points on average, drawing "
        f"{draws}"
    )
    lacking = _lacking(curves, MAIN)
    if not lacking:
        return f"{said}; there is no difference from the paper to explain."
    shared, drawn = (curves.raised(own, lacking) for own in (SHARED, DRAWN))
    if not shared:
        told = "shared rows do not explain the difference"
    elif _lacking(curves, SHARED):
        told = f"shared rows explain a part of the difference, on {listed(shared)}"
    else:
        told = "shared rows explain the difference"
    if drawn:
        told += (
            f"; the mean refill costs accuracy on {listed(drawn)}, but the paper has "
            "it, too"
        )
    else:
        told += "; that the mean refill costs accuracy does not show"
    return f"{said}; where the gain is missed, {told}."


def _ranking(curves: Curves) -> str:
    """Where the main curves are as the paper says, by either end."""
    alike: dict[bool, list[str]] = {True: [], False: []}
    for method in ("2D-KNN", "2D-MC", "1D", "2D-LOO"):
        low, high = (
            np.array([curves.areas(MAIN, method, way, end).mean() for end in ENDS])
            for way in (LOWEST, HIGHEST)
        )
        if method == "1D":
            good = max(np.abs(low).max(), np.abs(high).max()) < SMALL
        elif method == "2D-LOO":
            good = low.max() < SMALL
        else:
            good = low.min() > 0 > high.max()
        alike[bool(good)].append(method)
    said = (
        "The paper (2D values above and below random, 1D close to it, 2D-LOO no better)"
    )
    if not alike[False]:
        return f"{said} agrees."
    if not alike[True]:
        return f"{said} does not agree."
    return f"{said} agrees on {listed(alike[True])}, not on {listed(alike[False])}."
