"""The web service gives what the command line gives, refuses in the house's words, and reads no file of the server."""

import base64
import hashlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from sizebook.batch.formats import file_contents
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.cli import app as command_line
from sizebook.cli.web import TOKEN
from sizebook.core.errors import InputError
from sizebook.scheduling.slots import Bounds, Slots
from sizebook.sources.bundled import bundled
from sizebook.web import batches
from sizebook.web.app import Service, create_app
from sizebook.web.request_work import ScenarioUpload, filled_workbook
from tests.row_lists import listed
from tests.web import web_calls

HERE = "http://127.0.0.1"
SCENARIO = {"model": "gpt-2-small", "dtype": "bf16"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("batches")


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Service(1, folder)), base_url=HERE) as found:
        yield found


def problem(found: object) -> str:
    return json.loads(found.content)["problem"]  # type: ignore[attr-defined]


def test_a_plan_is_byte_for_byte_that_of_a_batch(client: TestClient, tmp_path: Path) -> None:
    ours = file_contents(plan_scenario(SCENARIO, "s", tmp_path), ("json", "csv", "xlsx")).files
    for name, content in ours.items():
        assert client.post(f"/plans?format={name}", json=SCENARIO).content == content
    toml = client.post(
        "/plans", content='model = "gpt-2-small"\ndtype = "bf16"', headers={"Content-Type": "application/toml"}
    )
    assert (toml.status_code, toml.content) == (200, ours["json"])


def test_a_function_answers_with_its_value_and_how_it_came_about(client: TestClient) -> None:
    found = client.post("/functions/params_mha", json={"d_model": 4096, "bias": False})
    assert found.json() == {
        "value": 4 * 4096 * 4096,
        "function": "PARAMS_MHA(d_model, [bias])",
        "meaning": "Return the trainable parameters of one multi-head attention block.",
        "formula": "4 * (d_model^2 + bias * d_model)",
        "numbers": "4 * (4096^2 + 0 * 4096)",
        "unit": "parameters",
        "source": "Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.2",
    }
    unpriced = {
        "model": "llama-3.1-8b",
        "gpu": "h20",
        "requests_per_day": 1e6,
        "input_tokens": 1000,
        "output_tokens": 200,
    }
    names, first, *_ = client.post("/functions/SERVING_LEDGER", json=unpriced).json()["value"]
    assert (first[names.index("peak_gpus")], first[names.index("usd")]) == (4, "#N/A")


@pytest.mark.parametrize(*listed("web", "test_a_function_that_is_asked_wrongly_is_refused"))
def test_a_function_that_is_asked_wrongly_is_refused(
    client: TestClient, name: str, sent: str, content: str, code: int, said: str
) -> None:
    found = client.post(f"/functions/{name}", content=sent, headers={"Content-Type": f"application/{content}"})
    assert (found.status_code, problem(found)) == (code, said)


def test_a_template_that_is_sent_is_filled(client: TestClient) -> None:
    template, scenario = bundled("workbooks") / "model_sizing.xlsx", json.dumps({"plan": "sizing", **SCENARIO}).encode()
    sent = {"template": ("model_sizing.xlsx", template.read_bytes()), "scenario": ("s.json", scenario)}
    found = client.post("/workbooks", files=sent)
    upload = ScenarioUpload(scenario, is_toml=False)
    assert found.content == filled_workbook(("model_sizing.xlsx", template.read_bytes(), upload)).content
    assert found.content[:2] == b"PK"
    wrong = client.post("/workbooks", files={**sent, "scenario": ("s.json", b'{"modle": "x"}')})
    assert wrong.status_code == 422 and "unknown input: got 'modle'" in problem(wrong)


