"""The command that starts the server a plan assumes: its layout, formats, lengths and memory in the engine's words."""

from functools import cache

from sizebook.core.tables import Row, table
from sizebook.core.texts import text
from sizebook.models import catalog
from sizebook.plans.serving.plan import ServingPlan


def command(plan: ServingPlan) -> str:
    """Return the command line of one replica; empty for two pools, which start as two servers behind a router."""
    replica = plan.replica
    if replica.pools is not None:
        return ""
    asked = replica.setup.replica
    degrees = {name: getattr(asked, name) for name in ("tp", "pp", "dp", "ep")}
    figures = {
        "start": _repository(plan.model),
        **{name: str(degree) for name, degree in degrees.items() if degree > 1},
        "weights": asked.weight_dtype or "",
        "cache": asked.kv_dtype or "",
        "context": str(plan.traffic.longest_tokens),
        "running": str(-(-replica.concurrency // asked.dp)),
        "memory": f"{round(float(replica.memory.share), 3):g}",
        **({"adapters": str(asked.adapters), "rank": str(asked.adapter_rank)} if asked.adapters else {}),
    }
    rows = _words(asked.engine)
    return " ".join(
        row["words"].replace("{}", figures[name])
        for name, row in rows.items()
        if figures.get(name) and row["value"] in ("", figures[name])
    )


def unsaid(plan: ServingPlan) -> tuple[str, ...]:
    """Return what the plan assumes and the command cannot say: a checkpoint in a format, ranks that are not there."""
    if plan.replica.pools is not None:
        return ()
    asked, rows = plan.replica.setup.replica, _words(plan.replica.setup.replica.engine)
    found = []
    if asked.dp > 1 and "dp" not in rows:
        found.append(text("{n} data-parallel ranks are stated in the engine's configuration file", n=asked.dp))
    own = catalog.is_file(plan.model) or catalog.facts(plan.model)["native_dtype"] == asked.weight_dtype
    if asked.weight_dtype and not own and rows.get("weights", {}).get("value") != asked.weight_dtype:
        found.append(text("take a checkpoint in {dtype}: no argument casts to it", dtype=asked.weight_dtype))
    if asked.adapters and "adapters" not in rows:
        found.append(text("{n} adapters are stated in the engine's configuration file", n=asked.adapters))
    if plan.inputs.conversation.turns > 1 and plan.inputs.conversation.host_cache_bytes:
        found.append(text("the cache in host memory is stated in the engine's own configuration"))
    return tuple(found)


def written_for(plan: ServingPlan) -> str:
    """Return where the words of the command are published, and for which release of the engine."""
    return _words(plan.replica.setup.replica.engine)["start"]["source"]


def _repository(model: str) -> str:
    """Return what the engine calls a model: its repository, or the path of its file."""
    if catalog.is_file(model):
        return model
    return catalog.facts(model)["hf_id"].partition(";")[0] or model


@cache
def _words(engine: str) -> dict[str, Row]:
    """Return the rows of an engine by what they say, in order."""
    return {row["figure"]: row for row in table("engine_arguments") if row["engine"] == engine}
