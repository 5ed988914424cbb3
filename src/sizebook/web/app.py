# ruff: noqa: E402 - need() must run before the imports of the extra
"""The web service: its addresses, their requests and answers, and access control."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from sizebook.core.extras import need

need("web", "workbooks", "reports")

from fastapi import Depends, FastAPI, Form, HTTPException, Query, Request, Response, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import ClientDisconnect

from sizebook import __version__
from sizebook.batch.formats import FORMATS, USUAL, parse_formats
from sizebook.core.errors import InputError, SizebookError, UnknownKeyError
from sizebook.core.hints import suggestion
from sizebook.intake.limits import limits
from sizebook.scenarios.schema import schema
from sizebook.scheduling.scheduler import WorkerDiedError
from sizebook.scheduling.slots import Bounds, BusyError, Slots
from sizebook.web import page, request_work
from sizebook.web.batches import Batches, Progress, events
from sizebook.web.request_limits import RequestLimits

JSON, TOML = _SCENARIOS = ("application/json", "application/toml")
MEDIA = {
    "json": JSON,
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_LONGEST_NOTES = 4000  # proxies accept headers of 8 kB in total
NOTES = "X-Sizebook-Notes"  # notes on the answer, as JSON in ASCII
_OBJECT = {JSON: {"schema": {"type": "object"}}}
_ARGUMENTS = {"requestBody": {"required": True, "content": _OBJECT}}
_SCENARIO = {"requestBody": {"required": True, "content": {**_OBJECT, TOML: {"schema": {"type": "string"}}}}}
_BEARER = HTTPBearer(auto_error=False)  # for the description; the token itself is checked before the body is read
_PROBLEM_SCHEMA = {"type": "object", "required": ["problem"], "properties": {"problem": {"type": "string"}}}
_PROBLEM = {JSON: {"schema": _PROBLEM_SCHEMA}}
_REFUSED = {
    400: "not understood",
    401: "no token, or a wrong one",
    403: "from another site",
    404: "not found",
    405: "wrong method",
    408: "too slow",
    413: "too large",
    415: "neither JSON nor TOML",
    422: "refused: what the request has, what is wanted, and a fix",
    503: "no free process, or the process died: ask again",
}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {"description": "the file", "content": {media.partition(";")[0]: {} for media in MEDIA.values()}}
}
_EVENTS: dict[int | str, dict[str, Any]] = {200: {"description": "events", "content": {"text/event-stream": {}}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"description": meaning, "content": _PROBLEM} for code, meaning in _REFUSED.items()
}


@dataclass(frozen=True)
class Service:
    """Settings of a service: number of processes, folder of batches, token of requests."""

    jobs: int
    folder: Path
    token: str = ""


def create_app(service: Service) -> FastAPI:
    """Return the service as an ASGI application."""
    most = limits()
    slots = Slots(service.jobs, Bounds(most.request_seconds, most.request_memory_bytes))
    batches = Batches(service.folder, slots)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        batches.close()
        slots.close()

    app = FastAPI(
        title="sizebook",
        version=__version__,
        description="Sizes transformer models: plans, workbooks, reports and batches of them.",
        lifespan=lifespan,
        responses=REFUSALS,
        dependencies=[Depends(_BEARER), Depends(_refuse_unknown)],
        redoc_url=None,
        docs_url=None,
        openapi_url=None,
    )
    app.add_middleware(RequestLimits, most=most.request_bytes, seconds=most.request_seconds, token=service.token)
    _add_error_handlers(app)
    _add_page(app, slots)
    _add_plans(app, slots)
    _add_batches(app, slots, batches)
    return app


async def _refuse_unknown(request: Request) -> None:
    """Refuse unknown or repeated query parameters and form fields."""
    accepted = request.scope["route"].dependant
    given: dict[str, tuple[Any, Any]] = {"parameter": (accepted.query_params, request.query_params.multi_items())}
    if request.headers.get("content-type", "").startswith("multipart/"):
        given["field"] = accepted.body_params, (await request.form()).multi_items()
    for kind, (params, items) in given.items():
        known, names = [each.alias for each in params], [name for name, _ in items]
        for name in names:
            if name not in known:
                want = ", ".join(known) or "none"
                raise InputError(f"unknown {kind}: got '{name}', want {want}. Correct it.{suggestion(name, known)}")
            if names.count(name) > 1:
                raise InputError(f"repeated {kind}: got '{name}' {names.count(name)} times, want one. Leave one.")


def _add_error_handlers(app: FastAPI) -> None:
    """Answer every error with ``{"problem": "problem: got X, want Y. Fix."}``."""

    @app.exception_handler(SizebookError)
    async def refused(_: Request, error: SizebookError) -> JSONResponse:
        return JSONResponse({"problem": str(error)}, 422)

    @app.exception_handler(BusyError)
    async def busy(_: Request, __: BusyError) -> JSONResponse:
        said = "busy: got no free process in time, want one. Ask again later."
        return JSONResponse({"problem": said}, 503, {"Retry-After": "5"})

    @app.exception_handler(WorkerDiedError)
    async def died(_: Request, __: WorkerDiedError) -> JSONResponse:
        said = "process died: got one that ended over this request, want an answer. Give the machine more memory."
        return JSONResponse({"problem": said}, 503)

    @app.exception_handler(ClientDisconnect)
    async def disconnected(_: Request, __: ClientDisconnect) -> JSONResponse:
        """Handle clients that disconnect within a request; otherwise each would leave a traceback in the log."""
        return JSONResponse({"problem": "not understood: got part of a request, want all of it. Send it again."}, 400)

    @app.exception_handler(StarletteHTTPException)
    async def http_error(request: Request, error: StarletteHTTPException) -> JSONResponse:
        said = str(error.detail)
        if ": got " not in said:
            got = f"{request.method} {request.url.path[:200]}"
            said = f"{said.lower()}: got {got}, want what /openapi.json describes. Correct it."
        return JSONResponse({"problem": said}, error.status_code, error.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"])
        said = f"bad request: got {first['msg']} at {where}, want what /openapi.json describes. Correct it."
        return JSONResponse({"problem": said}, 422)


def _add_page(app: FastAPI, slots: Slots) -> None:
    @app.get("/", include_in_schema=False, response_class=Response)
    async def shown(request: Request) -> Response:
        """Return the page, unless JSON is asked for."""
        accepted = request.headers.get("accept", "").casefold()
        if JSON in accepted and "text/html" not in accepted:
            raise HTTPException(404, "not found")
        return page.page()

    @app.post("/reports", include_in_schema=False, response_class=Response)
    async def report(scenario: UploadFile, format: Annotated[str, Form()] = "html") -> Response:
        """Plan a scenario that the page's form sent (TOML or JSON, by its file name); return its file."""
        try:
            name = _one_format(format)
            made = await run_in_threadpool(slots.call, request_work.plan_file, (await _upload(scenario), name))
        except SizebookError as error:
            return page.page(str(error))
        found = _file(made, name)
        if name == "html":  # shown, not saved
            del found.headers["Content-Disposition"]
            found.headers.update(page.REPORT_HEADERS)
        return found


