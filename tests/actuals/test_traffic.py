"""Logs of requests become the keys of a scenario: figures by hand, drops counted, and the plan takes the files."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from sizebook.actuals.traffic_figures import days_of_log, dispersion_of, histogram_of, hours_of_log, traffic_figures
from sizebook.actuals.traffic_logs import log_formats, read_log
from sizebook.core.errors import InputError
from tests.commands import run
from tests.refused import message_of

# The same three requests, 100/10, 300/30 and 200/20 tokens at 0, 1 and 3 seconds after 08:15:46.5 UTC on 2023-11-16.
SECONDS, PROMPTS, ANSWERS = (0, 1, 3), (100, 300, 200), (10, 30, 20)
LOGS = {
    "azure.csv": "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    + "".join(f"2023-11-16 08:15:{46.5 + s:.7f},{p},{a}\n" for s, p, a in zip(SECONDS, PROMPTS, ANSWERS, strict=True)),
    "litellm.csv": "request_id,startTime,prompt_tokens,completion_tokens,session_id,messages\n"
    + "".join(
        f"r{s},2023-11-16T13:45:{46.5 + s}+05:30,{p},{a},talk,secret\n"
        for s, p, a in zip(SECONDS, PROMPTS, ANSWERS, strict=True)
    ),
    "burst.csv": "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    + "".join(f"{s},,1,GPT-4,{p},{a},{p + a},API\n" for s, p, a in zip(SECONDS, PROMPTS, ANSWERS, strict=True)),
    "mooncake.jsonl": "\n".join(
        json.dumps({"timestamp": 1000 * s, "input_length": p, "output_length": a, "hash_ids": [1, n]})
        for n, (s, p, a) in enumerate(zip(SECONDS, PROMPTS, ANSWERS, strict=True), start=2)
    ),
    "profile_export.jsonl": "\n".join(
        json.dumps(
            {
                "metadata": {"request_start_ns": 1_700_122_546_500_000_000 + s * 10**9, "x_correlation_id": "c"},
                "metrics": {
                    "input_sequence_length": {"value": p, "unit": "tokens"},
                    "output_sequence_length": {"value": a, "unit": "tokens"},
                },
                "error": None,
            }
        )
        for s, p, a in zip(SECONDS, PROMPTS, ANSWERS, strict=True)
    ),
    "own.csv": "seconds,input_tokens,output_tokens\n"
    + "".join(f"{s},{p},{a}\n" for s, p, a in zip(SECONDS, PROMPTS, ANSWERS, strict=True)),
}


def saved(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", LOGS)
def test_every_log_says_the_same_of_the_same_requests(tmp_path: Path, name: str) -> None:
    found = traffic_figures(read_log(saved(tmp_path, name, LOGS[name])))
    assert (found.n_requests, found.seconds, found.dropped) == (3, 3.0, {})
    assert (found.input_tokens, found.output_tokens) == (200, 20)
    assert found.prompts == ((100, 1 / 3), (200, 1 / 3), (300, 1 / 3))
    assert found.trace == ((0.0, 100, 10), (1.0, 300, 30), (3.0, 200, 20))
    assert found.requests_per_day == 86_400


def test_every_format_has_a_log_here() -> None:
    assert len({read.name for read in log_formats()}) == len(LOGS)


def test_a_conversation_has_turns_growth_and_time(tmp_path: Path) -> None:
    """Of 100, 300 and 200 tokens at 0, 1 and 3 s: three turns, (200 - 100) / 2 = 50 tokens, 3 / 2 s."""
    found = traffic_figures(read_log(saved(tmp_path, "litellm.csv", LOGS["litellm.csv"])))
    assert found.conversations is not None
    talk = found.conversations
    assert (talk.n, talk.turns, talk.growth_tokens, talk.seconds_between) == (1, 3, 50, 1.5)
    assert talk.first_tokens == 100


def test_nothing_of_a_prompt_is_kept(tmp_path: Path) -> None:
    """The log holds a column of messages: neither what is printed nor any file that is written has a word of it."""
    log = saved(tmp_path, "litellm.csv", LOGS["litellm.csv"])
    done = run("actuals", "traffic", log, "-o", tmp_path / "out")
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir()]
    assert done.exit_code == 0 and "secret" in log.read_text(encoding="utf-8")
    assert len(texts) == 4 and "secret" not in done.output + "".join(texts)


def test_what_is_no_request_is_dropped_and_counted(tmp_path: Path) -> None:
    text = LOGS["own.csv"] + "9,50,0\n,10,1\n10,,1\n11,-5,1\nlater,1,1\n"
    found = traffic_figures(read_log(saved(tmp_path, "own.csv", text)))
    assert found.n_requests == 3
    assert found.dropped == {"time": 2, "prompt tokens": 2, "answer tokens": 1}


def test_a_time_that_is_no_number_is_none(tmp_path: Path) -> None:
    text = LOGS["own.csv"] + "inf,50,5\nnan,50,5\n"
    found = traffic_figures(read_log(saved(tmp_path, "own.csv", text)))
    assert (found.n_requests, found.seconds, found.dropped) == (3, 3.0, {"time": 2})


def test_a_long_log_is_read_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three requests in pieces of one row are what they are in one piece, and so are rows that are dropped."""
    monkeypatch.setattr("sizebook.actuals.traffic_logs._PIECE", 1)
    text = LOGS["own.csv"] + "9,50,0\n,10,1\n"
    found = traffic_figures(read_log(saved(tmp_path, "own.csv", text)))
    assert found.trace == ((0.0, 100, 10), (1.0, 300, 30), (3.0, 200, 20))
    assert (found.input_tokens, found.output_tokens, found.seconds) == (200, 20, 3.0)
    assert found.dropped == {"time": 1, "answer tokens": 1}


