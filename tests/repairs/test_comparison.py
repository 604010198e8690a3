"""Statistics of overlapping folds, and plain verdicts."""

import numpy as np
import pytest

from cellval.repairs.comparison import Comparison, _signed, corrected


def comparison(before, after, test_to_train=0.25):
    before, after = np.array([before]), np.array([after])
    return Comparison(("KNN",), before, after, test_to_train, 3, 0, 50, "no", 0.6)


def test_statistics_follow_the_formula():
    before = [[0.80, 0.82], [0.78, 0.84]]
    after = [[0.83, 0.83], [0.80, 0.90]]
    row = comparison(before, after).frame().loc["KNN"]
    # differences 3, 1, 2, 6 points: mean 3, variance (0 + 4 + 1 + 9) / 3 = 14 / 3
    stderr = 0.01 * np.sqrt(14 / 3 * (1 / 4 + 0.25))
    assert row["difference"] == pytest.approx(0.03)
    assert row["stderr"] == pytest.approx(stderr)
    assert row["low"] == pytest.approx(0.03 - 3.182446 * stderr)  # t, 3 degrees
    assert row["high"] == pytest.approx(0.03 + 3.182446 * stderr)
    assert row["before"] == pytest.approx(0.81)
    assert row["after"] == pytest.approx(0.84)
    assert row["before_spread"] == pytest.approx(0, abs=1e-12)
    assert row["after_spread"] == pytest.approx(0.02 / np.sqrt(2))
    assert row["verdict"] == (
        "Within noise: the difference of +3.0 pp could be chance "
        "(95 % interval −1.9 to +7.9)."
    )


def test_the_error_is_corrected_for_overlapping_folds():
    found = corrected(np.array([0.01, 0.02, 0.03]), 0.25)
    np.testing.assert_allclose(found, [0.02, 0.0076, -0.0129, 0.0529], atol=5e-5)


def test_folds_not_yet_measured_do_not_count():
    nan = np.nan
    some = comparison([[0.8, 0.7], [0.6, nan]], [[0.9, 0.7], [0.7, nan]]).frame()
    assert some.loc["KNN", "n_folds"] == 3
    assert some.loc["KNN", "before"] == pytest.approx(0.7)
    assert np.isnan(some.loc["KNN", "before_spread"]), "one repeat is complete"
    expected = corrected(np.array([0.1, 0.0, 0.1]), 0.25)
    columns = ["difference", "stderr", "low", "high"]
    np.testing.assert_allclose(some.loc["KNN", columns].astype(float), expected)


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        ([0.5, 0.5, 0.5], "No difference."),
        ([0.5, np.nan, np.nan], "Too early to say: fewer than two folds are measured."),
        (
            [0.52, 0.521, 0.519],
            "Better by 2.00 pp (95 % interval +1.67 to ",
        ),
        ([0.4, 0.39, 0.41], "Worse by 10.0 pp (95 % interval −13.3 to "),
        ([0.75, 0.75, 0.75], "Too early to say: the difference is +25.0 pp in"),
    ],
)
def test_verdicts_in_plain_words(after, verdict):
    before = np.where(np.isnan(after), np.nan, 0.5).tolist()
    assert comparison([before], [after]).verdict("KNN").startswith(verdict)


def test_guessing_is_told_for_reference():
    assert comparison([[0.5]], [[0.5]]).reference == (
        "For reference: always guessing the commonest class, 'no', is right in 60 % of "
        "these rows."
    )


def test_what_is_rounded_to_nothing_has_no_sign():
    assert [_signed(x) for x in (0.01, -0.01, 0.0001, -0.0001, 0.0)] == [
        "+1.0",
        "−1.0",
        "0.0",
        "0.0",
        "0.0",
    ]
