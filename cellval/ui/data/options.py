"""Options of a run as widgets, and how long it will take."""

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st

from cellval.cluster import address_of_the_app
from cellval.errors import InputError
from cellval.glossary import GIVES_UP
from cellval.jobs.expected import Estimate, estimate, run_seconds
from cellval.knn import backends
from cellval.knn.plan import MOST_PAIRS
from cellval.methods import METHODS, MODELS_OF, ROUNDS
from cellval.project.source import Source
from cellval.table.table import Table
from cellval.text import spoken_bytes, spoken_time
from cellval.ui.session import Session, read_test
from cellval.ui.text import plain, roughly
from cellval.ui.widgets import error, lasting, one_of
from cellval.values.memory import needed_memory
from cellval.values.options import BASELINES, SCORINGS, RunOptions
from cellval.values.words import Unit

QUICK_SECONDS = 10.0
NEAR = 500  # rows that the approximation tells apart
MANY_CELLS = 200_000
LONG_PASS = 120.0  # seconds
SEED = "Number for the draw (seed)"
SAME_SEED = "What is drawn by lot follows from it: the same number, the same values."

TESTS = {
    "leave-one-out": "every row in turn, with all others as its neighbours",
    "hold-out": "a share of the rows, which then get no values",
    "second CSV": "the rows of another file with the same columns",
}
BUDGETS = {
    "Quick": "stops after 10 seconds",
    "Standard": "every test point, with fewer random draws in large tables",
    "Until precise": "all column subsets, or 256 random orders for every test point",
    "Seconds": "stops after as many seconds as you type",
}
WEIGHTS = {
    "shapley": "every number of others counts the same; values sum to the accuracy",
    "banzhaf": "every set of others counts the same; hardly moved by noise",
    "beta(4, 1)": "few others count most",
    "beta(1, 4)": "many others count most",
}


def choose_options(session: Session, table: Table) -> RunOptions | None:
    """Widgets for everything; None while a second file is missing or wrong."""
    method = _choose_method(session)
    test = _choose_test(session, table, method)
    if method == "knn":
        chosen = _choose_knn(session, table)
    else:
        chosen = {"method": method, **_choose_game(session, table, method)}
    return None if test is None else RunOptions(**chosen, **test)


def _choose_method(session: Session) -> str:
    titles = {name: method.title for name, method in METHODS.items()}
    name = st.selectbox(
        "Method",
        **one_of(session, "method", titles),
        help="How cells are valued. Every method says when to use it.",
    )
    st.caption(METHODS[name].when)
    return str(name)


def _choose_test(session: Session, table: Table, method: str) -> dict[str, Any] | None:
    """Where the score is measured; None while a second file is missing or wrong."""
    if method != "knn" and not METHODS[method].game:
        return {}
    # A model cannot be trained again for every row that is left out.
    possible = list(TESTS)[0 if method == "knn" else 1 :]
    name = "test" if method == "knn" else "test of games"
    choice = st.radio(
        "Test points (where the score is measured)",
        **one_of(session, name, possible),
        captions=[TESTS[name] for name in possible],
    )
    if choice == "hold-out":
        return {"test": choose_held_out(session, "share")}
    return _second_file(session, table) if choice == "second CSV" else {}


def choose_held_out(session: Session, name: str) -> float:
    words, kept_share = "Share of the rows to hold out", lasting(session, name, 30)
    return st.slider(words, 10, 50, step=5, format="%d %%", **kept_share) / 100


def _second_file(session: Session, table: Table) -> dict[str, Any] | None:
    key = session.widget_key("test file")
    file = st.file_uploader("Test rows", key=key)
    refused = False
    if file is not None:
        source = Source.of(file.name, file.getvalue())
        try:
            read_test(table, source)
        except InputError as fault:  # the one before stays
            error(fault)
            refused = True
        else:
            session.test_source = source
    if session.test_source is None:
        if not refused:
            st.info("Add the file with the test rows to go on.")
        return None
    try:
        test = read_test(table, session.test_source)
    except InputError as fault:
        if not refused:
            error(fault)
        return None
    st.caption(
        f"{plain(session.test_source.name)}: {test.labelled.n_rows:,} test rows."
    )
    return {"test": test}


