"""Reading large files beside pandas: python -m benchmarks.reading [part ...] [--write]

Parts: csv, parquet, workbook. A CSV and a Parquet file of 200 MB and a workbook of
20 MB are made in a temporary folder; each is read by cellval and by pandas in a process
of its own. Seconds and peak memory are of reading alone: what the imports take is
measured before and taken off. With --write, into results/reading.md.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from benchmarks.pages import printed

MB = 1e6
PARTS = ("csv", "parquet", "workbook")
READERS = {
    "csv": {
        "cellval.read": "cellval.read(path, label='y')",
        "of which cells as text": "file_cells(Path(path).read_bytes(), 'file')",
        "pandas.read_csv": "pd.read_csv(path)",
        "pandas.read_csv, dtype=str": "pd.read_csv(path, dtype=str)",
    },
    "parquet": {
        "cellval.read": "cellval.read(path, label='y')",
        "of which cells as text": "file_cells(Path(path).read_bytes(), 'file')",
        "pandas.read_parquet": "pd.read_parquet(path)",
        "pandas.read_parquet, then str": "pd.read_parquet(path).astype(str)",
    },
    "workbook": {
        "cellval.read": "cellval.read(path, label='y')",
        "of which cells as text": "file_cells(Path(path).read_bytes(), 'file')",
        "pandas.read_excel, openpyxl": "pd.read_excel(path, engine='openpyxl')",
        "pandas.read_excel, calamine": "pd.read_excel(path, engine='calamine')",
    },
}


# --- files ----------------------------------------------------------------------------


def frame(n: int, seed: int = 0, digits: int = 3) -> pd.DataFrame:
    """Numbers of several kinds, categories, dates, gaps and a label."""
    rng = np.random.default_rng(seed)
    columns = {f"x{j}": rng.normal(50, 10, n).round(digits) for j in range(6)}
    columns["precise"] = rng.normal(size=n)
    columns["count"] = rng.integers(0, 1000, n)
    columns["city"] = rng.choice(["Lisbon", "Oslo", "Quito", "Kyoto", "Perth"], n)
    columns["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(
        rng.integers(0, 2000, n), unit="D"
    )
    columns["y"] = rng.choice(["yes", "no"], n)
    table = pd.DataFrame(columns)
    table.loc[rng.random(n) < 0.02, "x0"] = np.nan
    return table


def csv(path: Path) -> None:
    with path.open("w") as file:
        seed = 0
        while file.tell() < 200 * MB:
            part = frame(50_000, seed)
            part.to_csv(file, index=False, header=seed == 0)
            seed += 1


def parquet_file(path: Path) -> None:
    schema = pa.Schema.from_pandas(frame(1), preserve_index=False)
    with parquet.ParquetWriter(path, schema) as writer:
        seed = 0
        while path.stat().st_size < 200 * MB:
            # Parquet packs short numbers: with those it would have too many rows.
            part = pa.Table.from_pandas(frame(200_000, seed, digits=15), schema)
            writer.write_table(part)
            seed += 1


def workbook(path: Path) -> None:
    """As Excel would write it; openpyxl would take an hour."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = ("workbook", "sheet.main"), ("worksheets/sheet1", "worksheet")
    parts += (("styles", "styles"),)
    entries = "".join(
        f'<Override PartName="/xl/{name}.xml" ContentType="{kinds}.{kind}+xml"/>'
        for name, kind in parts
    )
    style = (
        '<fonts count="1"><font/></fonts><fills count="1"><fill><patternFill '
        'patternType="none"/></fill></fills><borders count="1"><border/>'
        '</borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
        '<cellXfs count="2"><xf xfId="0"/><xf numFmtId="14" xfId="0"/></cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0"/></cellStyles>'
    )
    rels = f'<Relationships xmlns="{package}/relationships">'
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default '
        'Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        f'relationships+xml"/>{entries}</Types>',
        "_rels/.rels": f'{rels}<Relationship Id="r1" Type="{office}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{rels}<Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship '
        f'Id="r2" Type="{office}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{main}">{style}</styleSheet>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        with archive.open("xl/worksheets/sheet1.xml", "w") as file:
            file.write(f'<worksheet xmlns="{main}"><sheetData>'.encode())
            file.write(row(1, list(frame(1).columns)).encode())
            number, seed = 2, 0
            while path.stat().st_size < 20 * MB:
                for values in frame(5_000, seed).itertuples(index=False):
                    file.write(row(number, values).encode())
                    number += 1
                seed += 1
            file.write(b"</sheetData></worksheet>")


def row(number: int, values: object) -> str:
    cells = []
    for letter, value in zip("ABCDEFGHIJK", values, strict=True):
        place = f'<c r="{letter}{number}"'
        if isinstance(value, str):
            cells.append(f'{place} t="inlineStr"><is><t>{value}</t></is></c>')
        elif isinstance(value, pd.Timestamp):
            days = (value - pd.Timestamp("1899-12-30")).days
            cells.append(f'{place} s="1"><v>{days}</v></c>')
        elif not np.isnan(value):
            cells.append(f"{place}><v>{value}</v></c>")
    return f'<row r="{number}">{"".join(cells)}</row>'


# --- reading --------------------------------------------------------------------------

SETUP = """
import sys
from pathlib import Path
import pandas as pd
import cellval, cellval.table.table
from cellval.table.formats import file_cells
import pyarrow.parquet, python_calamine, openpyxl
from benchmarks.reading import measured_here
"""


def peak_memory() -> int:
    """Bytes. What the system counts for a process begins with its parent's peak, so it
    is asked of the memory itself where that can be done.
    """
    with suppress(OSError):
        status = Path("/proc/self/status").read_text()
        return 1024 * int(status.partition("VmHWM:")[2].split()[0])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measured_here(call: str, path: str, names: dict[str, object]) -> None:
    """Run in a process of its own: seconds, and peak memory beyond the imports."""
    before = peak_memory()
    began = time.perf_counter()
    found = eval(call, {**names, "path": path})
    seconds = time.perf_counter() - began
    peak = peak_memory() - before
    table = found[0] if isinstance(found, tuple) else found
    shape = list(table.cells.shape if hasattr(table, "cells") else table.shape)
    print(json.dumps({"seconds": seconds, "mb": peak / MB, "shape": shape}))


def measured(call: str, path: Path) -> dict[str, object]:
    code = f"{SETUP}\nmeasured_here({call!r}, {str(path)!r}, globals())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


MAKERS = {"csv": csv, "parquet": parquet_file, "workbook": workbook}
ENDINGS = {"csv": ".csv", "parquet": ".parquet", "workbook": ".xlsx"}


def compared(part: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"large{ENDINGS[part]}"
        MAKERS[part](path)
        shape, lines = [0, 0], []
        for name, call in READERS[part].items():
            found = measured(call, path)
            shape = found["shape"]
            lines.append(f"  {name:40}{found['seconds']:9.1f}{found['mb']:9,.0f}")
        size = path.stat().st_size / MB
        print(f"{'':42}{'seconds':>9}{'peak MB':>9}")
        print(f"{part}, {size:,.0f} MB, {shape[0]:,} rows x {shape[1]} columns")
        print("\n".join(lines), flush=True)


if __name__ == "__main__":
    for one in [word for word in sys.argv[1:] if word in PARTS] or PARTS:
        with printed("reading", f"reading {one}"):
            compared(one)
