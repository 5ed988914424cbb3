"""One answer everywhere: Python, command line, Excel, a filled workbook, LibreOffice and a PDF agree."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName
from pypdf import PdfReader

from sizebook.core.cells import bind, call
from sizebook.core.derivation import explain
from sizebook.core.registry import find
from sizebook.functions import load
from sizebook.models import catalog
from sizebook.models.architecture import Attention, Experts, FeedForward
from sizebook.reports.charts.chart_types import Bar, Bars
from sizebook.reports.document import Derivation, Report, Section
from sizebook.reports.render import write_pdf
from sizebook.workbooks.filling import fill
from tests.excel import officejs_client
from tests.libreoffice.office import Displays

load()
# By hand or from the checkpoint itself: total parameters.
MODELS = {"llama-3.1-8b": 8_030_261_248, "mixtral-8x7b": 46_702_792_704, "gpt-2-small": 124_439_808}


@dataclass(frozen=True)
class Question:
    """One call of one function, with the cell it stands in."""

    name: str
    arguments: tuple[Any, ...]
    cell: str

    @property
    def formula(self) -> str:
        words = ('""' if a is None else str(a).upper() if isinstance(a, bool) else f'"{a}"' if isinstance(a, str) else a
                 for a in self.arguments)  # fmt: skip
        return f"{self.name}({','.join(map(str, words))})"


def questions() -> Iterator[Question]:
    row = 0
    for model in MODELS:
        for name, arguments in ten_functions(model):
            row += 1
            yield Question(name, arguments, f"B{row}")


def ten_functions(model: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    described = catalog.architecture(model)
    bricks = [brick for layer in described.layers for brick in layer.bricks]
    attention = next(brick for brick in bricks if isinstance(brick, Attention))
    block = next(brick for brick in bricks if isinstance(brick, (FeedForward, Experts)))
    d_model, total = described.d_model, MODELS[model]
    yield "PARAMS_MODEL", (model,)
    yield "PARAMS_ACTIVE", (model,)
    yield "MODEL_SPEC", (model, "n_layers")
    yield "PARAMS_MHA", (d_model, False)
    yield "PARAMS_ATTENTION", (d_model, attention.n_heads, attention.d_head, attention.n_kv_heads, False)
    yield "PARAMS_FFN", (d_model, block.d_ff, False, block.gated)
    yield "PARAMS_LN", (d_model, False)
    yield "PARAMS_EMBEDDING", (described.vocab, d_model)
    yield "PARAMS_LINEAR", (d_model, described.vocab, False)
    yield "MODEL_BYTES", (total, "bf16")


QUESTIONS = tuple(questions())


@pytest.fixture(scope="module")
def python_answers() -> dict[str, int]:
    answers = {question.cell: call(question.name, *question.arguments) for question in QUESTIONS}
    totals = [answers[q.cell] for q in QUESTIONS if q.name == "PARAMS_MODEL"]
    assert totals == list(MODELS.values())
    return answers


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbook of all the calls, its values stored by the calculation without Excel."""
    folder = tmp_path_factory.mktemp("answers")
    book = Workbook()
    for question in QUESTIONS:
        book["Sheet"][question.cell] = f"={question.formula}"
    book.add_named_style(NamedStyle("Input"))
    book["Sheet"]["A1"].style = "Input"
    book.defined_names["title"] = DefinedName("title", attr_text="Sheet!$A$1")
    book.save(folder / "asked.xlsx")
    fill(folder / "asked.xlsx", {"title": "Answers"}, folder / "filled.xlsx")
    return folder / "filled.xlsx"


def test_command_line(python_answers: dict[str, int]) -> None:
    for question in QUESTIONS[::3]:  # ten processes, every function once
        words = ["" if a is None else str(a) for a in question.arguments]
        command = [sys.executable, "-m", "sizebook", "call", question.name, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == f"{python_answers[question.cell]}\n"


def test_excel_through_xlwings(python_answers: dict[str, int]) -> None:
    for question in QUESTIONS:
        assert officejs_client.call(question.name, *question.arguments) == [[python_answers[question.cell]]]


def test_stored_in_the_filled_workbook(python_answers: dict[str, int], filled: Path) -> None:
    stored = load_workbook(filled, data_only=True)["Sheet"]
    live = load_workbook(filled)["Sheet"]
    for question in QUESTIONS:
        assert stored[question.cell].value == python_answers[question.cell]
        assert live[question.cell].value == f"={question.formula}"


def test_displayed_by_libreoffice(python_answers: dict[str, int], calc_display: Displays, tmp_path: Path) -> None:
    """Recalculated by the add-in in LibreOffice, which is the independent check."""
    book = Workbook()
    for question in QUESTIONS:
        book["Sheet"][question.cell] = f"=SIZEBOOK.{question.formula}"
        book["Sheet"][question.cell].number_format = "0"
    book.save(tmp_path / "asked.xlsx")
    shown = calc_display(tmp_path / "asked.xlsx")["Sheet"]
    assert {q.cell: shown[q.cell] for q in QUESTIONS} == {cell: str(n) for cell, n in python_answers.items()}


def test_printed_in_a_pdf(python_answers: dict[str, int], tmp_path: Path) -> None:
    steps = []
    for question in QUESTIONS:
        function = find(question.name)
        given = [*question.arguments, *[None] * (len(function.arguments) - len(question.arguments))]
        steps.append(explain(function, bind(function, given), call(question.name, *given)))
    section = Section("Derivation", "Every answer", (Derivation(tuple(steps)),))
    chart = Bars("Nothing", "Nothing", (Bar("none", 1.0, "1"),))
    report = Report("Test", "One answer", "", date(2026, 11, 21), ("", "", ""), (), chart, (section,))
    write_pdf(report, tmp_path / "answers.pdf")
    text = "".join(page.extract_text() for page in PdfReader(tmp_path / "answers.pdf").pages)
    digits = "".join(character for character in text if not character.isspace())
    for question in QUESTIONS:
        assert str(python_answers[question.cell]) in digits, question
