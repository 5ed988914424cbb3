# Two commands: `make demo` runs the main job on a real model, `make test` passes the tests. Both set up what they need once.
PY := .venv/bin/python

# The domain layers and core, without what starts a process, writes a workbook or a PDF, simulates for seconds, or goes
# through thousands of random plans or configs.
QUICK := tests/core tests/intake tests/tables tests/models tests/formulas tests/serving tests/training tests/plans tests/functions \
  $(addprefix --ignore=tests/, core/test_domain_archive.py core/test_extras.py intake/test_limits.py models/test_hub.py \
  models/test_missing_keys.py models/test_odd_values.py models/test_registration.py models/test_verifying.py \
  models/catalog/test_commands.py models/catalog/test_tables_of_others.py models/checkpoints/test_count_command.py \
  models/checkpoints/test_plans.py serving/test_queues.py serving/test_pool_queues.py serving/test_against_ciw.py \
  plans/test_not_listed.py plans/fleet/test_fleet_alternatives.py plans/fleet/test_fleet_invariants.py \
  plans/serving/test_serving_invariants.py plans/serving/test_percentiles.py plans/serving/test_pool_percentiles.py \
  plans/training/test_training_invariants.py)

# Two processes, a file on one of them: what it fills stays there. In the order of tests/conftest.py, long files first.
TWO := -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: demo quick test ci night check release generated declared docs clean

demo: .venv/.demo
	$(PY) -m sizebook demo --output out

quick: .venv/.test
	$(PY) -m pytest $(TWO) -m "not ci" $(QUICK)

test: .venv/.test
	$(PY) -m pytest $(TWO) -m "not ci"

# What `make test` leaves out: LibreOffice, browsers, kills, every scenario of the grids.
ci: .venv/.test
	$(PY) -m pytest $(TWO) -m ci

# New random edits of configs, counted by transformers (the extra [torch]); what was counted wrong stays frozen as a row
# that says `found`. The frozen counts are a sample: the last line cuts them to it again.
SEED = $(shell date +%j)
night: .venv/.test
	$(PY) -m tests.models.edits edited $(SEED) 6000
	$(PY) -m tests.models.edits deep $(SEED) 1500
	$(PY) -m tests.models.composed
	$(PY) -m pytest tests/models/test_edits.py tests/models/test_composed.py
	$(PY) -m tests.models.sampling

check: .venv/.test
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy --strict src

release: .venv/.test
	$(PY) -m release.build

# The documentation as a site in out/site, for a browser that opens a folder; a dead link or anchor stops it.
docs: .venv/.test
	$(PY) -m mkdocs build --quiet

# Everything in the repository that is made from something else: workbooks, pages, sample reports, pictures.
generated: .venv/.test
	$(PY) workbooks/build.py
	$(PY) docs/generate.py
	$(PY) release/licences.py
	$(PY) docs/pictures.py

# After a new or renamed input, function or column: what is generated, then the frozen names, which workbooks hold too.
declared: .venv/.test
	$(PY) workbooks/build.py
	$(PY) docs/freeze_names.py
	$(PY) docs/generate.py
	$(PY) docs/pictures.py

.venv/.demo: pyproject.toml requirements-dev.lock .ci/setup
	bash .ci/setup demo

.venv/.test: pyproject.toml requirements-dev.lock .ci/setup
	bash .ci/setup test

clean:
	rm -rf .venv out dist
