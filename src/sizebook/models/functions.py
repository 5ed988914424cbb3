"""Functions over the catalog of published models and over a user's own config.json."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated

from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.core.quantities import Bytes, Model, Parameters
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT, Quantity
from sizebook.core.tables import table
from sizebook.models import catalog, huggingface
from sizebook.models.architecture import PARTS
from sizebook.models.checkpoints.contents import CheckpointContents, contents_at
from sizebook.models.config import load
from sizebook.models.counting import Count, count

CATALOG = "sizebook data/models.csv and data/architectures.csv, source per row"
SAMPLE = "sample"
NO_NOTES = "none"

Part = Annotated[
    str,
    Quantity(
        "what to count: 'total', one of the parts that add up to it, or what is stored beside it (buffers, mtp)",
        choices=("total", *PARTS, "buffers", "mtp"),
        default="total",
    ),
]


def spec_fields() -> tuple[str, ...]:
    """Return the fields of MODEL_SPEC: columns of data/models.csv and dimensions of the architecture."""
    return (*table("models")[0], *DIMENSIONS, "activation_formula")


DIMENSIONS = ("n_layers", "d_model", "n_heads", "n_kv_heads", "d_head", "d_ff")

Field = Annotated[
    str,
    Quantity(
        "what to look up: a column of the catalog (release_date, context_length, licence, ...) or a dimension "
        "(n_layers, d_model, n_heads, n_kv_heads, d_head, d_ff)",
        choices=spec_fields,
    ),
]
Family = Annotated[
    str, Quantity("family of models, blank for all of them", choices=lambda: catalog.families(), default=None)
]
ConfigPath = Annotated[str, Quantity("path of a config.json; 'sample' is one that ships with the package")]
CheckpointPath = Annotated[
    str,
    Quantity("path of a checkpoint: a file, an index, or a folder, which ends in /; 'sample' ships with the package"),
]
Fact = Annotated[str | int | float, Quantity("fact about a published model")]
Notes = Annotated[str, Quantity("notes on a count")]
Models = Annotated[list[list[str]], Quantity("keys of published models, one a row")]


@function(category="models", source=CATALOG)
def params_model(model: Model, part: Part = DEFAULT) -> Parameters:
    """Return the exact trainable parameters of a published model, in total or of one part.

    Computed from the dimensions of its config.json, never read from a table. The parts embedding, lm_head, attention,
    mlp, router, norm, bias, ssm, tower and other add up to the total; a tied head counts once, under embedding. Left
    out of the total: buffers and multi-token-prediction layers, which checkpoints store beside it ('buffers', 'mtp').
    Closed models, whose dimensions are not published, give #N/A.
    """
    return _part(catalog.counted(model), part)


@function(category="models", source=CATALOG)
def params_active(model: Model) -> Parameters:
    """Return the parameters of a published model that one token visits.

    The total less the routed experts that the token is not sent to: each expert tensor counts top_k / n_experts.
    Embedding, head and towers count whole. For a dense model it equals the total.
    """
    return catalog.counted(model).active


@function(category="models", source=CATALOG)
def model_spec(model: Model, field: Field) -> Fact:
    """Return one fact about a published model: a column of the catalog, or a dimension of its architecture.

    Numbers come back as numbers. What was not published gives #N/A, so that a blank never counts as zero. d_head, d_ff
    and the heads are those of the first layer that has them. Of a config.json only the dimensions are known.
    """
    if catalog.is_file(model):
        return _known(_dimension(model, field) if field in DIMENSIONS else None, model, field)
    return _spec(catalog.resolve(model), field)


@function(category="models", source=CATALOG)
def model_list(family: Family | None = DEFAULT) -> Models:
    """Return the keys of the published models, one a row, of one family or of all; spills down."""
    return [[key] for key in catalog.model_keys(family)]


@function(category="models", source=CATALOG)
def model_notes(model: Model) -> Notes:
    """Return what a reader of a model's count must know, or 'none'.

    For instance that a file leaves out sizes which the class of its type gives, or that transformers does not follow
    it. The same notes stand in counts, plans and reports.
    """
    return "; ".join(catalog.notes(model)) or NO_NOTES


@function(category="models", source="the config.json itself")
def config_params(path: ConfigPath, part: Part = DEFAULT) -> Parameters:
    """Return the exact trainable parameters of the model that a config.json describes, in total or of one part.

    The file is read each time. Parts as in PARAMS_MODEL. An unknown model type, or a key that changes the count and is
    not understood, is refused by name. Only files that end in .json are read.
    """
    if path.casefold() == SAMPLE:
        with resources.as_file(resources.files("sizebook") / "data" / "sample_config.json") as sample:
            return _part(count(huggingface.architecture(load(sample))), part)
    catalog.check_config_name(path)
    return _part(catalog.counted(path), part)


@function(category="models", source="the headers themselves")
def checkpoint_params(path: CheckpointPath) -> Parameters:
    """Return the parameters that a checkpoint of any architecture holds, from its headers alone.

    Safetensors, GGUF and PyTorch files, an index, or a folder (its path ends in /). A packed weight counts once, scales
    and buffers not; tensors stored under two names in safetensors count twice. A packing that is not known gives #N/A.
    """
    with _weights(path) as found:
        weighed = [part.weighed for part in found.parts]
    if unknown := [said for each in weighed for said in each.unknown]:
        raise UnknownKeyError(
            f"packing not known: got {unknown[0]} in {found.name}, want one that is counted. "
            "Use CHECKPOINT_BYTES, or add the config.json with its quantization_config."
        )
    return found.parameters


@function(category="models", source="the headers themselves")
def checkpoint_bytes(path: CheckpointPath) -> Bytes:
    """Return the bytes of the values that a checkpoint of any architecture holds, scales and buffers included.

    From the headers alone: safetensors, GGUF and PyTorch files, an index, or a folder (its path ends in /). Left out:
    the headers themselves.
    """
    with _weights(path) as found:
        return found.n_bytes


@contextmanager
def _weights(path: str) -> Iterator[CheckpointContents]:
    """Give what a checkpoint holds; the sample lies within the package, which may be an archive."""
    if path.casefold() == SAMPLE:
        with resources.as_file(resources.files("sizebook") / "data" / "sample.safetensors") as sample:
            yield contents_at(sample)
    elif catalog.is_checkpoint(path):
        yield contents_at(Path(path))
    else:
        raise InputError(
            f"not a checkpoint: got '{path}', want .safetensors, .gguf, .bin, .pt, an index of them or a folder "
            "that ends in /. Give the path of one."
        )


def _part(counted: Count, part: str) -> int:
    if part == "total":
        return counted.total
    beside = {"buffers": counted.buffers, "mtp": counted.mtp}
    return beside[part] if part in beside else next(n for name, n in counted.parts.items() if name == part)


@cache
def _spec(key: str, field: str) -> str | int | float:
    if field in DIMENSIONS:
        value: str | int | None = _dimension(key, field)
    elif field == "activation_formula":
        name = catalog.facts(key)["activation"]
        value = {row["activation"]: row["formula"] for row in table("activations")}.get(name, "")
    else:
        value = catalog.facts(key)[field]
    return _known(value, key, field)


def _known(value: str | int | None, key: str, field: str) -> str | int | float:
    if value is None or value == "":
        raise UnknownKeyError(
            f"not published: got no {field} for '{key}', want a fact that the catalog holds. Choose another field."
        )
    return _number(value) if isinstance(value, str) else value


def _dimension(key: str, field: str) -> int | None:
    architecture = catalog.architecture(key)
    if field in ("n_layers", "d_model"):
        return int(getattr(architecture, field))
    bricks = (brick for layer in architecture.layers for brick in layer.bricks)
    return next((int(getattr(brick, field)) for brick in bricks if getattr(brick, field, None)), None)


def _number(text: str) -> str | int | float:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text
