"""Terms of the field in plain words, declared once; a report prints those that occur in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sizebook.core.texts import text
from sizebook.reports.document import Report, Row, Section, Table, texts_of, words


@dataclass(frozen=True)
class Term:
    """A term, what it means, and how it is found where its own letters do not do (a regular expression)."""

    name: str
    meaning: str
    found_by: str = ""

    @property
    def pattern(self) -> re.Pattern[str]:
        """What finds the term in an English text: its letters as a whole word, where nothing else is said."""
        return re.compile(self.found_by or rf"\b{re.escape(self.name)}\b")


TERMS = (
    Term(text("batch"), text("Sequences that one step of training processes together."), r"\bbatch\b(?! mode)"),
    Term(
        text("cache"),
        text("Keys and values of the tokens read so far, kept in GPU memory for each request."),
        r"\b[Cc]ache\b",
    ),
    Term("CO\u2082e", text("Greenhouse gases as the amount of carbon dioxide that warms as much."), "CO\u2082e|CO2e"),
    Term("CP", text("Context parallelism: GPUs hold different parts of a sequence."), r"\b[Cc][Pp]\d*\b"),
    Term("DoRA", text("LoRA with the length of every row of weights trained apart.")),
    Term("DP", text("Data parallelism: copies of the model work on different data."), r"\b[Dd][Pp]\d*\b"),
    Term("DPO", text("Direct preference optimization: training on pairs of a better and a worse answer.")),
    Term("EP", text("Expert parallelism: GPUs hold different experts of a layer."), r"\b[Ee][Pp]\d*\b"),
    Term("FLOP", text("One floating-point operation, an addition or a multiplication of decimals."), r"FLOP"),
    Term("GiB", text("2\u00b3\u2070 bytes, 7 % more than a GB."), r"GiB"),
    Term("goodput", text("Share of the time of steps that advances the run, after failures."), r"\b[Gg]oodput\b"),
    Term(text("GPU-hour"), text("One GPU for one hour."), r"GPU-hour"),
    Term("HFU", text("Like MFU, with work that is done twice to save memory counted twice.")),
    Term(
        "int4",
        text("Number format with 4 bits a weight; int8, fp8 have 8, bf16 and fp16 have 16."),
        r"\b(int4|int8|fp8|nvfp4|mxfp4|bf16)\b",
    ),
    Term(
        text("location-based"),
        text("Emissions by the mean of the grid where the power is drawn, whatever was contracted."),
        r"[Ll]ocation-based",
    ),
    Term("LoRA", text("Fine-tuning of small matrices beside the frozen weights."), r"\bQ?LoRA\b"),
    Term("MFU", text("Model FLOPs utilisation: the model's own operations over what the GPUs could do at their peak.")),
    Term(
        text("micro-batch"),
        text("The part of a batch that passes a pipeline at once; mb1 is one sequence."),
        r"micro-batch|\bmb\d",
    ),
    Term("Mtok", text("A million tokens.")),
    Term(
        text("on demand"), text("Paid by the hour and given back when it is not needed."), r"[Oo]n[ -]demand|\b[Bb]urst"
    ),
    Term(
        "p10, p90",
        text("The values that 10 and 90 of 100 measurements lie below: eight of ten lie between them."),
        r"\bp(10|90)\b",
    ),
    Term("PP", text("Pipeline parallelism: GPUs hold different layers, one stage after another."), r"\b[Pp][Pp]\d*\b"),
    Term("PUE", text("Power of the whole site over the power of its computers.")),
    Term("QLoRA", text("LoRA with the frozen weights in 4 bits.")),
    Term(
        text("replica"),
        text("One running copy of the model, on as many GPUs as its layout takes."),
        r"\b[Rr]eplicas?\b",
    ),
    Term(
        text("reserved"),
        text("Paid around the clock under a contract, at a lower price by the hour."),
        r"\b[Rr]eserved\b",
    ),
    Term("RL", text("Reinforcement learning: training on answers of its own, which a reward judges.")),
    Term("SFT", text("Supervised fine-tuning: training on examples of answers.")),
    Term("TDP", text("Thermal design power: the most that a GPU draws for long.")),
    Term(text("token"), text("A piece of text, about three quarters of an English word."), r"\b[Tt]okens?\b"),
    Term("TP", text("Tensor parallelism: every matrix is split over GPUs."), r"\b[Tt][Pp]\d*\b"),
    Term(
        "TPOT",
        text("Time per output token: how long each further token of an answer takes."),
        r"TPOT|[Tt]ime per token",
    ),
    Term(
        "TTFT",
        text("Time to first token: from a request's arrival to the first token of its answer."),
        r"TTFT|[Ff]irst token",
    ),
    Term("v2", text("Interleaved pipeline: each GPU holds so many stages."), r"\bv\d+ ZeRO"),
    Term(
        text("whole run"),
        text("A run with restarts, ramp-up and evaluation, not its steady state alone."),
        r"[Ww]hole run",
    ),
    Term(
        "ZeRO",
        text(
            "What is split over the copies of data parallelism: at stage 1 optimizer states, at 2 gradients "
            "too, at 3 weights too."
        ),
        r"\bZeRO\b",
    ),
)


def glossary(report: Report, said: Callable[[str], str] = str) -> tuple[Section, ...]:
    """Return the terms that occur in a report's own words, in the order of the alphabet; none where none does.

    ``said`` gives a term in the reader's language, which it is ordered by.
    """
    found = sorted(found_in(" \n".join(texts_of(report))), key=lambda term: said(term.name).casefold())
    rows = tuple(Row((term.name, term.meaning)) for term in found)
    if not rows:
        return ()
    table = Table(text("Terms"), words(text("Term"), text("Meaning")), rows)
    return (Section(text("Glossary"), text("What the terms of this report mean"), (table,)),)


def found_in(said: str) -> Iterable[Term]:
    """Return the terms that occur in an English text."""
    return (term for term in TERMS if term.pattern.search(said))
