"""Own models: a CSV file, a config.json, and what is refused of them."""

import json
from importlib import resources
from pathlib import Path

import pytest

from sizebook.core.errors import SizebookError
from sizebook.dashboard.html_page import page_html
from sizebook.dashboard.model_columns import BY_NAME, column_formula
from sizebook.dashboard.own_models import model_of_config, models_of_table, refuse_repeated
from sizebook.dashboard.page_data import PLACE, first_data
from tests.refused import message_of
from tests.row_lists import listed

CONFIG = resources.files("sizebook") / "data" / "sample_config.json"


def table(folder: Path, text: str) -> Path:
    path = folder / "my.csv"
    path.write_text(text, encoding="utf-8")
    return path


def config(folder: Path) -> Path:
    path = folder / "small" / "config.json"
    path.parent.mkdir()
    path.write_text(CONFIG.read_text(encoding="utf-8"), encoding="utf-8")
    return path


def test_a_config_is_counted(tmp_path: Path) -> None:
    path = config(tmp_path)
    model = model_of_config(path.parent)
    # As CONFIG_PARAMS of the sample says in the reference.
    assert (model.key, model.own, model.values["total"], model.size) == ("own:small", True, 1_043_584, 1_043_584)
    assert column_formula(BY_NAME["total"], PLACE).replace(PLACE, model.asks) == f'=PARAMS_MODEL("{path.resolve()}")'
    assert sum(n for _, n, _, _ in model.card["parts"]) == 1_043_584


def test_a_table_states_what_no_config_says(tmp_path: Path) -> None:
    config(tmp_path)
    path = table(
        tmp_path,
        "name,config,published_total,release_date,training_tokens,licence,d_model,d_ff,activation\n"
        "Ours,small/config.json,1.04M,2026-10,2B,internal,,,\n"
        "Planned,,7B,2027-01-15,1.4e12,,4096,11008,SwiGLU\n",
    )
    (ours, planned), _ = models_of_table(path)
    assert (ours.values["total"], ours.values["licence"], ours.values["status"]) == (
        1_043_584,
        "internal",
        "rounds to it",
    )
    assert ours.values["tokens_per_parameter"] == 2e9 / 1_043_584
    assert ours.values["difference"] == pytest.approx(3_584 / 1_040_000)
    assert (planned.size, planned.values["total"], planned.values["ff_ratio"]) == (7_000_000_000, None, 2.6875)
    assert planned.values["training_tokens"] == 1_400_000_000_000
    assert planned.card["activation_formula"] == "SiLU(x W) * (x V)"
    assert planned.asks == ""


@pytest.mark.parametrize(*listed("dashboard", "test_rows_are_refused_by_their_place"))
def test_rows_are_refused_by_their_place(tmp_path: Path, text: str, message: str) -> None:
    assert message_of(SizebookError, lambda: models_of_table(table(tmp_path, text))) == message


def test_a_table_of_another_country_is_understood(tmp_path: Path) -> None:
    """As a German Excel saves it: semicolons, decimal commas, points in days, Windows-1252."""
    path = tmp_path / "my.csv"
    path.write_bytes(
        "# Entwürfe\nname;published_total;release_date;training_tokens;energy_mwh;d_model;note\n"
        "Größer;7,2B;15.1.2027;1,4e12;1.234,5;4096;a, b\n".encode("cp1252")
    )
    (model,), notes = models_of_table(path)
    assert (model.name, model.size, model.card["note"]) == ("Größer", 7_200_000_000, "a, b")
    shown = {name: model.values[name] for name in ("release_date", "training_tokens", "energy_mwh", "d_model")}
    assert shown == {
        "release_date": "2027-01-15", "training_tokens": 1_400_000_000_000, "energy_mwh": 1234.5, "d_model": 4096,
    }  # fmt: skip
    assert notes == (
        "my.csv: no UTF-8, read as Windows-1252, which Excel writes as plain CSV",
        "my.csv: decimals have a comma, as in '7,2B'",
    )


@pytest.mark.parametrize(*listed("dashboard", "test_tables_of_another_kind_are_refused"))
def test_tables_of_another_kind_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert message_of(SizebookError, models_of_table, tmp_path / name).startswith(message)


def test_a_column_that_nobody_reads_is_refused(tmp_path: Path) -> None:
    assert message_of(SizebookError, lambda: models_of_table(table(tmp_path, "name,n_layer\nOurs,3\n"))).startswith(
        "unknown column: got 'n_layer', want 'n_layers', or one of "
    )


def test_two_models_of_one_name_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "name\nOurs\nOurs\n")
    with pytest.raises(SizebookError, match=r"^name given twice: got 'Ours' again, want each once. Rename one.$"):
        refuse_repeated(models_of_table(path)[0])


def test_no_text_of_a_model_ends_the_script(tmp_path: Path) -> None:
    """The data stand inside a script; what they hold must come out of it as it went in."""
    models, _ = models_of_table(table(tmp_path, 'name,note\n"</script><script>alert(1)</script><!--",x\n'))
    page = page_html(models)
    held = page.partition('<script id="first" type="application/json">')[2].partition("</script>")[0]
    assert json.loads(held) == json.loads(json.dumps(first_data(models)))
    assert "<script>alert" not in page
