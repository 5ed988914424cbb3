"""GGUF files described by their own keys: cache, FLOPs and plans without a config.json."""

import json
from pathlib import Path
from typing import Any

import pytest

from sizebook.models import catalog
from sizebook.models.checkpoints.contents import contents_at
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from sizebook.sources.checkpoints import figures_from_config
from tests.commands import run
from tests.intake.test_files import refusal
from tests.models.checkpoints.making import gguf
from tests.row_lists import listed

D, L, H, KV, FF, V, HEAD = 64, 3, 8, 2, 96, 100, 16
Shapes = dict[str, tuple[int, ...]]


def keys(family: str, **more: Any) -> dict[str, Any]:
    usual = {
        "block_count": L,
        "context_length": 512,
        "embedding_length": D,
        "feed_forward_length": FF,
        "attention.head_count": H,
        "attention.head_count_kv": KV,
        "attention.key_length": HEAD,
    }
    given = {key.replace("__", "."): value for key, value in more.items()}
    return {"general.architecture": family} | {f"{family}.{key}": value for key, value in (usual | given).items()}


def attention(bias: bool = False, normed: bool = False) -> Shapes:
    shapes: Shapes = {"attn_norm": (D,), "attn_q": (H * HEAD, D), "attn_k": (KV * HEAD, D), "attn_v": (KV * HEAD, D)}
    shapes |= {"attn_output": (D, H * HEAD), "ffn_norm": (D,)}
    shapes |= {"attn_q_norm": (HEAD,), "attn_k_norm": (HEAD,)} if normed else {}
    return shapes | ({f"attn_{x}.bias": (n * HEAD,) for x, n in (("q", H), ("k", KV), ("v", KV))} if bias else {})


DENSE: Shapes = {"ffn_gate": (FF, D), "ffn_up": (FF, D), "ffn_down": (D, FF)}
ROUTED: Shapes = {
    "ffn_gate_inp": (4, D),
    "ffn_gate_exps": (4, 32, D),
    "ffn_up_exps": (4, 32, D),
    "ffn_down_exps": (4, D, 32),
}


def written(
    path: Path,
    metadata: dict[str, Any],
    layer: Shapes,
    *,
    tied: bool = False,
    layers: int = L,
    outside: Shapes | None = None,
) -> Path:
    """Write a model of equal layers in F16."""
    shapes: Shapes = {"token_embd.weight": (V, D), "output_norm.weight": (D,), **(outside or {})}
    shapes |= {} if tied else {"output.weight": (V, D)}
    for i in range(layers):
        shapes |= {f"blk.{i}.{n}" if "." in n else f"blk.{i}.{n}.weight": shape for n, shape in layer.items()}
    tensors = []
    for name, shape in shapes.items():
        size = 2
        for extent in shape:
            size *= extent
        tensors.append((name, tuple(reversed(shape)), 1, size))
    path.write_bytes(gguf(metadata, tensors))
    return path


def test_a_model_plans_from_its_gguf_alone(tmp_path: Path) -> None:
    path = written(tmp_path / "m.gguf", keys("llama"), attention() | DENSE)
    described = catalog.architecture(str(path))
    config = {"model_type": "llama", "hidden_size": D, "intermediate_size": FF, "num_hidden_layers": L,
              "num_attention_heads": H, "num_key_value_heads": KV, "head_dim": HEAD, "vocab_size": V}  # fmt: skip
    assert count(described).parts == count(architecture(Config(config, "c"))).parts
    assert described.n_ctx == 512
    done = run("count", path, "--json")
    assert json.loads(done.stdout)["config"]["agreement"] == "the headers hold exactly the parameters of the config"


def test_keys_that_contradict_the_headers_describe_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "m.gguf", keys("llama", feed_forward_length=FF + 1), attention() | DENSE)
    held = count(catalog.architecture(str(written(tmp_path / "n.gguf", keys("llama"), attention() | DENSE)))).total
    message = (
        f"not described by its keys: got {held} parameters in the headers of m.gguf, want {held + 3 * L * D}, what its "
        "keys say of a 'llama'. Put its config.json beside it."
    )
    assert refusal(lambda: catalog.architecture(str(path))) == message
    assert figures_from_config(contents_at(path).parts[0]) == (None, message)


def test_windows_that_no_tensor_shows_are_held_against_the_keys(tmp_path: Path) -> None:
    """Llama's mapping knows no window, so a file that states one was described with a cache of all tokens."""
    path = written(tmp_path / "m.gguf", keys("llama", attention__sliding_window=32), attention() | DENSE)
    assert refusal(lambda: catalog.architecture(str(path))) == (
        "not described: got 'llama.attention.sliding_window' = 32 in m.gguf, want 0: no layer of this type slides. Put "
        "the model's config.json beside it."
    )
    gemma = attention(normed=True) | DENSE | dict.fromkeys(("post_attention_norm", "post_ffw_norm"), (D,))
    usual = keys("gemma3", attention__sliding_window=32, attention__sliding_window_pattern=[1, 1, 1])
    assert catalog.architecture(str(written(tmp_path / "g.gguf", usual, gemma, tied=True))).n_layers == L
    other = keys("gemma3", attention__sliding_window=32, attention__sliding_window_pattern=[1, 0, 1])
    path = written(tmp_path / "o.gguf", other, gemma, tied=True)
    assert refusal(lambda: catalog.architecture(str(path))) == (
        "not described: got 'gemma3.attention.sliding_window_pattern' = [1, 0, 1] in o.gguf, want [True, True, True]. "
        "Put the model's config.json beside it."
    )


@pytest.mark.parametrize(
    ("key", "said", "got"), [("split.count", 3, "1 files"), ("split.tensors.count", 60, "30 tensors")]
)
def test_a_piece_under_another_name_is_no_model(tmp_path: Path, key: str, said: int, got: str) -> None:
    """Renamed, a piece of a model in several files was counted as the whole."""
    path = written(tmp_path / "m.gguf", keys("llama") | {key: said}, attention() | DENSE)
    assert refusal(lambda: contents_at(path)) == (
        f"pieces missing: got {got} with m.gguf, want the {said} that its key '{key}' states. Give all pieces under "
        "the names that they were written with."
    )
    whole = {"split.count": 1, "split.no": 0, "split.tensors.count": 30}
    assert contents_at(written(tmp_path / "n.gguf", keys("llama") | whole, attention() | DENSE)).parameters > 0


def test_an_architecture_without_a_mapping_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "m.gguf", keys("novel"), attention() | DENSE)
    assert refusal(lambda: catalog.architecture(str(path))) == (
        "no config: got GGUF of the architecture 'novel' in m.gguf, want one of llama, qwen2, qwen2moe, qwen3, "
        "qwen3moe, phi3, gemma, gemma2, gemma3, olmo2, starcoder2, deepseek2, whose keys tell layers and heads. Put "
        "its config.json beside it."
    )


@pytest.mark.parametrize(*listed("models/checkpoints", "test_a_key_that_is_missing_is_named"))
def test_a_key_that_is_missing_is_named(tmp_path: Path, key: str, name: str) -> None:
    metadata = {name: value for name, value in keys("llama").items() if name != f"llama.{key}"}
    path = written(tmp_path / "m.gguf", metadata, attention() | DENSE)
    assert figures_from_config(contents_at(path).parts[0])[0] is None
    assert refusal(lambda: catalog.architecture(str(path))) == (
        f"missing key: got no '{name}' in the keys of m.gguf, want a whole number. Add it, or use the complete "
        "config.json of the model."
    )
