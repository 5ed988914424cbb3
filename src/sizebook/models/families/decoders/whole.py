"""GPT-2's line and other decoders made of the plain bricks: learned or rotary positions, layer norms, plain blocks."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Layer
from sizebook.models.config import Config
from sizebook.models.families.blocks import layers_of
from sizebook.models.families.whole_rows import described, registered
from sizebook.models.huggingface import describe, model_type

ROWS = registered(__name__, "gpt_types.toml", "mixed_types.toml")


@model_type("gpt_neo")
def gpt_neo(config: Config) -> Architecture:
    """GPT-Neo: every second layer sees a window."""
    whole, window = described(ROWS["_gpt_neo"], config), config.integer("window_size")
    plain = whole.layers[0].bricks if whole.layers else ()

    def layer(kind: str) -> Layer:
        local = (replace(b, window=window) if isinstance(b, Attention) and kind == "local" else b for b in plain)
        return Layer(tuple(local))

    return replace(whole, layers=layers_of(_neo_kinds(config, whole.n_layers), layer))


def _neo_kinds(config: Config, n_layers: int) -> list[str]:
    """Return global or local for each layer from ``attention_types``: pairs of a pattern and its repetitions."""
    config.ignore("attention_types", "attention_layers")
    types = config.values.get("attention_types", [[["global", "local"], n_layers // 2]])
    try:
        kinds = [kind for pattern, times in types for _ in range(times) for kind in pattern]
    except (TypeError, ValueError):
        kinds = []
    if len(kinds) != n_layers or not set(kinds) <= {"global", "local"}:
        raise config.unknown("attention_types", types, f"patterns of global and local for {n_layers} layers in all")
    return kinds


@model_type("apertus")
def apertus(config: Config) -> Architecture:
    """Apertus: norms per head, and an activation with scalars of its own where the file does not name another."""
    trained = config.text("hidden_act", default="xielu") == "xielu"
    return described(ROWS["_apertus"], config, trained=trained)


@model_type("rwkv7")
def rwkv7(config: Config) -> Architecture:
    """RWKV 7, whose values are as wide as the model, said once or for each layer."""
    d_model = config.integer("hidden_size")
    config.only("value_dim", d_model, [d_model] * config.integer("num_hidden_layers"))
    return described(ROWS["_rwkv7"], config)


@model_type("ministral3")
def ministral3(config: Config) -> Architecture:
    """Ministral 3: Mistral's block; a file of the model with vision gives the same type with sections.

    Only the class of the whole reads these: the text model's own builds its defaults from such a file.
    """
    kind = "mistral3" if config.has("text_config") else "mistral"
    named = config.class_names()
    if kind == "mistral3" and named and not named[0].startswith("Mistral3"):
        raise config.unknown("architectures", named, "Mistral3ForConditionalGeneration first beside 'text_config'")
    inner = config.read_as({"head_dim": 128, **config.values, "model_type": kind})
    found = describe(inner)
    config.read |= inner.read
    config.sections |= inner.sections
    return replace(found, model_type="ministral3")
