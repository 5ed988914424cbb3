"""Reports: a plan's result becomes a `document.Report`, its charts SVG, the whole HTML and a tagged PDF."""

from sizebook.core.extras import need

need("reports")
