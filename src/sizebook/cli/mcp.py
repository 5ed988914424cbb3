"""`sizebook mcp` serves assistants over the Model Context Protocol."""

import os

import click


@click.command("mcp")
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default="one a processor")
def mcp(jobs: int) -> None:
    """Serve assistants on standard input and output: functions, counts and plans as tools, tables as resources.

    Give it to a client as the command 'sizebook mcp'. Each call runs in its own process, within the limits
    request_seconds and request_memory_bytes, and reads no files of this machine.
    """
    from sizebook.assistant.server import create_server

    server, close = create_server(jobs)
    try:
        server.run("stdio")
    finally:
        close()
