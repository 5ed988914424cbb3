"""Images of a request: how many there are, and how large."""

from __future__ import annotations

from typing import Annotated, Any

from sizebook.core.sections import DEFAULT, Quantity, section
from sizebook.serving.images import Read, image_read

Images = Annotated[
    int,
    Quantity(
        "images of a request, in the first prompt of a conversation; their tokens come on top of input_tokens",
        unit="images", kind="integer", minimum=0, maximum=10_000, default=0, label="Images of a request", zero="none",
    ),
]  # fmt: skip
_SIDE: Any = {"kind": "integer", "minimum": 1, "maximum": 100_000, "default": 1024}
_TYPED = "assumption: type your own"


@section
class Pictures:
    """Images of a request and their size."""

    images: Images = DEFAULT
    image_width: Annotated[
        int, Quantity("width of an image", unit="pixels", **_SIDE, label="Width of an image", source=_TYPED)
    ] = DEFAULT
    image_height: Annotated[
        int, Quantity("height of an image", unit="pixels", **_SIDE, label="Height of an image", source=_TYPED)
    ] = DEFAULT

    def each(self, model: str) -> Read:
        """Return one image as the model reads it."""
        return image_read(model, self.image_width, self.image_height)

    def tokens(self, model: str) -> int:
        """Return the tokens of all images of a request."""
        return self.images * self.each(model).tokens if self.images else 0
