"""The mappings from config.json to `Architecture`, a module a topic.

`sizebook.models.huggingface` loads the one that ``data/model_types.csv`` names for a type, written by `make generated`,
and all of them for a type that is not there. Keys that a type's tensors do not depend on stand in its row, or for a
mapping in code in ``data/ignored_keys.toml``.
"""