# --- KNN ------------------------------------------------------------------------------


def _choose_knn(session: Session, table: Table) -> dict[str, Any]:
    """Everything that has a sensible default, behind a fold."""
    with st.expander("Options", icon=":material/tune:") as fold:
        budget = st.radio(
            "How long",
            **one_of(session, "budget", list(BUDGETS), "Standard"),
            captions=list(BUDGETS.values()),
        )
        seconds = None
        if budget == "Seconds":
            kept_seconds = lasting(session, "seconds", 60)
            seconds = st.number_input("Seconds", 1, 86_400, step=10, **kept_seconds)
        a, b = st.columns(2)
        words = _explained(session, "baseline", BASELINES)
        chosen = {
            "n_neighbors": choose_neighbors(session, "k", table, a),
            "scoring": _choose_scoring(session, table),
            "baseline": st.selectbox(
                "Values count from",
                **words,
                help="What the score is before any column is known. Above chance, what "
                "a guess reaches is shared out to no cell.",
            ),
            "random_state": choose_seed(session, "seed", SAME_SEED, b),
            "column_weights": _choose_weights(session, "column"),
            **budget_options(str(budget), seconds, len(table.features)),
        }
    near = _choose_near(session, table, fold)
    return {**chosen, "near": near, "backend": backends.of_the_app()}


def choose_neighbors(session: Session, name: str, table: Table, place: Any = st) -> int:
    most = max(1, table.labelled.n_rows - 1)
    neighbors = place.number_input(
        "Neighbours (K)",
        *(1, most),
        **lasting(session, name, min(RunOptions.n_neighbors, most), range(1, most + 1)),
        help="How many nearest rows vote on the class of a test point.",
    )
    return int(neighbors)


def budget_options(budget: str, seconds: float | None, m: int) -> dict[str, Any]:
    """A budget as a person says it, as options of a run."""
    if budget == "Quick":
        return {"budget": QUICK_SECONDS}
    if budget == "Seconds" and seconds:
        return {"budget": float(seconds)}
    if budget == "Until precise":
        # So many are all subsets, where there are fewer.
        return {"subsets": 2 * m * MOST_PAIRS}
    return {"subsets": "auto"}


def is_large(table: Table) -> bool:
    """Is the table so large that the near-field approximation is proposed?"""
    n, m = table.n_rows, len(table.features)
    return n > 2 * NEAR and (n * m > MANY_CELLS or _one_pass(table) > LONG_PASS)


def _one_pass(table: Table) -> float:
    """Seconds of the coarsest sampled run without approximation."""
    return run_seconds(table, RunOptions(subsets=1))


def _choose_near(session: Session, table: Table, fold: Any) -> int | None:
    """The near-field approximation: preselected, in sight, for large tables."""
    if table.n_rows <= 2 * NEAR:
        return None
    is_slow = is_large(table)
    on = (st if is_slow else fold).toggle(
        "Fast approximation (near field)",
        **lasting(session, "near", is_slow),
        help=f"Beyond the {NEAR} rows nearest to a test point, rows count as equally "
        "far. Values that are far from zero hardly change; results say that they are "
        "approximate.",
    )
    if is_slow:
        why = (
            f"Recommended: rows beyond the {NEAR} nearest of each test point count as "
            "equally far, which is about four times as fast."
            if on
            else "Without the approximation one pass takes "
            f"{roughly(_one_pass(table))}; with it about a quarter."
        )
        cells = table.n_rows * len(table.features)
        st.caption(f"This table has {cells:,} cells. {why}")
    return NEAR if on else None


# --- the other methods, and what they share -------------------------------------------


