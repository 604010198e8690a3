"""`paper_page`: each figure and table of the paper beside ours, on one page."""

from pathlib import Path

from cellval.errors import InputError
from cellval.experiments import EXPERIMENTS, IN_THE_PAPER, PUBLISHED
from cellval.experiments.result import Number, read_numbers

BEGINNING = """# The paper, reproduced

Written by `python -m cellval reproduce all --data DIR --out FOLDER`, not by hand, of \
what is in that folder: the numbers of each experiment beside the paper's (NAME.csv), \
and what a person wrote about them (NAME.md): what differs, and why as far as that is \
known. ± is the standard deviation over seeds, unless it is said otherwise."""
NOT_THERE = (
    "The published implementation was not given (`--published FOLDER`), so its values "
    "are not compared here."
)


def paper_page(folder: Path) -> str:
    """Markdown, made of the files of all experiments."""
    parts = [BEGINNING]
    for name, what in EXPERIMENTS.items():
        path = folder / f"{name}.csv"
        if not path.exists():
            raise InputError(
                f"There is no {path}. Make it: python -m cellval reproduce {name} "
                f"--out {folder}"
            )
        parts += [f"## {name}: {what}", f"In the paper: {IN_THE_PAPER[name]}."]
        parts += [*_words(folder / f"{name}.md"), _table(read_numbers(path))]
    parts.append("## The published values beside ours")
    path = folder / f"{PUBLISHED}.csv"
    parts.append(_table(read_numbers(path)) if path.exists() else NOT_THERE)
    return "\n\n".join(parts) + "\n"


def _words(path: Path) -> list[str]:
    """What a person wrote, without its title."""
    if not path.exists():
        return []
    return [path.read_text(encoding="utf-8").partition("\n")[2].strip()]


def _table(numbers: list[Number]) -> str:
    lines = ["| | ours | the paper |", "|---|---|---|"]
    for number in numbers:
        cells = (number.what, str(number), number.paper)
        lines.append(
            f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
        )
    return "\n".join(lines)
