"""Figures of blocks: what each group of rows adds by each group of columns."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.figures.cells import colours
from cellval.figures.layout import (
    BAR_PIXELS,
    PLOT_HEIGHT,
    lay_out,
    named_axis,
    note_above,
)
from cellval.figures.palette import GREY, sign_colours
from cellval.games.block_values import BlockValues
from cellval.text import figure_name, figure_names
from cellval.values.words import Unit

ROW_PIXELS, LEAST_PIXELS = 40, 18
MOST_TEXTS = 150  # blocks with their numbers in them


def heatmap(blocks: BlockValues, score: str = "accuracy") -> go.Figure:
    """Row groups down, column groups across, values as colours."""
    largest = float(np.abs(blocks.values).max())
    unit = Unit.of(largest, score)  # in which all blocks, and their sums, read well
    r, c = blocks.values.shape
    rows = figure_names(blocks.row_groups, 28)
    columns = figure_names(blocks.column_groups, 22)
    size = min(ROW_PIXELS, max(LEAST_PIXELS, PLOT_HEIGHT / r))
    texts = None
    if r * c <= MOST_TEXTS and c <= 16:
        texts = [[unit.number(v) for v in line] for line in blocks.values]
    figure = go.Figure(
        go.Heatmap(
            z=(blocks.values * unit.factor).tolist(),
            customdata=_hover(blocks, unit),
            text=texts,
            texttemplate="%{text}" if texts else None,
            **colours(largest * unit.factor),
            xgap=2,
            ygap=2,
            hovertemplate="%{customdata}<extra></extra>",
            colorbar={
                "thickness": 12,
                "title": {"text": unit.name, "side": "top"},
                "outlinewidth": 0,
            },
        )
    )
    slanted = c > 6 or max(map(len, columns)) > 90 // c
    top = 34 + (24 if not slanted else 8 + 6.4 * max(map(len, columns)))
    lay_out(
        figure,
        size * r + top + 16,
        (4, 4, top, 8),
        xaxis=named_axis(columns, tickangle=-90 if slanted else 0),
        yaxis=named_axis(rows, down=True),
    )
    note_above(figure, f"value of a block: {unit.of_score}; below 0 hurts")
    return figure


def _hover(blocks: BlockValues, unit: Unit) -> list[list[str]]:
    def text(i: int, j: int) -> str:
        value, error = blocks.values[i, j], blocks.stderr[i, j]
        said = unit.with_error(value, error)
        if blocks.exact:
            said = f"{unit.text(value)} (exact)"
        share = ""
        if blocks.has_shares:
            share = f"<br>{100 * value / blocks.total:.1f} % of the total"
        return (
            f"<b>{figure_name(blocks.row_groups[i])}</b> × "
            f"<b>{figure_name(blocks.column_groups[j])}</b><br>"
            f"value {said} of {unit.score}{share}"
            f"<br>{blocks.n_rows[i]:,} rows × {blocks.n_columns[j]:,} columns"
        )

    rows, columns = map(range, blocks.values.shape)
    return [[text(i, j) for j in columns] for i in rows]


def shares(blocks: BlockValues) -> go.Figure:
    """Bars: how much of the total each group adds, beside how large the group is."""
    frame = blocks.shares()
    parts = {of: frame[frame["groups_of"] == of] for of in ("rows", "columns")}
    parts = {of: part for of, part in parts.items() if len(part) > 1}
    longest = max(map(len, parts.values()), default=1)
    figure = make_subplots(
        cols=len(parts),
        horizontal_spacing=0.18,
        subplot_titles=[
            f"Share of the total<br>by group of {of},<br>in %"
            + (" ± standard error" * (not blocks.exact))
            for of in parts
        ],
    )
    for col, (of, part) in enumerate(parts.items(), 1):
        names = figure_names(part["group"].tolist(), 26)
        whole = [figure_name(name) for name in part["group"]]
        places = list(range(len(part)))
        own = part["share_percent"].to_numpy()
        size = 100 * part[of].to_numpy() / part[of].sum()
        errors = np.nan_to_num(part["share_stderr"].to_numpy())
        figure.add_bar(
            y=places,
            x=own.tolist(),
            orientation="h",
            error_x={
                "array": errors.tolist(),
                "visible": not blocks.exact,
                "color": GREY,
                "thickness": 1.5,
            },
            marker_color=sign_colours(own),
            name="share of the total value",
            showlegend=False,
            customdata=[
                f"<b>{name}</b><br>{a:.1f} % of the total value"
                + (f" ± {e:.1f}" * (not blocks.exact))
                + f"<br>{b:.1f} % of the {of}"
                for name, a, b, e in zip(whole, own, size, errors, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
            row=1,
            col=col,
        )
        figure.add_scatter(
            y=places,
            x=size.tolist(),
            mode="markers",
            marker={
                "symbol": "line-ns",
                "size": 16,
                "line": {"width": 2.5, "color": GREY},
            },
            name="its share of all rows or columns",
            showlegend=col == 1,
            hovertemplate=f"%{{x:.1f}} % of the {of}<extra></extra>",
            row=1,
            col=col,
        )
        # Bars are as thick on both sides.
        axis = named_axis(names, down=True, range=[longest - 0.5, -0.5])
        figure.update_yaxes(axis, row=1, col=col)
    figure.update_xaxes(zeroline=True, zerolinecolor=GREY, ticksuffix=" %")
    figure.update_annotations(font_size=13)
    return lay_out(
        figure,
        144 + BAR_PIXELS * longest,
        (8, 8, 66, 60),
        bargap=0.3,
        legend={"y": 0, "yref": "container"},
    )
