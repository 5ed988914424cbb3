# Two commands: `make demo` runs the main job on a real model, `make test` passes the tests. Both set up what they need once.
PY := .venv/bin/python

.PHONY: demo test check wheel generated clean

demo: .venv/.demo
	$(PY) -m sizebook demo --output out

test: .venv/.test
	$(PY) -m pytest -n 2

check: .venv/.test
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy --strict src

wheel: .venv/.test
	rm -rf dist
	$(PY) -m build --wheel

# Everything in the repository that is made from something else: function reference, workbooks, sample reports.
generated: .venv/.test
	$(PY) docs/generate.py
	$(PY) workbooks/build.py

.venv/.demo: pyproject.toml .ci/setup
	bash .ci/setup demo

.venv/.test: pyproject.toml .ci/setup
	bash .ci/setup test

clean:
	rm -rf .venv out dist
