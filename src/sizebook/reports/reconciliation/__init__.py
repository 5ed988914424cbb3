"""Published against counted parameters, as a report and as a workbook."""
