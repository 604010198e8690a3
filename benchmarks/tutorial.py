"""The tutorial of the docs in Python: python -m benchmarks.tutorial [--write]

Prints what docs/tutorial.md shows: the questions about the sample of diamonds, and what
three models say of the repaired table; with --write, into results/tutorial.md. The same
walk through the app is taken by `python -m benchmarks.app --screenshots tutorial`.
"""

from benchmarks.pages import printed

# In these rows a person reads what was meant from the cells beside (docs/tutorial.md).
BY_HAND = {
    (472, "y"): "8.06",
    (472, "z"): "4.76",
    (933, "z"): "3.18",
    (945, "y"): "5.12",
    (945, "z"): "3.18",
}


def main() -> None:
    # begin
    import cellval

    table = cellval.read("sample_data/diamonds.csv", label="price")
    values = cellval.value_cells(table)
    print(f"{table.n_rows:,} rows, valued closeness {100 * values.total:.1f} %\n")

    found = cellval.findings(table, values)
    codes = [one for one in found if one.kind == "code" and one.is_flagged]
    for one in codes:
        print(f"{one.title} in {one.n_cells} cells: {one.action(table)}")

    repairs = {
        (int(table.row_numbers[i]), column): after
        for one in codes
        for (i, column), after in zip(one.cells, one.after, strict=True)
    }
    repairs |= BY_HAND
    fixed = cellval.repair(table, repairs)
    helped = cellval.compare_models(table, fixed)
    print(f"\n{len(repairs)} cells of {helped.n_touched} rows repaired\n")
    for model in helped.models:
        print(f"{model}: {helped.verdict(model)}")
    # end


if __name__ == "__main__":
    with printed("tutorial", "tutorial"):
        main()
