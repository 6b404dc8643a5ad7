"""The lists of entities lie in the data where they are said to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tagloom.recipes.dataset import Dataset
from tagloom.recipes.entity_lists import ENTITY_LISTS


def test_every_list_is_found(data_dir: Path) -> None:
    if not (data_dir / "resources/gazetteers").is_dir():
        pytest.skip(f"no resources/gazetteers in {data_dir}")
    dataset = Dataset("names", "resources/gazetteers/product", resources={"gazetteer": ENTITY_LISTS})
    assert dataset.missing(data_dir) is None
    assert list(dataset.options(data_dir)["resources"]["gazetteer"]) == list(ENTITY_LISTS)
