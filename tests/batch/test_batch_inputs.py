"""The scenarios of a batch from every kind of file: the same values, whatever country's spreadsheet wrote them."""

from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest
from openpyxl import Workbook

from sizebook.batch.file_names import LONGEST, file_stems
from sizebook.batch.plan_kinds import scenario_of
from sizebook.batch.scenario_grid import parse_axis
from sizebook.batch.scenario_list import ScenarioList, read_batch
from sizebook.core.errors import InputError
from sizebook.core.sections import flat
from sizebook.scenarios.dotted_keys import nested_values
from sizebook.scenarios.fleet import FleetScenario
from sizebook.scenarios.kinds import KINDS
from sizebook.scenarios.serving import ServingScenario
from tests.commands import run
from tests.refused import message_of
from tests.row_lists import listed

HEADS = ("plan", "model", "gpu", "traffic.requests_per_day", "input_tokens", "output_tokens", "pue", "whole_nodes")
SERVING = ("serving", "llama-3.1-8b", "h100-sxm", 2_500_000, 1_000, 200, 1.3, True)


def read(folder: Path, name: str, content: str | bytes) -> ScenarioList:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_batch(path)


def refusal(folder: Path, name: str, content: str | bytes) -> str:
    return message_of(InputError, read, folder, name, content)


def inputs(given: ScenarioList) -> ServingScenario:
    [row] = given.rows
    scenario = scenario_of(row.values, row.where, row.folder)
    assert isinstance(scenario, ServingScenario)
    return scenario


def assert_is_the_scenario(given: ScenarioList) -> None:
    found = inputs(given)
    assert (found.model, found.gpu) == ("llama-3.1-8b", "h100-sxm")
    traffic = found.inputs.traffic
    mean = traffic.mean_demand
    assert (traffic.requests_per_day, mean.input_tokens, mean.output_tokens) == (2.5e6, 1000, 200)
    assert found.inputs.target.margins.whole_nodes is True
    assert "1.3" in repr(found.inputs)


LINES = {
    "point": (",", ("2500000", "1000", "200", "1.3", "TRUE")),
    "german": (";", ("2.500.000", "1.000", "200", "1,3", "WAHR")),
    "swiss": (";", ("2'500'000", "1'000", "200", "1.3", "TRUE")),
    "french": (";", ("2\u202f500\u202f000", "1\u00a0000", "200", "1,3", "VRAI")),
    "words": ("\t", ("2.5M", "1e3", "2E+02", "1.3", "yes")),
}


@pytest.mark.parametrize("country", LINES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_csv_of_every_country_is_one_scenario(tmp_path: Path, country: str, encoding: str) -> None:
    sign, cells = LINES[country]
    if encoding == "cp1252" and country == "french":
        cells = tuple(cell.replace("\u202f", "\u00a0") for cell in cells)
    text = sign.join([*HEADS, "title"]) + "\r\n" + sign.join([*map(str, SERVING[:3]), *cells, '"Größe 1,5"']) + "\r\n"
    given = read(tmp_path, "s.csv", text.encode(encoding))
    assert_is_the_scenario(given)
    notes = []
    if encoding == "cp1252":
        notes.append("s.csv: no UTF-8, read as Windows-1252, which Excel writes as plain CSV")
    if country in ("german", "french"):
        notes.append(f"s.csv: decimals have a comma, as in '{cells[0] if country == 'german' else '1,3'}'")
    assert list(given.notes) == notes
    assert inputs(given).title == "Größe 1,5"


def test_a_line_that_names_the_separator_is_none_of_the_heads(tmp_path: Path) -> None:
    assert read(tmp_path, "s.csv", "sep=;\r\nmodel;dtype\r\ngpt-2;fp8\r\n").rows[0].values == {
        "model": "gpt-2",
        "dtype": "fp8",
    }
    assert refusal(tmp_path, "s.csv", "sep=|\nmodel|dtype\n") == (
        "unknown separator: got '|' in s.csv, want a comma, a semicolon or a tab. Save it so."
    )


def test_shares_and_days_as_a_spreadsheet_shows_them(tmp_path: Path) -> None:
    text = "plan;model;as_of;cache_hit_ratio;growth_per_month\nserving;gpt-2;31.12.2026;45 %;2,5%\n"
    [row] = read(tmp_path, "s.csv", text).rows
    assert (row.values["as_of"], row.values["cache_hit_ratio"], row.values["growth_per_month"]) == (
        "2026-12-31", "0.45", "0.025",
    )  # fmt: skip


@pytest.mark.parametrize(*listed("batch", "test_numbers_that_mean_two_things_are_refused"))
def test_numbers_that_mean_two_things_are_refused(tmp_path: Path, cells: list[str], message: str) -> None:
    text = f"plan;model;requests_per_day;pue\nserving;gpt-2;{cells[0]};{cells[1]}\n"
    assert refusal(tmp_path, "s.csv", text) == message


@pytest.mark.parametrize(*listed("batch", "test_decimals_with_the_declared_comma_are_read_once"))
def test_decimals_with_the_declared_comma_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, cell: str, value: float
) -> None:
    monkeypatch.setenv("SIZEBOOK_DECIMAL", ",")
    given = {"plan": "serving", "model": "gpt-2-small", "requests_per_day": "10", "input_tokens": "10",
             "output_tokens": "10", key: cell}  # fmt: skip
    text = ";".join(given) + "\n" + ";".join(given.values()) + "\n"
    assert flat(inputs(read(tmp_path, "s.csv", text)).inputs)[key] == value


