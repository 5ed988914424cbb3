"""The result sheet of `fleet_plan.xlsx`: the figures to hand on, on one page, and what each service takes."""

from fleet_plan_inputs import SERVICES
from fleet_plan_months import CEILINGS, LARGEST

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.cost_ranges import share_said
from sizebook.workbooks.finance import course_said, is_unchanged, months_table, months_tiles
from sizebook.workbooks.gpu_hour_lines import CONTRACTS_WAIT
from sizebook.workbooks.line_sheet import LineSheet, new_sheet, result_sheet
from sizebook.workbooks.print_marks import fold_blank
from sizebook.workbooks.text_formulas import (
    count_text,
    count_with_unit,
    digits_of_both,
    distinct_texts,
    money_text,
    part,
    range_text,
)


def result(book: Book) -> None:
    """Add the sheets."""
    page = result_sheet(
        book,
        "Result",
        "The figures to hand on; ranges hold eight of ten measurements.",
        (13, *[13.5] * 6),
        chart_rows=12,
    )
    page.banner()
    page.paragraph(page.resolve("={unlisted}"), "Banner")
    page.paragraph(page.resolve(CONTRACTS_WAIT.format(hold="MIN({contracts_hold.all})")), "Banner")
    share = share_said("{price_share.total}")
    page.paragraph(page.resolve(f'="Prices of GPU-hours and their basis stand on Services. "&{share}'))
    _messages(page)
    _tiles(page)
    ranks = ",".join(is_unchanged(f"rank_gpus_{of}") for of in (*range(1, LARGEST + 1), "others"))
    same = 'IF({months}=1,"one month","the same in every month")&", so no chart"'
    gpus_chart, kw_chart = (
        page.room_for_chart(f'=IF({unchanged},"{of}: "&{same},"")')
        for unchanged, of in ((part(f"AND({ranks})"), "GPUs of replicas"), (is_unchanged("site_kw"), "Power"))
    )
    page.finish()
    rows = _months(book)
    page.chart(
        Chart(
            "stacked",
            "{gpus_message}",
            "GPUs of replicas at peak",
            styles.WHOLE,
            rows,
            "EFGHIJ",
            limits="K",
            of_sheet="Charts",
        ),
        at=gpus_chart,
    )
    page.chart(
        Chart(
            "columns", "{kw_message}", "kW, cooling included", styles.WHOLE, rows, "C", limits="D", of_sheet="Charts"
        ),
        at=kw_chart,
    )


def _months(book: Book) -> tuple[int, int]:
    """Add the sheet of what the charts draw; return its rows."""
    page = new_sheet(
        book,
        "Charts",
        "The months that Result draws.",
        ("",) * 8,
        (22, *[15] * 9),
    )
    page.section("Power; GPUs of replicas at peak, the largest services")
    others = '=IF(SUM({rank_gpus_others.all})=0,"","Others")'
    first, last = months_table(
        page,
        {
            "site_kw": "Power, kW",
            "kw_shown": _ceiling("kw", "Power, kW"),
            **{f"rank_gpus_{at}": f"={{rank_name.{at}}}" for at in range(1, LARGEST + 1)},
            "rank_gpus_others": others,
            "gpu_shown": _ceiling("gpu", "GPUs paid for"),
        },
    )
    page.finish()
    fold_blank(page.sheet, f"$E${first - 1}:$J${first - 1}")
    return first, last


def texts(page: LineSheet) -> None:
    """Add what sentences of Result are made of: amounts as texts, the first month beyond a ceiling."""
    page.section("Cost as text")
    for end, said in (("", "all months"), ("_least", "least"), ("_most", "most")):
        page.constant(f"said{end}", f"Cost, {said}", f"={{usd{end}.total}}", MONEY, "Months", styles.WHOLE)
        _text(page, f"said{end}_text", "As text", f"={money_text(f'{{said{end}}}')}")
    course = course_said("peak_gpus", count_text, " GPUs at peak")
    _text(page, "gpus_message", "GPUs by month", f'={course}&", the most for "&{{rank_name.1}}')
    page.section("First month beyond a ceiling")
    for ceiling in CEILINGS:
        _beyond(page, *ceiling)
    _text(page, "digits_most_kw", "Decimals of power at most", f"={digits_of_both('{site_kw.total}', _given('kw'))}")


def _text(page: LineSheet, key: str, label: str, formula: str) -> None:
    page.constant(key, label, formula, "", "As above", styles.GENERAL)


def _beyond(page: LineSheet, name: str, figure: str, unit: str) -> None:
    """Add the first month in which a figure exceeds its ceiling, and what is said of it."""
    over, first, day, most = f"{{over_{name}.total}}", f"{{first_{name}}}", f"{{day_{name}}}", f"{{then_{name}}}"
    for key, label, formula, shown, none in (
        ("first", f"First with more {unit} than there are", f"MATCH(1,{{is_over_{name}.all}},0)", styles.WHOLE, "0"),
        ("day", "It starts on", f"INDEX({{starts.all}},{first})", styles.DATE, '""'),
        ("then", f"Then, {unit}", f"INDEX({{{figure}.all}},{first})", styles.NUMBER, "0"),
    ):
        where = "Months; 0 or blank where none is"
        page.constant(f"{key}_{name}", label, f"=IF({over}=0,{none},{formula})", "", where, shown)
    _text(page, f"digits_{name}", "Decimals that both need", f"={digits_of_both(most, _given(name))}")
    figures = distinct_texts(most, _given(name), f"{{digits_{name}}}")
    month = f'YEAR({day})&"-"&IF(MONTH({day})<10,"0","")&MONTH({day})'  # TEXT reads its format in the reader's language
    said = f'"From "&{month}&" on "&{figures[0]}&" {unit}, more than the "&{figures[1]}&" that there are. "'
    _text(page, f"beyond_{name}", "As text", f'=IF({first}=0,"",{said})')


