"""Comparisons as the report and notebooks tell them."""

import numpy as np

from cellval.export.listings import compared
from cellval.repairs.comparison import Comparison

BEFORE = np.array([[[0.80, 0.82], [0.79, 0.83]]])
AFTER = BEFORE + 0.05 * np.array([[[1.0, 0.8], [1.2, 1.0]]])
HOW = {"test_to_train": 0.25, "n_touched": 3, "n_dropped": 1, "n_tested": 197}
HOW |= {"guess": "F", "guess_accuracy": 0.56}


def test_classes_are_told_as_shares_with_their_spread():
    found = compared(Comparison(("KNN",), BEFORE, AFTER, **HOW))
    ((name, before, after, verdict),) = found["models"].lines
    assert (name, before, after) == ("KNN", "81.0 ± 0.0 %", "86.0 ± 0.7 %")
    assert verdict.startswith("Better by 5.0 pp")
    assert "(3 rows, of which 1 dropped)" in found["words"]
    assert "197 rows" in found["words"] and "Stopped" not in found["words"]
    assert found["reference"].startswith("For reference")


def test_numbers_are_told_with_their_error_and_an_early_stop_is_said():
    half = AFTER.copy()
    before = BEFORE.copy()
    before[:, 1], half[:, 1] = np.nan, np.nan
    errors = {"errors_before": before * 10, "errors_after": half * 9}
    found = compared(
        Comparison(("KNN",), before, half, **HOW, **errors, note="Few rows.")
    )
    ((_, *scores, _),) = found["models"].lines
    assert scores == ["0.810", "0.855", "8.1", "7.7"]
    assert "Stopped after 50" in found["words"] and "Few rows." in found["words"]
    assert found["title"] == "Tested errors before and after"
