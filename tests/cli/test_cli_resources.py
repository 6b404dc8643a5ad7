"""``--resource``: whole resources and lists by name."""

from __future__ import annotations

import pytest

from tagloom.cli.settings import read_resources
from tagloom.errors import ConfigError


def test_resources_and_their_lists() -> None:
    texts = ["brown=a=b", "gazetteer.ORG=firms", "gazetteer.PER=people", "gazetteer.ORG=clubs:new"]
    assert read_resources(texts) == {
        "brown": "a=b",
        "gazetteer": {"ORG": ["firms", "clubs:new"], "PER": ["people"]},
    }
    assert read_resources([]) == {}


def test_several_resources_of_a_kind() -> None:
    texts = ["brown:web=a", "brown=b", "gazetteer:web=lists", "gazetteer:own.ORG.more=c.d", "gazetteer:own.PER=e"]
    assert read_resources(texts) == {
        "brown:web": "a",
        "brown": "b",
        "gazetteer:web": "lists",
        "gazetteer:own": {"ORG.more": ["c.d"], "PER": ["e"]},
    }


@pytest.mark.parametrize("text", ["gazetteer", "=x", ".ORG=x", "gazetteer.=x"])
def test_what_is_not_a_resource(text: str) -> None:
    expected = "expected KIND=PATH, KIND:NAME=PATH, or .LIST before = for one list"
    with pytest.raises(ConfigError, match=rf"^--resource .*: {expected}$"):
        read_resources([text])


def test_a_resource_is_given_in_one_way() -> None:
    with pytest.raises(ConfigError, match=r"^--resource gazetteer: given as a whole and by list; choose one$"):
        read_resources(["gazetteer.ORG=a", "gazetteer=b"])
    with pytest.raises(ConfigError, match=r"^--resource brown=b: brown is given twice; name one of them KIND:NAME$"):
        read_resources(["brown=a", "brown=b"])
