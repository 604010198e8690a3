"""Questions on tables without errors: python -m benchmarks.clean [--seeds 3] [--write]

Ten kinds of table of 10,000 cells, made by chance as people fill them: skewed amounts,
counts, short scales, rare categories, dates, keys, names, totals, blanks. Nothing in
them is wrong, so each flagged finding is a false one. Printed are flagged findings and
cells, and the questions in all, means over seeds. With --write, into
results/detection.md.
"""

import argparse
from collections.abc import Callable

import numpy as np
import pandas as pd

import cellval
from benchmarks.pages import printed
from cellval.detect.learning import taught
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion

Draw = np.random.Generator
SYLLABLES = ("ba", "den", "fel", "gar", "hu", "ki", "lor", "mun", "ne", "ost", "rim")


def names(draw: Draw, n: int) -> list[str]:
    return [
        "".join(draw.choice(SYLLABLES, size=draw.integers(2, 4))).capitalize()
        for _ in range(n)
    ]


def pick(draw: Draw, words: list[str], n: int, skew: float = 1.0) -> np.ndarray:
    """Some words often, some rarely."""
    share = 1.0 / np.arange(1, len(words) + 1) ** skew
    return draw.choice(words, size=n, p=share / share.sum())


def dates(draw: Draw, n: int, days: int = 2000) -> pd.Series:
    return pd.Timestamp("2019-01-01") + pd.to_timedelta(draw.integers(0, days, n), "D")


def patients(draw: Draw, n: int = 1000) -> tuple[pd.DataFrame, str]:
    age = draw.normal(55, 15, n).clip(18, 95).round()
    sex = draw.choice(["f", "m"], n)
    height = draw.normal(np.where(sex == "f", 165, 178), 7).round()
    weight = (draw.normal(24, 3.5, n) * (height / 100) ** 2).round(1)
    pressure = (90 + age * 0.6 + draw.normal(0, 12, n)).round()
    return pd.DataFrame(
        {
            "age": age,
            "sex": sex,
            "height_cm": height,
            "weight_kg": weight,
            "systolic": pressure,
            "diastolic": (pressure * 0.6 + draw.normal(5, 6, n)).round(),
            "smoker": pick(draw, ["never", "former", "current"], n),
            "visits": draw.poisson(3, n),
            "glucose": draw.lognormal(1.7, 0.2, n).round(1),
            "outcome": np.where(pressure + age > 190, "ill", "well"),
        }
    ), "outcome"


def orders(draw: Draw, n: int = 1000) -> tuple[pd.DataFrame, str]:
    quantity = draw.geometric(0.3, n)
    price = draw.lognormal(2.5, 0.8, n).round(2)
    net = (quantity * price).round(2)
    ordered = dates(draw, n)
    return pd.DataFrame(
        {
            "order": np.arange(10_000, 10_000 + n),
            "ordered": ordered.strftime("%Y-%m-%d"),
            "shipped": (
                ordered + pd.to_timedelta(draw.integers(0, 9, n), "D")
            ).strftime("%Y-%m-%d"),
            "quantity": quantity,
            "price": price,
            "net": net,
            "channel": pick(draw, ["web", "shop", "phone", "partner"], n),
            "country": pick(draw, ["DE", "FR", "IT", "ES", "NL", "PL", "DK"], n),
            "rating": draw.choice([1, 2, 3, 4, 5], n, p=[0.03, 0.05, 0.12, 0.3, 0.5]),
            "returned": np.where(draw.random(n) < 0.1 + (price > 20) * 0.2, "y", "n"),
        }
    ), "returned"


def towns(draw: Draw, n: int = 1000) -> tuple[pd.DataFrame, str | None]:
    places, people = (
        [f"{a} {b}" for a, b in zip(names(draw, k), names(draw, k), strict=True)]
        for k in (60, n)
    )
    codes = draw.permutation(90_000)[:60] + 10_000
    where = draw.integers(0, 60, n)
    return pd.DataFrame(
        {
            "person": people,
            "town": np.array(places)[where],
            "code": codes[where].astype(str),
            "district": np.array([f"D{k % 7}" for k in range(60)])[where],
            "street": [f"{name}weg {k}" for k, name in enumerate(names(draw, n), 1)],
            "phone": [f"0{draw.integers(10**8, 10**9)}" for _ in range(n)],
            "born": dates(draw, n, 20_000).strftime("%d.%m.%Y"),
            "members": draw.poisson(1.5, n) + 1,
            "fee": draw.choice([12.5, 25.0, 50.0], n, p=[0.2, 0.7, 0.1]),
            "note": np.where(draw.random(n) < 0.9, "", "paid in cash"),
        }
    ), None


