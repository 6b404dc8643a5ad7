"""A tagloom model as a component of a spaCy pipeline: documents in, the same documents with its predictions out."""

# No postponed annotations: spaCy checks the settings of ``initialize`` by its signature.

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.util import ensure_path, raise_error

from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import HEADS, LABELS, TAGS
from tagloom.corpus.replace import make_folder
from tagloom.corpus.running_text import Predictions
from tagloom.corpus.spacy_docs import READERS, DocTable, assign_attributes, fill_docs, from_docs
from tagloom.errors import ConfigError, unknown_name
from tagloom.systems import base
from tagloom.systems.base import Model
from tagloom.systems.file import load, model_from_bytes
from tagloom.systems.text import predict_scored
from tagloom.text import Tokenizer
from tagloom.text.export.spacy import TOKEN_ATTRIBUTES, DocPlaces, add_score_extension

#: What a component writes.
ENTITIES, TOKENS, TREE, SPANS = "entities", "tokens", "tree", "spans"

_MODEL_FILE = "model.safetensors"
# The columns of documents that attributes of tokens are read as.
_COLUMN_OF_ATTRIBUTE = {"tag": "xpos", "pos": "upos", "morph": "feats", "lemma": "lemma"}


@dataclass(frozen=True)
class Settings:
    """The settings of a component, as its block in a config has them; see ``factories``."""

    path: str | None = None
    reads: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] | None = None
    layer: str | None = None
    spans_key: str | None = None
    overwrite: bool = True
    scores: bool = False
    split_sentences: bool = True
    threads: int = 1
    search: Mapping[str, Any] = field(default_factory=dict)


