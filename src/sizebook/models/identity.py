"""A key for caches: the same architecture object is the same key.

Architectures are frozen and compare by value, which visits every layer; a cache that is asked a thousand times a second
must not. The key holds the object, so its identity cannot pass to another while the cache lives.
"""

from sizebook.models.architecture import Architecture


class ByIdentity:
    """An architecture, compared and hashed by identity."""

    __slots__ = ("architecture",)

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and other.architecture is self.architecture

    def __hash__(self) -> int:
        return id(self.architecture)