async def _upload(scenario: UploadFile) -> request_work.ScenarioUpload:
    return request_work.ScenarioUpload(await scenario.read(), (scenario.filename or "").casefold().endswith(".toml"))


def _one_format(text: str) -> str:
    name, *others = parse_formats(text)
    if others:
        raise InputError(f"several formats: got '{text}', want one. Ask once for each, or for a batch.")
    return name


def _add_plans(app: FastAPI, slots: Slots) -> None:
    @app.get("/health")
    async def health() -> dict[str, str]:
        """Return the version; the service is running."""
        return {"sizebook": __version__}

    @app.get("/openapi.json", include_in_schema=False)
    async def description() -> dict[str, Any]:
        """Return the OpenAPI description, to clients that may use the service."""
        return app.openapi()

    @app.get("/schema")
    async def scenario_schema() -> dict[str, Any]:
        """Return the JSON Schema of scenarios."""
        return schema()

    @app.post("/functions/{name}", openapi_extra=_ARGUMENTS)
    async def function_value(request: Request, name: str) -> dict[str, Any]:
        """Evaluate a function of arguments by name, in JSON: its value, and how it came about."""
        _content_type(request, JSON)
        return await run_in_threadpool(slots.call, request_work.function_answer, (name, await request.body()))

    @app.post("/plans", openapi_extra=_SCENARIO, response_class=Response, responses=_FILES)
    async def plan(
        request: Request, format: Annotated[str, Query(json_schema_extra={"enum": list(FORMATS)})] = "json"
    ) -> Response:
        """Plan a scenario, in JSON or TOML, and return its file: figures, report, page or filled workbook."""
        name = _one_format(format)
        sent = request_work.ScenarioUpload(await request.body(), _content_type(request, *_SCENARIOS) == TOML)
        made = await run_in_threadpool(slots.call, request_work.plan_file, (sent, name))
        return _file(made, name)

    @app.post("/workbooks", response_class=Response, responses=_FILES)
    async def workbook(template: UploadFile, scenario: UploadFile) -> Response:
        """Fill a template workbook with a scenario (TOML or JSON, by its file name) and return it."""
        asked = (Path(template.filename or "").name, await template.read(), await _upload(scenario))
        return _file(await run_in_threadpool(slots.call, request_work.filled_workbook, asked), "xlsx")


