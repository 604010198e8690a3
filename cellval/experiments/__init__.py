"""The paper's experiments: numbers beside its numbers, and a figure. No conclusions.

An experiment is a module of this package with ``run(data, quick) -> Reproduction``:
`data` is the folder of the larger tables (or None), `quick` a short version on the
samples. It measures *points*, one observation a row; numbers and figure are made of
them alone. What the numbers mean is written by a person, into ``results/NAME.md``.
"""

EXPERIMENTS = {
    "removal": "accuracy as cells go, highest or lowest value first",
    "outliers": "errors in 2 % of the cells of Breast Cancer, found by value",
    "budgets": "the same with 1, 2, 5, 10 and 15 % of the cells",
    "age": "ages with swapped digits in Census",
    "pairs": "samples with alike 1D values and different cells",
    "splits": "values of blocks against how well a model learns from each (Credit)",
    "runtime": "seconds for 1,000 to 100,000 cells of Census",
    "convergence": "how soon each estimator is near the exact values",
}

# What each stands for in the paper.
IN_THE_PAPER = {
    "removal": "Figure 4; Heart and Wine: the appendix",
    "outliers": "Figure 5A, and the heat maps of the appendix",
    "budgets": "the appendix's figure of detection over injection rates",
    "age": "Figure 5B",
    "pairs": "Figure 7",
    "splits": "Figure 6",
    "runtime": "the appendix's table of actual runtimes",
    "convergence": "nothing: what its estimators need to be near the exact values",
}
PUBLISHED = "published"  # the paper's own values beside ours, where there are its files
