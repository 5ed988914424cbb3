"""Encoder-decoders and decoders that attend to an encoder which are rows: TrOCR's."""

from __future__ import annotations

from functools import partial

from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.families.whole_rows import Row, described, rows
from sizebook.models.huggingface import model_type

ROWS = rows("seq2seq_types.toml")


def seq2seq(row: Row, config: Config) -> Architecture:
    """Return the architecture of a config whose type is a row."""
    return described(row, config)


for _name, _row in ROWS.items():
    if not _name.startswith("_"):
        model_type(_name)(partial(seq2seq, _row))
