"""Yes and no in the ways people write them, in seven languages."""

from collections.abc import Collection, Mapping

# The form of a column whose texts all mean yes or no.
BOOLEAN = "yes or no"
_YES = {"yes", "true", "on", "1", "ja", "wahr", "oui", "vrai", "si", "sí", "verdadero"}
_YES |= {"sì", "vero", "sim", "verdadeiro", "waar"}
_NO = {"no", "false", "off", "0", "nein", "falsch", "non", "faux", "falso", "não"}
_NO |= {"nao", "nee", "onwaar"}
_PAIRS = ("yn", "tf", "jn", "on", "sn", "vf")  # yes and no in one letter
TICKS = {"x", "✓", "✔", "☑"}
_LONGER = 3  # letters: NO may be north-east
MEANINGS = {
    **{pair[0]: True for pair in _PAIRS},
    **{pair[1]: False for pair in _PAIRS},
    **dict.fromkeys(_YES, True),
    **dict.fromkeys(_NO, False),
}


def meaning_of(text: str) -> bool | None:
    """What a text says, if it says yes or no.

    Examples
    --------
    >>> meaning_of("Oui"), meaning_of("FALSE"), meaning_of("maybe")
    (True, False, None)
    """
    return MEANINGS.get(text.casefold())


def is_tick(text: str) -> bool:
    """Does it say yes where a blank cell says no?"""
    return text.casefold() in TICKS or bool(meaning_of(text) and len(text) > 1)


def are_booleans(texts: Collection[str]) -> bool:
    """Do they all say yes or no, and some of them either?

    Letters may stand for something else: N, S and O for parts of the compass. Those of
    one language are believed, and others beside words.
    """
    words = {text.casefold() for text in texts if len(text) <= len("verdadeiro")}
    if len(texts) < 2 or {MEANINGS.get(word) for word in words} != {True, False}:
        return False
    letters = {word for word in words if len(word) == 1 and word.isalpha()}
    return (
        any(len(word) >= _LONGER for word in words)
        or any(letters.issubset(pair) for pair in _PAIRS)
        or not letters
    )


def usual_spellings(
    counts: Mapping[str, int], known: Collection[str] = ()
) -> dict[str, str]:
    """The commonest text of the same meaning for each text that says yes or no.

    One that is `known` goes before the commonest.
    """
    usual: dict[bool, str] = {}
    for text in (*known, *sorted(counts, key=lambda text: (-counts[text], text))):
        if (meaning := meaning_of(text)) is not None:
            usual.setdefault(meaning, text)
    return {
        text: usual[meaning]
        for text in counts
        if (meaning := meaning_of(text)) is not None
    }