def test_a_batch_runs_under_a_journal_and_is_followed(client: TestClient, folder: Path) -> None:
    table = b"name,model\na,gpt-2-small\nb,no-such-model\n"
    begun = client.post("/batches?formats=json", files={"scenarios": ("s.csv", table)})
    assert begun.status_code == 202
    name = begun.json()["id"]
    text = client.get(f"/batches/{name}/events").text
    events = [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]
    assert events[-1] == client.get(f"/batches/{name}").json() | {"problems": events[-1]["problems"]}
    assert {key: events[-1][key] for key in ("state", "scenarios", "done", "failed", "files")} == {
        "state": "done", "scenarios": 2, "done": 1, "failed": 1, "files": ["a.json", "index.html", "index.xlsx"],
    }  # fmt: skip
    [said] = events[-1]["problems"]
    assert said.startswith("s.csv, scenario 2: unknown model: got 'no-such-model', want ")
    file = client.get(f"/batches/{name}/files/a.json")
    assert file.content == (folder / name / "a.json").read_bytes()
    assert (folder / name / "journal.sqlite").is_file()
    for hidden in ("journal.sqlite", "..%2f..%2fetc%2fpasswd", "x"):
        assert client.get(f"/batches/{name}/files/{hidden}").status_code == 404


def test_a_batch_is_cancelled_and_what_is_done_stays(client: TestClient) -> None:
    table = b"name,model\n" + b"".join(b"row%d,gpt-2-small\n" % at for at in range(200))
    name = client.post("/batches?formats=json", files={"scenarios": ("s.csv", table)}).json()["id"]
    client.delete(f"/batches/{name}")
    with client.stream("GET", f"/batches/{name}/events") as events:
        last = [line for line in events.iter_lines() if line.startswith("data: ")][-1]
    assert json.loads(last.removeprefix("data: "))["state"] == "cancelled"
    assert json.loads(last.removeprefix("data: "))["done"] < 200


def test_a_request_reads_no_file_of_the_server(client: TestClient, tmp_path: Path) -> None:
    secret = tmp_path / "config.json"
    secret.write_text('{"model_type": "gpt2"}')
    refused = client.post("/plans", json={"model": str(secret)})
    assert (refused.status_code, problem(refused)) == (
        422, f"file of the server: got '{secret}', want none: a request brings what it needs. Leave the name out."
    )  # fmt: skip
    (tmp_path / "report.html").write_text("{{ 7 * 7 }}")
    own = client.post("/plans?format=html", json={**SCENARIO, "report": {"templates": str(tmp_path)}})
    assert (own.status_code, problem(own)) == (422, problem(refused).replace(str(secret), str(tmp_path)))
    template = _with_formula(f'=CONFIG_PARAMS("{secret}")')
    filled_in = client.post("/workbooks", files={
        "template": ("model_sizing.xlsx", template), "scenario": ("s.json", json.dumps(SCENARIO).encode()),
    })  # fmt: skip
    assert json.loads(filled_in.headers["X-Sizebook-Notes"]) == [f"Cover!Z90: {problem(refused)}"]
    named = client.post("/plans", json={**SCENARIO, "title": str(secret)})
    assert named.json()["sizebook"]["inputs"] == {}  # no hash of it either


def _with_formula(formula: str) -> bytes:
    book, made = openpyxl.load_workbook(bundled("workbooks") / "model_sizing.xlsx"), io.BytesIO()
    book.worksheets[0]["Z90"] = formula
    book.save(made)
    return made.getvalue()


def test_nothing_that_is_asked_for_is_dropped(client: TestClient) -> None:
    assert problem(client.post("/plans?format=json,pdf", json=SCENARIO)) == (
        "several formats: got 'json,pdf', want one. Ask once for each, or for a batch."
    )
    assert problem(client.post("/plans?fromat=pdf", json=SCENARIO)) == (
        "unknown parameter: got 'fromat', want format. Correct it. Did you mean 'format'?"
    )
    assert problem(client.post("/plans?format=json&format=pdf", json=SCENARIO)) == (
        "repeated parameter: got 'format' 2 times, want one. Leave one."
    )
    table = {"scenarios": ("s.csv", b"name,model\na,gpt-2-small\n")}
    assert problem(client.post("/batches", files=table, data={"formats": "json"})) == (
        "unknown field: got 'formats', want scenarios. Correct it."
    )


