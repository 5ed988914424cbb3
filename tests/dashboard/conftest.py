"""The models of the catalog as the page shows them, computed once."""

import pytest

from sizebook.dashboard.catalog_models import Model, published_models


@pytest.fixture(scope="session")
def models() -> dict[str, Model]:
    return {model.key: model for model in published_models()}