def _given(name: str) -> str:
    return f"{{{name}_ceiling}}"


def _ceiling(name: str, instead: str) -> str:
    """Return the formula of what the line of a chart is called: the ceiling, or what it follows where none is given."""
    said = "Ceiling, kW" if name == "kw" else "Ceiling, GPUs"
    return f'=IF({{{name}_ceiling}}="","{instead}: no ceiling","{said}")'


def _messages(page: LineSheet) -> None:
    """Say in three lines what the fleet costs, how it grows, and whether the ceilings hold."""
    last = {name: part(f"INDEX({{{name}.all}},{{months}})") for name in ("nodes", "racks")}
    total = f'={{said_text}}&" over "&{count_with_unit("{months}", "month")}&" ("'
    page.statement("cost_message", "Cost", f'{total}&{{said_least_text}}&" to "&{{said_most_text}}&")"', "Months")
    page.statement(
        "fleet_message",
        "Fleet",
        f'={{gpus_message}}&"; in the last month on "'
        f'&{count_with_unit(last["nodes"], "node")}&" in "&{count_with_unit(last["racks"], "rack")}',
        "Months",
    )
    over = "&".join(f"{{beyond_{name}}}" for name, *_ in CEILINGS)
    given = "COUNT({gpu_ceiling},{rack_ceiling},{kw_ceiling})"
    none = 'IF({over_gpu.total}+{over_rack.total}+{over_kw.total}=0,"Within every ceiling that is given.","")'
    page.statement("ceiling_message", "Ceilings", f'=IF({given}=0,"No ceiling is given.",{none}&{over})', "Months")
    power, ceiling = distinct_texts("{site_kw.total}", "{kw_ceiling}", "{digits_most_kw}")
    page.statement(
        "kw_message",
        "Power",
        f'=IF({{kw_ceiling}}="",{count_text("{site_kw.total}")}&" kW at most",{power}&" kW at most '
        f'against a ceiling of "&{ceiling})',
        "Months",
    )


def _tiles(page: LineSheet) -> None:
    def last(name: str) -> str:
        return f"INDEX({{{name}.all}},{{months}})"

    page.tiles(
        [
            (
                f'="{MONEY}, all "&{count_with_unit("{months}", "month")}',
                "={usd.total}",
                styles.WHOLE,
                range_text("{usd_least.total}", "{usd_most.total}"),
            ),
            *months_tiles("peak_gpus", "GPUs at peak", "fewest most", styles.WHOLE, count_text),
            ("Power to provide, kW", "={site_kw.total}", styles.WHOLE, "at most, cooling included"),
            ("Racks", "={racks.total}", styles.WHOLE, f'={count_with_unit("{nodes.total}", "node")}&" at most"'),
            ("Nodes that sharing saves", "=SUM({own_nodes.all})-SUM({nodes.all})", styles.WHOLE, "node-months"),
        ]
    )
    page.tiles(
        [
            (f'="{MONEY}, month "&{{months}}', f"={last('usd')}", styles.WHOLE, ""),
            ("Reserved, share of cost", "=IF({usd.total}=0,0,{reserved_usd.total}/{usd.total})", styles.PERCENT, ""),
            ("Energy, MWh", "={energy_kwh.total}/{thousand}", styles.WHOLE, "all months"),
            ("CO2e, tonnes", "={co2e_kg.total}/{thousand}", styles.WHOLE, "location-based"),
            ("Services", '=COUNTIF({model.all},"?*")', styles.WHOLE, ""),
            ("Months", "={months}", styles.WHOLE, ""),
        ]
    )


def by_service(page: LineSheet) -> int:
    """Add what each service takes and costs to the sheet of totals; return how many of its columns that takes."""
    page.part(
        "By service",
        "What each service takes and costs, in the scenario of the cover. "
        "The first of those that buy together signs for all.",
    )
    page.section("Services")
    last = "INDEX({{{}_@.all}},{{months}})"
    columns = (
        ("Accelerator", "{gpu.@}", styles.GENERAL),
        ("GPUs each", "{gpus_each.@}", styles.WHOLE),
        ("Requests/s", "{rate.@}", styles.RATE),
        ("GPUs, month 1", "{peak_@.1}*{gpus_each.@}", styles.WHOLE),
        ("GPUs, last month", last.format("peak") + "*{gpus_each.@}", styles.WHOLE),
        ("GPUs, at most", "{peak_@.total}*{gpus_each.@}", styles.WHOLE),
        ("To sign, month 1", "{signed_1y_gpus_@.1}+{signed_3y_gpus_@.1}", styles.WHOLE),
        ("To sign, in all", "{signed_1y_gpus_@.total}+{signed_3y_gpus_@.total}", styles.WHOLE),
        (f"{MONEY}, last month", last.format("part_usd"), styles.WHOLE),
        (f"{MONEY}, all months", "{part_usd_@.total}", styles.WHOLE),
    )
    top, bottom = page.table(
        ["Service", *(head for head, *_ in columns)],
        [
            [
                f"={{shown.{at}}}",
                *(f'=IF({{model.{at}}}="","",{formula.replace("@", at)})' for _, formula, _ in columns),
            ]
            for at in SERVICES
        ],
        [styles.GENERAL, *(shown for *_, shown in columns)],
        blanks=True,
    )
    page.wrap_heads(top - 1, len(columns))
    fold_blank(page.sheet, f"$B${top}:$B${bottom}")
    return 1 + len(columns)
