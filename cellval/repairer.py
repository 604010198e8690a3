"""`CellRepairer`: a recipe learnt from a training frame, as a step of scikit-learn.

What a number looks like in a frame differs from file to file; a recipe goes by the
texts of cells. So both ways lead through a `Table`, as those of `cellval apply` do.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from cellval.detect.findings import findings
from cellval.detect.rule import Rule
from cellval.errors import require
from cellval.recipes.applying import apply_recipe
from cellval.recipes.making import recipe_of
from cellval.recipes.recipe import Recipe
from cellval.recipes.steps import Replace, Step
from cellval.repairs.work import Work
from cellval.table.table import NoFeature, Table, part
from cellval.views.answers import all_wrong, give

KINDS = ("code", "spelling", "format")  # of findings: what they say holds elsewhere


class CellRepairer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Repair cells of new rows as cells of the training rows should have been.

    `fit` looks for what is wrong with texts of whole columns and keeps what it is very
    sure of as a recipe: codes for "missing" (-999, "n/a"), spellings, numbers and dates
    written in another way than their column's, and columns that settle another one (zip
    and city). `transform` applies the recipe with the code of ``cellval apply``.

    Texts that were written so in the training rows are known, others are not: it is no
    parser of whatever may come. Odd cells by themselves, swapped or shifted ones,
    duplicates and doubtful labels belong to single rows, so that nothing is learnt from
    them; no row is dropped or added, and `y` is neither looked at nor changed. A rule
    between columns looks at all rows that are transformed together: where many of them
    break it alike, they are left as they are.

    Parameters
    ----------
    certainty : float
        How sure a finding must be, 0 to 1: the share of its cells that are expected to
        be wrong.
    random_state : int
        Of the search for odd cells.
    n_jobs : int, optional
        Threads for it; if not given, all.

    Attributes
    ----------
    recipe_ : Recipe
        What is done to cells; ``recipe_.text`` is for people and ``cellval apply``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where `fit` saw a frame.

    Notes
    -----
    A frame gives a frame, an array an array. Columns of numbers of which the recipe
    repairs cells come out as float64, always: also those of texts ("7.1", "ca. 7"), NaN
    where one cannot be read. All others keep their dtype. Blanked cells are NaN: put an
    imputer after it.

    Examples
    --------
    >>> import cellval, pandas as pd
    >>> sizes = ["50", "52", "49", "53", "51", "48"] * 5
    >>> X = pd.DataFrame({"size": [*sizes, "-999", "-999", "-999"], "x": range(33)})
    >>> repairer = cellval.CellRepairer().fit(X)
    >>> [step.words for step in repairer.recipe_.steps]
    ['size: -999 → (blank)']
    >>> repairer.transform(pd.DataFrame({"size": ["-999", "47"], "x": [1, 2]}))
       size  x
    0   NaN  1
    1  47.0  2
    """

    def __init__(
        self,
        *,
        certainty: float = 0.8,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.certainty = certainty
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> "CellRepairer":
        """Learn a recipe.

        Parameters
        ----------
        X : DataFrame, or array of shape (n_samples, n_features)
        y
            Not used.
        """
        sure = self.certainty
        is_share = isinstance(sure, int | float) and 0 < sure <= 1
        require("certainty", sure, is_share, "above 0 and at most 1")
        frame = self._frame(X, reset=True)
        self.recipe_, self._like = Recipe(), None
        self._numbers: tuple[int, ...] = ()
        try:
            table = Table.from_frame(_written(frame), label=None, name="training rows")
        except NoFeature:  # a single row, or nothing but ids: nothing can be learnt
            return self
        self.recipe_ = Recipe(
            tuple(_learnt(table, _repairable(frame, table), self)),
            table.name,
            tuple(map(str, table.cells.columns)),
        )
        # What columns are; without rows, which need not be kept.
        columns = tuple(column.part(np.arange(0)) for column in table.columns)
        self._like = replace(part(table, np.arange(0)), columns=columns, id_column=None)
        self._numbers = _numbers(frame, table, self.recipe_)
        return self

    def transform(self, X: Any) -> Any:
        """The same rows with their cells repaired.

        Parameters
        ----------
        X : DataFrame, or array of shape (n_samples, n_features)

        Returns
        -------
        DataFrame or ndarray
            As `X` is one.
        """
        check_is_fitted(self)
        frame = self._frame(X, reset=False)
        is_frame = isinstance(X, pd.DataFrame)
        if self._like is None or not self.recipe_.steps:
            return frame.copy() if is_frame else check_array(X, **ANY)
        table = Table.from_frame(_written(frame), like=self._like, name="new rows")
        fixed = self._repaired(frame, table)
        if is_frame:
            return fixed
        all_numbers = all(map(pd.api.types.is_numeric_dtype, fixed.dtypes))
        return fixed.to_numpy() if all_numbers else fixed.to_numpy(object)

    def _frame(self, X: Any, reset: bool) -> pd.DataFrame:
        """Checked as scikit-learn does: names, how many columns, what arrays hold."""
        if isinstance(X, pd.DataFrame):
            validate_data(self, X, reset=reset, skip_check_array=True)
            check_array(np.zeros(X.shape, bool))  # are there rows and columns?
            return X
        checked = validate_data(self, X, reset=reset, **ANY)
        return pd.DataFrame(checked, columns=[f"x{j}" for j in range(checked.shape[1])])

    def _repaired(self, frame: pd.DataFrame, table: Table) -> pd.DataFrame:
        texts: dict[str, dict[int, str]] = {}
        for (row, name), new in apply_recipe(self.recipe_, table).repairs.items():
            texts.setdefault(name, {})[row - 1] = new.text
        names = [*map(str, table.cells.columns)]
        columns = [frame.iloc[:, j] for j in range(len(names))]
        for j, name in enumerate(names):
            if j in self._numbers:
                columns[j] = _as_numbers(columns[j], table, name, texts.get(name, {}))
            elif name in texts:
                columns[j] = _as_texts(columns[j], texts[name])
        fixed = pd.concat(columns, axis=1)
        fixed.columns = frame.columns
        return fixed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


# How arrays are checked: whatever cells may hold, but no infinite numbers.
ANY: dict[str, Any] = {"dtype": None, "ensure_all_finite": "allow-nan"}


def _learnt(table: Table, columns: Sequence[str], how: CellRepairer) -> Sequence[Step]:
    """Steps by content of all that is sure enough, on columns that can be repaired."""
    work = Work()
    for one in findings(table, random_state=how.random_state, n_jobs=how.n_jobs):
        settles = one.rule is not None and one.rule.kind == "settles"
        is_learnt = one.kind in KINDS or (one.kind == "rule" and settles)
        if is_learnt and one.sure >= how.certainty and {*one.columns} <= {*columns}:
            give(work, all_wrong(table, one, work.decisions, work.repairs))
    steps = recipe_of(table, work).steps
    return [step for step in steps if _is_by_content(step)]


def _is_by_content(step: Step) -> bool:
    """Does it change cells of any rows, not of one alone?"""
    return isinstance(step, Replace) or (isinstance(step, Rule) and step.repair)


def _written(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers as texts that do not depend on their dtype: 9999 may be an integer in one
    frame, and 9999.0 in the next one, where another cell of the column is missing.
    """
    columns = {}
    for j, kind in enumerate(frame.dtypes):
        column = frame.iloc[:, j]
        if _is_number(kind):
            pairs = zip(column.array, column.isna(), strict=True)
            texts = ["" if gone else str(x).removesuffix(".0") for x, gone in pairs]
            column = pd.Series(texts, column.index, dtype="str")
        columns[j] = column
    written = pd.concat(columns, axis=1)
    written.columns = frame.columns
    return written


def _repairable(frame: pd.DataFrame, table: Table) -> list[str]:
    """Columns that can hold another text: numbers and texts, no dates and booleans."""
    return [
        str(name)
        for name, kind in zip(table.cells.columns, frame.dtypes, strict=True)
        if _is_text(kind) or _is_number(kind)
    ]


def _is_text(kind: Any) -> bool:
    return kind.kind == "O" or isinstance(kind, pd.StringDtype | pd.CategoricalDtype)


def _is_number(kind: Any) -> bool:
    is_bool = pd.api.types.is_bool_dtype(kind)
    return pd.api.types.is_numeric_dtype(kind) and not is_bool


def _numbers(frame: pd.DataFrame, table: Table, recipe: Recipe) -> tuple[int, ...]:
    """Columns that come out as numbers, whatever their cells hold, by their place:
    those of numbers, and of texts that are numbers, of which cells are repaired.
    """
    kinds = {column.name: column.kind for column in table.columns}
    touched = {_target(step) for step in recipe.steps}

    def is_one(name: str, kind: Any) -> bool:
        if name not in touched or kinds[name] != "number":
            return False
        # 01067 is a name, and no number.
        is_name = bool(table.cells[name].str.match(r"\s*0\d").any())
        return _is_number(kind) or not is_name

    pairs = zip(map(str, table.cells.columns), frame.dtypes, strict=True)
    return tuple(j for j, pair in enumerate(pairs) if is_one(*pair))


def _target(step: Step) -> str:
    """The column that it changes."""
    return step.target if isinstance(step, Rule) else getattr(step, "column", "")


def _as_numbers(
    column: pd.Series, table: Table, name: str, texts: dict[int, str]
) -> pd.Series:
    if _is_number(column.dtype):
        numbers = column.to_numpy(float, na_value=np.nan, copy=True)
        for i, text in texts.items():
            numbers[i] = float(text or "nan")
        return pd.Series(numbers, column.index)
    held = table.cells[name].tolist()
    for i, text in texts.items():
        held[i] = text
    return pd.Series(np.array(table.read_texts(name, held).numbers), column.index)


def _as_texts(column: pd.Series, texts: dict[int, str]) -> pd.Series:
    """Blanked cells are NaN, as pandas has it."""
    fixed = column.copy()
    if isinstance(column.dtype, pd.CategoricalDtype):
        new = {text for text in texts.values() if text} - {*column.cat.categories}
        fixed = fixed.cat.add_categories(sorted(new))
    fixed.iloc[[*texts]] = [text or np.nan for text in texts.values()]
    return fixed
