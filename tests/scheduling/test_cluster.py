"""Batches and sweeps on a Dask scheduler are those of local processes; what would be another is refused."""

import base64
import json
import logging
import os
import pickle
import pickletools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import Result

from sizebook.batch import runner
from sizebook.batch.scenario_list import Row
from sizebook.batch.sent_scenarios import contents_on_worker, pack, pack_without_files, run_on_worker
from sizebook.core.errors import InputError
from sizebook.scheduling import cluster
from sizebook.sources.writing import write_whole
from tests.batch import kills
from tests.commands import run
from tests.scheduling.cluster import Machines, machines, table

CONFIG = {
    "model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 1000, "n_positions": 128,
    "architectures": ["GPT2LMHeadModel"],
}  # fmt: skip


@pytest.fixture(scope="module")
def there() -> Iterator[Machines]:
    with machines() as found:
        found.worker(watched=True)
        found.wait_for("worker1.log", r"Registered to:")
        yield found


def ran(*words: object) -> Result:
    return run(*[str(word) for word in words])


def test_a_batch_on_a_cluster_gives_the_bytes_of_local_processes(there: Machines, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))  # goes to the worker with the scenario
    scenarios = tmp_path / "s.csv"
    scenarios.write_text("name,model\na,config.json\nb,gpt-2-small\nc,no-such-model\n")
    for out, where in (("far", ("--scheduler", there.address)), ("near", ("--jobs", "1"))):
        done = ran("batch", scenarios, "-o", tmp_path / out, "--formats", "json,xlsx", *where)
        assert f"2 of 3 scenarios done. Index: {tmp_path / out / 'index.xlsx'}" in done.output
        assert "failed: s.csv, scenario 3: unknown model: got 'no-such-model'" in done.output
    far, near = ({p.name: p.read_bytes() for p in (tmp_path / out).glob("[abi]*")} for out in ("far", "near"))
    assert far == near
    assert far.keys() == {"a.json", "a.xlsx", "b.json", "b.xlsx", "index.html", "index.xlsx"}
    assert kills.journal(tmp_path / "far") == kills.journal(tmp_path / "near")
    again = ran("batch", scenarios, "-o", tmp_path / "far", "--formats", "json,xlsx", "--jobs", "1", "--resume")
    assert "2 of 3 scenarios done, 2 of them before" in again.output


