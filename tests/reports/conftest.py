"""One rendered report for all tests that read a PDF: each render costs about a second."""

from datetime import date
from pathlib import Path

import pypdf
import pytest

from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.plans.sizing.plan import Published, Sizing, size_model
from sizebook.reports.render import write_pdf
from sizebook.reports.sizing.report import report


@pytest.fixture(scope="session")
def as_of() -> date:
    return date(2026, 11, 21)


@pytest.fixture(scope="session")
def llama() -> Architecture:
    """The published dimensions of Llama-3.1-8B."""
    values = {
        "model_type": "llama",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "num_hidden_layers": 32,
        "vocab_size": 128256,
        "max_position_embeddings": 131072,
        "tie_word_embeddings": False,
    }
    return architecture(Config(values, "test"))


@pytest.fixture(scope="session")
def sizing(llama: Architecture) -> Sizing:
    return size_model("Llama-3.1-8B", llama, "bf16", Published(8_030_261_248, "model card"))


@pytest.fixture(scope="session")
def pdf(sizing: Sizing, as_of: date, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reports") / "llama.pdf"
    write_pdf(report(sizing, as_of), path)
    return path


@pytest.fixture(scope="session")
def pages(pdf: Path) -> list[str]:
    """The text of each page with every kind of space as one plain space."""
    return [" ".join(page.extract_text().split()) for page in pypdf.PdfReader(pdf).pages]
