"""Words of published recipes that say what is recomputed of every layer, where `recompute` itself is left blank.

torchtitan's selective mode by operation (selective_ac_option = "op") keeps every second matrix product; what
transformers, torchtune and DeepSpeed call activation or gradient checkpointing runs whole layers again.
"""

from __future__ import annotations

import re
from functools import lru_cache

_KINDS = {
    "every-other-matmul": re.compile(r"selective op(?: ac)?|selective ac option op|per op(?: sac| selective ac)?"),
    "full": re.compile(r"full(?: recompute| recomputation| ac)?|(?:full )?(?:activation|gradient) checkpointing"),
}


@lru_cache(maxsize=256)
def stated_kind(text: str) -> str:
    """Return the kind of recomputation that the whole of a text names, blank where it names none."""
    plain = " ".join(re.findall(r"[a-z0-9]+", text.casefold()))
    return next((kind for kind, words in _KINDS.items() if words.fullmatch(plain)), "")
