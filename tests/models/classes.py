"""Every class that transformers builds from the configs of a type, counted: ``class_counts.jsonl``.

Run with the extra ``torch``, on the first row of each type in ``distinct_counts.jsonl``:

    python -m tests.models.classes
"""

import json
from pathlib import Path

from tests.models.edits import bases, counted_by_transformers
from tests.models.kinds_of_edits import classes_of

FROZEN = "class_counts.jsonl"


def main() -> None:
    """Write the file anew."""
    lines = []
    for model_type, rows in sorted(bases().items()):
        for name in classes_of(model_type):
            total = counted_by_transformers({**rows[0], "architectures": [name]})
            if total is not None:
                lines.append(json.dumps({"type": model_type, "class": name, "total": total}))
    (Path(__file__).parent / FROZEN).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
