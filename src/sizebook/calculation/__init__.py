"""Recalculates workbooks without Excel, registered functions included."""

import os

from sizebook.core.extras import need

# The engine's allocator gives freed memory back at once: it keeps 25 MB of a fleet's. It is told before it is loaded.
os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")
need("workbooks")

from sizebook.calculation.calculated import Calculated, is_not_calculated  # noqa: E402 - they stand on the extra
from sizebook.calculation.recalculation import recalculate  # noqa: E402
from sizebook.calculation.values import ErrorCode  # noqa: E402

__all__ = ["Calculated", "ErrorCode", "is_not_calculated", "recalculate"]
