"""Images and videos of a request: how many there are, how large, and of how many frames."""

from sizebook.core.sections import AskedBy, quantity, section
from sizebook.serving.images import Read, image_read

_TYPED = "assumption: type your own"


@section
class Pictures(AskedBy, key="images", refused=False):
    """Images or videos of a request: how many, their size and their frames."""

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

    image_frames: int = quantity(
        "frames read of each video, 1 for images",
        "frames",
        minimum=1,
        maximum=100_000,
        default=1,
        label="Frames of a video",
        source="neutral: no video",
    )

    def each(self, model: str) -> Read:
        """Return one image or video as the model reads it."""
        return image_read(model, self.image_width, self.image_height, frames=self.image_frames)

    def tokens(self, model: str) -> int:
        """Return the tokens of all images of a request."""
        return self.images * self.each(model).tokens if self.images else 0
