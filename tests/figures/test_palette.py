"""One palette: ends and middle of colours, and lines that are told apart."""

import numpy as np
import pytest

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


def _seen_on(page, colour):
    """Red, green and blue of a colour that lets the page through."""
    *rgb, alpha = (float(part) for part in colour[5:-1].split(","))
    return alpha * np.array(rgb) + (1 - alpha) * np.array(page)


def _contrast(one, other):
    lights = sorted(_luminance(colour) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _luminance(rgb):
    parts = np.asarray(rgb) / 255
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("page", [(255, 255, 255), (16, 24, 26)])
def test_ordinary_cells_recede_on_light_and_dark_pages_and_suspects_stand_out(page):
    colours = [colour for _, colour in palette.SUSPICION_COLOURS]
    contrasts = [_contrast(_seen_on(page, colour), page) for colour in colours]
    assert contrasts == sorted(contrasts)
    assert contrasts[0] < 1.3 and contrasts[-1] > 3
    for code in palette.CORNER_COLOURS.values():
        assert _contrast(list(bytes.fromhex(code[1:])), page) > 2.9, "points are dim"
