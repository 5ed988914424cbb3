"""Native charts of planning workbooks, in the common look: quiet grid, no legend where one series needs none."""

from __future__ import annotations

from openpyxl.chart import BarChart, LineChart
from openpyxl.chart._chart import ChartBase
from openpyxl.chart.data_source import NumDataSource, NumFmt, NumRef, StrRef, AxDataSource
from openpyxl.chart.label import DataLabelList
from openpyxl.chart.layout import Layout, ManualLayout
from openpyxl.chart.series import Series, SeriesLabel
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText, Text
from openpyxl.chart.title import Title
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import CharacterProperties, Font, Paragraph, ParagraphProperties

from sizebook.workbooks import look
