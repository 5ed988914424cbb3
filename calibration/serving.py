"""Fits the scheduling of the serving-time model on measured rows and writes it with its errors to src/sizebook/data.

Run `python calibration/serving.py FOLDER` from the root of the repository, where FOLDER holds `serving_measured*.csv`
(TTFT and TPOT of running servers, columns as in aiconfigurator's silicon_sample.csv) and `serving_flags.csv` (what is
wrong with which row). Needs NumPy. The kernels' times are no part of the fit: `kernels.py` takes them from measured
kernels. `serving_fit.py` holds the fit.

The table does not say which runs speculated, nor the format of their cache: `serving_recipes.csv` does, from the public
scripts that ran them, and `serving_settings.csv` the settings of engines that hold new requests back or bound a pass.
Variants are chosen anew in nested folds (`serving_nested.py`), whose error is the one to quote.
"""

from pathlib import Path

from command import parser
from serving_fit import fit, most_served, part, read_rows
from serving_folds import folds_of
from serving_nested import nested
from serving_recipes import read_recipes
from serving_sources import published_of
from serving_tables import write_all


def main() -> None:
    """Fit, cross-validate, write the tables and print what was reached."""
    asked = parser(__doc__)
    asked.add_argument("folder", type=Path)
    folder = asked.parse_args().folder
    rows, problems = read_rows(folder, read_recipes())
    bare, _ = read_rows(folder, read_recipes(), told=True)
    for problem, times in problems.items():
        print(f"left out {times} rows: {problem}")
    blank, _ = read_rows(folder, read_recipes(), own=True)
    usable, told, own = (part(each, rows.usable) for each in (rows, bare, blank))
    theta = fit(usable)
    problems["more in flight than the cache holds by our count"] = int((~rows.usable).sum()) - problems["impossible"]
    published = published_of(theta, set(usable.combination))
    folds = folds_of(usable, told, theta, own, nested=nested(usable, told), published=published)
    write_all(theta, usable, folds, problems, most_served(rows))


if __name__ == "__main__":
    main()
