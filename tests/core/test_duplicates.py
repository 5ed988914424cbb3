"""A name that is registered twice is refused, functions and model types alike."""

import importlib.util
from pathlib import Path

import pytest

from sizebook import functions
from sizebook.core import registry
from sizebook.core.quantities import DModel, Parameters
from sizebook.core.registry import function
from sizebook.formulas import params
from sizebook.models import huggingface
from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.huggingface import describe, mappings, model_type
from tests.refused import message_of
from tests.row_lists import listed

MODULE = '''
from sizebook.core.quantities import DModel, Parameters
from sizebook.core.registry import function

@function(category="parameters", source="none")
def params_doubled(d_model: DModel) -> Parameters:
    """Return twice the width."""
    return 2 * d_model
'''


@pytest.fixture(autouse=True)
def registries_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_FUNCTIONS", dict(functions.load()))
    monkeypatch.setattr(huggingface, "_MAPPINGS", dict(mappings()))


def test_a_second_function_of_a_name_is_refused() -> None:
    def params_ln(d_model: DModel) -> Parameters:
        """Return something else."""
        return 3 * d_model

    first, second = (each.__code__.co_firstlineno for each in (params.params_ln, params_ln))
    assert message_of(ValueError, lambda: function(category="parameters", source="none")(params_ln)) == (
        f"function registered twice: got PARAMS_LN at tests.core.test_duplicates:{second} and at "
        f"sizebook.formulas.params:{first}, want one. Rename one of the two."
    )
    assert registry.find("PARAMS_LN").python is params.params_ln


def test_a_module_that_is_loaded_again_is_no_duplicate(tmp_path: Path) -> None:
    """Notebooks load a module again; the same lines define the same function."""
    (tmp_path / "doubling.py").write_text(MODULE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("doubling", tmp_path / "doubling.py")
    assert spec is not None and spec.loader is not None
    doubling = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(doubling)
    first = doubling.params_doubled
    assert registry.find("PARAMS_DOUBLED").python is first
    spec.loader.exec_module(doubling)
    assert registry.find("PARAMS_DOUBLED").python is doubling.params_doubled is not first


def other(config: Config) -> Architecture:
    return describe(config)


@pytest.mark.parametrize(*listed("core", "test_a_second_mapping_of_a_model_type_is_refused"))
def test_a_second_mapping_of_a_model_type_is_refused(names: list[str], shown: str) -> None:
    before = dict(mappings())
    assert message_of(ValueError, lambda: model_type(*names)(other)) == (
        f"model type registered twice: got {shown}, want one mapping each. Remove one of the two."
    )
    assert mappings() == before
    assert "other" not in before