def test_heads_that_differ_by_blanks_alone_are_one(tmp_path: Path) -> None:
    assert message_of(InputError, read, tmp_path, "s.csv", "model;model \ngpt-2-small;mistral-7b-v0.1\n").startswith(
        "column given twice: got model more than once in s.csv"
    )


def test_a_worksheet_a_parquet_table_and_lists_say_the_same(tmp_path: Path) -> None:
    book = Workbook()
    book.worksheets[0].append(HEADS)
    book.worksheets[0].append(SERVING)
    book.save(tmp_path / "s.xlsx")
    pl.DataFrame([dict(zip(HEADS, SERVING, strict=True))]).write_parquet(tmp_path / "s.parquet")
    for name in ("s.xlsx", "s.parquet"):
        assert_is_the_scenario(read_batch(tmp_path / name))
    lines = ["plan: serving", "model: llama-3.1-8b", "gpu: h100-sxm", "traffic: {requests_per_day: 2.5M}",
             "input_tokens: 1e3", "output_tokens: 200", "pue: 1.3", "whole_nodes: true"]  # fmt: skip
    assert_is_the_scenario(read(tmp_path, "s.yaml", "- " + "\n  ".join(lines)))
    assert_is_the_scenario(read(tmp_path, "s.yml", "scenario:\n  - " + "\n    ".join(lines)))


def test_a_day_is_the_same_text_from_every_kind_of_table(tmp_path: Path) -> None:
    """Of a worksheet it came with a midnight, which the record's own scenario could not be read with again."""
    book = Workbook()
    for row in (["model", "as_of"], ["gpt-2-small", datetime(2026, 3, 1)]):
        book.worksheets[0].append(row)
    book.save(tmp_path / "s.xlsx")
    (tmp_path / "s.toml").write_text('[[scenario]]\nmodel = "gpt-2-small"\nas_of = 2026-03-01\n')
    (tmp_path / "s.yaml").write_text("- model: gpt-2-small\n  as_of: 2026-03-01\n")
    for name in ("s.xlsx", "s.toml", "s.yaml"):
        [given] = read_batch(tmp_path / name).rows
        assert given.values == {"model": "gpt-2-small", "as_of": "2026-03-01"}
        assert scenario_of(given.values, given.where, tmp_path).as_of == date(2026, 3, 1)


def test_a_row_says_the_services_of_a_fleet(tmp_path: Path) -> None:
    row: dict[str, object] = {"plan": "fleet", "burst_hours": 12}
    for number, tokens in ((1, 100), (2, 300)):
        service = {"name": f"S{number}", "model": "gpt-2", "gpu": "l4", "requests_per_day": 10,
                   "input_tokens": tokens, "output_tokens": 10}  # fmt: skip
        row |= {f"service.{number}.{key}": value for key, value in service.items()}
    pl.DataFrame([row]).write_csv(tmp_path / "s.csv")
    [given] = read_batch(tmp_path / "s.csv").rows
    found = scenario_of(given.values, given.where, tmp_path)
    assert isinstance(found, FleetScenario)
    assert [each.traffic.demand.input_tokens for each in found.inputs.service] == [100, 300]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a..b": 1}, "s: bad name: got 'a..b', want names such as traffic.requests_per_day or service.1.model. "
         "Correct it."),
        ({"a": 1, "a.b": 2}, "s: value and table: got a as both, want a or a.b. Remove one column."),
        ({"a.b": 2, "a": 1}, "s: value and table: got a as both or twice, want it once. Remove one column."),
        ({"a.1": 2, "a.3": 1}, "s: gap in a: got a.1, a.3, want a.1, a.2 and so on. Number them without a gap."),
        ({".".join("a" * 101): 1}, "s: nested too deep: got 101 parts, want at most 100. If you "
         "trust the file, raise the limit: --limit depth=N, or SIZEBOOK_LIMITS=depth=N."),
    ],
)  # fmt: skip
def test_names_with_dots_that_say_no_table_are_refused(values: dict[str, object], message: str) -> None:
    assert message_of(InputError, nested_values, values, "s") == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: " + "[" * 200, "nested too deep: got more than 100 levels in s.yaml, want at most 100. If you trust the "
         "file, raise the limit: --limit depth=N, or SIZEBOOK_LIMITS=depth=N."),
        ("a: " + "9" * 400, "number too long: got 400 digits in s.yaml, want at most 309. Correct it."),
        ("- gpt-2", "not a scenario: got 'gpt-2' as number 1 of s.yaml, want keys and values. Correct it."),
        ("model: gpt-2", "not a list: got model in s.yaml, want a list of scenarios only. Write - before the first key "
         "of each, or give --grid to vary one scenario."),
    ],
)  # fmt: skip
def test_yaml_is_plain_data_within_limits(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path, "s.yaml", text) == message


