"""`sizebook web`: the same functions over HTTP."""

from __future__ import annotations

import os
from pathlib import Path

import click

from sizebook.core.errors import InputError
from sizebook.core.extras import need

TOKEN = "SIZEBOOK_WEB_TOKEN"
_SHORTEST = 16


@click.command("web")
@click.option("--host", default="127.0.0.1", show_default=True, help=f"Another than loopback wants {TOKEN} to be set.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default="one a processor")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help="Where batches lie; gone at the end if left out."
)
def web(host: str, port: int, jobs: int, folder: Path | None) -> None:
    """Answer over HTTP: a scenario in, figures, workbook or report out; templates filled; batches with progress.

    What it answers is described at /openapi.json. Each request runs in a process of its own, within the limits
    request_bytes, request_seconds and request_memory_bytes; batches keep at most batch_bytes of files. Anybody who
    reaches another address than loopback must bring the token of the environment variable SIZEBOOK_WEB_TOKEN.
    """
    need("web", "workbooks", "reports")
    import uvicorn

    from sizebook.sources.writing import make_folder, scratch_folder
    from sizebook.web.app import Service, create_app, is_loopback

    token = os.environ.get(TOKEN, "").strip()
    if not is_loopback(host) and len(token) < _SHORTEST:
        raise InputError(
            f"open to others: got the address {host} and a token of {len(token)} characters, want {_SHORTEST} or more. "
            f"Set {TOKEN}, or listen at 127.0.0.1."
        )
    with scratch_folder() as scratch:
        if folder is not None:
            make_folder(folder)
        app = create_app(Service(jobs, folder or scratch, token))
        uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False, server_header=False)
