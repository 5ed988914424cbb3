"""The server: five tools and three resources, each answered by a process with limits of time and memory."""

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from sizebook import __version__
from sizebook.assistant import answers
from sizebook.core.errors import SizebookError
from sizebook.intake.limits import limits
from sizebook.scenarios.kinds import KINDS
from sizebook.scenarios.schema import schema
from sizebook.scheduling.scheduler import WorkerDiedError
from sizebook.scheduling.slots import Bounds, Slots
from sizebook.web import request_work

INSTRUCTIONS = (
    "Sizes transformer models: parameters, memory, FLOPs, training time, serving capacity, GPUs, money, energy and "
    "carbon. Counts are exact; estimates carry a range: quote it, with formula and source, beside every figure."
)


def create_server(jobs: int = 1) -> tuple[MCPServer[Any], Callable[[], None]]:
    """Return the server, and what ends its processes."""
    most = limits()
    slots = Slots(jobs, Bounds(most.request_seconds, most.request_memory_bytes))
    server = MCPServer("sizebook", version=__version__, instructions=INSTRUCTIONS)

    async def ask(task: Callable[[Any], Any], item: Any) -> Any:
        try:
            return await asyncio.to_thread(slots.call, task, item)
        except (SizebookError, WorkerDiedError) as error:  # what is said otherwise tells the assistant nothing
            raise ToolError(str(error)) from error

    _add_tools(server, ask)
    for name in answers.TABLES:
        server.resource(f"sizebook://{name}", name=name, mime_type="application/jsonl")(_reader(name))
    server.resource("sizebook://schema", name="schema", mime_type="application/schema+json")(schema)
    return server, slots.close


def _reader(name: str) -> Callable[[], str]:
    def read() -> str:
        return answers.rows_of(name)

    return read


def _add_tools(server: MCPServer[Any], ask: Callable[[Any, Any], Any]) -> None:
    @server.tool()
    async def find_functions(words: str) -> list[dict[str, str]]:
        """Find functions by words of their name or summary, such as 'kv cache' or 'gpus traffic'."""
        found: list[dict[str, str]] = await ask(answers.functions_for, words)
        return found

    @server.tool()
    async def describe_function(name: str) -> str:
        """Describe one function: arguments with units and defaults, formula, source, an example."""
        return str(await ask(answers.function_described, name))

    @server.tool()
    async def call_function(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Evaluate a function of named arguments; the answer has value, unit, formula, numbers, range and source."""
        found: dict[str, Any] = await ask(request_work.function_value, (name, arguments))
        return found

    @server.tool()
    async def count_model(model: str = "", config: dict[str, Any] | None = None) -> dict[str, Any]:
        """Count the parameters of a model exactly: a key of sizebook://models, or the content of a config.json."""
        found: dict[str, Any] = await ask(answers.model_count, (model, config))
        return found

    @server.tool(description=f"Plan a scenario, a dict of the keys in sizebook://schema; plan: {', '.join(KINDS)}.")
    async def plan(scenario: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = await ask(answers.plan_answer, scenario)
        return found
