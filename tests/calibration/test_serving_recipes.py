"""The recipes of the measured runs: which one ran a row, and what it says that the row leaves out."""

from types import ModuleType

import pytest

from tests.row_lists import listed

MEASURED = {
    "backend": "trtllm",
    "model_path": "deepseek-ai/DeepSeek-R1",
    "system": "h200_sxm",
    "precision": "fp8",
    "backend_version": "1.1.0rc2.post2",
    "isl": "1024",
    "osl": "1024",
    "tp_size": "8.0",
    "moe_ep_size": "1.0",
}


def test_every_recipe_names_its_source_and_its_days(recipes: ModuleType) -> None:
    for recipe in recipes.read_recipes():
        assert recipe["source"]
        assert recipe["measured_from"] <= recipe["measured_to"]
        assert recipe["draft_tokens"].isdigit() and recipe["draft_tokens_dp"].isdigit()


@pytest.mark.parametrize(*listed("calibration", "test_release_and_day_tell_what_was_drafted"))
def test_release_and_day_tell_what_was_drafted(
    recipes: ModuleType, day: str, changed: dict[str, str], drafted: int | None, drafted_dp: int | None
) -> None:
    row = {**MEASURED, **changed, "silicon_data_source": f"source_file=x.csv; measured={day}; wip=False"}
    recipe = recipes.recipe_of(row, recipes.read_recipes())
    assert (recipes.drafted(recipe, 1), recipes.drafted(recipe, 8)) == (drafted, drafted_dp)


def test_a_script_that_chose_its_layout_is_followed(recipes: ModuleType) -> None:
    row = {**MEASURED, "isl": "8192", "silicon_data_source": "measured=2025-11-02"}
    recipe = recipes.recipe_of(row, recipes.read_recipes())
    assert recipes.layout_run(recipe, 8, 1, 1, 32) == (8, 1, 8)
    assert recipes.layout_run(recipe, 8, 1, 1, 64) == (1, 8, 8)
    assert recipes.layout_run({}, 8, 1, 1, 64) == (8, 1, 1)
