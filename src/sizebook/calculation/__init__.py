"""Recalculates workbooks without Excel, registered functions included."""

from sizebook.calculation.calculated import Calculated, is_not_calculated
from sizebook.calculation.recalculating import recalculate
from sizebook.calculation.values import ErrorCode

__all__ = ["Calculated", "ErrorCode", "is_not_calculated", "recalculate"]
