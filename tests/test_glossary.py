"""What the numbers mean: sentences of tooltips, reports and option lists."""

import pytest

from cellval import glossary

NO_NUMBERS = ("WITHIN_HELP", "SUSPECT_HELP")
NO_NUMBERS += ("FINDING_HELP", "TEACHING_HELP", "PROGRESS_HELP", "STATES_HELP")
HELP = {name: text for name, text in vars(glossary).items() if name.endswith("_HELP")}


@pytest.mark.parametrize("name", HELP)
def test_help_is_made_of_whole_sentences(name):
    assert HELP[name].endswith(".") and "  " not in HELP[name]
    assert not HELP[name][0].islower()


@pytest.mark.parametrize("name", [n for n in HELP if n not in NO_NUMBERS])
def test_help_on_a_number_says_which_end_is_bad(name):
    assert any(word in HELP[name] for word in ("Lower", "below 0", "worst"))


def test_every_family_says_what_it_gives_up():
    assert set(glossary.GIVES_UP) == {"shapley", "banzhaf", "beta"}
    for name in ("banzhaf", "beta"):
        assert "Gives up efficiency" in glossary.GIVES_UP[name]
