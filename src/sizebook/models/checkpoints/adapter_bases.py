"""What an adapter finds in its base: modules by name, the kind of each, the layer it stands in.

The tensors of a checkpoint go by the names that adapters use. Those of a mapping may be split or named otherwise than
in the class of the model type; ``data/adapter_modules.csv`` says which are the class's own, and only these are adapted.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sizebook.core.tables import by_key

Shapes = Mapping[str, tuple[int, ...]]
# As peft reads a layer from the name of a module: the first number that stands behind a word.
_NUMBER = re.compile(r"(?:^|\.)[^.]+\.(\d+)\.")
_TABLE = re.compile(r"embed|position|relative_attention_bias|^(wte|wpe|shared)$")
_HEADS = ("lm_head", "output", "embed_out")
_ROUTED = re.compile(r"\.experts\.|(router|mlp\.gate|gate\.wg)(\.weight)?$")


@dataclass(frozen=True)
class Base:
    """The model that an adapter adapts: its parameters and its tensors by name.

    ``described_as`` is the model type whose mapping names the tensors, blank where they bear the names of a checkpoint;
    ``head`` the output matrix, which "all-linear" leaves out.
    """

    parameters: int
    shapes: Shapes
    described_as: str = ""
    head: str = ""

    @property
    def routes(self) -> bool:
        """Whether experts are routed to: how an adapter sees them differs between releases of transformers."""
        return any(_ROUTED.search(name) for name in self.shapes)

    @property
    def numbers_layers(self) -> bool:
        return not self.described_as or self._told("by_layer") == "yes"

    @property
    def names_biases(self) -> bool:
        """Whether what is called a bias is one in the class too."""
        return not self.described_as or self._told("biases") == "yes"

    @property
    def names_paths(self) -> bool:
        """Whether the words above a module are those of the class too, so that a name may say where it stands."""
        return not self.described_as or self._told("paths") == "yes"

    def is_called(self, name: str, given: str) -> bool:
        """Return whether a module is called so: by its whole name or the end of it, as peft looks for modules.

        Names of a mapping lack the words that the class puts before all of them.
        """
        if name == given or name.endswith(f".{given}"):
            return True
        return bool(self.described_as) and self.names_paths and given.endswith(f".{name}")

    def _told(self, column: str) -> str:
        row = by_key("adapter_modules", "model_type").get(self.described_as)
        return row[column] if row else ""

    def modules(self) -> Shapes:
        """Return the modules that hold a matrix and are those of the class, by name."""
        found = matrices(self.shapes)
        if not self.described_as:
            return found
        known = {*self._told("linear").split(), *self._told("tables").split()}
        return {name: shape for name, shape in found.items() if leaf_of(name) in known}

    def is_table(self, name: str) -> bool:
        """Return whether rows of a module are looked up: such a one is no linear layer."""
        leaf = leaf_of(name)
        return leaf in self._told("tables").split() if self.described_as else bool(_TABLE.search(leaf))

    def linear(self) -> list[str] | None:
        """Return every linear layer but the head, None where that cannot be told."""
        found = [name for name in self.modules() if not self.is_table(name)]
        if self.described_as:
            strange = matrices(self.shapes).keys() - self.modules().keys()
            return None if strange or self._told("all_linear") == "no" else [n for n in found if n != self.head]
        flat = [name for name in found if len(self.shapes[f"{name}.weight"]) == 2]
        inside = [name for name in flat if number_of(name) is not None]
        outside = set(flat) - set(inside)
        return None if any(leaf_of(name) not in _HEADS for name in outside) else inside

    def width_out(self, name: str) -> int:
        """Return the outputs of a module: the width of a table's rows, the columns of a matrix of GPT-2's."""
        shape = self.shapes[f"{name}.weight"]
        if self.is_table(name) or self.shapes.get(f"{name}.bias", shape[:1]) == shape[1:]:
            return shape[1]
        return shape[0]


def matrices(shapes: Shapes) -> Shapes:
    """Return the modules that have a matrix, by name."""
    named = ((name.removesuffix(".weight"), shape) for name, shape in shapes.items() if name.endswith(".weight"))
    return {name: shape for name, shape in named if len(shape) > 1}


def leaf_of(name: str) -> str:
    """Return the last word of a module's name."""
    return name.rpartition(".")[2]


def number_of(name: str) -> int | None:
    """Return the layer that a module's name says it stands in."""
    match = _NUMBER.search(name)
    return int(match[1]) if match else None
