"""How the parameters that a checkpoint's headers hold compare with those that the config beside it describes."""

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture
from sizebook.models.checkpoints.contents import Part
from sizebook.models.checkpoints.weighing import weights_of
from sizebook.models.counting import count
from sizebook.models.verifying import stored_beside

_EXACTLY = "the headers hold exactly the parameters of the config"


def agreement(part: Part, described: Architecture) -> str:
    """Return in words how the count of the headers compares with that of the config."""
    return _explained(part, described) or _difference(part, described)


def remarks(part: Part, described: Architecture) -> tuple[str, ...]:
    """Return what a reader of a model given by its weights must know: of its files, packings, and of its config.

    A packing that is not known says itself that the count may be another.
    """
    agrees = not part.weighed.is_exact or _explained(part, described)
    return (*part.notes, *(() if agrees else (_difference(part, described),)))


def _difference(part: Part, described: Architecture) -> str:
    return remark(
        "the headers hold {held} parameters, the config says {said}: 'sizebook verify' names the tensors that differ",
        held=str(part.weighed.parameters),
        said=str(count(described).total),
    )


def _explained(part: Part, described: Architecture) -> str:
    """Return what the headers hold where that is the config's count and what is known beside it; else nothing."""
    held, counted = part.weighed.parameters, count(described)
    if held == counted.total:
        return _EXACTLY
    if counted.mtp and held == counted.total + counted.mtp:
        return "the headers hold the parameters of the config and its prediction layers"
    beside = _beside(part, described)
    if beside and held == counted.total + sum(beside.values()):
        listed = " and ".join(f"{number} in {name}" for name, number in beside.items())
        return f"the headers hold the parameters of the config, and {listed} beside them"
    return ""


def _beside(part: Part, described: Architecture) -> dict[str, int]:
    """Return what of the headers' count is stored beside the config's, by what it is."""
    counted = {
        w.tensor.name: w.parameters
        for w in weights_of(part.checkpoint.tensors, part.checkpoint.quantization(part.config))
    }
    taken = stored_beside(described, part.checkpoint.tensors)
    sums = {name: sum(counted[tensor.name] for tensor in tensors) for name, tensors in taken.items()}
    return {name: number for name, number in sums.items() if number}
