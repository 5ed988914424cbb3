"""Says what a file is that is not what was asked for, and what to do with it."""

from collections.abc import Iterable, Mapping
from typing import Any

from sizebook.core.errors import InputError
from sizebook.models.checkpoints.file_names import INDEX_ENDING

# First bytes of files that people mistake for checkpoints, and what would help.
_HEADS = (
    (b"\x89HDF", "an HDF5 file (Keras, TensorFlow)", "Convert it to safetensors."),
    (b"\x08", "what may be an ONNX graph", "Give the safetensors it was exported from."),
    (b"\x93NUMPY", "a NumPy array", "Save the tensors as safetensors."),
    (b"\x1f\x8b", "a compressed file", "Unpack it first."),
    (b"BZh", "a compressed file", "Unpack it first."),
    (b"\x28\xb5\x2f\xfd", "a compressed file", "Unpack it first."),
    (b"\x80", "a pickle that torch.save did not write", "Do not load it if you do not know where it is from."),
    (b"version https://git-lfs", "a pointer of Git LFS, not the file itself", "Run 'git lfs pull', or download it."),
    (b"<!DOCTYPE", "a web page", "Download the file itself, not its page."),
    (b"<html", "a web page", "Download the file itself, not its page."),
)
# Checkpoints themselves, under the name of another kind.
_OTHER_KINDS = (
    (b"GGUF", "a GGUF file", "Give it a name that ends in .gguf."),
    (b"PK\x03\x04", "an archive, as torch.save writes them", "Give it a name that ends in .pt."),
)
# Keys by which a JSON file is known: (keys of which one suffices, what it is, what to do).
_JSON = (
    (("peft_type",), "the settings of an adapter", "Count it with 'sizebook count {folder}', beside its base model."),
    (("_class_name", "_diffusers_version"), "part of a diffusers pipeline",
     "Give the folder of the pipeline or of this part: its weights say what it holds."),
    (("weight_map",), "an index of a checkpoint's tensors", "Give it under its name, which ends in .index.json."),
    (("tokenizer_class", "added_tokens_decoder", "chat_template", "bos_token"), "the settings of a tokenizer",
     "Give the config.json beside it."),
    (("added_tokens", "pre_tokenizer"), "a tokenizer", "Give the config.json beside it."),
    (("image_processor_type", "feature_extractor_type", "processor_class"), "the settings of a processor",
     "Give the config.json beside it."),
    (("temperature", "top_p", "max_new_tokens", "do_sample", "eos_token_id"), "settings of generation",
     "Give the config.json beside it."),
)  # fmt: skip
_BESIDE = {
    "model_index.json": "It is a diffusers pipeline whose parts are missing: download them.",
    "adapter_config.json": "It is an adapter without its weights: download adapter_model.safetensors.",
    "config.json": "Give its config.json to count from the config alone.",
}


def not_a_checkpoint(head: bytes, where: str) -> InputError:
    """Return the refusal of a file that is no checkpoint, saying what its first bytes show it to be."""
    for start, what, fix in _HEADS:
        if head.startswith(start):
            return InputError(f"no checkpoint: got {what} in {where}, want safetensors, GGUF or torch.save. {fix}")
    return InputError(
        f"no checkpoint: got {where}, which begins with {head[:8].hex() or 'nothing'}, want safetensors, GGUF or "
        "torch.save. Check the path."
    )


def other_kind_refused(first: bytes, where: str) -> InputError | None:
    """Return the refusal of a file that its name calls safetensors and its first bytes something else."""
    for start, what, fix in (*_HEADS, *_OTHER_KINDS):
        if len(start) > 1 and first.startswith(start[: len(first)]):
            return InputError(f"not safetensors: got {what} in {where}, want a safetensors header. {fix}")
    return None


def nothing_to_count(names: Iterable[str], folder: str) -> InputError:
    """Return the refusal of a folder that holds neither a config nor weights, saying what it does hold."""
    found = sorted(names)
    got = ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "") if found else "nothing"
    index = any(name.endswith(INDEX_ENDING) for name in found)
    fix = "Download the files that the index lists." if index else "Download them, or check the path."
    return InputError(f"no model: got {got} in {folder}, want a config.json, a params.json or weights. {fix}")


def advice_by_names(names: Iterable[str]) -> str:
    """Return what to do with a folder that has no weights, by what else it has."""
    own = {name for name in names if "/" not in name}
    return next((fix for name, fix in _BESIDE.items() if name in own), "Check the path.")


def no_model_type(values: Mapping[str, Any], where: str) -> InputError | None:
    """Return the refusal of a JSON file that is none of a model, saying what it is; None where nothing tells."""
    if "model_type" in values or "architectures" in values:
        return None
    for keys, what, fix in _JSON:
        if any(key in values for key in keys):
            fix = fix.replace("{folder}", "FOLDER")
            return InputError(f"no config of a model: got {what} in {where}, want a config.json with model_type. {fix}")
    return None