def test_a_batch_that_ends_unexpectedly_says_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("surprise")

    monkeypatch.setattr(batches, "run_batch_with", broken)
    table = {"scenarios": ("s.csv", b"name,model\na,gpt-2-small\n")}
    name = client.post("/batches?formats=json", files=table).json()["id"]
    last = client.get(f"/batches/{name}/events").text.strip().splitlines()[-1]
    found = json.loads(last.removeprefix("data: "))
    assert (found["state"], found["problem"]) == (
        "failed", "failed unexpectedly: got RuntimeError, want none. Report it.",
    )  # fmt: skip


def test_what_is_not_understood_is_refused_in_words(client: TestClient) -> None:
    assert problem(client.post("/plans?format=zip", json=SCENARIO)) == (
        "unknown format: got 'zip', want one of pdf, xlsx, json, html, csv. Choose one of them."
    )
    plain = client.post("/plans", content="x", headers={"Content-Type": "text/plain"})
    assert (plain.status_code, problem(plain)) == (
        415, "unknown content type: got 'text/plain', want application/json or application/toml. "
        "Set the header Content-Type."
    )  # fmt: skip
    large = client.post("/plans", content=b" " * 20_000_001, headers={"Content-Type": "application/json"})
    assert (large.status_code, problem(large)) == (
        413, "too large: got a request of more than 20000000 bytes, want at most as many. Send less, or raise the "
        "limit request_bytes where the service is started.",
    )  # fmt: skip
    nowhere = client.get("/nowhere")
    assert (nowhere.status_code, problem(nowhere)) == (
        404, "not found: got GET /nowhere, want what /openapi.json describes. Correct it."
    )  # fmt: skip
    unknown = client.get("/batches/0123456789abcdef")
    assert (unknown.status_code, problem(unknown)) == (
        404, "unknown batch: got no such id, want one that POST /batches gave. Start a batch."
    )  # fmt: skip


def test_only_this_machine_and_who_has_the_token_may_ask(client: TestClient, folder: Path) -> None:
    other = client.get("/health", headers={"Host": "evil.example"})
    assert (other.status_code, problem(other)) == (
        403, "another host: got evil.example, want 127.0.0.1 or localhost. Use it."
    )  # fmt: skip
    for origin in ("http://evil.example", "null", "http://[::1", "127.0.0.1"):
        page = client.get("/health", headers={"Origin": origin})
        assert (page.status_code, problem(page)) == (
            403, "another site: got a request of another page, want one of this service. Ask it."
        )  # fmt: skip
    assert client.get("/health", headers={"Origin": HERE}).status_code == 200
    with TestClient(create_app(Service(1, folder, token="0123456789abcdef"))) as asking:
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            assert asking.get("/openapi.json", headers=headers).status_code == 401
            refused = asking.get("/health", headers=headers)
            assert (refused.status_code, problem(refused)) == (
                401, "no token: got a request without the token, want the header Authorization: Bearer TOKEN. Add it."
            )  # fmt: skip
        assert asking.get("/health", headers={"Authorization": "Bearer 0123456789abcdef"}).status_code == 200


