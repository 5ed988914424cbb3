"""The calculator's tables and source; a browser evaluates them in `python -m tests.dashboard.browser`."""

from sizebook.core import cells
from sizebook.core.expression import parse
from sizebook.core.formula_text import filled
from sizebook.core.tables import table
from sizebook.dashboard import calculator, market
from sizebook.functions import load
from tests.functions.points import points


def test_every_function_is_described_once() -> None:
    found = calculator.function_data()
    functions = {each["name"]: each for each in found["functions"]}
    assert list(functions) == list(load())
    ttft = functions["TTFT_SECONDS"]
    assert [found["arguments"][at]["name"] for at in ttft["arguments"]] == [
        a.name for a in load()["TTFT_SECONDS"].arguments
    ]
    gpu = next(argument for argument in found["arguments"] if argument["name"] == "gpu")
    assert "h100-sxm" in found["choices"][gpu["choices"]]


def test_the_source_is_printed_from_the_formulas() -> None:
    source = calculator.closed_form_source()
    assert '"PARAMS_MHA": { value: (d_model, bias) => 4 * (d_model ** 2 + bias * d_model), blanks: {  } }' in source
    assert "blanks: { n_kv_heads: (d_model, n_heads, d_head, n_kv_heads, bias) => n_heads }" in source
    assert '"nvfp4": 4.5' in source.partition("const CLOSED")[0]
    assert source.count("value: (") == sum(bool(function.formula) for function in load().values())


def test_what_a_function_accepts_meets_its_condition() -> None:
    conditions = [function for function in load().values() if function.holds]
    assert len(conditions) == 9
    for function in conditions:
        for point in points(function, 20):
            assert parse(function.holds).evaluate(filled(function, point.bound), cells.call), (function.name, point)


def test_the_market_is_the_tables() -> None:
    found = market.market_data()
    assert len(found["gpus"]["rows"]) == len(table("hardware")) and len(found["prices"]["rows"]) == len(table("prices"))
    heads = [name for name, _, _ in found["gpus"]["heads"]]
    h200 = next(values for key, values, _ in found["gpus"]["rows"] if key == "h200-sxm")
    shown = dict(zip(heads, h200, strict=True))
    # NVIDIA H200 datasheet: 141 GB as sold, 4.8 TB/s, 989.4 TFLOP/s dense in bf16, 700 W.
    assert (shown["memory_bandwidth_bytes_per_s"], shown["tdp_watts"]) == (4.8, 700)
    assert round(shown["peak_bf16_flop_per_s"]) == 989
    assert shown["price"] == cells.call("PRICE_USD_PER_GPU_HOUR", "h200-sxm")
