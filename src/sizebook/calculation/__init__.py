"""Recalculates workbooks without Excel, registered functions included."""

from sizebook.calculation.engine import Calculated, is_not_calculated, recalculate
from sizebook.calculation.grid import ErrorCode

__all__ = ["Calculated", "ErrorCode", "is_not_calculated", "recalculate"]
