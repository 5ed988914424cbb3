"""The one screen of the page gives what the plan gives, look-ups what Python gives, and every pane says something."""

import io
import re
from collections import Counter
from typing import Any

from playwright.sync_api import Page
from pypdf import PdfReader

import sizebook as sb
from sizebook.core import cells
from sizebook.core.tables import table
from sizebook.functions import load
from sizebook.models import catalog
from sizebook.models.reconciliation import compare
from tests.dashboard.driving import PHONE, check, names, opened, settled

ASKED = [
    {"model": "llama-3.1-70b", "gpu": "h100-sxm", "gpus": 4, "context": 8192, "answer": 500, "users": 16, "format": ""},
    {"model": "llama-3.1-8b", "gpu": "l40s", "gpus": 1, "context": 2000, "answer": 300, "users": 8, "format": "fp8"},
    {"model": "deepseek-r1", "gpu": "h200-sxm", "gpus": 8, "context": 4000, "answer": 900, "users": 32, "format": ""},
    {"model": "qwen3-30b-a3b", "gpu": "a100-sxm-80gb", "gpus": 2, "context": 16000, "answer": 1000, "users": 4,
     "format": ""},
]  # fmt: skip
UNSAID = re.compile(r"\b(?:null|undefined|NaN)\b|\[object")


@check
def one_screen_gives_the_figures_of_the_plan(page: Page, address: str) -> None:
    opened(page, address, "view=fit")
    for asked in ASKED:
        page.evaluate("(asked) => change({ fit: new URLSearchParams(asked).toString() })", asked)
        assert page.inner_text("#verdict").startswith(f"Yes: {asked['gpus']} × {asked['gpu']}")
        found = page.evaluate("fitFigures(fitAsked())")
        planned = _planned(asked)
        memory, speed = found["memory"], found["speed"]
        apart = {
            "weights": (memory["weights"], planned["weight_bytes"]),
            "cache": (memory["left"], planned["cache_bytes"]),
            "first token": (speed["TTFT_SECONDS"]["value"], planned["ttft_seconds"]),
            "token": (speed["TPOT_SECONDS"]["value"], planned["tpot_seconds"]),
            "throughput": (speed["TOKENS_PER_SECOND"]["value"], planned["tokens_per_second"]),
            "price": (found["cost"]["price"], planned["on_demand_usd_per_gpu_hour"]),
        }
        assert all(abs(one / other - 1) < 1e-9 for one, other in apart.values()), (asked, apart)
        hour = found["cost"]["hour"]
        assert abs(hour - asked["gpus"] * found["cost"]["price"]) < 1e-9
        assert abs(found["cost"]["million"] - hour / 3600 / speed["TOKENS_PER_SECOND"]["value"] * 1e6) < 1e-6


def _planned(asked: dict[str, Any]) -> dict[str, float]:
    """What `sizebook plan serve` says of one replica of that layout with so many requests in flight."""
    scenario = {
        "plan": "serving", "model": asked["model"], "gpu": asked["gpu"], "tp": asked["gpus"],
        "concurrency": asked["users"], "requests_per_day": 1000, "input_tokens": asked["context"],
        "output_tokens": asked["answer"],
    } | ({"weight_dtype": asked["format"]} if asked["format"] else {})  # fmt: skip
    figures = sb.plan(scenario).table("figures")
    said = zip(figures["name"], figures["value"], strict=True)
    return {name: float(value) for name, value in said if re.fullmatch(r"-?[\d.]+(?:e[+-]?\d+)?", str(value))}


@check
def what_does_not_fit_is_said_with_what_would(page: Page, address: str) -> None:
    opened(page, address, "view=fit&fit=gpus%3D1")
    assert page.inner_text("#verdict").startswith("No: on 1 × h100-sxm the weights need ")
    page.click("#enough")
    assert page.inner_text("#verdict").startswith("Yes: 4 × h100-sxm (tensor parallel 4) holds 16 users")
    page.fill("#fit-users", "many")
    assert page.inner_text("#fit-found .problem") == ("users is not a number: got 'many', want 1 or more. Type digits.")


