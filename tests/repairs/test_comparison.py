"""Statistics of overlapping folds, and plain verdicts."""

import json

import numpy as np
import pytest

from cellval.project.results import again, told
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


def test_printed_it_says_what_may_be_said():
    first, last = str(comparison([[0.5]], [[0.5]])).split("\n")
    assert first.startswith("KNN: ") and last.startswith("For reference")


def test_guessing_is_told_for_reference():
    assert comparison([[0.5]], [[0.5]]).reference == (
        "For reference: always guessing the commonest class, 'no', is right in 60 % of "
        "these rows."
    )


def test_what_is_rounded_to_nothing_has_no_sign():
    assert [_signed(x) for x in (1.0, -1.0, 0.01, -0.01, 0.0)] == [
        "+1.0",
        "−1.0",
        "0.0",
        "0.0",
        "0.0",
    ]


def of_numbers(before, after, errors_before, errors_after):
    arrays = [np.array([x]) for x in (before, after, errors_before, errors_after)]
    return Comparison(
        ("KNN",),
        *arrays[:2],
        0.25,
        n_touched=3,
        n_dropped=0,
        n_tested=50,
        guess="52.3",
        guess_accuracy=-0.01,
        errors_before=arrays[2],
        errors_after=arrays[3],
        guess_error=8.0625,
    )


def test_numbers_have_two_scores_with_an_interval_each():
    found = of_numbers(
        [[0.50, 0.52, 0.51]],
        [[0.55, 0.58, 0.55]],
        [[9.0, 9.2, 9.1]],
        [[8.0, 8.3, 8.2]],
    )
    row = found.frame().loc["KNN"]
    of_error = corrected(np.array([-1.0, -0.9, -0.9]), 0.25)
    names = ["error_difference", "error_stderr", "error_low", "error_high"]
    np.testing.assert_allclose(row[names].astype(float), of_error)
    assert row["error_before"] == pytest.approx(9.1)
    assert row["verdict"] == (
        "Better by 0.050 R² (95 % interval +0.017 to +0.083). The mean absolute error "
        "changes by −0.93 (95 % interval −1.12 to −0.74; below 0 is better)."
    )
    assert found.reference == (
        "For reference: always guessing the median, 52.3, has a mean absolute error of "
        "8.06 in these rows."
    )


@pytest.mark.parametrize(
    ("after", "errors", "verdict"),
    [
        ([0.5, 0.5], [9.0, 9.0], "No difference."),
        ([0.7, 0.2], [8.0, 11.0], "Within noise: the difference of −0.05 R² could be"),
        ([0.1, 0.11], [20.0, 20.0], "Worse by 0.40 R² (95 % interval −0.4"),
    ],
)
def test_verdicts_about_numbers(after, errors, verdict):
    found = of_numbers([[0.5, 0.5]], [after], [[9.0, 9.0]], [errors])
    assert found.verdict("KNN").startswith(verdict)


def test_comparisons_of_classes_and_of_numbers_are_kept():
    numbers = of_numbers([[0.5]], [[0.6]], [[9.0]], [[8.0]])
    for one in (numbers, comparison([[0.5]], [[0.6]])):
        kept = json.loads(json.dumps(told(one)))
        back = again(Comparison, kept)
        assert back.frame().equals(one.frame())
        assert back.of_numbers == one.of_numbers
    for name in ("errors_before", "errors_after", "guess_error"):
        del kept[name]  # as projects had it before there were numbers
    assert again(Comparison, kept).verdict("KNN") == one.verdict("KNN")
