"""Releases of engines: what they do where nobody sets it, and which of them servers in the fit ran.

Facts of ``data/engine_releases.csv``, each read in the release that it is of; nothing here is fitted. A release after
the newest one that was read does what that one does, and says so; one before the oldest, or of another major version,
is refused.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from sizebook.core.errors import UnknownKeyError, shown
from sizebook.core.tables import table
from sizebook.core.texts import joined, span, text
from sizebook.core.units import grouped
from sizebook.serving.quantities import ENGINE_NAMES, ENGINES, Replica
from sizebook.tables.hardware import Accelerator, accelerators

_GIB = 2.0**30
_RELEASE = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(?:(a|b|rc)(\d+))?(?:\.?post(\d+))?", re.ASCII)
_STAGES = {"a": 0, "b": 1, "rc": 2, None: 3}
Place = tuple[int, ...]


@dataclass(frozen=True)
class Defaults:
    """What an engine does unless told otherwise, on some accelerators, or all, that have at least so much memory.

    ``max_running`` requests run at once on an attention rank, ``max_running_drafting`` on all of them where tokens are
    drafted; 0 where there is no such limit. A pass takes ``chunk_tokens`` of prompts, 0 where that was not read, which
    ranks share where ``chunk_shared`` is 1. The largest decode graph holds ``graphs`` requests, on four GPUs or more
    ``graphs_wide``. ``mixed`` is 1 where it takes prompts beside a decode step, ``overlapped`` where it schedules a
    step while the GPU works on the one before.
    """

    gpus: tuple[str, ...]
    memory_bytes: float
    max_running: float
    max_running_drafting: float
    chunk_tokens: float
    chunk_shared: float
    graphs: float
    graphs_wide: float
    mixed: float
    overlapped: float


@dataclass(frozen=True)
class Release:
    """A release of an engine: its defaults, the newest one that was read, and whether one as new is in the fit.

    ``first`` and ``last`` are the releases between which servers in the fit ran, ``version`` is that of its memory in
    ``data/engines.csv``.
    """

    name: str
    defaults: tuple[Defaults, ...]
    newest: str
    is_newer: bool
    first: str
    last: str
    is_fitted: bool
    version: str


def place_of(release: str) -> Place | None:
    """Return what releases are put in order by, None for what is no release: v0.8.5.post1 is 0.8.5 and one more."""
    found = _RELEASE.fullmatch(release.strip().lower())
    if found is None:
        return None
    major, minor, patch, stage, of_stage, post = found.groups()
    return int(major), int(minor), int(patch), _STAGES[stage], int(of_stage or 0), int(post or 0)


@cache
def release_of(named: str) -> Release:
    """Return a release by its engine and its own name, "vllm 0.8.5".

    Errors: what is no release, one before those that were read, or of a major version that none of them is of.
    """
    engine, _, name = named.partition(" ")
    place, known = place_of(name), _known(engine)
    oldest, newest = known[0][1], newest_release(engine)
    if place is None or not _covers(engine, place):
        raise UnknownKeyError(
            f"unknown release: got {shown(name)} of {engine}, want {oldest} to {newest}, or a newer one of "
            f"the same major version. {_mended(engine, place)}"
        )
    held = max(since for since, _, _ in known if since <= place)
    first, last = fitted_span(engine)
    return Release(
        name.strip().lower().removeprefix("v"),
        tuple(
            _defaults(row)
            for row in table("engine_releases")
            if _placed(row["release"]) == held and row["engine"] == engine
        ),
        newest,
        place > _placed(newest),
        first,
        last,
        is_fitted=bool(first) and _placed(first) <= place <= _placed(last),
        version=_version(engine, place),
    )


@cache
def newest_release(engine: str) -> str:
    """Return the newest release of an engine that was read."""
    return max(_known(engine)[-1][2], key=_placed)


def _version(engine: str, place: Place) -> str:
    """Return the version of the first row of memory that holds for a release."""
    rows = [row for row in table("engines") if row["engine"] == engine]
    return next((row["version"] for row in rows if not row["since"] or _placed(row["since"]) <= place), "")


def read_releases() -> list[str]:
    """Return the releases whose source was read, by engine and name."""
    rows = table("engine_releases")
    return list(dict.fromkeys(f"{row['engine']} {each}" for row in rows for each in row["releases_read"].split()))


@cache
def fitted_span(engine: str) -> tuple[str, str]:
    """Return the oldest and the newest release of an engine that servers in the fit ran, empty where none did."""
    rows = [row for row in table("calibration_serving_releases") if row["engine"] == engine]
    return (rows[0]["first"], rows[0]["last"]) if rows else ("", "")


def _known(engine: str) -> list[tuple[Place, str, list[str]]]:
    """Return the releases at which defaults changed, in order, each with those whose source says so."""
    found = {
        row["release"]: row["releases_read"].split() for row in table("engine_releases") if row["engine"] == engine
    }
    return sorted((_placed(release), release, read) for release, read in found.items())


def _covers(engine: str, place: Place) -> bool:
    """Return whether a release is not before those that were read, and of the major version of one of them."""
    known = _known(engine)
    majors = {_placed(each)[0] for _, _, read in known for each in read}
    return place >= known[0][0] and place[0] in majors


def _mended(engine: str, place: Place | None) -> str:
    """Return what to change: the engine, where another has such a release."""
    if place is None:
        return "Write three numbers, with rc or post as the engine does, or leave release out."
    others = [other for other in ENGINES if other != engine and _covers(other, place)]
    if others:
        return f"Set engine to {' or '.join(others)}, or leave release out."
    return "Leave release out and state max_running."


def _placed(release: str) -> Place:
    place = place_of(release)
    if place is None:
        raise ValueError(f"no release in data/engine_releases.csv: got {release}, want three numbers. Mend the row.")
    return place


def _defaults(row: dict[str, str]) -> Defaults:
    return Defaults(
        tuple(key for key in accelerators() if any(word in key for word in row["gpus"].split())),
        float(row["memory_from_gib"] or 0) * _GIB,
        float(row["max_running"] or 0),
        float(row["max_running_drafting"] or 0),
        float(row["chunk_tokens"] or 0),
        float(row["chunk_shared"] == "yes"),
        float(row["graphs"] or 0),
        float(row["graphs_wide"] or 0),
        float(row["mixed"] != "no"),
        float(row["overlapped"] != "no"),
    )


def defaults_on(release: Release, gpu: Accelerator) -> Defaults:
    """Return what a release does on an accelerator: its first row for such a name and such a memory."""
    memory = float(gpu.usable_memory_bytes or gpu.memory_bytes)
    for each in release.defaults:
        if (not each.gpus or gpu.key in each.gpus) and memory >= each.memory_bytes:
            return each
    return release.defaults[-1]


def usual_of(replica: Replica, gpu: Accelerator) -> dict[str, Any]:
    """Return the fields of a case that a stated release decides; a blank one profiles and schedules as the newest."""
    found = defaults_on(release_of(f"{replica.engine} {replica.release or newest_release(replica.engine)}"), gpu)
    usual = {
        "profiled_running": found.max_running,
        "overlapped": found.overlapped,
        "graphs": found.graphs,
        "graphs_wide": found.graphs_wide,
    }
    if found.chunk_tokens > 0:
        usual["profiled_tokens"] = found.chunk_tokens
    if not replica.release:
        return usual
    fields = {
        **usual,
        "rank_running": found.max_running,
        "drafting_running": found.max_running_drafting,
        "chunk_shared": found.chunk_shared,
        "mixed": found.mixed,
    }
    return {**fields, "chunk_tokens": found.chunk_tokens} if found.chunk_tokens > 0 else fields


def is_fitted(replica: Replica) -> bool:
    """Return whether servers in the fit ran a release as new and as old; a release that nobody states counts as one."""
    return not replica.release or release_of(f"{replica.engine} {replica.release}").is_fitted


def said_of(replica: Replica, gpu: Accelerator, drafting: bool) -> str:
    """Return in words what a stated release decides, and whether the fit has seen it."""
    if not replica.release:
        return text("not stated")
    release = release_of(f"{replica.engine} {replica.release}")
    found = defaults_on(release, gpu)
    parts = [_running(replica, found, drafting)]
    if found.chunk_tokens:
        parts.append(_passes(found, replica.dp))
    if release.is_newer:
        parts.append(text("newer than {newest}, the newest whose defaults were read", newest=release.newest))
    if not release.is_fitted:
        parts.append(text("outside {releases} of the fit", releases=span(release.first, release.last)))
    return joined((text("{engine} {release}: ", engine=ENGINE_NAMES[replica.engine], release=release.name),
                   joined(parts, "; ")), "")  # fmt: skip


def _running(replica: Replica, found: Defaults, drafting: bool) -> str:
    """Return in words how many requests run at once, and who says so."""
    if replica.max_running:
        return text("at most {n} requests at once, as stated", n=grouped(replica.max_running))
    if drafting and found.max_running_drafting:
        n = grouped(found.max_running_drafting)
        return text("at most {n} requests at once, its default where it drafts", n=n)
    n = grouped(found.max_running * replica.dp)
    return text("at most {n} requests at once, its default", n=n)


def _passes(found: Defaults, dp: int) -> str:
    """Return in words how prompts are passed."""
    tokens = grouped(found.chunk_tokens / (dp if found.chunk_shared else 1))
    if found.mixed:
        return text("up to {tokens} tokens of prompts in a step", tokens=tokens)
    return text("prompts in passes of their own of up to {tokens} tokens", tokens=tokens)