@check
def no_pane_says_null(page: Page, address: str) -> None:
    """Every view, every function and every model's card: nothing that JavaScript writes for what is missing."""
    opened(page, address)
    for view in page.evaluate("VIEWS"):
        page.evaluate("(view) => change({ view })", view)
        if view == "charts":
            page.wait_for_function("document.querySelectorAll('#charts svg').length === 6")
        settled(page)
        said = page.inner_text("body")
        assert not UNSAID.search(said), (view, UNSAID.search(said))
    page.evaluate("change({ view: 'calculator' })")
    functions = page.evaluate(
        "FUNCTIONS.map(({ name }) => { choose(name); return [name, byId('function').innerText]; })"
    )
    assert len(functions) == len(load())
    panels = page.evaluate("MODELS.map((model) => { panel(model); return [model.key, byId('panel').textContent]; })")
    hovered = page.evaluate(
        "MODELS.map((model) => [model.key, shortCard(model).filter(Boolean).map((e) => e.textContent).join(' ')])"
    )
    apart = [(name, UNSAID.search(text)) for name, text in (*functions, *panels, *hovered) if UNSAID.search(text)]
    assert not apart, (len(apart), apart[:5])


@check
def look_ups_are_what_python_gives(page: Page, address: str) -> None:
    opened(page, address)
    for name, given in (
        ("PARAMS_MODEL", {"model": "llama-3.1-70b"}),
        ("PARAMS_MODEL", {"model": "llama-3.1-70b", "part": "mlp"}),
        ("PARAMS_ACTIVE", {"model": "mixtral-8x7b"}),
        ("MODEL_SPEC", {"model": "gemma-3-27b", "field": "licence"}),
        ("GPU_SPEC", {"gpu": "mi300x", "field": "tdp_watts"}),
        ("GRID_G_PER_KWH", {"grid": "fra"}),
        ("DTYPE_BITS", {"dtype": "int4_wo"}),
        ("PRICE_USD_PER_GPU_HOUR", {"gpu": "h100-sxm", "price_quantile": "p90"}),
    ):
        row = [given.get(argument.name) for argument in load()[name].arguments]
        assert page.evaluate("([name, given]) => evaluated(name, given).value", [name, given]) == cells.call(name, *row)
    problem = "([name, given]) => evaluated(name, given).problem"
    assert page.evaluate(problem, ["MODEL_SPEC", {"model": "gpt-4o", "field": "d_model"}]) == (
        "not known: got gpt-4o, d_model, want what the tables hold. Choose another."
    )
    assert page.evaluate(problem, ["PRICE_USD_PER_GPU_HOUR", {"gpu": "h100-sxm", "provider": "aws"}]) == (
        "not in the page: got provider 'aws', want it blank. Use 'sizebook call PRICE_USD_PER_GPU_HOUR'."
    )


@check
def numbers_beyond_the_letters_are_powers_of_ten(page: Page, address: str) -> None:
    opened(page, address)
    assert page.evaluate("[8.4e22, 1e18, 2.5e15, 4.2e11].map(short)") == [
        "8.4\u2009×\u200910²²", "1\u2009×\u200910¹⁸", "2.5P", "420B",
    ]  # fmt: skip


@check
def the_calculator_ranks_what_the_name_says_first(page: Page, address: str) -> None:
    opened(page, address, "view=calculator")
    wanted = (
        ("training days", "TRAIN_DAYS"), ("ttft", "TTFT_SECONDS"), ("gpu price", "PRICE_USD_PER_GPU_HOUR"),
        ("kv cache", "KV_CACHE_BYTES"), ("parameters of a model", "PARAMS_MODEL"),
        ("gpus for traffic", "GPUS_FOR_TRAFFIC"),
        ("max context", "MAX_CONTEXT"), ("mfu", "MFU"), ("loss", "TRAINING_LOSS"), ("lora", "PARAMS_LORA"),
    )  # fmt: skip
    for words, first in wanted:
        page.fill('[name="find"]', words)
        shown = page.locator("#function-list button").all_inner_texts()
        assert first in shown[:3], (words, shown[:5])


@check
def the_calculator_knows_the_words_that_people_use(page: Page, address: str) -> None:
    """On 0.13.0 memory began with the energy of training, gpus with the pool of a prefill, and vram found nothing."""
    opened(page, address, "view=calculator")
    for words, first in (
        ("latency", "TTFT_SECONDS"), ("time to first token", "TTFT_SECONDS"), ("throughput", "TOKENS_PER_SECOND"),
        ("how many GPUs", "GPUS_FOR_TRAFFIC"), ("VRAM", "MODEL_BYTES"), ("Speicher", "MODEL_BYTES"),
        ("cost per token", "USD_PER_MTOK"), ("training cost", "TRAIN_COST_USD"), ("parameters", "PARAMS_MODEL"),
        ("llama", "PARAMS_MODEL"), ("Qwen", "PARAMS_MODEL"), ("power", "TRAIN_ENERGY_KWH"),
    ):  # fmt: skip
        page.fill('[name="find"]', words)
        assert page.locator("#function-list button").first.inner_text() == first, words
    page.fill('[name="find"]', "qwertz")
    assert page.inner_text("#function-list") == "No function has all these words."