def test_a_yaml_key_that_stands_twice_is_refused_and_no_is_a_text(tmp_path: Path) -> None:
    assert 'found duplicate key "model"' in refusal(tmp_path, "s.yaml", "- model: a\n  model: b\n")
    [row] = read(tmp_path, "s.yaml", "- model: gpt-2\n  grid: no\n  x: &x [1, 2]\n  y: *x\n").rows
    assert row.values == {"model": "gpt-2", "grid": "no", "x": [1, 2], "y": [1, 2]}


def test_more_scenarios_than_the_limit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEBOOK_LIMITS", "scenarios=2")
    end = "If you trust the file, raise the limit: --limit scenarios=N, or SIZEBOOK_LIMITS=scenarios=N."
    for name in ("s.csv", "s.parquet", "s.xlsx"):
        frame = pl.DataFrame({"model": ["gpt-2"] * 9})
        if name == "s.csv":
            frame.write_csv(tmp_path / name)
        elif name == "s.parquet":
            frame.write_parquet(tmp_path / name)
        else:
            book = Workbook()
            for line in (["model"], *([["gpt-2"]] * 9)):
                book.worksheets[0].append(line)
            book.save(tmp_path / name)
        assert (
            message_of(InputError, read_batch, tmp_path / name)
            == f"too large: got 3 or more scenarios in {name}, want at most 2. {end}"
        )
    path = tmp_path / "s.toml"
    path.write_text('model = "gpt-2"\n')
    assert (
        message_of(InputError, lambda: read_batch(path, [parse_axis("dtype=fp8,int8,bf16")]))
        == f"too large: got 3 points of the grid, want at most 2. {end}"
    )


def test_titles_become_names_that_every_system_takes() -> None:
    titles = ["Größe / São Paulo: 1.5×", "größe/são paulo 1.5", "CON", "..", "x" * 300, "index", "預算"]
    found = list(file_stems([{"title": title, "model": "m"} for title in titles] + [{"plan": "fleet"}]))
    assert found == ["Größe-São-Paulo-1.5", "größe-são-paulo-1.5-2", "CON-scenario", "scenario", "x" * LONGEST,
                     "index-6", "預算", "fleet"]  # fmt: skip


@pytest.mark.parametrize(*listed("batch", "test_a_key_in_the_wrong_table_says_where_it_belongs"))
def test_a_key_in_the_wrong_table_says_where_it_belongs(values: dict[str, object], message: str) -> None:
    given = {"plan": "serving", "model": "gpt-2", "requests_per_day": 1, "input_tokens": 1, "output_tokens": 1} | values
    assert message_of(InputError, lambda: scenario_of(given, "s", Path())) == message


def test_a_key_of_a_fleet_says_whose_it_is() -> None:
    with pytest.raises(InputError) as refused:
        scenario_of({"plan": "fleet", "requests_per_day": 1, "service": [{"burst_hours": 3}]}, "s", Path())
    said = str(refused.value).splitlines()
    assert said[0] == "s: key in the wrong table: got 'requests_per_day', want it under [[service]]. Move it."
    assert said[1] == (
        "s: service 1: key in the wrong table: got 'burst_hours', want it at the top of the scenario. Move it."
    )


def test_what_was_taken_for_granted_is_said_aloud(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("model;published_total\nno-such;1.234.567,0\n")
    done = run("batch", path, "-o", tmp_path / "out", "--jobs", "1")
    assert "sizebook: note: s.csv: decimals have a comma, as in '1.234.567,0'" in done.output
    assert set(KINDS) == {"sizing", "training", "serving", "fleet", "programme"}
