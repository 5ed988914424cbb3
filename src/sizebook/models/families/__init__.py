"""The mappings from config.json to `Architecture`, a module a family; importing the package registers them all."""

from sizebook.models.families import (
    encoders_bert,
    encoders_factored,
)

__all__ = ["encoders_bert", "encoders_factored"]
