"""Blocks 4 x 4 on Credit (30,000 x 23), exact, with logistic regression and with KNN.

    python -m benchmarks.blocks [--data DIR] [--write]

Rows in four ranges, columns in four groups: who they are, how they paid, bills, amounts
paid. Seconds of a run on all cores, after loading.
"""

import time

import cellval
from benchmarks.data import data_folder
from benchmarks.pages import printed
from cellval.games.blocks import BlockGame
from cellval.games.groups import columns_by, rows_by_ranges
from cellval.games.models import utility_of
from cellval.parallel import n_cores


def main() -> None:
    folder = data_folder()
    path = folder / "credit_default" / "credit_default.csv" if folder else None
    if path is None or not path.exists():
        raise SystemExit("Give the folder of credit_default/credit_default.csv: --data")
    table = cellval.read(path)
    rows = rows_by_ranges(table, 4)
    names = table.feature_names
    columns = columns_by(
        table,
        {
            "bills": [name for name in names if name.startswith("BILL_AMT")],
            "amounts paid": [name for name in names if name.startswith("PAY_AMT")],
            "delays": [n for n in names if n.startswith("PAY_") and "AMT" not in n],
            "person": ["LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE"],
        },
    )
    shape = f"{table.n_rows:,} x {len(names)}, blocks {len(rows)} x {len(columns)}"
    print(f"Credit, {shape}, exact, {n_cores()} cores")
    print(f"{'model':<22}{'evaluations':>12}{'seconds':>9}{'total':>8}")
    for model in ("logistic", "tree", "knn"):
        h = utility_of(table, model, test=0.3)
        h(rows.members()[0], columns.members()[0])  # compiles and loads
        started = time.perf_counter()
        *_, last = BlockGame.of(h, rows, columns).play()
        blocks = last.result
        seconds = time.perf_counter() - started
        n = blocks.n_evaluations
        print(f"{model:<22}{n:>12,}{seconds:>9.1f}{blocks.total:>8.3f}")


if __name__ == "__main__":
    with printed("games", "blocks"):
        main()
