"""What the numbers mean: the sentences of tooltips, reports and option lists.

One word each, on all pages and in all files for people: a *suspect* is a cell that the
rule picks (`detect.suspicion.n_to_flag`); a person decides that a cell is *wrong*,
*fine* or *unsure*, and *flagged* is only what was marked as wrong; *outlined* is how
suspects and flagged cells are drawn. No finding is called fine. A *row* is never a
sample. *Valued accuracy* is what the values sum to, *tested accuracy* what models
reach in cross-validation.
"""

# What is said of classes, and of labels that are numbers instead; in this order.
OF_NUMBERS = {
    "the share of the nearest rows' votes that are right": (
        "how close the labels of the nearest rows are: 100 % is equal, 0 % a width "
        "apart"
    ),
    "the row's class": "the row's label",
    "classes": "bands",
    "class": "band",
    "Accuracy": "Closeness",
    "accuracy": "closeness",
}


def of_numbers(sentence: str) -> str:
    """A sentence about classes and accuracy, of a label of numbers."""
    for said, instead in OF_NUMBERS.items():
        sentence = sentence.replace(said, instead)
    return sentence


# Decisions as people read them; files, and DECISIONS in the library, say "error".
DECIDED = {"error": "wrong", "fine": "fine", "unsure": "unsure"}

VALUE_HELP = (
    "How much this cell adds to the accuracy of the model (nearest neighbours, KNN, if "
    "you chose no other). Lower is worse; below 0 the cell hurts. pp: percentage "
    "points of accuracy, small because all cells share them. Exports hold the same "
    "number as a share: 0.37 pp is 0.0037."
)
STDERR_HELP = (
    "Standard error: how far the value may be off by chance. A value more than two "
    "standard errors below 0 is clearly harmful."
)
ROW_HELP = (
    "The row's 1D value: the sum of its cells, in percentage points (pp) of accuracy "
    "that this row adds. Lower is worse; below 0 the row hurts."
)
COLUMN_HELP = (
    "The column's 1D value: the sum of its cells, in percentage points (pp) of "
    "accuracy that this column adds. Lower is worse; below 0 the column hurts."
)
RANK_HELP = "1 is the lowest (worst) cell. Lower values come first."
WITHIN_HELP = (
    "Rows of a rare class get lower values whatever they contain, so a list over all "
    "cells is mostly about that class. Ranking each cell among the cells of its own "
    "class finds planted errors more often."
)
SUSPICION_HELP = (
    "From 0 to 1: how surprising the cell is (four fifths) and how much it hurts (one "
    "fifth), in one number. Lower is worse; rank 1 is the most suspicious cell."
)
SUSPECT_HELP = (
    "A suspect is a cell that the rule picks: as many of the most suspicious cells as "
    "it can while it expects one false alarm in ten of them. A table without oddities "
    "has none. You decide; what you mark as wrong is flagged."
)
ODDS_HELP = (
    "How many ordinary cells of the column look at least as odd, given the row's class "
    "and the rows most like it. Lower odds are worse. The menu of columns above the "
    "table shows the numbers: surprise and suspicion."
)
SURPRISE_HELP = (
    "Share of ordinary cells of the column that look at least as odd, given the row's "
    "class and the rows most like it: 0.001 is one in a thousand. Lower is worse."
)
LABEL_CAUTION = (
    "A wrong label looks the same as a rare but true case. Changing it towards the "
    "model makes what is measured look better even if the label was right. Check the "
    "source first."
)

VALUED_ACCURACY_HELP = (
    "Valued accuracy: what the values of all cells sum to, the accuracy of the model "
    "that the cells are valued by, over all rows that it predicted (of KNN the share "
    "of the nearest rows' votes that are right). It is no test of a repair: changed "
    "rows are among those predicted. Lower is worse. Tested accuracy, on the Repair "
    "page, is another number."
)
TESTED_ACCURACY_HELP = (
    "Tested accuracy: the share of the rows without changes that a trained model "
    "predicts rightly in cross-validation, in %. Lower is worse. Valued accuracy, what "
    "the values of all cells sum to, is another number."
)

GIVES_UP = {
    "shapley": (
        "Every order of the players is equally likely. The only weights with which "
        "values sum to the score; the right ones unless you know why not."
    ),
    "banzhaf": (
        "Every coalition is equally likely. For a noisy score: no other weights keep "
        "the ranking as well. Gives up efficiency: values no longer sum to the score."
    ),
    "beta": (
        "Beta(a, b) with a > b stresses small coalitions, where one player more "
        "matters most and noise least; with b > a large ones, as leaving one out does; "
        "Beta(1, 1) is Shapley. Gives up efficiency: values no longer sum to the score."
    ),
}

# --- findings: questions about cells that share what is odd about them ----------------

FINDING_HELP = (
    "A finding is one question about all cells that share what is odd about them: one "
    "odd cell, a code, a spelling, a format, a broken rule. One answer settles all of "
    "them, and one undo takes it back."
)
SURE_HELP = (
    "How likely these cells are wrong: very likely is 90 in 100 or more, likely 50, "
    "perhaps 20, hardly less. The menu of columns above the table shows the number. "
    "Lower: less likely wrong."
)
SURE_NUMBER_HELP = (
    "Share of these cells that are expected to be wrong, from 0 to 1. Lower: fewer of "
    "them. Your answers to other questions move it."
)
EXPECTED_ERRORS_HELP = (
    "How many wrong cells an answer is expected to settle: the number of cells times "
    "the share of them that are expected to be wrong. Lower comes later."
)
TEACHING_HELP = (
    "Most errors first: by the number of wrong cells that an answer is expected to "
    "settle. What would teach most: questions first whose answer says most about the "
    "others."
)
STATES_HELP = (
    "Open: questions with a cell that you have not decided on, also the less likely "
    "ones. Answered: all their cells are decided on; they can be answered anew."
)
PROGRESS_HELP = (
    "Settled cells are those you decided on, in these questions or one by one. Likely "
    "errors are 50 in 100 or more; each answer can move the questions that are open. "
    "Suspects are counted in cells, not in questions: one question may be about many."
)