@check
def a_model_is_found_however_it_is_typed(page: Page, address: str) -> None:
    opened(page, address, "view=fit")
    for typed in ("Llama 3.1 70B", "llama3.1-70b", "meta-llama/Llama-3.1-70B", "Llama-3.1-70B-Instruct"):
        page.fill("#fit-model", typed)
        assert page.inner_text("#verdict").startswith("Yes: 4 × h100-sxm"), typed
    others = page.evaluate("MODELS_ASKED.filter((key) => readText({ name: 'model' }, key) !== key)")
    assert others == []  # gpt2 is the repository of gpt-2-small
    page.fill("#fit-model", "mixtral")
    assert page.inner_text("#fit-found .problem") == (
        "unknown model: got 'mixtral', want one of this page. "
        "Did you mean 'mixtral-8x22b', 'mixtral-8x22b-instruct' or 'mixtral-8x7b'?"
    )
    page.fill("#fit-model", "qwertz")
    assert page.inner_text("#fit-found .problem") == (
        "unknown model: got 'qwertz', want one of this page. The list of the field has them."
    )
    opened(page, address)
    page.fill('[name="q"]', "llama3")
    settled(page)
    assert "llama-3.3-70b" in names(page)


@check
def a_word_for_four_bits_means_its_format(page: Page, address: str) -> None:
    opened(page, address)
    value = "(word) => evaluated('SERVING_WEIGHT_BYTES', { model: 'llama-3.1-8b', weight_dtype: word }).value"
    assert {page.evaluate(value, word) for word in ("int4", "AWQ", "gptq", "marlin", "w4a16", "q4_k_m")} == {
        page.evaluate(value, "int4_wo")
    }


@check
def every_tab_is_on_a_phone(page: Page, address: str) -> None:
    page.set_viewport_size(PHONE)
    opened(page, address)
    edges = page.eval_on_selector_all("#views button", "(all) => all.map((each) => each.getBoundingClientRect().right)")
    assert len(edges) == 6
    assert max(edges) <= PHONE["width"]


@check
def printing_the_table_prints_every_row(page: Page, address: str) -> None:
    opened(page, address)
    pages = PdfReader(io.BytesIO(page.pdf(format="A4", landscape=True))).pages
    said = "".join("".join(each.extract_text().split()) for each in pages)  # names are broken over lines
    assert [name for name in page.evaluate("MODELS.map(({ name }) => name)") if "".join(name.split()) not in said] == []
    assert page.locator("#printed").count() == 0


@check
def what_agrees_exactly_is_told_from_what_differs(page: Page, address: str) -> None:
    opened(page, address)
    compared = [each for each in map(compare, catalog.model_keys()) if each.difference is not None]
    n = Counter(each.status for each in compared)
    tile = page.locator("#tiles .tile", has_text="As their publisher states").inner_text().split("\n")
    assert tile[1:] == [
        f"{n['exact'] + n['rounds to it']} of {len(compared)}",
        f"{n['exact']} exact, {n['rounds to it']} rounded; {n['explained']} explained, "
        f"{len(compared) - n['exact'] - n['rounds to it'] - n['explained']} different",
    ]


@check
def a_price_has_its_spread_and_its_day(page: Page, address: str) -> None:
    opened(page, address, "view=market")
    row = page.evaluate("DATA.market.gpus.rows.find(([key]) => key === 'h100-sxm')[1]")
    days = [each["date"] for each in table("prices") if each["gpu"] == "h100-sxm" and each["term"] == "on_demand"]
    prices = [cells.call("PRICE_USD_PER_GPU_HOUR", "h100-sxm", None, None, None, at) for at in ("p50", "p10", "p90")]
    assert row[-5:] == [*prices, len(days), max(days)]
    assert "90th percentile" in page.inner_text("#table-gpus .tabulator-header")