def _add_batches(app: FastAPI, slots: Slots, batches: Batches) -> None:
    @app.post("/batches", status_code=202)
    async def begin(scenarios: UploadFile, formats: str = ",".join(USUAL)) -> dict[str, Any]:
        """Start a batch of scenarios from CSV, xlsx, Parquet, TOML or YAML, by the file name."""
        kinds = parse_formats(formats)
        name = Path(scenarios.filename or "").name or "scenarios"
        given = await run_in_threadpool(slots.call, request_work.read_scenarios, (name, await scenarios.read()))
        return {**asdict(batches.begin(given.rows, kinds)), "notes": given.notes}

    @app.get("/batches/{batch}")
    async def batch_progress(batch: str) -> dict[str, Any]:
        """Return the progress of a batch."""
        return asdict(_found(batches, batch).progress())

    @app.delete("/batches/{batch}")
    async def cancel(batch: str) -> dict[str, Any]:
        """Cancel a batch; finished scenarios stay."""
        _found(batches, batch)
        return asdict(batches.cancel(batch))

    @app.get("/batches/{batch}/events", response_class=StreamingResponse, responses=_EVENTS)
    async def follow(batch: str) -> StreamingResponse:
        """Follow the progress of a batch by server-sent events until it ends."""
        return StreamingResponse(_stream(events(_found(batches, batch))), media_type="text/event-stream")

    @app.get("/batches/{batch}/files/{name}", response_class=Response, responses=_FILES)
    async def output(batch: str, name: str) -> Response:
        """Return a file of a batch."""
        try:
            path = batches.file(batch, name)
            found = path.stat()  # if the batch was removed, fail here and not within the answer
        except UnknownKeyError as error:
            raise HTTPException(404, str(error)) from error
        except FileNotFoundError as error:
            problem = "batch removed: got a file of a batch that was deleted to make room, want one that is kept. "
            raise HTTPException(404, f"{problem}Start it again.") from error
        return FileResponse(path, media_type=MEDIA.get(path.suffix[1:]), filename=path.name, stat_result=found)


def _found(batches: Batches, name: str) -> Any:
    try:
        return batches.job(name)
    except UnknownKeyError as error:
        raise HTTPException(404, str(error)) from error


async def _stream(found: AsyncIterator[Progress | None]) -> AsyncIterator[str]:
    async for progress in found:
        yield ": still running\n\n" if progress is None else f"event: progress\ndata: {_json(progress)}\n\n"


@lru_cache(maxsize=16)  # all followers of a batch get the same text
def _json(progress: Progress) -> str:
    return json.dumps(asdict(progress))


def _content_type(request: Request, *accepted: str) -> str:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if kind not in accepted:
        said = f"unknown content type: got '{kind[:80]}', want {' or '.join(accepted)}. Set the header Content-Type."
        raise HTTPException(415, said)
    return kind


def _file(made: request_work.Answer, name: str) -> Response:
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(f'sizebook.{name}')}"}
    if made.notes:
        headers[NOTES] = _short(made.notes)
    return Response(made.content, media_type=MEDIA[name], headers=headers)


def _short(notes: Sequence[str]) -> str:
    """Return notes as JSON that fits a header; if there are too many, the last ones are only counted."""
    kept: list[str] = []
    for note in notes:
        if len(json.dumps([*kept, note[:1000]])) > _LONGEST_NOTES:
            kept.append(f"and {len(notes) - len(kept)} more, which the command 'sizebook fill' prints")
            break
        kept.append(note[:1000])
    return json.dumps(kept)
