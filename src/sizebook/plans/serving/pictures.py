"""Images of a request: how many there are, and how large."""

from sizebook.core.sections import AskedBy, quantity, section
from sizebook.serving.images import Read, image_read

_TYPED = "assumption: type your own"


@section
class Pictures(AskedBy, key="images", refused=False):
    """Images of a request and their size."""

    images: int = quantity(
        "images of a request, in the first prompt of a conversation; their tokens come on top of input_tokens",
        "images",
        minimum=0,
        maximum=10_000,
        default=0,
        label="Images of a request",
        source="neutral: none",
        zero="none",
    )
    image_width: int = quantity(
        "width of an image",
        "pixels",
        minimum=1,
        maximum=100_000,
        default=1024,
        label="Width of an image",
        source=_TYPED,
    )
    image_height: int = quantity(
        "height of an image",
        "pixels",
        minimum=1,
        maximum=100_000,
        default=1024,
        label="Height of an image",
        source=_TYPED,
    )

    def each(self, model: str) -> Read:
        """Return one image as the model reads it."""
        return image_read(model, self.image_width, self.image_height)

    def tokens(self, model: str) -> int:
        """Return the tokens of all images of a request."""
        return self.images * self.each(model).tokens if self.images else 0