def test_a_folder_of_partitions_is_swept_on_a_cluster_as_here(
    there: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tmp_path / "given"
    given.mkdir()
    for name, n_rows in (("a", 700), ("b", 300)):
        table(given / f"{name}.parquet", n_rows)
    monkeypatch.setattr("sizebook.batch.partitions.PARTITION_ROWS", 400)
    for out, where in (("far", ("--scheduler", there.address)), ("near", ("--jobs", "1"))):
        done = ran("sweep", given, "-o", tmp_path / out, *where)
        assert f"1000 of 1000 rows estimated in 3 of 3 partitions. Folder: {tmp_path / out}\n" in done.output
    assert ran("sweep", given / "a.parquet", "-o", tmp_path / "one.parquet").exit_code == 0
    names = ["a-00000.parquet", "a-00001.parquet", "b.parquet"]
    assert sorted(path.name for path in (tmp_path / "far").glob("*.parquet")) == names
    for name in names:
        assert (tmp_path / "far" / name).read_bytes() == (tmp_path / "near" / name).read_bytes()
    parts = pl.concat([pl.read_parquet(tmp_path / "far" / name) for name in names[:2]])
    assert parts.equals(pl.read_parquet(tmp_path / "one.parquet"))
    again = ran("sweep", given, "-o", tmp_path / "far", "--scheduler", there.address, "--resume")
    assert "1000 of 1000 rows estimated in 3 of 3 partitions, 3 of them before." in again.output


def test_another_installation_is_refused_before_anything_is_written(
    there: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenarios = kills.table(tmp_path, 1)
    here = runner.installation()
    stamp = replaced(here)
    monkeypatch.setattr(runner, "installation", stamp)
    done = ran("batch", scenarios, "-o", tmp_path / "out", "--scheduler", there.address)
    assert isinstance(done.exception, InputError)
    said, _, rest = str(done.exception).partition(" at worker tcp://127.0.0.1:")
    assert said == "other installation: got other version of sizebook"
    assert rest.partition(", ")[2] == "want the same as here. Install the same there."
    assert not (tmp_path / "out").exists()


class replaced:  # noqa: N801 - stands for a function, and says the version of here alone
    """A stamp of this process with another version than what the worker has, to which it is sent with that answer."""

    def __init__(self, found: dict[str, str]) -> None:
        self.found, self.n = found, 0

    def __call__(self) -> dict[str, str]:
        self.n += 1
        return self.found | {"version": "0.0.1"} if self.n == 1 else self.found

    def __reduce__(self) -> tuple[type, tuple[dict[str, str]]]:
        return _honest, (self.found,)


class _honest(replaced):  # noqa: N801
    def __call__(self) -> dict[str, str]:
        return self.found


def test_a_worker_that_joined_late_refuses_what_it_would_answer_otherwise(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    row = Row("s.csv, scenario 1", tmp_path, "a", {"model": "config.json"})
    sent = pack(row)
    assert contents_on_worker(sent | {"installation": sent["installation"] | {"data": "other"}}, ("json",)) == (
        "other installation: got a worker with other data of sizebook, want the same as where the batch was started. "
        "Install the same there."
    )
    assert contents_on_worker(sent | {"marks": sent["marks"] | {"own prices": "other"}}, ("json",)) == (
        "other files: got a worker that does not see own prices as it is where the batch was started, want the same. "
        "Put it into the folder of the scenarios, or on a disk that the workers share."
    )


def test_a_worker_replaces_a_link_where_the_command_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What --force said where the batch was started holds, not what stands in the environment of the worker."""
    link, row = tmp_path / "out", Row("s.csv, scenario 1", tmp_path, "a", {"model": "gpt-2-small"})
    link.symlink_to("kept")

    def written(row: Row) -> str:
        return str(write_whole(row.folder / "out", b"new"))

    unforced = pack_without_files(row)
    monkeypatch.setenv("SIZEBOOK_FORCE", "1")
    forced = pack_without_files(row)
    assert run_on_worker(unforced, written).startswith(f"a link as output: got {link}, which leads to kept, ")
    monkeypatch.delenv("SIZEBOOK_FORCE")
    assert run_on_worker(forced, written) == str(link)
    assert link.read_bytes() == b"new" and "SIZEBOOK_FORCE" not in os.environ


def test_what_travels_is_data(there: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what the user names, text of JSON is sent and comes back: no object that a file of theirs could make."""
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "s.toml").write_text('[[scenario]]\nmodel = "config.json"\nas_of = 2026-03-01\n')
    named, sent, submit = set[str](), list[Any](), cluster.distributed.Client.submit

    def submitted(client: Any, *called: Any, pure: bool) -> Any:
        for instruction, argument, _ in pickletools.genops(pickle.dumps(called, protocol=2)):
            if instruction.name == "GLOBAL":
                named.add(str(argument))
        sent.append(called[2])
        return submit(client, *called, pure=pure)

    monkeypatch.setattr(cluster.distributed.Client, "submit", submitted)
    done = ran("batch", tmp_path / "s.toml", "-o", tmp_path / "out", "--formats", "json", "--scheduler", there.address)
    assert "1 of 1 scenarios done" in done.output
    assert named == {
        "functools partial", "sizebook.scheduling.cluster _on_worker",
        "sizebook.batch.sent_scenarios contents_on_worker",
    }  # fmt: skip
    [parcel] = map(json.loads, sent)
    assert parcel["row"]["values"] == {"model": "config.json", "as_of": "2026-03-01"}
    assert base64.b64decode(parcel["files"]["config.json"]) == (tmp_path / "config.json").read_bytes()


def test_a_workbook_does_not_hold_the_path_of_a_file_that_was_sent(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    parcel = pack(Row("s.csv, scenario 1", tmp_path, "a", {"model": "config.json"}))
    (tmp_path / "config.json").unlink()  # a worker without the disk
    assert contents_on_worker(parcel, ("xlsx",)) == (
        "path in a workbook: got config_path of a file that was sent, want one that is there when the workbook is "
        "opened. Put the scenarios on a disk that the workers share, or leave pdf and xlsx out of --formats."
    )
    made = contents_on_worker(parcel, ("json",))
    assert isinstance(made, dict)
    assert json.loads(base64.b64decode(made["files"]["json"]))["sizebook"]["inputs"] == parcel["marks"]


def test_no_scheduler_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    scenarios = kills.table(tmp_path, 1)
    done = ran("batch", scenarios, "-o", tmp_path / "out", "--scheduler", "nowhere")
    assert str(done.exception) == (
        "no scheduler: got missing port number in address 'nowhere' at nowhere, want the address of a Dask scheduler, "
        "such as tcp://127.0.0.1:8786. Start one with 'dask scheduler', or correct the address."
    )
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_cannot_be_reached_again_is_gone(there: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask connects anew where a connection was lost, and times out with an error that is no closed connection."""

    def timed_out(_client: object) -> dict[str, int]:
        raise OSError("Timed out trying to connect after 30 s")

    monkeypatch.setattr(cluster._Client, "nthreads", timed_out)
    with pytest.raises(InputError) as refused:
        list(cluster.Cluster(there.address, print, str).results(str, ["a"], print))
    assert str(refused.value) == (
        f"scheduler gone: got no answer from {there.address}, want it to run until the work is done. Start it again, "
        "and the command with --resume."
    )
    dask = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    heard = [name for name in dask if logging.getLogger(name).isEnabledFor(logging.CRITICAL)]
    assert len(dask) > 10 and not heard, heard  # or their tracebacks would stand above that sentence


def test_partitions_are_refused_that_are_no_folder_or_differ(tmp_path: Path) -> None:
    table(tmp_path / "a.parquet", 2)
    (tmp_path / "empty").mkdir()
    assert str(ran("sweep", tmp_path / "empty", "-o", tmp_path / "out").exception) == (
        "no partitions: got empty, want a .parquet table or a folder of such. Write the table as Parquet."
    )
    assert str(ran("sweep", tmp_path / "a.parquet", "-o", tmp_path / "b.parquet", "--resume").exception) == (
        "output is one table: got --resume for b.parquet, want a folder to write partitions into. Give -o a name "
        "without an ending."
    )
    pl.DataFrame({"model": ["m"]}).write_parquet(tmp_path / "b.parquet")
    assert str(ran("sweep", tmp_path, "-o", tmp_path / "out").exception) == (
        "other columns: got model in b.parquet, want model, gpu, engine, tp, input_tokens, output_tokens, concurrency "
        "as in a.parquet. Write all partitions alike."
    )
    assert not (tmp_path / "out").exists()
