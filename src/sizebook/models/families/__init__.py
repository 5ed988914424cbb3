"""The mappings from config.json to `Architecture`, a module a family.

`sizebook.models.huggingface.mappings` imports every module of this package once, so a new module registers itself.
"""

loaded = False
