"""Reads the keys of a Hugging Face config.json and remembers which were read.

A key that changes the count and goes unread would make the count wrong in silence, so after a mapping has read what it
understands, `Config.finish` refuses what is left unless it is known not to matter.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sizebook.errors import InputError, RangeError, UnknownKeyError

MISSING: Any = object()

# Keys that no architecture's tensors depend on: names and labels of things, token ids, what happens in training
# (dropout, initial values, losses) and in generation, activation functions, numerics, storage.
_HARMLESS = re.compile(
    r"_.*|.*_token_ids?|.*_idx|.*dropout.*|.*layerdrop|.*_pdrop|.*_eps|.*epsilon|.*initializer.*|init_.*|.*_init|.*_std"
    r"|.*(hidden_act|activation|activation_function|act_fn)|.*_loss.*|label2id|problem_type|dtype"
    r"|torch_.*|torchscript|transformers_version|tokenizer_class|use_cache|use_bfloat16|return_dict.*|output_.*"
    r"|model_name|name|finetuning_task|task_specific_params|gradient_checkpointing|chunk_size_feed_forward"
    r"|is_encoder_decoder|rope_.*|mask_(time|feature)_.*|apply_spec_augment|median_filter_width"
    r"|(max|min)_length|(encoder_)?no_repeat_ngram_size|num_beams|num_beam_groups|num_return_sequences|bad_words_ids"
    r"|do_sample|early_stopping|temperature|top_[kp]|typical_p|.*_penalty|remove_invalid_values|begin_suppress_tokens"
    r"|suppress_tokens|forced_decoder_ids|prefix|scale_embedding"
)


class Config:
    """The keys of one config.json, read by name with their kind checked."""

    def __init__(self, values: dict[str, Any], where: str) -> None:
        self.values = values
        self.where = where
        self.read: set[str] = set()

    def _get(self, keys: tuple[str, ...]) -> Any:
        for key in keys:
            self.read.add(key)
        return next((self.values[key] for key in keys if self.values.get(key) is not None), MISSING)

    def integer(self, *keys: str, default: int | None = MISSING) -> int:
        """Return a positive whole number under the first of several spellings of a key."""
        value = self._get(keys)
        if value is MISSING:
            if default is MISSING:
                raise UnknownKeyError(
                    f"missing key: got no '{keys[0]}' in {self.where}, want a whole number. "
                    "Add it, or use the complete config.json of the model."
                )
            return default  # type: ignore[return-value]
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError(
                f"bad key: got '{keys[0]}' = {value!r} in {self.where}, want a whole number of 0 or more. Correct it."
            )
        return value

    def flag(self, *keys: str, default: bool = MISSING) -> bool:
        """Return true or false under the first of several spellings of a key."""
        value = self._get(keys)
        if value is MISSING and default is not MISSING:
            return default
        if not isinstance(value, bool):
            shown = "nothing" if value is MISSING else repr(value)
            raise InputError(f"bad key: got '{keys[0]}' = {shown} in {self.where}, want true or false. Correct it.")
        return value

    def text(self, *keys: str, default: str = MISSING) -> str:
        """Return a word under the first of several spellings of a key."""
        value = self._get(keys)
        if value is MISSING and default is not MISSING:
            return default
        if not isinstance(value, str):
            shown = "nothing" if value is MISSING else repr(value)
            raise InputError(f"bad key: got '{keys[0]}' = {shown} in {self.where}, want a word. Correct it.")
        return value

    def ignore(self, *keys: str) -> None:
        """Mark keys as understood and without effect on the count."""
        self.read.update(keys)

    def finish(self) -> None:
        """Refuse keys that were not read and may change the count; null and empty are the same as absent."""
        left = [
            key
            for key, value in self.values.items()
            if key not in self.read and value not in (None, {}, []) and not _HARMLESS.fullmatch(key)
        ]
        if left:
            raise UnknownKeyError(
                f"keys not understood: got {', '.join(left)} in {self.where}, want keys whose effect on the count of "
                f"model type '{self.values.get('model_type')}' is known. Remove a key only if it changes no tensor."
            )

    def divides(self, whole: str, n_whole: int, part: str, n_part: int) -> int:
        """Return n_whole / n_part, or refuse a config in which they contradict each other."""
        if n_part == 0 or n_whole % n_part:
            raise RangeError(
                f"inconsistent keys: got '{whole}' = {n_whole} and '{part}' = {n_part} in {self.where}, "
                f"want the first to be a multiple of the second. Correct one of them."
            )
        return n_whole // n_part


def load(path: Path) -> Config:
    """Return the config of a file, refusing anything but a JSON object."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"cannot read: got {error.strerror} for {path}, want a config.json. Check the path."
        ) from error
    except ValueError as error:
        raise InputError(f"not JSON: got {error} in {path}, want a config.json. Download the file again.") from error
    if not isinstance(values, dict):
        raise InputError(f"not a config: got a {type(values).__name__} in {path}, want a JSON object. Check the file.")
    return Config(values, path.name)
