"""Images of a request: how many there are, and how large."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Annotated, Any

from sizebook.core.sections import DEFAULT, Quantity, section
from sizebook.serving.images import Read, image_read
from sizebook.serving.quantities import Demand

Images = Annotated[
    int,
    Quantity(
        "images of a request, in the first prompt of a conversation; their tokens come on top of input_tokens",
        unit="images", kind="integer", minimum=0, maximum=10_000, default=0, label="Images of a request", zero="none",
    ),
]  # fmt: skip
_SIDE: Any = {"kind": "integer", "minimum": 1, "maximum": 100_000, "default": 1024}
_TYPED = "assumption: type your own"
ImageWidth = Annotated[
    int, Quantity("width of an image", unit="pixels", **_SIDE, label="Width of an image", source=_TYPED)
]
ImageHeight = Annotated[
    int, Quantity("height of an image", unit="pixels", **_SIDE, label="Height of an image", source=_TYPED)
]


@section
class Pictures:
    """Images of a request and their size; ``is_read`` once a demand holds their tokens."""

    images: Images = DEFAULT
    image_width: ImageWidth = DEFAULT
    image_height: ImageHeight = DEFAULT
    is_read: bool = field(default=False, metadata={"not_a_key": True})

    def each(self, model: str) -> Read:
        """Return one image as the model reads it."""
        return image_read(model, self.image_width, self.image_height)

    def read(self, model: str, demand: Demand) -> tuple[Pictures, Demand]:
        """Return a demand with the tokens of the images, and that it has them."""
        if not self.images or self.is_read:
            return self, demand
        tokens = demand.input_tokens + self.images * self.each(model).tokens
        return replace(self, is_read=True), replace(demand, input_tokens=tokens)

    def unread(self, model: str, demand: Demand) -> tuple[Pictures, Demand]:
        """Return a demand as a scenario states it, without the tokens of the images."""
        if not self.is_read:
            return self, demand
        tokens = demand.input_tokens - self.images * self.each(model).tokens
        return replace(self, is_read=False), replace(demand, input_tokens=tokens)