class TagloomComponent:
    """A component that writes one kind of annotation; the model is opened when it is first needed.

    Attributes:
        name: Name of the component in its pipeline.
        kind: What it writes: ``ENTITIES``, ``TOKENS``, ``TREE`` or ``SPANS``.
        settings: Its settings.
        scorer: Function of spaCy that scores examples; None for none.
    """

    def __init__(
        self, name: str, kind: str, settings: Settings, scorer: Callable[..., dict[str, Any]] | None = None
    ) -> None:
        """Store the settings."""
        self.name, self.kind, self.settings, self.scorer = name, kind, settings, scorer
        self._model: Model | None = None
        self._handle_error: Callable[..., Any] = raise_error
        if settings.scores:
            add_score_extension()

    # -- the model -----------------------------------------------------------------------------------------------------

    # spaCy asks every component whether it has a ``model``, by which it means a neural network, so that there is none.
    def open_model(self) -> Model:
        """Return the model, which is opened at the first call.

        Raises:
            ConfigError: There is none, or it cannot be a component.
        """
        if self._model is None:
            if self.settings.path is None:
                raise ConfigError(
                    f"{self.name}: has no model; name its file as path= in the config, or call nlp.initialize()"
                )
            self.set_model(load(self.settings.path))
        assert self._model is not None
        return self._model

    def set_model(self, model: Model) -> None:
        """Take another model.

        Raises:
            ConfigError: It cannot be a component.
        """
        if model.segments_text or model.reads.unit == base.CHARACTERS:
            raise ConfigError(
                f"{self.name}: the {model.noun} cuts text into words, and spaCy has done so; "
                'use it as tokenizer "tagloom.Tokenizer.v1"'
            )
        if model.reads.bags:
            raise ConfigError(f"{self.name}: the {model.noun} reads attributes of tokens, which documents do not have")
        if self.settings.scores:
            model.require(base.CONFIDENCE, f"{self.name}: scores")
        model.check_search(self.settings.search)
        self._choose_places(model)
        self._check_reads(model)
        self._model = model

    def _check_reads(self, model: Model) -> None:
        reads = self.settings.reads
        for column, attribute in reads.items():
            if attribute not in _COLUMN_OF_ATTRIBUTE:
                raise unknown_name(f"attribute of tokens (reads.{column} of {self.name})", attribute, TOKEN_ATTRIBUTES)
        for column in model.columns:
            if column != model.main and column not in reads:
                raise ConfigError(
                    f"{self.name}: the model reads the column {column!r}, which spaCy must provide; train it with "
                    f'provide={column!r}, or say where it is: config={{"reads": {{"{column}": "tag"}}}}'
                )

    def _choose_places(self, model: Model) -> DocPlaces:
        """Choose where the columns of a model go."""
        spans = [layer.column for layer in model.layers if layer.kind == LABELS and layer.scheme is not None]
        others = [layer.column for layer in model.layers if layer.kind in (LABELS, TAGS) and layer.column not in spans]
        tokens = self._choose_tokens(others)
        if self.kind == TOKENS:
            if not tokens:
                raise self._refuse(model, "does not tag tokens")
            return DocPlaces(tokens, has_tree=False)
        if self.kind == TREE:
            if not any(layer.kind == HEADS for layer in model.layers):
                raise self._refuse(model, "makes no trees")
            return DocPlaces(tokens)
        if not spans:
            raise self._refuse(model, "does not label spans")
        layer = self.settings.layer or spans[-1]
        if layer not in spans:
            raise unknown_name(f"layer of spans of the model of {self.name}", layer, spans)
        if self.kind == ENTITIES:
            return DocPlaces(tokens, entities=layer, has_tree=False)
        return DocPlaces(tokens, groups={layer: self.settings.spans_key or layer}, has_tree=False)

    def _choose_tokens(self, columns: Sequence[str]) -> Mapping[str, str]:
        chosen = self.settings.columns
        if chosen is None:
            return assign_attributes(columns) if self.kind in (TOKENS, TREE) else {}
        for column, attribute in chosen.items():
            if column not in columns:
                raise unknown_name(f"column of the model of {self.name}", column, columns)
            if attribute not in TOKEN_ATTRIBUTES:
                raise unknown_name(
                    f"attribute of tokens (columns.{column} of {self.name})", attribute, TOKEN_ATTRIBUTES
                )
        return chosen

    def _refuse(self, model: Model, reason: str) -> ConfigError:
        names = " ".join(layer.column for layer in model.layers)
        return ConfigError(f"{self.name}: the {model.noun} {reason}, it makes {names}; choose another component")

    # -- documents -----------------------------------------------------------------------------------------------------

    def __call__(self, doc: Doc) -> Doc:
        """Annotate a document."""
        self.annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate documents; those of a batch are predicted together, which is faster."""
        docs_left = iter(stream)
        while docs := list(itertools.islice(docs_left, batch_size)):
            try:
                self.annotate(docs)
            except Exception as error:
                self._handle_error(self.name, self, docs, error)
                continue
            yield from docs

    def annotate(self, docs: Sequence[Doc]) -> None:
        """Write what the model predicts into documents."""
        model, settings = self.open_model(), self.settings
        table = self._read_table(docs, model)
        corpus = self._build_corpus(table, model)
        predicted, scores = predict_scored(
            model, corpus, threads=settings.threads, confidence=settings.scores, **settings.search
        )
        found = Predictions.read(corpus, predicted, model.layers, scores)
        fill_docs(docs, table, found, self._choose_places(model), overwrite=settings.overwrite)

    def _read_table(self, docs: Sequence[Doc], model: Model) -> DocTable:
        attributes = [TOKEN_ATTRIBUTES[self.settings.reads[column]] for column in model.columns if column != model.main]
        table = DocTable.from_docs(docs, ["ORTH", "SENT_START", *dict.fromkeys(attributes)])
        return _split_sentences(docs, table, model.tokenizer) if self.settings.split_sentences else table

    def _build_corpus(self, table: DocTable, model: Model) -> Corpus:
        """Build the corpus that the model reads, with one document per document."""
        columns: dict[str, Column] = {model.main: table.read_words()}
        for column in model.columns:
            if column != model.main:
                columns[column] = self._read_column(table, column)
        documents = np.searchsorted(table.sentences, table.bounds)
        return Corpus(columns, table.sentences, documents, has_documents=True, source=f"<{self.name}>")

    def _read_column(self, table: DocTable, column: str) -> Column:
        attribute = self.settings.reads[column]
        if len(table.words) and not table.has_values(TOKEN_ATTRIBUTES[attribute]):
            raise ConfigError(
                f"{self.name}: the model reads token.{attribute}_ as {column!r}, which the documents do not have; "
                "add a component that sets it before this one"
            )
        return READERS[_COLUMN_OF_ATTRIBUTE[attribute]](table)

    def set_error_handler(self, handler: Callable[..., Any]) -> None:
        """Set what is called with the documents of a batch that failed, and the error."""
        self._handle_error = handler

    def get_error_handler(self) -> Callable[..., Any]:
        """Get it."""
        return self._handle_error

    def score(self, examples: Iterable[Any], **options: Any) -> dict[str, Any]:
        """Score examples with the scorer of the component."""
        if self.scorer is None:
            return {}
        if self.kind == SPANS:
            options.setdefault("spans_key", next(iter(self._choose_places(self.open_model()).groups.values())))
        return self.scorer(examples, **options)

    # -- initializing --------------------------------------------------------------------------------------------------

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Any]] | None = None,
        *,
        nlp: Any = None,
        path: str | None = None,
        train: dict[str, Any] | None = None,
    ) -> None:
        """Open the model, or train one; settings come from the block ``[initialize.components.NAME]`` of a config.

        Args:
            get_examples: Function that returns examples of spaCy.
            nlp: The pipeline.
            path: Model file; by default that of the component's own settings.
            train: Options of :func:`tagloom.train`, to train on the examples. ``columns`` names what is read of them.
        """
        if path is not None:
            self.set_model(load(path))
        elif train is not None:
            self.set_model(self._train([each.reference for each in (get_examples or list)()], dict(train)))
        else:
            self._model = None
            self.open_model()

    def _train(self, docs: Sequence[Doc], options: dict[str, Any]) -> Model:
        from tagloom.systems.train import train

        columns = options.pop("columns", self._list_columns(options))
        names = tuple(columns.split()) if isinstance(columns, str) else columns
        corpus = from_docs(docs, names)
        system = options.pop("system", "parser" if self.kind == TREE else "tagger")
        model: Model = train(replace(corpus, source=f"<{self.name}>"), system=system, **options)
        return model

    def _list_columns(self, options: Mapping[str, Any]) -> Sequence[str] | None:
        """List what to read of examples; None for everything."""
        if self.kind == TREE:
            return None
        learned = {ENTITIES: "label", TOKENS: "xpos", SPANS: self.settings.spans_key or "sc"}[self.kind]
        return ("form", options.get("label", learned))

    # -- files ---------------------------------------------------------------------------------------------------------

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Convert the model to the bytes of its file; nothing if there is none."""
        return b"" if self._model is None and self.settings.path is None else self.open_model().to_bytes()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "TagloomComponent":
        """Open the model of ``to_bytes``."""
        if data:
            self.set_model(model_from_bytes(Path(f"<{self.name}>"), data))
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the model file into a folder."""
        folder = make_folder(ensure_path(path), "the model")
        if self._model is not None or self.settings.path is not None:
            self.open_model().save(folder / _MODEL_FILE)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "TagloomComponent":
        """Open the model file of a folder, if there is one."""
        file = ensure_path(path) / _MODEL_FILE
        if file.exists():
            self.set_model(load(file))
        return self

    def __getstate__(self) -> dict[str, Any]:
        """The model is pickled as the bytes of its file."""
        return {**vars(self), "_model": None if self._model is None else self._model.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore everything, and open the model."""
        vars(self).update(state, _model=None)
        if self.settings.scores:
            add_score_extension()
        self.from_bytes(state["_model"] or b"")


def _split_sentences(docs: Sequence[Doc], table: DocTable, tokenizer: Tokenizer) -> DocTable:
    """Let a tokenizer find the sentences of documents that have none."""
    starts = table.values["SENT_START"].copy()
    for doc, first in zip(docs, table.firsts.tolist()):
        if len(doc) > 1 and not doc.has_annotation("SENT_START"):
            cut = tokenizer.segment(doc.text)
            places = np.searchsorted(doc.to_array("IDX"), cut.starts[cut.sentences[:-1]])
            starts[first + places[places < len(doc)]] = 1
    return replace(table, values={**table.values, "SENT_START": starts})
