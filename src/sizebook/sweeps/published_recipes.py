"""Turns the prose of published tables on recomputation and offloading into the grammar of `training.recipe_grammar`.

Sources: Megatron's options (recompute_method, recompute_num_layers), torchtitan's (selective_ac_option, by default
every second layer), activation checkpointing of transformers, torchtune and DeepSpeed, and policies of MaxText and
praxis.
"""

import re
from functools import lru_cache

import polars as pl

COLUMNS = ("recompute", "recompute_modules", "offload")

# Prose that names a kind of recomputation of every layer, and that kind as ``recompute`` states it. The whole text has
# to match, written in lower case with single blanks between its words.
_KINDS = (
    (r"(?:selective|per) op(?: sac| ac| selective ac)?|selective ac option op", "every-other-matmul"),
    (r"full(?: recompute| recomputation| ac)?|(?:full )?(?:activation|gradient) checkpointing", "full"),
    (r"(?:recompute )?(?:method )?uniform(?: (?:recompute )?(?:num layers )?1(?: layers?)?)?", "full"),
)
# Prose, and its form in the grammar, applied one after the other.
_REMARK = (r"\([^)]*\)?", " ")
_SPELLINGS = (
    _REMARK,
    (r"\b(?:custom remat policy|remat policy custom)\b", "remat_policy=custom"),
    (r"\b(?:remat policy|remat) +(?=\w)", "remat_policy="),
    (r"^ *(save_\w+) *$", r"remat_policy=\1"),
    (r"\bevery (?:other|second) layers?\b|\bselective layers?\b", "every 2nd layer"),
    (r"\bevery third layers?\b", "every 3rd layer"),
    (r"\bevery fourth layers?\b", "every 4th layer"),
    (r"\b1/(\d+) of (?:(?:all|the) )?layers\b", r"every \1 layers"),
    (r"\bselective[ _](?:ac|activation[ _]checkpointing)[ _]option[ =](\d+)\b", r"every \1 layers"),
    (r"(?:--)?\brecompute[-_ ](?:granularity|method)[ =](?:full|block)\b", " "),
    (r"(?:--)?\brecompute[-_ ]num[-_ ]layers[ =](\d+)\b", r"block \1 layers"),
    (r"(?<!=)\bfull,? (?=block\b)|\b(?<=block) recomputation of\b|(?<=block),|\bfirst (?=\d)", ""),
    (r"\b(?<!block )(?<!every )(?<!uniform )(\d+) layers?\b", r"block \1 layers"),
    (r"(?<=layers)(?: of each (?:pipeline )?stage)?(?: recomputed)?\b", ""),
)
_OFFLOADS = (_REMARK, (r"\b(?:to|on|in) (?:the )?(?:cpu|host)s?(?: memory| ram)?\b", ""), (r"\bof \w*mlp\w*", "of mlp"))


@lru_cache(maxsize=1024)
def normalised(recompute: str, modules: str, offload: str) -> tuple[str, str, str]:
    """Return the three settings of a published row in the grammar; what no spelling matches stays as it is."""
    words = " ".join(re.findall(r"[a-z0-9]+", re.sub(*_REMARK, modules.casefold())))
    for pattern, kind in _KINDS:
        if re.fullmatch(pattern, words) and recompute in ("", "lightest", kind):
            return kind, "", _rewritten(offload, _OFFLOADS)
    return recompute, _rewritten(modules, _SPELLINGS), _rewritten(offload, _OFFLOADS)


def _rewritten(text: str, spellings: tuple[tuple[str, str], ...]) -> str:
    text = text.casefold()
    for pattern, form in spellings:
        text = re.sub(pattern, form, text)
    return " ".join(text.split())


def with_normalised_recipes(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with its recipes in the grammar; one without prose columns is returned as it is."""
    if not {"recompute_modules", "offload"} & set(frame.columns):
        return frame
    blank = [""] * frame.height
    columns = [frame[name] if name in frame.columns else blank for name in COLUMNS]
    rows = [normalised(*(str(cell or "") for cell in cells)) for cells in zip(*columns, strict=True)]
    return frame.with_columns(
        pl.Series(name, cells, dtype=pl.String) for name, cells in zip(COLUMNS, zip(*rows, strict=True), strict=True)
    )
