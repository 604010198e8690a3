"""Figures of blocks: what each group of rows adds by each group of columns."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.figures.palette import CLEAR, COLOURS, GREY, HIGH, LOW
from cellval.text import figure_text
from cellval.values.words import Unit

if TYPE_CHECKING:  # it loads scikit-learn, which takes two seconds
    from cellval.games.block_values import BlockValues

ROW_PIXELS, LEAST_PIXELS = 40, 18
PLOT_HEIGHT = 560  # of the cells: about one screen
MOST_TEXTS = 150  # blocks with their numbers in them
BAR_PIXELS = 26


def unit_of(blocks: "BlockValues") -> Unit:
    """In which all blocks, and their sums, read well."""
    return Unit.of(float(np.abs(blocks.values).max()))


def heatmap(blocks: "BlockValues") -> go.Figure:
    """Row groups down, column groups across, values as colours."""
    unit = unit_of(blocks)
    r, c = blocks.values.shape
    rows = [figure_text(name, 28) for name in blocks.row_groups]
    columns = [figure_text(name, 22) for name in blocks.column_groups]
    limit = max(float(np.abs(blocks.values).max()), 1e-12) * unit.factor
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
            colorscale=COLOURS,
            zmin=-limit,
            zmid=0,
            zmax=limit,
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
    figure.update_xaxes(
        tickmode="array",
        tickvals=list(range(c)),
        ticktext=columns,
        tickangle=-90 if slanted else 0,
        side="top",
        ticks="",
        showgrid=False,
        zeroline=False,
        range=[-0.5, c - 0.5],
    )
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(r)),
        ticktext=rows,
        range=[r - 0.5, -0.5],
        ticks="",
        showgrid=False,
        zeroline=False,
        automargin=True,
    )
    figure.add_annotation(
        text=f"value of a block: {unit.name} of accuracy; below 0 hurts",
        **{"xref": "paper", "x": 0, "yref": "paper", "y": 1, "showarrow": False},
        **{"xanchor": "left", "yanchor": "top", "yshift": top},
        font_size=12,
    )
    return figure.update_layout(
        height=round(size * r + top + 16),
        margin={"l": 4, "r": 4, "t": round(top), "b": 8},
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        hovermode="closest",
    )


def _hover(blocks: "BlockValues", unit: Unit) -> list[list[str]]:
    return [
        [
            f"<b>{figure_text(row)}</b> × <b>{figure_text(column)}</b><br>"
            f"value {_with_error(blocks, unit, i, j)} of accuracy"
            f"{_share_words(blocks, i, j)}"
            f"<br>{blocks.n_rows[i]:,} rows × {blocks.n_columns[j]:,} columns"
            for j, column in enumerate(blocks.column_groups)
        ]
        for i, row in enumerate(blocks.row_groups)
    ]


def _share_words(blocks: "BlockValues", i: int, j: int) -> str:
    if not blocks.has_shares:
        return ""
    return f"<br>{100 * blocks.values[i, j] / blocks.total:.1f} % of the total"


def _with_error(blocks: "BlockValues", unit: Unit, i: int, j: int) -> str:
    if blocks.exact:
        return f"{unit.text(blocks.values[i, j])} (exact)"
    return unit.with_error(blocks.values[i, j], blocks.stderr[i, j])


def shares(blocks: "BlockValues") -> go.Figure:
    """Bars: how much of the total each group adds, beside how large the group is."""
    frame = blocks.shares()
    sides = [("rows", "rows"), ("columns", "columns")]
    sides = [side for side in sides if (frame["groups_of"] == side[0]).sum() > 1]
    heights = [int((frame["groups_of"] == of).sum()) for of, _ in sides]
    figure = make_subplots(
        cols=len(sides),
        horizontal_spacing=0.18,
        subplot_titles=[
            f"Share of the total by group of {of}, in % "
            + ("± standard error" * (not blocks.exact))
            for of, _ in sides
        ],
    )
    for col, (of, what) in enumerate(sides, 1):
        part = frame[frame["groups_of"] == of].reset_index(drop=True)
        names = [figure_text(name, 26) for name in part["group"]]
        places = list(range(len(part)))
        own = part["share_percent"].to_numpy()
        size = 100 * part[what].to_numpy() / part[what].sum()
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
            marker_color=[LOW if value < 0 else HIGH for value in own],
            name="share of the total value",
            showlegend=False,
            customdata=[
                f"<b>{name}</b><br>{a:.1f} % of the total value"
                + (f" ± {e:.1f}" * (not blocks.exact))
                + f"<br>{b:.1f} % of the {what}"
                for name, a, b, e in zip(names, own, size, errors, strict=True)
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
            hovertemplate=f"%{{x:.1f}} % of the {what}<extra></extra>",
            row=1,
            col=col,
        )
        figure.update_yaxes(
            tickmode="array",
            tickvals=places,
            ticktext=names,
            range=[max(heights) - 0.5, -0.5],  # bars as thick on both sides
            automargin=True,
            showgrid=False,
            row=1,
            col=col,
        )
    figure.update_xaxes(zeroline=True, zerolinecolor=GREY, ticksuffix=" %")
    figure.update_annotations(font_size=13)
    return figure.update_layout(
        height=110 + BAR_PIXELS * max(heights, default=1),
        margin={"l": 8, "r": 8, "t": 32, "b": 60},
        bargap=0.3,
        hovermode="closest",
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        legend={"orientation": "h", "y": 0, "yanchor": "top", "yref": "container"}
        | {"x": 0, "yanchor": "bottom"},
    )