def test_a_browser_gets_a_page_that_runs_nothing_and_programs_do_not(client: TestClient) -> None:
    shown = client.get("/", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert shown.status_code == 200 and shown.headers["content-type"] == "text/html; charset=utf-8"
    [style] = re.findall("<style>(.*?)</style>", shown.text)
    by_hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert shown.headers["content-security-policy"] == (
        f"default-src 'none'; style-src 'sha256-{by_hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
    assert not re.search(r"<script|://|\son\w+=|style=", shown.text)
    links = re.findall(r'(?:href|src|action)="([^"]*)"', shown.text)
    assert links == ["/reports", "/schema", "/openapi.json"]
    assert all(client.get(link).status_code == 200 for link in links[1:])
    for accepted in ("application/json", "application/problem+json, application/json;q=0.5"):
        program = client.get("/", headers={"Accept": accepted})
        assert (program.status_code, problem(program)) == (
            404, "not found: got GET /, want what /openapi.json describes. Correct it."
        )  # fmt: skip


def test_the_form_of_the_page_gives_a_report_to_see_or_a_file(client: TestClient, tmp_path: Path) -> None:
    ours = file_contents(plan_scenario(SCENARIO, "s", tmp_path), ("html", "csv")).files
    toml = {"scenario": ("s.toml", b'model = "gpt-2-small"\ndtype = "bf16"')}
    seen = client.post("/reports", files=toml)
    assert (seen.status_code, seen.content) == (200, ours["html"])
    assert "content-disposition" not in seen.headers
    assert seen.headers["content-security-policy"] == (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'; base-uri 'none'"
    )
    as_json = {"scenario": ("s.json", json.dumps(SCENARIO).encode())}
    file = client.post("/reports", files=as_json, data={"format": "csv"}, headers={"Origin": HERE})
    assert (file.status_code, file.content) == (200, ours["csv"])
    assert file.headers["content-disposition"] == "attachment; filename*=UTF-8''sizebook.csv"


def test_the_form_is_refused_as_all_requests_are_and_shows_what_was_wrong(client: TestClient, folder: Path) -> None:
    sent = {"scenario": ("s.json", b'{"model": "<script>alert(1)</script>"}')}
    wrong = client.post("/reports", files=sent)
    assert wrong.status_code == 422 and "script" not in wrong.headers["content-security-policy"]
    assert "&lt;script&gt;alert(1)" in wrong.text and "<script" not in wrong.text
    server = client.post("/reports", files={"scenario": ("s.json", b'{"model": "/etc/config.json"}')})
    assert "file of the server: got &#x27;/etc/config.json&#x27;, want none" in server.text
    zipped = client.post("/reports", files=sent, data={"format": "zip"})
    assert "unknown format: got &#x27;zip&#x27;, want one of pdf, xlsx, json, html, csv." in zipped.text
    field = client.post("/reports", files=sent, data={"fromat": "pdf"})
    assert problem(field).startswith("unknown field: got 'fromat', want scenario, format. Correct it.")
    for headers, code in (({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403), ({"Host": "a.b"}, 403)):
        assert client.post("/reports", files=sent, headers=headers).status_code == code
        assert client.get("/", headers=headers).status_code == code
    with TestClient(create_app(Service(1, folder, token="0123456789abcdef")), base_url=HERE) as asking:
        assert (asking.get("/").status_code, asking.post("/reports", files=sent).status_code) == (401, 401)
        assert asking.get("/", headers={"Authorization": "Bearer 0123456789abcdef"}).status_code == 200


def test_an_address_for_others_wants_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    done = CliRunner().invoke(command_line, ["web", "--host", "0.0.0.0"])
    assert str(done.exception) == (
        "no access control: got the address 0.0.0.0 and a token of 0 characters, want 16 or more. Set "
        "SIZEBOOK_WEB_TOKEN, or listen at 127.0.0.1."
    )


def test_a_call_over_its_bounds_ends_and_the_next_one_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sizebook.scheduling.slots._PATIENCE", 5)
    slots = Slots(1, Bounds(seconds=4, n_bytes=600_000_000))
    try:
        assert slots.call(web_calls.twice, 21) == 42
        for endless in (web_calls.asleep, web_calls.busy):
            with pytest.raises(InputError) as late:
                slots.call(endless, 60)
        assert slots.call(web_calls.asleep, 5) is None  # longer than its seconds, without work: as on a busy machine
        with pytest.raises(InputError) as large:
            slots.call(web_calls.filling, 900_000_000)
        assert slots.call(web_calls.twice, 4) == 8
    finally:
        slots.close()
    assert str(late.value) == (
        "too long: got more than 4 s of work, want less. Ask for less, or raise the limit request_seconds where the "
        "service is started."
    )
    assert str(large.value) == (
        "too much memory: got more than 600000000 bytes of work, want less. Ask for less, or raise the limit "
        "request_memory_bytes where the service is started."
    )
