"""The site: sphinx-build -W --keep-going -b html docs docs/_build/html"""

import argparse
import os
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import cellval
from cellval.cli.arguments import _parser
from cellval.detect import copies, finding, findings, learning, neighbours, surprise
from cellval.detect import suspicion as suspicions
from cellval.detect.tails import SHAPES
from cellval.knn import plan
from cellval.limits import Limits
from cellval.table import encoding

project = "cellval"
author = "the authors of cellval"
release = cellval.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"cellval {release}"
html_math_renderer = "mathml"  # formulas that a browser draws by itself, from no host

# Pages are written in Markdown, docstrings in reStructuredText with plain backticks.
default_role = "code"
myst_enable_extensions = ["dollarmath", "substitution"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc says what arguments are, in words
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

# Choices that pages name, as they are in the code.
LIMITS = Limits()
myst_substitutions = {
    "auto_work": f"{plan.AUTO_WORK:,.0f}",
    "doubtful_code": surprise.DOUBTFUL_CODE,
    "drawn_work": f"{plan.DRAWN_WORK:,.0f}",
    "false_alarms": suspicions.FALSE_ALARMS,
    "farthest": f"{encoding.FARTHEST:,.0f}",
    "few": surprise.FEW,
    "fewest_copies": copies.FEWEST,
    "fewest_near": surprise.FEWEST_NEAR,
    "flagged": finding.FLAGGED,
    "least_shape": SHAPES[0],
    "likely": findings.LIKELY,
    "margin": suspicions.MARGIN,
    "max_cells": f"{LIMITS.cells:,.0f}",
    "max_mb": f"{LIMITS.mb:,.0f}",
    "max_rows": f"{LIMITS.rows:,.0f}",
    "most_columns": plan.MOST_COLUMNS,
    "most_pairs": plan.MOST_PAIRS,
    "most_shape": SHAPES[1],
    "n_near": neighbours.N_NEAR,
    "n_predictors": neighbours.N_PREDICTORS,
    "narrowest": surprise.NARROWEST,
    "one_in_some": round(1 / suspicions.SOME),
    "others": " and ".join(f"{100 * share:g} %" for share in suspicions.OTHERS),
    "pairs_for_ends": plan.PAIRS_FOR_ENDS,
    "possible": findings.POSSIBLE,
    "rarity_weight": surprise.RARITY_WEIGHT,
    "skewed": f"{neighbours.SKEWED:g}",
    "value_weight": suspicions.VALUE_WEIGHT,
    **{f"spread_{name}": spread for name, spread in learning.SPREAD.items()},
}

# A notebook that does not run is an error, as an example that does not hold.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300

os.environ["COLUMNS"] = "88"  # width of what `--help` prints


class CommandHelp(SphinxDirective):
    """What `--help` prints, for every command that there is."""

    def run(self) -> list[nodes.Node]:
        (commands,) = (
            action
            for action in _parser()._actions
            if isinstance(action, argparse._SubParsersAction)
        )
        return [
            _section(name, parser.format_help())
            for name, parser in commands.choices.items()
        ]


def _section(name: str, text: str) -> nodes.section:
    section = nodes.section(ids=[f"cellval-{name}"])
    section += nodes.title("", "", nodes.literal(text=f"cellval {name}"))
    section += nodes.literal_block(text, text, language="text")
    return section


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    formula = tex2mathml(node.astext(), as_block=True)
    self.body.append(f'<div class="math" style="padding: 0.5em 0">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("command-help", CommandHelp)
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True}
