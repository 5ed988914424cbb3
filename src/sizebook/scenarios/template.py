"""A scenario file to fill in: every key that a plan takes, with its meaning, unit, bounds and usual value.

Keys that must be given stand with an example, all others as comments with their usual value: a template is a whole
scenario as it is.
"""

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from sizebook.core.hints import unknown_key
from sizebook.core.scenario_keys import Keys, layout
from sizebook.core.sections import Argument, Quantity
from sizebook.scenarios.kinds import KINDS, USUAL

_WIDTH = 110
_MOST_CHOICES = 12
_RUN = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 64, "tokens": "2T", "batch": 512}
_TRAFFIC = {"requests_per_day": 1_000_000, "input_tokens": 1500, "output_tokens": 300}
# What a template states: the keys that have no usual value.
EXAMPLES: dict[str, dict[str, Any]] = {
    "sizing": {"model": "llama-3.1-8b"},
    "training": {"plan": "training", **_RUN},
    "fine_tuning": {
        "plan": "training",
        **_RUN,
        "gpus": 1,
        "tokens": 20_000_000,
        "batch": 16,
        "tuning": "lora",
        "example_tokens": 600,
        "packed": True,
        "stack": "torchtune",
        "zero_stage": 0,
        "micro_batch": 1,
        "programme_factor": 1,
    },
    "serving": {"plan": "serving", "model": "llama-3.1-8b", "gpu": "h100-sxm", **_TRAFFIC},
    "fleet": {"plan": "fleet", "name": "Chat", "model": "llama-3.1-8b", "gpu": "h100-sxm", **_TRAFFIC},
    "programme": {"plan": "programme", "name": "Pre-training", **_RUN},
}


def template(plan: str) -> str:
    """Return a commented scenario file of a plan, or of what it is often made for, such as fine-tuning.

    Errors: `UnknownKeyError` for a plan that there is not.
    """
    if plan not in EXAMPLES:
        raise unknown_key("plan", plan, EXAMPLES, lists="'sizebook scenario template --help'")
    stated = EXAMPLES[plan]
    top = layout(KINDS[stated.get("plan", USUAL)])
    lines = [
        f"# {top.meaning}",
        "# Keys without a # are needed; each other one shows its usual value. Numbers may be written 70B or 2T.",
        "",
        *_table(top, stated),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _table(table: Keys, stated: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield the lines of a table and of those within it; one that may be missing stands as a comment whole."""
    for key in sorted(table.keys, key=lambda key: key.name not in stated):
        yield from _comment(_said(key))
        yield _line(key, stated)
        yield ""
    for inner in table.tables:
        left_out = inner.apart and not inner.required
        yield from _comment(inner.meaning)
        yield f"{'# ' if left_out else ''}{inner.head.replace(inner.name, f'{path}{inner.name}')}"
        yield ""
        yield from _table(inner, {} if left_out else stated, f"{path}{inner.name}.")


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False)


def _line(key: Argument, stated: Mapping[str, Any]) -> str:
    if key.name in stated:
        return _pair(key.name, stated[key.name])
    if key.required or key.default is None or key.default == "":
        return f"# {key.name} ="
    return f"# {_pair(key.name, key.default)}"


def _pair(name: str, value: Any) -> str:
    return f"{name} = {json.dumps(value, ensure_ascii=False)}"  # which TOML reads as JSON does


def _said(key: Argument) -> str:
    """Return what a key means, its unit, bounds and choices."""
    quantity = key.quantity
    parts = [quantity.unit, *_bounds(quantity), "needed" if key.required else ""]
    if len(quantity.allowed) > 1:
        shown = ", ".join(quantity.allowed[:_MOST_CHOICES])
        more = f" and {len(quantity.allowed) - _MOST_CHOICES} more" if len(quantity.allowed) > _MOST_CHOICES else ""
        parts.append(f"one of {shown}{more}")
    said = "; ".join(part for part in parts if part)
    return f"{quantity.meaning} ({said})" if said else quantity.meaning


def _bounds(quantity: Quantity) -> Iterator[str]:
    words = {"minimum": "at least", "above": "above", "maximum": "at most", "below": "below"}
    for name, word in words.items():
        bound = getattr(quantity, name)
        if bound is not None:
            yield f"{word} {bound:g}"
