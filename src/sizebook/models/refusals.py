"""The refusals of a config.json: what stands under a key, what was wanted, what to do. ``where`` names the place."""

from typing import Any

from sizebook.core.errors import InputError, RangeError, UnknownKeyError


def missing_key(key: str, where: str) -> UnknownKeyError:
    """Return the refusal of a file without a size that nothing else tells."""
    return UnknownKeyError(
        f"missing key: got no '{key}' in {where}, want a whole number. "
        "Add it, or use the complete config.json of the model."
    )


def missing_section(key: str, where: str) -> UnknownKeyError:
    """Return the refusal of a file without a section of which it is not known what its users' class builds."""
    return UnknownKeyError(
        f"missing section: got no '{key}' in {where}, want what it says of its part of the model. "
        "Use the complete config.json of the model."
    )


def spellings_disagree(first: tuple[str, Any], second: tuple[str, Any], where: str) -> InputError:
    """Return the refusal of two keys, each with its value, that are one key and say two things."""
    return InputError(
        f"two spellings disagree: got '{first[0]}' = {first[1]!r} and '{second[0]}' = {second[1]!r} in {where}, want "
        "the same, as both name one key. Remove the wrong one."
    )


def not_described(key: str, value: Any, want: str, *, where: str) -> UnknownKeyError:
    """Return the refusal of a key that is read but whose value is not described."""
    return UnknownKeyError(f"not described: got '{key}' = {value!r} in {where}, want {want}.")


def not_understood(keys: list[str], model_type: object, where: str) -> UnknownKeyError:
    """Return the refusal of keys that no mapping read and whose names may matter."""
    shown = ", ".join(key if key.isprintable() else repr(key) for key in sorted(keys))
    return UnknownKeyError(
        f"keys not understood: got {shown} in {where}, want keys whose effect on the count of model type "
        f"'{model_type}' is known. Remove a key only if it changes no tensor."
    )


def no_multiple(whole: tuple[str, int], part: tuple[str, int], where: str) -> RangeError:
    """Return the refusal of two keys, each with its value, of which the first is no multiple of the second."""
    return RangeError(
        f"inconsistent keys: got '{whole[0]}' = {whole[1]} and '{part[0]}' = {part[1]} in {where}, "
        "want the first to be a multiple of the second. Correct one of them."
    )
