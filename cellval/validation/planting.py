"""Errors planted into a table, so that it is known which cells are wrong."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

KINDS = {
    "low density": "a value that is rare in the row's class",
    "noise": "two standard deviations of noise, or any category",
    "swap": "the cell of another row",
    "swap across classes": "the cell of a row of another class",
    "times ten": "ten times the number",
    "zero": "zero instead of the number",
}
GRID = 200  # places at which the density within a class is looked at


@dataclass(frozen=True, eq=False)
class Planted:
    """A frame with errors, and where they are.

    A planted cell whose content did not change is not wrong.
    """

    frame: pd.DataFrame
    wrong: np.ndarray  # bool, over the columns without the label, in their order


def plant(
    frame: pd.DataFrame,
    label: str,
    kind: str,
    *,
    share: float = 0.02,
    random_state: int = 0,
) -> Planted:
    """Plant errors of one of `KINDS` into a share of the cells.

    Columns of numbers are those with a numeric dtype; the others hold categories, which
    "times ten" and "zero" leave alone.
    """
    features = frame.drop(columns=label)
    n, m = features.shape
    draw = np.random.default_rng([random_state, list(KINDS).index(kind)])
    chosen = draw.choice(n * m, max(1, round(share * n * m)), replace=False)
    wrong = np.zeros((n, m), bool)
    label_of = pd.factorize(frame[label])[0]
    planted = frame.reset_index(drop=True).copy()
    for j, name in enumerate(features.columns):
        cells = features[name].reset_index(drop=True)
        column = _Planting.of(cells, label_of)
        new = cells.astype(float if column.is_number else object).to_list()
        for i in chosen[chosen % m == j] // m:
            new[i] = column.error(kind, int(i), draw)
            still_missing = pd.isna(new[i]) and pd.isna(cells[i])
            wrong[i, j] = new[i] != cells[i] and not still_missing
        planted[name] = new
    return Planted(planted, wrong)


def slip_labels(
    frame: pd.DataFrame, label: str, *, share: float = 0.02, random_state: int = 0
) -> tuple[pd.DataFrame, np.ndarray]:
    """Errors in the label itself: the frame, and a mask of the rows that are wrong.

    Numbers are ten times too large or too small, classes are any other class.
    """
    n = len(frame)
    draw = np.random.default_rng([random_state, 31])
    chosen = draw.choice(n, max(1, round(share * n)), replace=False)
    old = frame[label].reset_index(drop=True)
    new = old.astype(float if pd.api.types.is_numeric_dtype(old) else object)
    for i in chosen.tolist():
        if new.dtype == float:
            new[i] = new[i] * 10.0 if draw.random() < 0.5 else new[i] / 10.0
        else:
            new[i] = draw.choice(old[old != old[i]].unique())
    slipped = frame.reset_index(drop=True).assign(**{label: new})
    return slipped, (new != old).to_numpy(bool)


@dataclass(frozen=True, eq=False)
class _Planting:
    cells: pd.Series
    label_of: np.ndarray
    is_number: bool
    is_whole: bool
    rare: dict[int, np.ndarray] = field(default_factory=dict)  # contents by class

    @classmethod
    def of(cls, cells: pd.Series, label_of: np.ndarray) -> "_Planting":
        is_number = pd.api.types.is_numeric_dtype(cells)
        known = cells.dropna().to_numpy(float) if is_number else np.array([0.5])
        return cls(cells, label_of, is_number, not np.mod(known, 1).any())

    def error(self, kind: str, i: int, draw: np.random.Generator) -> object:
        own = self.cells[i]
        if kind == "low density":
            return self._rare(i, draw)
        if kind == "swap":
            return self.cells[int(draw.integers(len(self.cells)))]
        if kind == "swap across classes":
            others = np.flatnonzero(self.label_of != self.label_of[i])
            return self.cells[int(draw.choice(others))] if others.size else own
        if not self.is_number:
            return draw.choice(self.cells.unique()) if kind == "noise" else own
        if kind == "noise":
            return self._rounded(own + 2.0 * draw.normal() * float(self.cells.std()))
        return 10.0 * own if kind == "times ten" else 0.0

    def _rounded(self, number: float) -> float:
        return float(np.round(number) if self.is_whole else number)

    def _rare(self, i: int, draw: np.random.Generator) -> object:
        """Where the density of the row's class is among the lowest twentieth."""
        label = int(self.label_of[i])
        if label not in self.rare:  # the density of a large class takes a while
            self.rare[label] = self._rare_in(label)
        found = draw.choice(self.rare[label])
        return self._rounded(found) if self.is_number else found

    def _rare_in(self, label: int) -> np.ndarray:
        own = self.cells[self.label_of == label].dropna()
        if not self.is_number:
            share = own.value_counts(normalize=True)
            share = share.reindex(self.cells.dropna().unique(), fill_value=0.0)
            return share[share <= max(0.05, share.min())].index.to_numpy(object)
        x = own.to_numpy(float)
        grid = np.linspace(float(self.cells.min()), float(self.cells.max()), GRID)
        width = x.std() * len(x) ** -0.2 or 1.0
        density = np.exp(-0.5 * ((grid[:, None] - x) / width) ** 2).sum(axis=1)
        return grid[density <= np.quantile(density, 0.05)]