def _choose_game(session: Session, table: Table, method: str) -> dict[str, Any]:
    """Options of the methods other than KNN."""
    chosen: dict[str, Any] = {}
    with st.expander("Options", icon=":material/tune:"):
        if METHODS[method].game:
            models = dict(MODELS_OF[table.label_kind])
            if method == "flat":  # fills cells with means, which the KNN utility cannot
                del models["knn"]
            chosen["model"] = st.selectbox(
                "Model",
                **one_of(session, f"model {method}", models, "tree"),
                help="What is trained. The library takes any scikit-learn classifier.",
            )
        if method in ROUNDS:
            chosen["rounds"] = int(
                st.number_input(
                    "Trees" if method == "oob" else "Rounds",
                    *(2, 100_000),
                    **lasting(session, f"rounds {method}", ROUNDS[method]),
                    help="More make the standard errors smaller: four times as many "
                    "halve them.",
                )
            )
        if method in ("mc", "exact"):
            for of in ("row", "column"):
                chosen[f"{of}_weights"] = _choose_weights(session, of)
        if method == "mc" and st.toggle(
            "Truncate (approximation)",
            **lasting(session, "truncate", False),
            help="As soon as some rows reach the accuracy of all rows within 1 "
            "percentage point, the others count as adding nothing. Faster; results "
            "say that they are approximate.",
        ):
            chosen["truncation"] = 0.01
        if METHODS[method].game:
            chosen["scoring"] = _choose_scoring(session, table)
        chosen["random_state"] = choose_seed(session, "seed", SAME_SEED)
    return chosen


def _choose_weights(session: Session, of: str) -> str:
    weights = st.selectbox(
        f"Weights along {of}s",
        **_explained(session, f"{of} weights", WEIGHTS),
        help="How much a contribution counts by how many others are there. "
        + " ".join(GIVES_UP.values()),
    )
    return str(weights)


def _choose_scoring(session: Session, table: Table) -> str:
    if table.target is not None:  # there are no classes to be balanced
        return RunOptions.scoring
    return str(st.selectbox("Scoring", **_explained(session, "scoring", SCORINGS)))


def _explained(session: Session, name: str, words: Mapping[str, str]) -> dict[str, Any]:
    return one_of(session, name, {key: f"{key}: {words[key]}" for key in words})


def choose_seed(
    session: Session, name: str, words: str, place: Any = st, default: int = 0
) -> int:
    kept_seed = lasting(session, name, default)
    return int(place.number_input(SEED, 0, 2**31 - 1, **kept_seed, help=words))


# --- how long it will take ------------------------------------------------------------


def say_place(options: RunOptions) -> None:
    """Where the run will compute, if not on this computer's processor."""
    address = address_of_the_app() if options.backend != "cuda" else ""
    if address:
        st.caption(f":material/lan: It computes on the cluster at {plain(address)}.")
    elif backends.chosen(options.backend) == "cuda":
        st.caption(":material/memory: It computes on a GPU of this computer.")


def _drawn_words(said: Estimate) -> str:
    """That test points are drawn, and what follows; nothing where all are seen."""
    run = said.outlook
    if run is None or run.n_visited == run.n_tests:
        return ""
    text = f"Of {run.n_tests:,} test points {run.n_visited:,} are drawn at random"
    if math.isfinite(said.stderr):
        error = Unit.of(said.stderr).text(said.stderr)
        text += f", which leaves a typical standard error of about {error}"
    return f"{text}."


def say_time(table: Table, options: RunOptions) -> None:
    """About how long the run will take; a warning where it is long."""
    said = estimate(table, options)
    seconds = said.seconds
    alone = " alone" if address_of_the_app() else ""
    text = f"This will take {roughly(seconds)} on this computer{alone}."
    if options.method == "knn":
        if options.budget and seconds >= options.budget:
            text = f"Stops after {spoken_time(seconds)} with what there is."
        text = f"{text} First values show within seconds, and you can stop any time."
        needs = f"memory about {spoken_bytes(needed_memory(table))}"
        st.caption(
            f"{text} {_drawn_words(said)}", help="  \n".join([*said.words, needs])
        )
    elif seconds > LONG_PASS:
        st.warning(
            f"{text} The model is trained again for every step, and nothing makes that "
            f"quick. KNN values of this table take {roughly(_one_pass(table))} or "
            "more. "
            + (
                "There are values at the end only."
                if options.method == "exact"
                else "You can stop any time; values are kept from the first round on."
            ),
            icon=":material/hourglass_bottom:",
        )
    else:
        st.caption(f"{text} You can stop any time.")
