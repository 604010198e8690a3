"""One palette: ends and middle of colours, and lines that are told apart."""

import numpy as np

from cellval.figures import palette
from cellval.figures.palette import COLOURS, STYLES, rgb_at, sign_colours


def test_colours_run_from_low_to_high_around_a_light_middle():
    places = [place for place, _ in COLOURS]
    assert places == sorted(places) and (places[0], places[-1]) == (0, 1)
    assert np.allclose(places, 1 - np.array(places[::-1]))
    reds, _, blues = zip(*(rgb_at(place) for place in places), strict=True)
    assert reds[0] > blues[0] and reds[-1] < blues[-1]
    assert sum(rgb_at(0.5)) == max(sum(rgb_at(place)) for place in places)


def test_a_colour_between_two_lies_between_them():
    low, high = np.array(rgb_at(0.0)), np.array(rgb_at(0.15))
    between = np.array(rgb_at(0.075))
    assert (np.minimum(low, high) <= between).all()
    assert (between <= np.maximum(low, high)).all()
    assert "#" + "".join(f"{part:02x}" for part in high) == COLOURS[1][1]


def test_bars_below_zero_have_the_colour_of_harm():
    assert sign_colours([-1, 0, 2]) == [palette.LOW, palette.HIGH, palette.HIGH]


def test_lines_and_corners_are_told_apart():
    assert len({colour for colour, _ in STYLES}) == len(STYLES)
    assert len(set(palette.CORNER_COLOURS.values())) == 4
