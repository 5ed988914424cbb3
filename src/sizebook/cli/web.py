"""`sizebook web` serves plans, reports and workbooks over HTTP."""

import os
from pathlib import Path

import click

from sizebook.cli.options import FOLDER
from sizebook.core.errors import InputError
from sizebook.core.extras import need

TOKEN = "SIZEBOOK_WEB_TOKEN"
_SHORTEST = 16


@click.command("web")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help=f"Any address but loopback needs {TOKEN} to be set."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default="one a processor")
@click.option("--folder", type=FOLDER, help="Folder of batches; if left out, a temporary one.")
def web(host: str, port: int, jobs: int, folder: Path | None) -> None:
    """Serve over HTTP: send a scenario, get figures, a workbook or a report; fill templates; run batches.

    /openapi.json describes the service. Each request runs in its own process, within the limits request_bytes,
    request_seconds and request_memory_bytes; batches keep at most batch_bytes of files. On any address but loopback,
    clients must send the token of the environment variable SIZEBOOK_WEB_TOKEN.
    """
    need("web", "workbooks", "reports")
    import uvicorn

    from sizebook.sources.writing import make_folder, scratch_folder
    from sizebook.web.app import Service, create_app
    from sizebook.web.connections import BACKLOG, BoundedProtocol
    from sizebook.web.request_limits import is_loopback

    token = os.environ.get(TOKEN, "").strip()
    if not is_loopback(host) and len(token) < _SHORTEST:
        raise InputError(
            f"no access control: got the address {host} and a token of {len(token)} characters, want {_SHORTEST} or "
            f"more. Set {TOKEN}, or listen at 127.0.0.1."
        )
    with scratch_folder() as scratch:
        if folder is not None:
            make_folder(folder)
        app = create_app(Service(jobs, folder or scratch, token))
        uvicorn.run(
            app,
            host=host,
            port=port,
            log_level="warning",
            access_log=False,
            server_header=False,
            http=BoundedProtocol,
            backlog=BACKLOG,
        )
