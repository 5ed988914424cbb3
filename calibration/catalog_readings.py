"""Reads the catalog's facts again in the published config.json files, and in the checkpoints' own totals.

    python calibration/catalog_readings.py ../shared [DATE]

Every fact of a row that a file states is compared: vocabulary, context, experts, kind of attention, activation, number
format. What agrees is written to ``data/model_readings.csv`` as read on DATE; what does not is printed, and the program
fails where a dimension disagrees. Context and number format may differ, where a publisher offers another than its file
allows, or another file's weights. Without a DATE nothing is written.
"""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command import parser

from sizebook.core.tables import DATA, Row, table
from sizebook.models import huggingface
from sizebook.models.architecture import Architecture
from sizebook.models.config import Config

TABLE = DATA / "model_readings.csv"
CONFIG, CHECKPOINT = "config.json", "the checkpoint's own total"
# Facts in which a file and what its publisher says may differ and both be right.
MAY_DIFFER = ("context_length", "native_dtype", "activation")
SHARED = ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts")
FORMATS = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}
GATED = {"silu": "SwiGLU", "swish": "SwiGLU", "gelu": "GeGLU", "gelu_new": "GeGLU", "gelu_pytorch_tanh": "GeGLU"}
PLAIN = {
    "gelu": "GELU",
    "gelu_new": "GELU (tanh)",
    "gelu_pytorch_tanh": "GELU (tanh)",
    "gelu_fast": "GELU (tanh)",
    "relu": "ReLU",
    "relu2": "squared ReLU",
    "quick_gelu": "QuickGELU",
    "silu": "SiLU",
    "xielu": "xIELU",
}


@dataclass(frozen=True)
class Reading:
    """One fact of a row: what the table holds and what the source says."""

    key: str
    fact: str
    held: str
    said: str
    source: str


def bricks(described: Architecture) -> list[Any]:
    """Return every brick of the layers."""
    return [brick for layer in described.layers for brick in layer.bricks]


def kinds_of_attention(described: Architecture) -> set[str]:
    """Return the kinds by the bricks' own names or heads."""
    named = {
        "LatentAttention": "latent",
        "SharedKeyAttention": "compressed sparse",
        **dict.fromkeys(("Rwkv", "Rwkv7"), "none (linear recurrence)"),
    }
    found = {named[type(brick).__name__] for brick in bricks(described) if type(brick).__name__ in named}
    for brick in bricks(described):
        if hasattr(brick, "n_kv_heads") and type(brick).__name__ not in named:
            shared = brick.n_heads // brick.n_kv_heads
            found.add("multi-head" if shared == 1 else "multi-query" if brick.n_kv_heads == 1 else "grouped")
    return found or {"none (state space)"}


def stated(values: dict[str, Any], described: Architecture) -> dict[str, str]:
    """Return the facts that a config.json states, as the catalog writes them."""
    text = next((values[key] for key in ("text_config", "llm_config", "language_config") if key in values), values)
    facts = {"vocabulary": str(described.vocab)}
    if described.n_ctx:
        facts["context_length"] = str(described.n_ctx)
    facts |= _experts(text, described) | _activation(text, described)
    dtype = next((v for c in (values, text) for v in (c.get("dtype"), c.get("torch_dtype")) if v), None)
    if dtype in FORMATS and "quantization_config" not in values:
        facts["native_dtype"] = FORMATS[dtype]
    return facts


def _experts(text: dict[str, Any], described: Architecture) -> dict[str, str]:
    routed = {brick for brick in bricks(described) if hasattr(brick, "top_k") and hasattr(brick, "n_experts")}
    if len({(brick.n_experts, brick.top_k, brick.d_ff_shared, brick.d_ff) for brick in routed}) != 1:
        return {}
    brick = next(iter(routed))
    if any(hasattr(brick, "d_ff") and not hasattr(brick, "top_k") for brick in _beside(described)):
        return {"experts": str(brick.n_experts), "experts_per_token": str(brick.top_k)}
    named = next((text[key] for key in SHARED if text.get(key) is not None), brick.d_ff_shared / brick.d_ff)
    return {"experts": str(brick.n_experts), "experts_per_token": str(brick.top_k), "shared_experts": f"{named:g}"}


