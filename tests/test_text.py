"""Numbers and texts as people read them."""

import pytest

from cellval import text


def test_long_texts_are_cut_and_say_so():
    assert text.cut("abcdef", 6) == "abcdef"
    assert text.cut("abcdefg", 6) == "abcde…"
    assert text.cut(1234567, 5) == "1234…"
    assert len(text.shortened("word " * 1000)) == 60


def test_a_cell_is_shown_on_one_line_and_a_blank_one_has_a_word():
    assert text.brief(" two\n lines\t") == "two lines"
    assert text.content("  \n") == "(blank)"
    assert text.content("x" * 50) == "x" * 39 + "…"


def test_figures_get_text_and_no_markup():
    assert text.figure_text('<b>"a"</b> & b') == '&lt;b&gt;"a"&lt;/b&gt; &amp; b'


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.25, "25 %"),
        (0.0001, "0.01 %"),
        (0.996, "99.6 %"),
        (0.99999, "99.999 %"),
        (0.004, "0.4 %"),
    ],
)
def test_a_share_is_never_rounded_to_none_or_all(share, words):
    assert text.percent(share) == words


def test_probabilities_in_words():
    shares = (0.5, 0.04, 0.01, 1e-4, 1e-6, 1e-9, float("nan"))
    assert [text.one_in(share) for share in shares] == [
        "50 in 100",
        "1 in 25",
        "1 in 100",
        "1 in 10,000",
        "1 in a million",
        "less than 1 in a million",
        "–",
    ]


def test_lists_name_the_first_and_count_the_others():
    assert text.listed(["a", "b"]) == "'a', 'b'"
    assert text.listed(map(str, range(12)), 2) == "'0', '1' and 10 more"
    assert text.joined(["x"] * 1003, 1) == "x and 1,002 more"
    assert text.joined([]) == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "0 s"),
        (8, "8 s"),
        (99, "99 s"),
        (100, "2 min"),
        (5900, "98 min"),
        (9000, "2.5 h"),
        (float("nan"), "?"),
        (float("inf"), "?"),
    ],
)
def test_times_are_said_as_a_person_says_them(seconds, words):
    assert text.spoken_time(seconds) == words


def test_tiny_numbers_are_said_to_be_tiny():
    shares = (0.5, 0.123, 0.0123, 0.00001, float("nan"))
    words = ["0.50", "0.12", "0.012", "below 0.0001", "–"]
    assert [text.share(s) for s in shares] == words


def test_numbers_have_their_noun():
    assert text.counted(1, "row") == "1 row"
    assert text.counted(0, "row") == "0 rows"
    assert text.counted(12_000, "row") == "12,000 rows"


SURVEY = [f"survey_of_2021_question_{k:02d}_answer_in_words" for k in range(60)]


def test_a_long_name_is_cut_in_the_middle():
    assert text.short_name("short") == "short"
    assert text.short_name("weight_before_the_trial_kg", 12) == "weight…al_kg"
    assert text.short_name(" two\n lines") == "two lines"


def test_names_that_differ_anywhere_stay_told_apart():
    for length in (16, 22, 30):
        short = text.short_names(SURVEY, length)
        assert len(set(short)) == 60
        assert max(map(len, short)) <= length
    assert text.short_names(["a" * 30, "a" * 31, "x"], 18)[:2] == ["…aa", "…aaa"]
    assert len(set(text.short_names(["same" * 9] * 2, 18))) == 1


def test_names_in_figures_are_whole_where_one_hovers_and_never_markup():
    assert text.figure_names(["<b>a</b>"], 18) == ["&lt;b&gt;a&lt;/b&gt;"]
    whole = text.figure_name("x" * 150)
    assert whole.replace("<br>", "") == "x" * 150
    assert max(map(len, whole.split("<br>"))) <= 60
    assert len(text.figure_name("x" * 999)) < 250


def test_progress_is_written_with_a_blank_that_does_not_break():
    assert text.whole_percent(0.456) == "46\N{NO-BREAK SPACE}%"


def test_what_steers_a_terminal_is_shown_instead():
    assert text.harmless("a\x1b[2J\x07b") == "a␛[2J␇b"
    assert text.harmless("one\ntwo\r\tthree\xa0four") == "one two  three four"
    assert text.harmless("\x9b2J\u202eabc\x7f\ud800") == "\ufffd2J\ufffdabc\ufffd\ufffd"
    family = "👩\u200d👧 é 漢字"
    assert text.harmless(family) == family
    for code in range(0x110000):
        shown = text.harmless(chr(code))
        assert shown.isprintable() or shown in text.JOINERS


def test_a_long_text_is_cut_in_the_middle():
    long = "x" * 50_000 + "y" * 50_000
    assert text.harmless(long, 11) == "xxxxx…yyyyy"
    assert text.harmless("short", 11) == "short"
    assert len(text.harmless("\x1b" * 1000, 100)) == 100


def test_a_class_is_called_a_class_once():
    assert text.class_words("F") == "class F"
    assert text.class_words("class I") == "class I"


def test_all_of_two_are_both():
    assert [text.every(n, "row") for n in (2, 3, 1200)] == [
        "Both rows",
        "All 3 rows",
        "All 1,200 rows",
    ]
