"""Options of a run as widgets, and how long it will take."""

from functools import lru_cache
from typing import Any

import streamlit as st

from cellval import valuation
from cellval.errors import InputError
from cellval.glossary import GIVES_UP
from cellval.knn.plan import MOST_PAIRS
from cellval.methods import METHODS, MODELS, ROUNDS
from cellval.table.table import Table
from cellval.text import spoken_time
from cellval.ui import session as state
from cellval.ui.session import Source
from cellval.ui.text import about_time, plain

QUICK_SECONDS = 10.0
NEAR = 500  # rows that the approximation tells apart
MANY_CELLS = 200_000
LONG_PASS = 120.0  # seconds

TESTS = {
    "leave-one-out": "every row in turn, with all others as its neighbours",
    "hold-out": "a share of the rows, which then get no values",
    "second CSV": "the rows of another file with the same columns",
}
BUDGETS = {
    "Quick": "stops after 10 seconds",
    "Standard": "every test point, as many draws as are worth it",
    "Until precise": "all column subsets, or 256 random orders for every test point",
    "Seconds": "stops when you say",
}
WEIGHTS = {
    "shapley": "every number of others counts the same; values sum to the accuracy",
    "banzhaf": "every set of others counts the same; hardly moved by noise",
    "beta(4, 1)": "few others count most",
    "beta(1, 4)": "many others count most",
}
BASELINES = {
    "zero": "nothing, as in the paper",
    "chance": "a guess among all rows",
}
SCORINGS = {
    "accuracy": "every test point has the same say",
    "balanced": "every class has the same say",
}


def choose_method() -> str:
    """How cells are valued, with a sentence on when to use it."""
    name = st.selectbox(
        "Method",
        list(METHODS),
        format_func=lambda name: METHODS[name].title,
        key=state.widget_key("method"),
        persist_state="session",
        help="How cells are valued. Every method says when to use it.",
    )
    st.caption(METHODS[name].when)
    return str(name)


def choose_test(table: Table, method: str = "knn") -> dict[str, Any] | None:
    """Where the score is measured; None while a second file is missing or wrong."""
    if method != "knn" and not METHODS[method].game:
        return {}
    # A model cannot be trained again for every row that is left out.
    possible = list(TESTS)[0 if method == "knn" else 1 :]
    choice = st.radio(
        "Test points (where the score is measured)",
        possible,
        captions=[TESTS[name] for name in possible],
        key=state.widget_key("test" if method == "knn" else "test of games"),
        persist_state="session",
    )
    if choice == "hold-out":
        share = st.slider(
            "Share of the rows to hold out",
            *(10, 50, 30, 5),
            format="%d %%",
            key=state.widget_key("share"),
            persist_state="session",
        )
        return {"test": share / 100}
    if choice != "second CSV":
        return {}
    file = st.file_uploader(
        "Test rows", type=["csv", "tsv", "txt"], key=state.widget_key("test file")
    )
    if file is not None:
        state.set_test(Source.of(file.name, file.getvalue()))
    second = state.test_source()
    if second is None:
        st.info("Add the file with the test rows to go on.")
        return None
    try:
        test = state.read_test(second, table)
    except InputError as error:
        st.error(plain(str(error)))
        return None
    st.caption(f"{plain(second.name)}: {test.n_rows:,} test rows.")
    return {"test": test}


def choose_near(table: Table, container: Any) -> dict[str, Any]:
    """The near-field approximation: preselected, in sight, for large tables."""
    n, m = table.n_rows, len(table.features)
    if n <= 2 * NEAR:
        return {}
    seconds = one_pass_seconds(table)
    slow = n * m > MANY_CELLS or seconds > LONG_PASS
    place = st if slow else container
    on = place.toggle(
        "Fast approximation (near field)",
        value=slow,
        key=state.widget_key("near"),
        persist_state="session",
        help=f"Beyond the {NEAR} rows nearest to a test point, rows count as equally "
        "far. Values that are far from zero hardly change; results say that they are "
        "approximate.",
    )
    if slow:
        why = f"This table has {n * m:,} cells. "
        if on:
            why += (
                f"Recommended: rows beyond the {NEAR} nearest of each test point count "
                "as equally far, which is about four times as fast."
            )
        else:
            why += (
                "Without the approximation one pass takes "
                f"{about_time(seconds)}; with it about a quarter."
            )
        st.caption(why)
    return {"near": NEAR} if on else {}


def one_pass_seconds(table: Table) -> float:
    """Of the coarsest sampled run without approximation."""
    return valuation.expected_seconds(table, subsets=1)