def sensors(draw: Draw, n: int = 1000) -> tuple[pd.DataFrame, str]:
    hours = np.arange(n)
    warm = 15 + 8 * np.sin(hours / 24 * 2 * np.pi) + draw.normal(0, 1, n)
    rain = np.where(draw.random(n) < 0.7, 0.0, draw.exponential(2.0, n)).round(1)
    power = np.where(draw.random(n) < 0.4, 0.0, draw.normal(220, 15, n)).round(1)
    return pd.DataFrame(
        {
            "time": pd.date_range("2024-03-01", periods=n, freq="h").strftime(
                "%Y-%m-%d %H:%M"
            ),
            "temperature": warm.round(1),
            "felt": (warm - rain * 0.3 + draw.normal(0, 0.5, n)).round(1),
            "humidity": (70 - 1.5 * (warm - 15) + draw.normal(0, 6, n)).clip(5, 100),
            "rain": rain,
            "wind": draw.weibull(2, n).round(2) * 5,
            "direction": draw.choice(["N", "E", "S", "W"], n),
            "power": power,
            "state": np.where(power > 0, "on", "off"),
            "comfort": np.where((warm > 14) & (rain < 1), "good", "poor"),
        }
    ), "comfort"


def wages(draw: Draw, n: int = 1000) -> tuple[pd.DataFrame, str]:
    years = draw.integers(8, 21, n)
    age = draw.integers(18, 70, n)
    wage = np.exp(1.2 + 0.08 * years + 0.01 * age + draw.normal(0, 0.4, n))
    gain = np.where(draw.random(n) < 0.92, 0, draw.lognormal(8, 1, n)).round()
    return pd.DataFrame(
        {
            "age": age,
            "schooling": years,
            "trade": pick(draw, names(draw, 14), n),
            "hours": draw.choice([20, 30, 35, 38, 40, 45, 50, 60], n),
            "union": draw.choice(["yes", "no"], n, p=[0.2, 0.8]),
            "region": pick(draw, ["north", "south", "east", "west"], n, 0.3),
            "children": draw.poisson(1.1, n),
            "capital_gain": gain,
            "tenure": np.minimum(draw.exponential(6, n).round(), age - 17),
            "wage": wage.round(2),
        }
    ), "wage"


def grades(draw: Draw, n: int = 1000) -> tuple[pd.DataFrame, str]:
    able = draw.normal(0, 1, n)
    marks = {
        f"exam_{k}": (65 + 12 * able + draw.normal(0, 8, n)).clip(0, 100).round()
        for k in range(1, 6)
    }
    frame = pd.DataFrame(marks)
    frame["total"] = frame.sum(axis=1)
    frame["course"] = pick(draw, ["maths", "physics", "law", "arts"], n)
    frame["absent"] = draw.negative_binomial(1, 0.3, n)
    frame["house"] = draw.choice(list("ABCDEF"), n)
    frame["passed"] = np.where(frame["total"] > 250, "yes", "no")
    return frame, "passed"


def survey(draw: Draw, n: int = 1000) -> tuple[pd.DataFrame, str]:
    happy = draw.normal(0, 1, n)
    answers = {
        f"q{k}": np.digitize(happy + draw.normal(0, 1, n), [-1.5, -0.5, 0.5, 1.5]) + 1
        for k in range(1, 9)
    }
    frame = pd.DataFrame(answers)
    frame.insert(0, "group", pick(draw, ["staff", "guest", "press"], n))
    frame["again"] = np.where(happy + draw.normal(0, 0.7, n) > 0, "yes", "no")
    return frame, "again"


