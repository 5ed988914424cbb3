"""The rows of data that describe model types: what one says is new to the row it is like, and to what holds unsaid."""

import re
from dataclasses import MISSING, fields
from inspect import get_annotations
from tomllib import loads
from typing import Any

import pytest

from sizebook.core.tables import DATA
from sizebook.models.families import whole_rows
from sizebook.models.families.decoders import rows as decoders
from sizebook.models.families.multimodal import rows as joined
from sizebook.models.families.row_bricks import rows_of
from sizebook.models.families.towers import rows as towers

READ_BY = {
    "types.toml": decoders.Row,
    "towers.toml": towers.Row,
    "joined_types.toml": joined.Row,
    "gpt_types.toml": whole_rows.Row,
    "encoder_types.toml": whole_rows.Row,
    "seq2seq_types.toml": whole_rows.Row,
    "mixed_types.toml": whole_rows.Row,
}


@pytest.mark.parametrize("file", READ_BY)
def test_a_row_says_only_what_is_new(file: str) -> None:
    unsaid = {f.name: f.default if f.default_factory is MISSING else f.default_factory() for f in fields(READ_BY[file])}
    whole, repeated = rows_of(file), []
    for name, said in loads((DATA / file).read_text(encoding="utf-8")).items():
        known: dict[str, Any] = unsaid | (whole[said["like"]] if "like" in said else {})
        lines = {key: value for key, value in said.items() if key not in ("like", "ignore_too")}
        repeated += [(name, key) for key, value in lines.items() if _written(value) == _written(known[key])]
    assert repeated == []


@pytest.mark.parametrize("file", READ_BY)
def test_a_name_is_used_by_its_row_or_one_like_it(file: str) -> None:
    said, whole = loads((DATA / file).read_text(encoding="utf-8")), rows_of(file)

    def used(row: str, name: str) -> bool:
        if name not in whole[row].get("names", ()):
            return False
        formulas = str([*whole[row]["names"].values(), {key: it for key, it in whole[row].items() if key != "names"}])
        return name in re.findall(r"\w+", formulas) or any(used(it, name) for it in said if said[it].get("like") == row)

    named = [(row, name) for row in said for name in said[row].get("names", ())]
    assert [f"{row}: {name}" for row, name in named if not used(row, name)] == []


def test_every_line_that_a_row_may_say_is_said_by_one() -> None:
    def declared(row: type[Any], line: str) -> tuple[str, str]:
        return next(kind.__module__ for kind in row.__mro__ if line in get_annotations(kind)), line

    may_say = {declared(row, line.name) for row in READ_BY.values() for line in fields(row)}
    said = {declared(READ_BY[file], line) for file in READ_BY for row in rows_of(file).values() for line in row}
    assert may_say == said


def _written(value: Any) -> str:
    """Return a value as text: the first of several encoders is the one where a file names none."""
    return str(list(value) if isinstance(value, tuple) else value)


def test_a_row_takes_over_what_it_is_like() -> None:
    """Granite with sinks, its head tied: windows, biases and ignored keys are Granite's."""
    granite, swa = decoders.rows()["granite"], decoders.rows()["granite_swa"]
    assert (swa.sinks, swa.tied) == (True, True)
    assert (granite.sinks, granite.tied) == (False, False)
    assert (swa.windows, swa.qkv_bias, swa.ignore) == ("pattern", "attention_bias", granite.ignore)


def test_a_row_adds_to_the_keys_that_another_ignores() -> None:
    """MVP is BART with prompts, whose keys it ignores besides BART's own."""
    bart, mvp = (rows_of("seq2seq_types.toml")[name] for name in ("bart", "mvp"))
    assert mvp["ignore"] == [*bart["ignore"], "prompt_length", "prompt_mid_dim"]
    assert {key for key in mvp if mvp[key] != bart.get(key)} == {"prefix", "only", "ignore"}
