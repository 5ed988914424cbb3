"""Recalculates workbooks without Excel, registered functions included."""

from sizebook.core.extras import need

need("workbooks")

from sizebook.calculation.calculated import Calculated, is_not_calculated  # noqa: E402 - they stand on the extra
from sizebook.calculation.recalculation import recalculate  # noqa: E402
from sizebook.calculation.values import ErrorCode  # noqa: E402

__all__ = ["Calculated", "ErrorCode", "is_not_calculated", "recalculate"]
