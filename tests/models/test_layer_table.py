"""The table of layers: equal layers are a row, a row is the sum of what it consists of, the rows are the model."""

import json

from sizebook.core.texts import THIN_SPACE
from sizebook.core.units import NO_BREAK_SPACE
from sizebook.models import catalog
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from sizebook.models.layer_table import LayerRow, layer_table
from tests.commands import run

# Four layers of which the second and the fourth have experts; 64 wide, four heads of 16, head of its own.
CONFIG = {"model_type": "qwen2_moe", "vocab_size": 100, "hidden_size": 64, "intermediate_size": 128}
CONFIG |= {"num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "decoder_sparse_step": 2}
CONFIG |= {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "tie_word_embeddings": False}
CONFIG |= {"shared_expert_intermediate_size": 48, "mlp_only_layers": []}
# Queries and output 64 x 64, keys and values 64 x 32, biases of the first three.
ATTENTION = 2 * 64 * 64 + 2 * 64 * 32 + 64 + 2 * 32
DENSE = 3 * 64 * 128
# Eight experts, the shared one with its gate, the router.
EXPERTS = 8 * 3 * 64 * 32 + 3 * 64 * 48 + 64 + 8 * 64


def rows(config: dict[str, object]) -> list[LayerRow]:
    return layer_table(architecture(Config(config, "config.json")))


def test_layers_of_two_kinds_by_hand() -> None:
    told = [(row.kind, row.times, row.parameters, row.spans) for row in rows(CONFIG)]
    assert told == [
        ("Embedding", 1, 6400, []),
        ("layer", 2, ATTENTION + DENSE + 128, [(0, 0), (2, 2)]),
        ("layer", 2, ATTENTION + EXPERTS + 128, [(1, 1), (3, 3)]),
        ("Norm", 1, 64, []),
        ("Head", 1, 6400, []),
    ]
    dense = rows(CONFIG)[1]
    assert [(each.kind, each.times, each.parameters) for each in dense.inside] == [
        ("Norm", 4, 64),
        ("Attention", 2, ATTENTION),
        ("FeedForward", 2, DENSE),
    ]


def test_layers_that_see_other_windows_are_of_one_kind_and_those_of_shared_weights_count_nothing() -> None:
    [stack] = [row for row in layer_table(catalog.architecture("gpt-oss-120b")) if row.numbers]
    assert (stack.times, stack.spans) == (36, [(0, 35)])
    albert = layer_table(catalog.architecture("albert-base"))
    stack = [(row.kind, row.times, row.together > 0) for row in albert if row.numbers]
    assert stack == [("layer", 1, True), ("tied layer", 11, False)]


def test_rows_of_every_model_of_the_catalog_add_up() -> None:
    described_models = [key for key in catalog.model_keys() if catalog.facts(key)["architecture"]]
    assert len(described_models) > 100
    for name in described_models:
        described = catalog.architecture(name)
        found = layer_table(described)
        assert sum(row.together for row in found) == count(described).total, name
        for row in found:
            assert not row.inside or sum(each.together for each in row.inside) == row.together, name
            assert row.times == len(row.numbers) or not row.numbers, name
        assert sorted(number for row in found for number in row.numbers) == list(range(described.n_layers)), name


def test_command_as_text_and_as_json() -> None:
    """DeepSeek-V3: three dense layers, 58 with experts, each beside 187,107,328 of attention and two norms of 7,168."""
    shown = run("count", "deepseek-v3", "--layers").output.replace(THIN_SPACE, " ").replace(NO_BREAK_SPACE, " ")
    table = [line.split("  ") for line in shown.partition("Layers ")[2].splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in table]
    assert cells[2] == ["layers 0 to 2", "3", "583 483 392", "1 750 450 176", "0.261 %"]
    assert cells[4] == ["LatentAttention", "3", "187 107 328", "561 321 984", "0.0837 %"]
    assert cells[6] == ["layers 3 to 60", "58", "11 507 286 016", "667 422 588 928", "99.5 %"]
    assert cells[-1] == ["total", "671 026 404 352"]
    held = json.loads(run("count", "deepseek-v3", "--layers", "--json").output)
    assert held["layers"][2]["layers"] == [[3, 60]] and held["layers"][2]["inside"][0]["times"] == 116
    assert sum(row["together"] for row in held["layers"]) == held["total"] == 671026404352
    assert abs(sum(row["share"] for row in held["layers"]) - 1) < 1e-12
