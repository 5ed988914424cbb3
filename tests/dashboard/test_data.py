"""What the page shows is what the functions and `sizebook models` say."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sizebook.cli.models import list_models
from sizebook.core.expression import parse
from sizebook.dashboard.catalog_models import Model
from sizebook.dashboard.features import FEATURES
from sizebook.dashboard.model_columns import BY_NAME, COLUMNS, column_formula
from sizebook.dashboard.scatter_charts import CHARTS, specification
from sizebook.models import catalog
from tests.csv_files import rows_of

# The columns of the dashboard that the first seed describes, and those of ours that hold them.
OF_THE_SEED = {
    "model": "name", "release_date": "release_date", "context_length": "context_length",
    "vocabulary_size": "vocabulary", "nb_parameters": "published_total",
    "nb_layers": "n_layers", "nb_dimensions": "d_model", "nb_heads": "n_heads",
    "nb_ffn_layers": "d_ff", "nb_tokens": "training_tokens", "gqa": "n_kv_heads", "activation": "activation",
    "hardware": "hardware", "gpu_hours": "gpu_hours", "gpu_power": "gpu_watts", "tco2eq": "tco2e",
    "total_mwh": "energy_mwh",
}  # fmt: skip


def test_the_page_says_what_the_command_says(models: dict[str, Model]) -> None:
    printed = json.loads(CliRunner().invoke(list_models, ["--json"]).stdout)
    newest_first = sorted(printed, key=lambda entry: entry["release_date"] or "", reverse=True)
    assert [entry["key"] for entry in newest_first] == list(models)
    same = {"total", "active", "status", *(c.name for c in COLUMNS if c.name in printed[0])} - {"difference"}
    for entry in printed:
        values = models[entry["key"]].values
        assert {name: values[name] for name in same} == {name: entry[name] for name in same}
        assert models[entry["key"]].card.get("off") == entry["difference"]


def test_figures_that_follow_from_others(models: dict[str, Model]) -> None:
    """Llama-3.1-8B by hand: 14,336 / 4,096; 15e12 / 8,030,261,248; 32 layers x 2 x 8 heads x 128 x 2 bytes."""
    values = models["llama-3.1-8b"].values
    assert values["ff_ratio"] == 3.5
    assert values["tokens_per_parameter"] == pytest.approx(1867.93, abs=0.01)
    assert values["cache_per_token"] == 131_072
    # Mistral-7B v0.1 sees 4,096 tokens: of 8,192 it keeps half.
    assert models["mistral-7b"].values["cache_per_token"] == 65_536
    # An encoder keeps none, which is no zero to be drawn.
    assert models["bert-base"].values["cache_per_token"] is None


def test_a_formula_gives_the_value_beside_it() -> None:
    shown = {name: column_formula(BY_NAME[name], "gpt-2") for name in ("total", "n_layers", "ff_ratio", "difference")}
    assert shown == {
        "total": '=PARAMS_MODEL("gpt-2")',
        "n_layers": '=MODEL_SPEC("gpt-2","n_layers")',
        "ff_ratio": '=MODEL_SPEC("gpt-2","d_ff")/MODEL_SPEC("gpt-2","d_model")',
        "difference": "",
    }
    assert column_formula(BY_NAME["cache_per_token"], "gpt-2") == '=KV_CACHE_BYTES("gpt-2",8192)/8192'
    assert column_formula(BY_NAME["tokens_per_parameter"], "gpt-2") == (
        '=MODEL_SPEC("gpt-2","training_tokens")/PARAMS_MODEL("gpt-2")'
    )


def test_derivations_add_up_to_the_count(models: dict[str, Model]) -> None:
    for model in models.values():
        parts = model.card.get("parts", [])
        assert sum(n for _, n, _, _ in parts) == (model.values["total"] or 0)
        for label, n, _, derivation in parts:
            assert parse(derivation).evaluate({}) == n, (model.key, label)


def test_models_without_dimensions_keep_their_size_as_stated(models: dict[str, Model]) -> None:
    nano = models["gemini-1.0-nano-2"]
    assert (nano.values["total"], nano.values["published_total"], nano.size) == (None, "3.25B", 3_250_000_000)
    assert nano.features == ()


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("gpt-2", {"multi-head", "tied embedding"}),
        ("mixtral-8x7b", {"grouped heads", "experts", "gated feed-forward"}),
        ("bert-base", {"multi-head", "bidirectional", "tied embedding"}),
        (
            "deepseek-v3",
            {"latent attention", "experts", "shared experts", "gated feed-forward", "prediction layers"},
        ),
    ],
)
def test_features_are_those_of_the_papers(models: dict[str, Model], key: str, shown: set[str]) -> None:
    assert set(models[key].features) == shown


def test_every_feature_tells_models_apart(models: dict[str, Model]) -> None:
    for feature in FEATURES:
        assert 0 < sum(feature in model.features for model in models.values()) < len(models), feature


def test_every_chart_draws_columns_of_the_page() -> None:
    fields = {*BY_NAME, "size"}
    assert {axis.field for chart in CHARTS for axis in (chart.x, chart.y)} <= fields
    for chart in CHARTS:
        drawn = specification(chart)["layer"][-1]["encoding"]
        assert (drawn["x"]["field"], drawn["y"]["field"]) == (chart.x.field, chart.y.field)


def test_the_columns_of_the_first_dashboard_are_all_there(models: dict[str, Model], shared: Path) -> None:
    rows = rows_of(shared / "truth" / "dashboard_models.csv")
    assert set(rows[0]) == set(OF_THE_SEED)
    assert set(OF_THE_SEED.values()) <= {"name", *BY_NAME}
    missing = {}
    for row in rows:
        values = models[catalog.resolve(row["model"])].values
        stated = {OF_THE_SEED[name] for name, cell in row.items() if cell and name != "model"}
        if lacking := {name for name in stated if values[name] is None}:
            missing[row["model"]] = lacking
    # Its publisher states no tokens; the dashboard names no source for the 8T that it shows.
    assert missing == {"mistral-7b": {"training_tokens"}}