def test_lines_that_are_no_json_are_counted(tmp_path: Path) -> None:
    """A broken line, a list, and a line that ends early beside three requests; a blank line is nothing."""
    whole = LOGS["mooncake.jsonl"]
    text = "{broken\n" + whole + "\n[1, 2]\n\n" + whole[:40]
    log = saved(tmp_path, "mooncake.jsonl", text)
    assert traffic_figures(read_log(log)).dropped == {"unreadable": 3}
    done = run("actuals", "traffic", log, "-o", tmp_path / "out")
    assert "rows left out: 3 unreadable" in done.output.splitlines()


DAMAGED = {
    "nul.csv": (b"\0\0\0\n", {"time": 1, "prompt tokens": 1, "answer tokens": 1}),
    "latin.csv": (b"4,1\xe9,3\n", {"prompt tokens": 1}),
    "ragged.csv": (b"4\n", {"prompt tokens": 1, "answer tokens": 1}),
    "large.csv": (b"4,9000000000000000000,3\n5,1e308,3\n", {"prompt tokens": 2}),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_rows_are_left_out_and_counted(tmp_path: Path, name: str) -> None:
    damage, dropped = DAMAGED[name]
    path = tmp_path / name
    path.write_bytes(LOGS["own.csv"].encode() + damage)
    found = traffic_figures(read_log(path))
    assert (found.n_requests, found.input_tokens, found.dropped) == (3, 200, dropped)


NO_LOGS = {
    "empty.csv": b"",
    "wide.csv": LOGS["own.csv"].encode("utf-16"),
    "list.jsonl": b"[1, 2]\n[3]\n",
    "cut.parquet": b"PAR1 and nothing more",
}


@pytest.mark.parametrize("name", NO_LOGS)
def test_what_is_no_log_is_refused_in_our_words(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(NO_LOGS[name])
    with pytest.raises(InputError, match=rf"^(cannot read|unknown log): got .* in {name}, want "):
        traffic_figures(read_log(path))


def test_days_of_the_week_over_whole_weeks() -> None:
    """From Thursday 1 January 1970 on, ten days of one request an hour: the three days after the week do not count."""
    minutes = {60 * hour: 1 for hour in range(24 * 10)}
    assert days_of_log(minutes, 0.0, 10 * 86_400.0) == (24,) * 7
    busy = minutes | {60 * hour: 2 for hour in range(24 * 4, 24 * 5)}  # Monday, 5 January
    assert days_of_log(busy, 0.0, 10 * 86_400.0) == (48, *(24,) * 6)
    assert days_of_log(minutes, 0.0, 6 * 86_400.0) is None


def test_a_plan_takes_the_conversations_of_a_log(tmp_path: Path) -> None:
    """Two talks of three turns: prompts of 100, 220 and 340, answers of 20, so that each adds 120 - 20 tokens."""
    rows = "".join(
        f"r{talk}{turn},2023-11-16T13:{talk}0:{20 * turn:02d}Z,{100 + 120 * turn},20,t{talk}\n"
        for talk in (1, 2)
        for turn in range(3)
    )
    log = saved(tmp_path, "talks.csv", "request_id,startTime,prompt_tokens,completion_tokens,session_id\n" + rows)
    assert run("actuals", "traffic", log, "-o", tmp_path / "out").exit_code == 0
    said = (tmp_path / "out" / "traffic.toml").read_text(encoding="utf-8").splitlines()
    start = said.index("[traffic]")
    assert said[start:] == [
        "[traffic]",
        "requests_per_day = 810.0",
        'input_histogram = "prompts.csv"',
        'output_histogram = "answers.csv"',
        "# To plan conversations instead, remove both histograms; uncomment these two keys and [conversation].",
        "# input_tokens = 100",
        "# output_tokens = 20",
        "# To plan for a percentile of requests, uncomment [requests], its first key and one other.",
        "# [requests]",
        '# request_percentile = "p95"',
        "# dispersion = 3.0",
        '# trace = "trace.csv"  # in place of both histograms: prompt and answer stay together',
        "# [conversation]",
        "# turns = 3",
        "# turn_tokens = 100",
        "# think_seconds = 20.0  # from prompt to prompt, the answer's time included",
    ]
    head = ['plan = "serving"', 'model = "llama-3.1-8b"', 'gpu = "h100-sxm"', "tpot_target_seconds = 0.1"]
    bare = [line.removeprefix("# ") for line in said[start:] if not line.startswith("# To")]
    talks = bare[:2] + bare[4:6] + bare[-4:]
    dispersed, replayed = bare[:4] + bare[6:9], bare[:2] + bare[6:8] + bare[9:10]
    ways = {"as_written": said[start:], "talks": talks, "dispersed": dispersed, "replayed": replayed}
    for name, rest in ways.items():
        scenario = saved(tmp_path / "out", f"{name}.toml", "\n".join((*head, *rest)))
        planned = run("plan", "serve", scenario, "--json")
        assert planned.exit_code == 0, planned.exception
        assert json.loads(planned.output)["token_lengths"]["input"]["mean"] == 220


def test_the_hours_are_those_of_whole_days() -> None:
    """A day and a half with one request a minute: the half day does not make mornings busier."""
    minutes = dict.fromkeys(range(36 * 60), 1)
    assert hours_of_log(minutes, 0.0, 36 * 3600.0) == (60,) * 24
    assert hours_of_log(minutes, 0.0, 86_399.0) is None


def test_dispersion_by_hand() -> None:
    """Counts 0 and 4 in turn over an hour: mean 2, variance 4 x 60 / 59, so 2.0339; hours of different rate alike."""
    minutes = {minute: 4 * (minute % 2) for minute in range(60)}
    minutes |= {60 + minute: 8 * (minute % 2) for minute in range(60)}
    one = dispersion_of(minutes, 0.0, 3_600.0)
    assert one == pytest.approx(4 * 60 / 59 / 2)
    both = dispersion_of(minutes, 0.0, 7_200.0)
    assert both == pytest.approx((4 * 60 + 16 * 60) * 60 / 59 / (120 + 240))
    assert dispersion_of(minutes, 0.0, 500.0) is None


def test_a_histogram_of_many_lengths_keeps_mean_and_shares() -> None:
    counts = [(n, 1 + n % 3) for n in range(1, 1001)]
    bins = histogram_of(counts)
    total = sum(count for _, count in counts)
    assert len(bins) == 64
    assert math.fsum(share for _, share in bins) == pytest.approx(1, abs=1e-12)
    assert sum(tokens * share for tokens, share in bins) == pytest.approx(
        sum(n * count for n, count in counts) / total, abs=0.5
    )


METRICS = """# HELP vllm:request_prompt_tokens Number of prefill tokens processed.
# TYPE vllm:request_prompt_tokens histogram
vllm:request_prompt_tokens_bucket{le="100.0",model_name="m"} 10
vllm:request_prompt_tokens_bucket{le="200.0",model_name="m"} 40
vllm:request_prompt_tokens_bucket{le="+Inf",model_name="m"} 40
vllm:request_prompt_tokens_sum{model_name="m"} 5200
vllm:request_prompt_tokens_count{model_name="m"} 40
vllm:request_generation_tokens_bucket{le="10.0",model_name="m"} 40
vllm:request_generation_tokens_bucket{le="+Inf",model_name="m"} 40
vllm:request_generation_tokens_sum{model_name="m"} 400
vllm:request_generation_tokens_count{model_name="m"} 40
vllm:prefix_cache_queries_total{model_name="m"} 5200
vllm:prefix_cache_hits_total{model_name="m"} 1300
"""


def test_metrics_of_an_engine(tmp_path: Path) -> None:
    """Buckets at 50 (10 of 40) and 150 (30) have a mean of 125; the sum says 130, so 52 and 156. 1300 / 5200 = 0.25."""
    path = saved(tmp_path, "vllm.prom", METRICS)
    done = run("actuals", "traffic", path, "-o", tmp_path / "out", "--over-hours", "24")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "prompts.csv").read_text() == "tokens,share\n52,0.25\n156,0.75\n"
    said = (tmp_path / "out" / "traffic.toml").read_text()
    assert "requests_per_day = 40.0\ncache_hit_ratio = 0.25\n" in said
    refused = run("actuals", "traffic", path, "-o", tmp_path / "more")
    assert str(refused.exception) == (
        "no time: got vllm.prom without --over-hours, want the hours over which the engine counted. Add it."
    )
    replayed = run(
        *("actuals", "traffic", path, "-o", tmp_path / "more", "--over-hours", "24"),
        *("--cache-tokens", "1e6", "--replicas", "2"),
    )
    assert str(replayed.exception) == (
        "no effect: got --cache-tokens and --replicas with metrics of an engine, want what changes something. Leave it "
        "out."
    )
    log = saved(tmp_path, "log.csv", "seconds,input_tokens,output_tokens\n0,1,1\n9,1,1\n")
    assert str(run("actuals", "traffic", log, "-o", tmp_path / "more", "--over-hours", "24").exception) == (
        "no effect: got --over-hours with a log of requests, which has times, want what changes something. Leave it "
        "out."
    )


def test_a_plan_takes_the_files(tmp_path: Path) -> None:
    """A day of a request a second, 2000 tokens in and 100 out: the plan counts 86,400 requests a day of that."""
    rows = "".join(f"{s},{2000 + 500 * (s % 3 - 1)},{100 + 50 * (s % 3 - 1)}\n" for s in range(0, 86_401, 10))
    log = saved(tmp_path, "log.csv", "seconds,input_tokens,output_tokens\n" + rows)
    done = run("actuals", "traffic", log, "-o", tmp_path / "traffic")
    assert done.exit_code == 0, done.output
    assert "8641 requests over 24.00 hours of log.csv" in done.output
    head = 'plan = "serving"\nmodel = "llama-3.1-8b"\ngpu = "h100-sxm"\n'
    scenario = saved(tmp_path / "traffic", "s.toml", head + (tmp_path / "traffic" / "traffic.toml").read_text())
    planned = run("plan", "serve", scenario, "--json")
    assert planned.exit_code == 0, planned.output
    inputs: dict[str, Any] = json.loads(planned.output)
    assert inputs["months"][0]["requests"] == pytest.approx(8641 * 365 / 12, rel=1e-3)
    assert run("actuals", "traffic", log, "-o", tmp_path / "traffic").exit_code != 0


REFUSED = {
    "log.txt2": ("", "unknown kind of log: got 'log.txt2', want one of .csv, .jsonl, .ndjson, .parquet. Convert it."),
    "one.csv": (
        "seconds,input_tokens,output_tokens\n1,2,3\n",
        "too few requests: got 1 with a time and tokens among 1 rows of one.csv, want 2 or more. Give a longer log.",
    ),
    "unit.csv": (
        "seconds,input_tokens,output_tokens\n1,2,3\n1700000000000,2,3\n",
        "times too far apart: got 19,675,926 days from the first request to the last of unit.csv, want at most 3,660. "
        "Correct the times, or their unit.",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str) -> None:
    text, message = REFUSED[name]
    assert message_of(InputError, lambda: traffic_figures(read_log(saved(tmp_path, name, text)))) == message


def test_columns_of_no_format_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"^unknown log: got the columns when, words in odd\.csv, want those of one of"
    ):
        read_log(saved(tmp_path, "odd.csv", "when,words\n1,2\n"))
