"""Features print one short line, without raw arrays or native objects."""

from __future__ import annotations

import pytest

from tagloom._core import Lookup
from tagloom.corpus import from_sentences
from tagloom.features import (
    Batch,
    Categories,
    Clusters,
    Document,
    FeatureEncoder,
    Phrases,
    Statistics,
    Vocabulary,
    WordList,
    load_templates,
)
from tagloom.features.global_templates import load_global_templates
from tagloom.features.matched import MATCHED
from tagloom.features.state_templates import load_state_templates

TEMPLATES = load_templates("form[0]\nform[-1] form[0] / edge\n/ edge\n")
VOCABULARY = Vocabulary(("form", "pos"), word_functions={"size": None})
CORPUS = from_sentences([[("the", "DT"), ("dog", "NN")]], columns="form pos")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (TEMPLATES, "TemplateSet('templates', 2 templates, 1 of label pairs, transitions)"),
        (TEMPLATES.templates[1], "Template('form[-1] form[0] / edge')"),
        (load_global_templates("WE = form[start..end]"), "GlobalTemplateSet('templates', 1 templates)"),
        (load_state_templates("s0.form\ns0.tag\n"), "StateTemplateSet('templates', 2 templates)"),
        (Clusters(Lookup()), "Clusters(0 words)"),
        (WordList.of(["a", "b"]), "WordList(2 words)"),
        (Phrases.build({"LOC": ["New York"]}), "Phrases(1 lists: LOC)"),
        (Phrases.build({name: ["x"] for name in "abcde"}), "Phrases(5 lists: a, b, c, d, ...)"),
        (Categories.build({"a": ["A1"]}), "Categories(1 words)"),
        (Statistics.count(["abc", "abd", "xab"]), "Statistics(left=1, right=1, mutual=1 strings)"),
        (VOCABULARY, "Vocabulary(columns=['form', 'pos'], functions=['size'], resources=[])"),
        (
            FeatureEncoder(TEMPLATES, VOCABULARY),
            "FeatureEncoder(TemplateSet('templates', 2 templates, 1 of label pairs, transitions), 1 attributes, "
            "columns=['form'])",
        ),
        (Batch.from_corpus(CORPUS, ["form", "pos"]), "Batch(1 sentences, 2 tokens, 2 columns)"),
        (Document(("the", "dog"), ((0, 2),), {}), "Document(2 words, 1 sentences, columns=[])"),
        (
            MATCHED["lexicon"],
            "Matched('lexicon', resource='lexicon', number='none', help='S, B, M, E by forward maximum matching')",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_short_line(value: object, text: str):
    assert repr(value) == text
