"""The server as a client sees it: tools and their schemas, answers with formula, range and source, bounds."""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

import sizebook as sb

pytest.importorskip("mcp")
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

pytestmark = pytest.mark.ci  # each starts the command and its processes


def asked(question: Callable[[ClientSession], Awaitable[Any]]) -> Any:
    """Return what a client gets of the command ``sizebook mcp``."""

    async def talk() -> Any:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "sizebook", "mcp", "--jobs", "1"], env=dict(os.environ)
        )
        async with stdio_client(command) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            return await question(session)

    return anyio.run(talk)


def answer(found: Any) -> Any:
    assert not found.is_error, found
    return json.loads(found.content[0].text)


def test_tools_resources_and_answers() -> None:
    async def question(session: ClientSession) -> dict[str, Any]:
        tools = {tool.name: tool.input_schema for tool in (await session.list_tools()).tools}
        resources = {str(each.uri) for each in (await session.list_resources()).resources}
        call = session.call_tool
        return {
            "tools": tools,
            "resources": resources,
            "mha": answer(await call("call_function", {"name": "PARAMS_MHA", "arguments": {"d_model": 4096}})),
            "tpot": answer(
                await call(
                    "call_function",
                    {"name": "TPOT_SECONDS", "arguments": {"model": "llama-3.1-8b", "gpu": "h100-sxm"}},
                )
            ),
            "count": answer(await call("count_model", {"model": "llama-3.1-8b"})),
            "plan": answer(
                await call(
                    "plan",
                    {
                        "scenario": {
                            "plan": "serving",
                            "model": "llama-3.1-8b",
                            "gpu": "h100-sxm",
                            "requests_per_day": 1e6,
                            "input_tokens": 2000,
                            "output_tokens": 300,
                        }
                    },
                )
            ),
            "refused": await call("call_function", {"name": "PARAMS_MHA", "arguments": {"d_model": 0}}),
            "no file": await call("count_model", {"model": "/etc/passwd"}),
            "models": (await session.read_resource("sizebook://models")).contents[0].text,
        }

    got = asked(question)
    assert set(got["tools"]) == {"find_functions", "describe_function", "call_function", "count_model", "plan"}
    assert got["tools"]["call_function"]["required"] == ["name", "arguments"]
    assert got["resources"] == {f"sizebook://{name}" for name in ("models", "hardware", "prices", "schema")}
    assert got["mha"]["value"] == sb.params_mha(4096) and got["mha"]["formula"] == "4 * (d_model^2 + bias * d_model)"
    assert got["tpot"]["value"] == sb.tpot_seconds("llama-3.1-8b", "h100-sxm")
    assert got["tpot"]["low of the band"] < got["tpot"]["value"] < got["tpot"]["high of the band"]
    assert got["tpot"]["source"]
    assert got["count"]["total"] == 8_030_261_248
    figures = {each["name"]: each["value"] for each in got["plan"]["figures"]}
    assert figures["usd_least"] <= figures["usd"] <= figures["usd_most"] and "formula" in got["plan"]["derivation"]
    assert got["refused"].is_error and "d_model is out of range: got 0" in got["refused"].content[0].text
    assert got["no file"].is_error
    assert len(got["models"].splitlines()) > 400
