"""The factories of the components: what a config may say, and what spaCy knows about each."""

# No postponed annotations: spaCy checks configs by the signature of a factory.

from collections.abc import Callable, Mapping
from typing import Any

from spacy.language import Language

from tagloom.compat.spacy.component import ENTITIES, SPANS, TOKENS, TREE, Settings, TagloomComponent

_DEFAULTS: dict[str, Any] = {
    "path": None,
    "reads": {},
    "columns": None,
    "overwrite": True,
    "scores": False,
    "split_sentences": True,
    "threads": 1,
    "search": {},
}


def _add_factory(
    factory: str, kind: str, assigns: list[str], scorer: str, weights: Mapping[str, float | None], **defaults: Any
) -> Callable[..., TagloomComponent]:
    """Register a factory; its settings are those of ``_DEFAULTS`` and ``defaults``."""

    def create(
        nlp: Language,
        name: str,
        path: str | None,
        reads: dict[str, str],
        columns: dict[str, str] | None,
        overwrite: bool,
        scores: bool,
        split_sentences: bool,
        threads: int,
        search: dict[str, Any],
        scorer: Callable[..., Any] | None,
        layer: str | None = None,
        spans_key: str | None = None,
    ) -> TagloomComponent:
        """Create a component.

        Args:
            nlp: The pipeline.
            name: Name of the component.
            path: Model file, opened when it is first needed. Saved pipelines hold the model itself.
            reads: Attribute of tokens (``tag``, ``pos``, ``morph`` or ``lemma``) for every column that the model reads
                besides words and does not predict itself.
            columns: Attribute of tokens for columns of the model; by default ``tagloom_tagger`` and
                ``tagloom_parser`` write all, by their names, and others none.
            overwrite: Replace annotation of the same kind; otherwise it is completed.
            scores: Set ``token._.tagloom_score`` and ``span._.tagloom_score``, the confidence of the model.
            split_sentences: Let the tokenizer of the model find sentences where the document has none; otherwise it
                is one sentence.
            threads: Number of threads. Does not change the result.
            search: Options of the search, such as ``beam``.
            scorer: Scorer of spaCy.
            layer: The column of spans to write; the last one by default.
            spans_key: Key of ``doc.spans``; the name of the column by default.
        """
        settings = Settings(
            path, reads, columns, layer, spans_key, overwrite, scores, split_sentences, threads, search
        )  # fmt: skip
        return TagloomComponent(name, kind, settings, scorer)

    config = {**_DEFAULTS, **defaults, "scorer": {"@scorers": scorer}}
    registered: Callable[..., TagloomComponent] = Language.factory(
        factory, assigns=assigns, default_config=config, default_score_weights=dict(weights), func=create
    )
    return registered


create_ner = _add_factory(
    "tagloom_ner",
    ENTITIES,
    ["doc.ents", "token.ent_iob", "token.ent_type"],
    "spacy.ner_scorer.v1",
    {"ents_f": 1.0, "ents_p": 0.0, "ents_r": 0.0, "ents_per_type": None},
    layer=None,
)
create_spans = _add_factory(
    "tagloom_spans", SPANS, ["doc.spans"], "spacy.spancat_scorer.v1", {}, layer=None, spans_key=None
)
create_tagger = _add_factory(
    "tagloom_tagger", TOKENS, ["token.tag", "token.pos"], "spacy.tagger_scorer.v1", {"tag_acc": 1.0}
)
create_parser = _add_factory(
    "tagloom_parser",
    TREE,
    ["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    "spacy.parser_scorer.v1",
    {"dep_uas": 0.5, "dep_las": 0.5, "dep_las_per_type": None, "sents_p": None, "sents_r": None, "sents_f": 0.0},
)