def choose_options(table: Table, method: str = "knn") -> dict[str, Any]:
    """Everything that has a sensible default, behind a fold."""
    if method != "knn":
        return {"method": method, **choose_game(method)}
    keep: dict[str, Any] = {"persist_state": "session"}
    key = state.widget_key
    with st.expander("Options", icon=":material/tune:") as fold:
        budget = st.radio(
            "How long",
            list(BUDGETS),
            index=1,
            captions=list(BUDGETS.values()),
            key=key("budget"),
            **keep,
        )
        seconds = None
        if budget == "Seconds":
            seconds = st.number_input(
                "Seconds", 1, 86_400, 60, step=10, key=key("seconds"), **keep
            )
        a, b = st.columns(2)
        most = max(1, table.n_rows - 1)
        neighbors = a.number_input(
            "Neighbours (K)",
            1,
            most,
            min(10, most),
            key=key("k"),
            help="How many nearest rows vote on the class of a test point.",
            **keep,
        )
        scoring = st.selectbox(
            "Scoring",
            list(SCORINGS),
            format_func=lambda name: f"{name}: {SCORINGS[name]}",
            key=key("scoring"),
            **keep,
        )
        baseline = st.selectbox(
            "No columns are worth",
            list(BASELINES),
            format_func=lambda name: f"{name}: {BASELINES[name]}",
            key=key("baseline"),
            **keep,
        )
        seed = b.number_input(
            "Seed",
            0,
            2**31 - 1,
            0,
            key=key("seed"),
            help="The same seed gives the same values.",
            **keep,
        )
        weights = _weights("column")
    near = choose_near(table, fold)
    return {
        **weights,
        "n_neighbors": int(neighbors),
        "scoring": scoring,
        "baseline": baseline,
        "random_state": int(seed),
        **near,
        **budget_options(str(budget), seconds, len(table.features)),
    }


def budget_options(budget: str, seconds: float | None, m: int) -> dict[str, Any]:
    """Budget as a person says it -> options of `iter_values`."""
    if budget == "Quick":
        return {"budget": QUICK_SECONDS}
    if budget == "Seconds" and seconds:
        return {"budget": float(seconds)}
    if budget == "Until precise":
        # So many are all subsets, where there are fewer.
        return {"subsets": 2 * m * MOST_PAIRS}
    return {"subsets": "auto"}


def _weights(of: str) -> dict[str, Any]:
    """How much contributions count along rows or columns; nothing for Shapley's."""
    chosen = st.selectbox(
        f"Weights along {of}s",
        list(WEIGHTS),
        format_func=lambda name: f"{name}: {WEIGHTS[name]}",
        key=state.widget_key(f"{of} weights"),
        persist_state="session",
        help="How much a contribution counts by how many others are there. "
        + " ".join(GIVES_UP.values()),
    )
    return {} if chosen == "shapley" else {f"{of}_weights": chosen}


def choose_game(method: str) -> dict[str, Any]:
    """Options of the methods other than KNN."""
    keep: dict[str, Any] = {"persist_state": "session"}
    key = state.widget_key
    chosen: dict[str, Any] = {}
    with st.expander("Options", icon=":material/tune:"):
        if METHODS[method].game:
            chosen["model"] = st.selectbox(
                "Model",
                # 1D fills cells with means, which the KNN utility cannot
                [name for name in MODELS if (method, name) != ("flat", "knn")],
                index=0 if method == "flat" else list(MODELS).index("tree"),
                format_func=lambda name: MODELS[name],
                key=key(f"model {method}"),
                help="What is trained. The library takes any scikit-learn classifier.",
                **keep,
            )
        if method in ROUNDS:
            word, most = ("Trees", 100_000) if method == "oob" else ("Rounds", 100_000)
            chosen["rounds"] = int(
                st.number_input(
                    word,
                    *(2, most, ROUNDS[method]),
                    key=key(f"rounds {method}"),
                    help="More make the standard errors smaller: four times as many "
                    "halve them.",
                    **keep,
                )
            )
        if method in ("mc", "exact"):
            chosen |= _weights("row") | _weights("column")
        if method == "mc" and st.toggle(
            "Truncate (approximation)",
            key=key("truncate"),
            help="As soon as some rows reach the accuracy of all rows within 1 "
            "percentage point, the others count as adding nothing. Faster; results "
            "say that they are approximate.",
            **keep,
        ):
            chosen["truncation"] = 0.01
        if METHODS[method].game:
            chosen["scoring"] = st.selectbox(
                "Scoring",
                list(SCORINGS),
                format_func=lambda name: f"{name}: {SCORINGS[name]}",
                key=key("scoring"),
                **keep,
            )
        chosen["random_state"] = int(
            st.number_input(
                "Seed",
                *(0, 2**31 - 1, 0),
                key=key("seed"),
                help="The same seed gives the same values.",
                **keep,
            )
        )
    return chosen


@lru_cache(maxsize=16)
def _expected(table: Table, options: tuple[tuple[str, Any], ...]) -> float:
    return valuation.expected_seconds(table, **dict(options))


def say_time(table: Table, options: dict[str, Any]) -> None:
    """About how long the run will take."""
    if options.get("method", "knn") != "knn":
        _say_time_of_game(table, options)
        return
    seconds = valuation.expected_seconds(table, **options)
    if options.get("budget") and seconds >= options["budget"]:
        text = f"Stops after {spoken_time(seconds)} with what there is."
    else:
        text = f"This will take {about_time(seconds)} on this computer."
    st.caption(f"{text} First values show within seconds, and you can stop any time.")


def _say_time_of_game(table: Table, options: dict[str, Any]) -> None:
    """Measured with a few evaluations; a warning where it is long."""
    seconds = _expected(table, tuple(sorted(options.items())))
    text = f"This will take {about_time(seconds)} on this computer."
    if seconds > LONG_PASS:
        quick = valuation.expected_seconds(table, subsets=1)
        st.warning(
            f"{text} The model is trained again for every step, and nothing makes that "
            f"quick. KNN values of this table take {about_time(quick)} or more. "
            + (
                "There are values at the end only."
                if options["method"] == "exact"
                else "You can stop any time; values are kept from the first round on."
            ),
            icon=":material/hourglass_bottom:",
        )
    else:
        st.caption(f"{text} You can stop any time.")
