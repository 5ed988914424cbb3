"""The catalog's facts: every row sourced, dimensions as in the published configs, the dashboard covered."""

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sizebook.core.tables import by_key, table
from sizebook.models import catalog
from sizebook.models.architecture import Architecture
from sizebook.models.searching import facts_of, unread_again
from tests.csv_files import rows_of

NUMBERS = (
    "context_length",
    "vocabulary",
    "training_tokens",
    "gpu_hours",
    "gpu_watts",
    "energy_mwh",
    "tco2e",
    "experts",
    "experts_per_token",
    "shared_experts",
    "checkpoint_total",
    "explained_parameters",
)


def test_two_hundred_models_each_with_source_and_date() -> None:
    rows = table("models")
    assert len(rows) >= 200
    for row in (*rows, *table("architectures"), *table("activations")):
        assert row["source"], row
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["retrieved"]), row


def test_docs_say_how_many_rows_were_read_again() -> None:
    page = (Path(__file__).parents[3] / "docs" / "catalog.md").read_text(encoding="utf-8")
    rows, read = table("models"), {line["key"] for line in table("model_readings")}
    assert f"{len(read)} of the {len(rows)} rows have a line" in page
    assert f"the other {len(rows) - len(read)} rows have none" in page
    assert f"every fact was read so: {sum(not unread_again(row) for row in rows)} (" in page


def test_readings_name_facts_that_their_rows_hold() -> None:
    rows = by_key("models", "key")
    for line in table("model_readings"):
        assert set(line["facts"].split()) <= set(facts_of(rows[line["key"]])), line
        assert line["source"] and re.fullmatch(r"\d{4}-\d\d-\d\d", line["retrieved"]), line


def test_what_the_published_files_state_is_what_the_table_holds(shared: Path, readings: ModuleType) -> None:
    """Every fact is read again from config.json and checkpoint; what agrees is in the table of readings."""
    read = [*readings.from_configs(shared / "configs" / "real"), *readings.from_totals(shared / "truth" / "params.csv")]
    wrong = [r for r in read if r.held != r.said]
    assert len(read) > 900
    assert [r for r in wrong if r.fact not in readings.MAY_DIFFER] == []
    assert len(wrong) < 45
    assert readings.merged(read, "2026-11-22") == list(table("model_readings"))


def test_cells_hold_what_their_column_says() -> None:
    for row in table("models"):
        assert re.fullmatch(r"[a-z0-9][a-z0-9.\-]*", row["key"])
        assert re.fullmatch(r"(\d{4}-\d\d(-\d\d)?)?", row["release_date"]), row["key"]
        assert all(float(row[column]) is not None for column in NUMBERS if row[column])
        assert row["link"].startswith("https://"), row["key"]
        assert not row["native_dtype"] or row["native_dtype"] in by_key("dtypes", "dtype"), row["key"]
        assert not row["activation"] or row["activation"] in by_key("activations", "activation"), row["key"]


def test_every_architecture_is_used_and_every_reference_resolves() -> None:
    used = {row["architecture"] for row in table("models")} - {""}
    assert used == set(by_key("architectures", "architecture"))


@pytest.mark.parametrize("key", [row["key"] for row in table("models") if row["architecture"]])
def test_columns_agree_with_the_architecture(key: str, readings: ModuleType) -> None:
    row, architecture = catalog.facts(key), catalog.architecture(key)
    assert int(row["vocabulary"]) == architecture.vocab
    assert row["attention"].partition(" + ")[0] in readings.kinds_of_attention(architecture), row["attention"]
    if key not in WINDOW_NOT_DESCRIBED:
        named = "sliding window" in row["attention"] or "chunked" in row["attention"]
        assert named == sees_a_window(architecture, key), row["attention"]
    experts = {
        (brick.n_experts, brick.top_k)
        for layer in architecture.layers
        for brick in layer.bricks
        if getattr(brick, "n_experts", 0)
    }
    assert experts == ({(int(row["experts"]), int(row["experts_per_token"]))} if row["experts"] else set())


# Its mapping follows a class of transformers that has no windows.
WINDOW_NOT_DESCRIBED = {"step-3.7-flash"}


def sees_a_window(described: Architecture, key: str) -> bool:
    context = float(catalog.facts(key)["context_length"] or "inf")  # of an unknown length every window is shorter
    bricks = (brick for layer in described.layers for brick in layer.bricks)
    windows = {getattr(brick, "window", None) for brick in bricks if type(brick).__name__ != "SharedKeyAttention"}
    return any(window is not None and window < context for window in windows)


def test_the_dashboard_is_covered(shared: Path) -> None:
    models = rows_of(shared / "truth" / "dashboard_models.csv")
    names = [row["model"] for row in models]
    assert len(names) >= 64
    for name in names:
        catalog.resolve(name)


def test_models_are_found_by_the_names_of_the_serving_measurements(shared: Path) -> None:
    paths = {row["model_path"] for row in rows_of(shared / "truth" / "serving_measured.csv")}
    assert {catalog.resolve(path) for path in paths} >= {"deepseek-r1", "qwen3-32b", "glm-5", "kimi-k2.5"}


def flattened(config: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in config.items():
        flat |= flattened(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def test_dimensions_match_the_published_configs(shared: Path) -> None:
    """Every key that the catalog keeps of a real config.json has the value of that file."""
    compared = 0
    for row in table("architectures"):
        repository = re.search(r"config\.json of (\S+) \(", row["source"])
        path = shared / "configs" / "real" / f"{repository[1].replace('/', '__')}.json" if repository else None
        if path is None or not path.is_file():
            continue
        published = flattened(json.loads(path.read_text(encoding="utf-8")))
        ours = flattened(json.loads(row["config"]))
        wrong = {key: (value, published.get(key)) for key, value in ours.items() if published.get(key, value) != value}
        assert wrong == {}, row["architecture"]
        compared += 1
    assert compared >= 150