def machines(draw: Draw, n: int = 1000) -> tuple[pd.DataFrame, str]:
    kind = draw.integers(0, 5, n)
    speed = np.array([900, 1200, 1500, 1800, 3000])[kind] + draw.normal(0, 20, n)
    load = draw.beta(2, 2, n)
    return pd.DataFrame(
        {
            "serial": [f"M{k:05d}" for k in draw.permutation(90_000)[:n]],
            "model": np.array(["A10", "A20", "B10", "B20", "C99"])[kind],
            "maker": np.array(["Ando", "Ando", "Brix", "Brix", "Cole"])[kind],
            "speed": speed.round(),
            "load": load.round(3),
            "vibration": (0.5 + load * 2 + draw.gamma(2, 0.2, n)).round(3),
            "oil": draw.normal(60 + 20 * load, 4).round(1),
            "hours": draw.exponential(4000, n).round(),
            "alarms": draw.poisson(0.3, n),
            "service": np.where(load + draw.normal(0, 0.15, n) > 0.6, "due", "ok"),
        }
    ), "service"


def cells(draw: Draw, n: int = 500) -> tuple[pd.DataFrame, str]:
    """Wide, correlated, heavy-tailed measurements."""
    hidden = draw.normal(0, 1, (n, 4))
    mixed = hidden @ draw.normal(0, 1, (4, 19)) + draw.standard_t(4, (n, 19)) * 0.5
    frame = pd.DataFrame(np.exp(mixed / 3).round(4))
    frame.columns = [f"marker_{k}" for k in range(1, 20)]
    frame["type"] = np.where(hidden[:, 0] > 0.5, "t1", "t2")
    return frame, "type"


def flats(draw: Draw, n: int = 1000) -> tuple[pd.DataFrame, str]:
    area = draw.lognormal(4.2, 0.35, n).round()
    rooms = (area / 25 + draw.normal(0, 0.4, n)).round().clip(1, 8)
    rent = area * draw.normal(11, 1.5, n)
    deposit = (rent * 3).round().astype(str)
    return pd.DataFrame(
        {
            "area": area,
            "rooms": rooms,
            "floor": draw.integers(0, 6, n),
            "built": draw.integers(1900, 2024, n),
            "heating": pick(draw, ["gas", "district", "oil", "heat pump"], n),
            "balcony": draw.choice(["yes", "no"], n),
            "distance_m": draw.gamma(2, 600, n).round(),
            "share": [f"{x:.1f}%" for x in draw.uniform(0, 30, n)],
            "deposit": np.where(draw.random(n) < 0.3, "", deposit),
            "rent": rent.round(),
        }
    ), "rent"


TABLES: tuple[Callable[[Draw], tuple[pd.DataFrame, str | None]], ...] = (
    patients,
    orders,
    towns,
    sensors,
    wages,
    grades,
    survey,
    machines,
    cells,
    flats,
)


def asked(frame: pd.DataFrame, label: str | None) -> tuple[list, int, int]:
    """Flagged findings, flagged cells, and questions in all."""
    table = cellval.Table.from_frame(frame.astype(str), label=label)
    values = cellval.value_cells(table, budget=20) if label else None
    now = taught(make_suspicion(table, values, surprise(table)), {})
    flagged = [one for one in now.findings if one.is_flagged]
    return flagged, sum(one.n_cells for one in flagged), len(now.findings)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--show", action="store_true", help="each false finding")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    print(f"{'':12}{'flagged findings':>18}{'flagged cells':>15}{'questions':>11}")
    totals = []
    for number, make in enumerate(TABLES):
        counts = []
        for seed in range(options.seeds):
            frame, label = make(np.random.default_rng([seed, number]))
            flagged, n_cells, n = asked(frame, label)
            counts.append((len(flagged), n_cells, n))
            for one in flagged if options.show else ():
                print(f"  {one.kind}: {one.title}. {one.evidence}"[:300])
        mean = np.mean(counts, axis=0)
        totals.append(mean)
        print(f"{make.__name__:12}{mean[0]:18.1f}{mean[1]:15.1f}{mean[2]:11.1f}")
    mean = np.mean(totals, axis=0)
    print(f"{'mean':12}{mean[0]:18.1f}{mean[1]:15.1f}{mean[2]:11.1f}")


if __name__ == "__main__":
    with printed("detection", "clean"):
        main()
