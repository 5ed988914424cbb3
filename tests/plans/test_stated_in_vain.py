"""Keys that say nothing without another key of their section: each is refused alone, on every surface."""

from pathlib import Path
from typing import Any

import pytest

import sizebook
from sizebook.core.errors import InputError
from sizebook.core.sections import Argument, AskedBy, leaves, put_together
from sizebook.plans.fleet.inputs import Replacement
from sizebook.plans.owned import Financing, OwnedGpus
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import plan_serving
from sizebook.plans.serving.remarks import warnings
from sizebook.plans.serving.users import Users
from sizebook.serving.quantities import PoolLayout
from sizebook.tables.api_prices import ApiAsked
from tests.commands import run
from tests.refused import message_of
from tests.row_lists import listed
from tests.surfaces.grid import away

KINDS: list[type[AskedBy]] = [Financing, OwnedGpus, ApiAsked, Users, PoolLayout, Replacement]
WITHIN = {leaf.name for leaf in leaves(Financing)}  # of a purchase: they need a key of their own first
ALONE = [
    (kind, leaf)
    for kind in KINDS
    for leaf in leaves(kind)
    if leaf.name != kind.asked_by and (kind is Financing or leaf.name not in WITHIN)
]
YEARS = "no effect: got years and no capex_usd, want capex_usd with it. State capex_usd, or leave out what needs it."
ASKED: dict[str, Any] = {"requests_per_day": 1000, "input_tokens": 500, "output_tokens": 100, "years": 3}


def asked(**given: Any) -> ServingInputs:
    return put_together(ServingInputs, {name: each for name, each in ASKED.items() if name != "years"} | given)


def test_these_are_all_such_sections() -> None:
    refused = [kind for kind in AskedBy.__subclasses__() if kind.refused]
    assert {kind.asked_by for kind in refused} == {kind.asked_by for kind in KINDS}


@pytest.mark.parametrize(("kind", "leaf"), ALONE, ids=lambda each: getattr(each, "name", ""))
def test_a_key_without_the_one_that_it_needs_is_refused(kind: type[AskedBy], leaf: Argument) -> None:
    with pytest.raises(InputError) as refused:
        put_together(kind, {leaf.name: away(leaf)})
    key = kind.asked_by
    assert str(refused.value) == (
        f"no effect: got {leaf.name} and no {key}, want {key} with it. State {key}, or leave out what needs it."
    )


def test_a_loan_for_no_purchase_is_refused() -> None:
    assert message_of(InputError, put_together, OwnedGpus, {"financing": "loan", "financing_rate_per_year": 0.06}) == (
        "no effect: got financing, financing_rate_per_year and no capex_usd, want capex_usd with it. State "
        "capex_usd, or leave out what needs it."
    )


def test_a_purchase_of_nothing_is_one_and_defaults_say_nothing() -> None:
    assert OwnedGpus(capex_usd=0.0, years=3).months == 36 and OwnedGpus(years=4) == OwnedGpus()


def test_a_file_and_a_function_say_the_same(tmp_path: Path) -> None:
    scenario = tmp_path / "years.toml"
    scenario.write_text(
        'plan = "serving"\nmodel = "llama-3.1-8b"\ngpu = "h100-sxm"\n[traffic]\nrequests_per_day = 1000\n'
        "input_tokens = 500\noutput_tokens = 100\n[owned]\nyears = 3\n"
    )
    assert str(run("plan", "serve", scenario).exception) == f"years.toml: {YEARS}"
    for asked in (sizebook.serving_alternatives, sizebook.serving_ledger, sizebook.serving_figures):
        assert message_of(InputError, asked, "llama-3.1-8b", "h100-sxm", **ASKED) == YEARS


@pytest.mark.parametrize(*listed("plans", "test_what_a_sweep_may_switch_off_is_a_remark"))
def test_what_a_sweep_may_switch_off_is_a_remark(key: str, value: float, off: str) -> None:
    said, plain = (warnings(plan_serving("llama-3.1-8b", "h100-sxm", asked(**given))) for given in ({key: value}, {}))
    assert f"Without effect: {key}, because {off}." in said
    assert not any("Without effect" in each for each in plain)
