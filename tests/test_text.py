"""Numbers as people read them."""

from cellval.text import one_in


def test_probabilities_in_words():
    shares = (0.5, 0.04, 0.01, 1e-4, 1e-6, 1e-9, float("nan"))
    assert [one_in(share) for share in shares] == [
        "50 in 100",
        "1 in 25",
        "1 in 100",
        "1 in 10,000",
        "1 in a million",
        "less than 1 in a million",
        "–",
    ]
