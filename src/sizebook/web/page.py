# ruff: noqa: E402 - need() must run before the imports of the extra
"""The page that a browser shows: a form for a scenario, and where the description of the service stands.

It runs no script and asks for nothing elsewhere. Requests of its form pass the same checks as all others.
"""

import html
from base64 import b64encode
from hashlib import sha256

from sizebook.core.extras import need

need("web", "workbooks", "reports")

from starlette.responses import HTMLResponse

from sizebook.batch.formats import FORMATS

STYLE = (
    "body{font:16px/1.5 Inter,sans-serif;color:#1B1F24;max-width:44rem;margin:2rem auto;padding:0 1rem}"
    "fieldset{border:1px solid #D8DEE4;padding:1rem}label{display:block;margin-bottom:.8rem}"
    "pre{background:#F4F6F8;padding:.8rem}p[role=alert]{border-left:4px solid #B42318;padding-left:.8rem}"
)
_SAME = "frame-ancestors 'none'; base-uri 'none'"
_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
# The policy names the one style by its hash: text that got into the page could neither run nor draw.
_STYLE_HASH = b64encode(sha256(STYLE.encode()).digest()).decode()
PAGE_HEADERS = {
    **_HEADERS,
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; {_SAME}",
    "Referrer-Policy": "same-origin",  # with none, browsers hide the origin of the form, and its request is refused
}
# A report carries its styles and pictures; it is shown as of no origin, so that nothing in it could ask the service.
REPORT_HEADERS = {
    **_HEADERS,
    "Content-Security-Policy": f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; {_SAME}",
}
_EXAMPLE = """plan = "serving"
model = "llama-3.1-8b"
gpu = "h100-sxm"
requests_per_day = 1e6
input_tokens = 2000
output_tokens = 300"""
_CHOICES = "".join(
    f'<option value="{name}"{" selected" * (name == "html")}>{name}: {html.escape(FORMATS[name].meaning)}</option>'
    for name in ("html", *(name for name in FORMATS if name != "html"))
)


def page(problem: str = "") -> HTMLResponse:
    """Return the page, with what was wrong with the scenario that was sent, if anything."""
    told = f'<p role="alert">{html.escape(problem)}</p>' if problem else ""
    content = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>sizebook</title><style>{STYLE}</style></head><body>
<h1>sizebook</h1>
<p>Send a scenario; you get its report.</p>
{told}
<form method="post" action="/reports" enctype="multipart/form-data"><fieldset>
<label>Scenario, a file .toml or .json<br><input type="file" name="scenario" accept=".toml,.json" required></label>
<label>Format<br><select name="format">{_CHOICES}</select></label>
<button>Plan it</button></fieldset></form>
<h2>A scenario</h2>
<pre>{html.escape(_EXAMPLE)}</pre>
<p><a href="/schema">Every key of a scenario</a> (JSON Schema).</p>
<h2>For programs</h2>
<p><a href="/openapi.json">What the service answers</a> (OpenAPI): plans, workbooks, batches.</p>
</body></html>
"""
    return HTMLResponse(content, 422 if problem else 200, PAGE_HEADERS)
