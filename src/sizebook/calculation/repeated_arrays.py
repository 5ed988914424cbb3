"""Arrays that an argument of SUMPRODUCT works out several times: LET works each out once.

The engine works out what it reads, as often as it reads it; a call into Python for each value of an array is dear.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from sizebook.calculation.callback_names import COMPARED, EACH, OWN
from sizebook.calculation.tokens import called_name, closing, tokenize

_DEAR = (EACH, f"{OWN}MMULT")
_NAME = f"{OWN}ARRAY"


def with_let(argument: str) -> str:
    """Return an argument in which equal calls are one; as it is where a function may hide an error of theirs."""
    if sum(argument.count(f"{name}(") for name in _DEAR) < 2:
        return argument
    if any(t.kind == "call" and called_name(t) not in (*_DEAR, COMPARED) for t in tokenize(argument)):
        return argument
    texts: list[str] = [argument]  # behind it the calls, those first that others read
    while repeated := _longest_repeated(texts):
        name = f"{_NAME}{len(texts)}"
        texts = [text.replace(repeated, name) for text in texts]
        texts.insert(1, f"{name},{repeated}")
    return argument if len(texts) == 1 else f"LET({','.join(texts[1:])},{texts[0]})"


def _longest_repeated(texts: Sequence[str]) -> str:
    """Return the longest call that stands more than once, empty for none."""
    counts = Counter(call for text in texts for call in _calls(text))
    return max((call for call, count in counts.items() if count > 1), key=len, default="")


def _calls(text: str) -> Iterator[str]:
    tokens = tokenize(text)
    for index, token in enumerate(tokens):
        if token.kind == "call" and called_name(token) in _DEAR:
            yield "".join(each.text for each in tokens[index : closing(tokens, index) + 1])