def _beside(described: Architecture) -> list[Any]:
    """Return the bricks of layers with experts: a dense block there is what some publishers call a shared expert."""
    return [b for layer in described.layers for b in layer.bricks if any(hasattr(x, "top_k") for x in layer.bricks)]


def _activation(text: dict[str, Any], described: Architecture) -> dict[str, str]:
    word = next((text[k] for k in ("hidden_act", "hidden_activation", "activation_function") if text.get(k)), None)
    gated = {brick.gated for brick in bricks(described) if hasattr(brick, "gated")}
    if not isinstance(word, str) or len(gated) != 1:
        return {}
    name = (GATED if gated == {True} else PLAIN).get(word)
    return {"activation": name} if name else {}


def from_configs(folder: Path) -> Iterator[Reading]:
    """Yield every fact of every row whose repository's config.json lies in a folder."""
    files = {path.stem.replace("__", "/").casefold(): path for path in folder.glob("*.json")}
    for row in table("models"):
        path = next((files[name.casefold()] for name in row["hf_id"].split(";") if name.casefold() in files), None)
        if path is None or not row["architecture"]:
            continue
        values = json.loads(path.read_text(encoding="utf-8"))
        described = huggingface.architecture(Config(values, path.name))
        for fact, said in stated(values, described).items():
            if row[fact]:
                yield Reading(row["key"], fact, row[fact], said, CONFIG)
        kind = row["attention"].partition(" + ")[0]
        said = kind if kind in kinds_of_attention(described) else " and ".join(sorted(kinds_of_attention(described)))
        if "+" not in row["attention"]:
            yield Reading(row["key"], "attention", row["attention"], said, CONFIG)


def from_totals(path: Path) -> Iterator[Reading]:
    """Yield the checkpoints' own totals of a table of counts."""
    with path.open(encoding="utf-8", newline="") as file:
        totals = {row["model"].casefold(): row["published_total"] for row in csv.DictReader(file)}
    for row in table("models"):
        said = next((t for name in row["hf_id"].split(";") if (t := totals.get(name.casefold(), ""))), "")
        if row["checkpoint_total"] and said:
            yield Reading(row["key"], "checkpoint_total", row["checkpoint_total"], said, CHECKPOINT)


def merged(readings: list[Reading], day: str) -> list[Row]:
    """Return the table with what agrees: a line per row and source, facts in the order of the models' columns."""
    order = list(table("models")[0])
    lines = {(line["key"], line["source"]): dict(line) for line in table("model_readings")}
    for reading in readings:
        if reading.held != reading.said:
            continue
        place = reading.key, reading.source
        line = lines.setdefault(place, {"key": reading.key, "facts": "", "source": reading.source, "retrieved": day})
        facts = {*line["facts"].split(), reading.fact}
        if facts != set(line["facts"].split()):
            line |= {"facts": " ".join(sorted(facts, key=order.index)), "retrieved": day}
    rank = {row["key"]: number for number, row in enumerate(table("models"))}
    return sorted(lines.values(), key=lambda line: rank[line["key"]])


def write(lines: list[Row]) -> None:
    """Write the table of readings."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["key", "facts", "source", "retrieved"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def main() -> int:
    """Compare, print what disagrees, and write what agrees where a day is given."""
    asked = parser(__doc__)
    asked.add_argument("shared", type=Path)
    asked.add_argument("day", nargs="?", help="of the readings, which are then written")
    given = asked.parse_args()
    shared = given.shared
    readings = [*from_configs(shared / "configs" / "real"), *from_totals(shared / "truth" / "params.csv")]
    wrong = [reading for reading in readings if reading.held != reading.said]
    for r in wrong:
        print(f"{r.key}: {r.fact} {r.held} in the table, {r.said} in {r.source}")
    print(f"{len(readings)} facts of {len({r.key for r in readings})} rows compared, {len(wrong)} differ")
    if given.day:
        write(merged(readings, given.day))
    return int(any(reading.fact not in MAY_DIFFER for reading in wrong))


if __name__ == "__main__":
    raise SystemExit(main())
