"""The README's table of results, made of what experiments wrote:

python -m cellval.experiments.readme results README.md
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from cellval.errors import InputError
from cellval.experiments import EXPERIMENTS
from cellval.experiments.result import SUMMARY

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
HEAD = ("experiment", "what", "paper", "ours")


def results_block(folder: Path) -> str:
    """The table of the folder's summary as Markdown, between its two markers.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     line = "experiment,what,paper,ours\\nage,found,80 %,81 %\\n"
    ...     _ = (Path(folder) / "summary.csv").write_text(line)
    ...     print(results_block(Path(folder)))
    <!-- results: begin -->
    | experiment | what | paper | ours |
    |---|---|---|---|
    | age | found | 80 % | 81 % |
    <!-- results: end -->
    """
    path = folder / SUMMARY
    if not path.exists():
        raise InputError(
            f"There is no {path}. Make it: python -m cellval reproduce all --out "
            f"{folder}"
        )
    summary = pd.read_csv(path, dtype=str, keep_default_na=False)
    place = {name: k for k, name in enumerate(EXPERIMENTS)}  # not the order of runs
    summary = summary.sort_values(
        "experiment", key=lambda names: names.map(place), kind="stable"
    )
    rows = [HEAD, ("---",) * len(HEAD)]
    before = ""
    for line in summary[list(HEAD)].itertuples(index=False):
        name, *rest = (str(cell).replace("|", "\\|") for cell in line)
        rows.append(("" if name == before else name, *rest))
        before = name
    table = ["| " + " | ".join(row) + " |" for row in rows]
    table[1] = table[1].replace(" ", "")
    return "\n".join([BEGIN, *table, END])


def with_results(text: str, block: str) -> str:
    """The text with the block in place of the one that stands there.

    Examples
    --------
    >>> with_results(f"a\\n{BEGIN}\\nold\\n{END}\\nz", f"{BEGIN}\\nnew\\n{END}")
    'a\\n<!-- results: begin -->\\nnew\\n<!-- results: end -->\\nz'
    """
    return block.join(_around(text))


def block_of(text: str) -> str:
    """The block of results that stands in a text."""
    before, after = _around(text)
    return text[len(before) : len(text) - len(after)]


def _around(text: str) -> tuple[str, str]:
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        raise InputError(
            f"There is no place for the results: write the lines {BEGIN} and {END} "
            "where they belong."
        )
    return text[:begin], text[end + len(END) :]


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 2:
        print("python -m cellval.experiments.readme FOLDER README.md", file=sys.stderr)
        return 2
    folder, readme = map(Path, arguments)
    try:
        text = readme.read_text(encoding="utf-8")
        readme.write_text(with_results(text, results_block(folder)), encoding="utf-8")
    except (InputError, OSError) as error:
        print(f"readme: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
