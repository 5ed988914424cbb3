"""What closed forms of training memory refuse; their figures are rows of the functions."""

from sizebook.core.errors import SizebookError
from sizebook.formulas.training_memory import GptLayout, activation_bytes
from sizebook.functions import load
from tests.refused import message_of

load()


def test_interleaving_without_a_pipeline_is_refused() -> None:
    assert message_of(
        SizebookError, lambda: activation_bytes(48, 6144, 64, 2048, layout=GptLayout(tp=8, micro_batch=4, interleave=2))
    ) == ("interleave needs a pipeline: got interleave 2 and pp 1, want pp above 1. Set interleave to 1.")
