"""The Model Context Protocol: assistants call the same functions and plans as cells and commands."""

from sizebook.core.extras import need

need("mcp", "web", "workbooks", "reports")
