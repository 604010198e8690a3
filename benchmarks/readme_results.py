"""The README's five numbers and results/paper.md, made of what is kept in results/:

    python -m benchmarks.readme_results [--write]

Prints the README's table; with --write, it goes between the two markers of README.md,
and the numbers of all experiments into results/paper.md.
"""

import re
import sys
from pathlib import Path

from benchmarks.pages import RESULTS
from cellval.errors import InputError
from cellval.experiments.page import paper_page
from cellval.experiments.result import read_numbers

README = RESULTS.parent / "README.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def headlines(folder: Path = RESULTS) -> str:
    """Five numbers with what they compare to and where they stand, as Markdown."""
    speed, found, app = (
        (folder / f"{name}.md").read_text(encoding="utf-8")
        for name in ("speed", "detection", "app")
    )
    runtime, outliers = (
        {number.what: number for number in read_numbers(folder / f"{name}.csv")}
        for name in ("runtime", "outliers")
    )
    exact = _in(speed, r"engine, exact values .*?([\d.]+) +1\n")
    numpy = _in(speed, r"a loop over test points +([\d.]+)")
    means = _in(found, r"mean over tables +(.*)")
    signals = dict(re.findall(r"([^\s,][^,]*) ([\d.]+)", means))
    ours = signals.pop("suspicion")
    heatmap = _in(app, r"first heatmap +([\d.]+ s)")
    size = "100,000 cells"
    plain = f"{size}: times faster than plain Algorithm 2, core against core"
    first = "outliers found in the first 5 % of cells, 2D-KNN"
    rows = [
        (
            "exact values of all cells of Breast Cancer, one core",
            f"{float(exact):.2f} s",
            f"{float(numpy):.0f} s: plain numpy, 1,000 permutations",
            "speed.md",
        ),
        (
            f"{size} of Census, beside the paper's Algorithm 2 in plain numpy",
            f"{runtime[f'{plain}, ties at random'].ours:.0f} times faster",
            "for the same error, core against core",
            "runtime.md",
        ),
        (
            "errors of six kinds in four tables, ROC AUC of suspicion",
            ours,
            f"{max(signals.values())}: the best single signal",
            "detection.md",
        ),
        (
            "outliers found in the first 5 % of the cells of Breast Cancer, by value",
            f"{outliers[first].ours:.0f} %; benign rows alone "
            f"{outliers[f'{first}, benign rows only'].ours:.0f} %",
            f"{outliers[first].paper}: the paper",
            "outliers.md",
        ),
        (
            "from the click on *Value the cells* to a cell's detail, sample Davis",
            _in(app, r"Davis, fresh server and browser +([\d.]+ s)"),
            f"{heatmap}: the first heatmap of a table of Adult's size",
            "app.md",
        ),
    ]
    lines = ["| what | cellval | beside | more |", "|---|---|---|---|"]
    for what, number, beside, page in rows:
        link = f"[results/{page}](results/{page})"
        lines.append(f"| {what} | {number} | {beside} | {link} |")
    return "\n".join(lines)


def _in(text: str, pattern: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise InputError(f"No page of results/ has a line like {pattern}.")
    return found[1].strip()


def with_block(text: str, block: str) -> str:
    """The text with the block between the two markers.

    Examples
    --------
    >>> with_block(f"a\\n{BEGIN}\\nold\\n{END}\\nz", "new")
    'a\\n<!-- results: begin -->\\nnew\\n<!-- results: end -->\\nz'
    """
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        raise InputError(
            f"There is no place for the results: write the lines {BEGIN} and {END} "
            "where they belong."
        )
    return f"{text[: begin + len(BEGIN)]}\n{block}\n{text[end:]}"


def main(folder: Path = RESULTS, readme: Path = README) -> int:
    try:
        block = headlines(folder)
        print(block)
        if "--write" in sys.argv:
            text = with_block(readme.read_text(encoding="utf-8"), block)
            page = paper_page(folder)
            readme.write_text(text, encoding="utf-8")
            (folder / "paper.md").write_text(page, encoding="utf-8")
    except (InputError, OSError) as error:
        print(f"readme_results: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
