"""What the charts of `fine_tuning.xlsx` draw: ways that fit and ways that do not, in columns of their own."""

from sizebook.training.tuning import TUNING_NAMES, TUNINGS
from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY
from sizebook.workbooks.line_sheet import LineSheet

Rows = tuple[int, int]  # the first and the last of a table
Drawn = tuple[Rows, Rows]  # of memory, of the cost of GPUs
WORDS = tuple(str(name) for name in TUNING_NAMES.values())
GPUS_USD = 'IF(ISTEXT({usd.@}),"",{run_usd.@}+{evaluation_usd.@})'  # of a way


def drawn(page: LineSheet) -> Drawn:
    """Add what the charts draw of memory and of cost: ways that fit and ways that do not, a column each."""
    does_not = '="Does not fit"&IF({n_fit.full}=COUNTA({way.all})," (none)","")'

    def table(title: str, fits: str, figure: str, room: dict[str, str]) -> Rows:
        page.section(title)
        cells = [f'=IF({{fits.@}}="yes",{figure},0)', f'=IF({{fits.@}}="yes",0,{figure})', *room.values()]
        return page.table(
            ["Way", fits, does_not, *room],
            [[word, *(each.replace("@", way) for each in cells)] for word, way in zip(WORDS, TUNINGS, strict=True)],
            [styles.GENERAL, *[styles.NUMBER] * len(cells)],
        )

    return (
        table(
            "Memory of ways in the chart", "Needed, GiB", "{memory_bytes.@}/2^30", {"There is, GiB": "={usable.@}/2^30"}
        ),
        table(f"GPUs of ways in the chart, {MONEY}", "Fits", GPUS_USD, {}),
    )
