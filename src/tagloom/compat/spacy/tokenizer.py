"""tagloom's tokenizers in spaCy pipelines, for the tokens and sentences that ``tagloom tag`` has."""

# No postponed annotations: spaCy checks configs by the signature of a function.

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.util import ensure_path, registry
from spacy.vocab import Vocab

from tagloom.corpus.replace import replace_file
from tagloom.corpus.running_text import annotate_segment
from tagloom.errors import ConfigError, unknown_name
from tagloom.systems.base import Model
from tagloom.systems.file import load, model_from_bytes
from tagloom.text import FunctionTokenizer, Tokenizer, get_tokenizer, list_tokenizers


class TagloomTokenizer:
    """A tokenizer that also sets sentence boundaries; a model is opened when it is first needed."""

    def __init__(self, vocab: Vocab, name: str) -> None:
        """Store the name of rules, or of a model file."""
        self.vocab, self.name = vocab, name
        self._tokenizer: Tokenizer | None = None

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of tagloom."""
        if self._tokenizer is None:
            self._tokenizer = _open_tokenizer(self.name)
        return self._tokenizer

    def __call__(self, text: str) -> Doc:
        """Cut a text."""
        doc: Doc = annotate_segment(self.tokenizer.segment(text)).to_spacy(self.vocab)
        return doc

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Cut texts."""
        return map(self, texts)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Convert to the name of rules, or to the bytes of a model file."""
        found = self.tokenizer
        if isinstance(found, FunctionTokenizer):
            raise ConfigError(f"tokenizer {found.name!r} is a Python function, which cannot be saved; name another one")
        return found.to_bytes() if isinstance(found, Model) else found.name.encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "TagloomTokenizer":
        """Restore the tokenizer of ``to_bytes``."""
        name = data.decode(errors="replace")
        known = name in list_tokenizers()
        self._tokenizer = get_tokenizer(name) if known else model_from_bytes(Path("<tokenizer>"), data)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the bytes of ``to_bytes`` to a file."""
        replace_file(ensure_path(path), self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "TagloomTokenizer":
        """Restore the tokenizer from its file."""
        return self.from_bytes(ensure_path(path).read_bytes())

    def __getstate__(self) -> dict[str, Any]:
        """A model is pickled as the bytes of its file."""
        return {"vocab": self.vocab, "name": self.name, "data": self.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore everything."""
        self.vocab, self.name = state["vocab"], state["name"]
        self.from_bytes(state["data"])


def _open_tokenizer(name: str) -> Tokenizer:
    if name in list_tokenizers():
        return get_tokenizer(name)
    if not Path(name).exists():
        raise unknown_name("tokenizer, and no model file,", name, list_tokenizers())
    model: Model = load(name)
    return model.tokenizer


def create_tokenizer(name: str = "unicode") -> Callable[[Any], TagloomTokenizer]:
    """Build what makes the tokenizer of a pipeline.

    Args:
        name: A tokenizer of tagloom (``unicode``, ``ptb``, ``whitespace``, ``character``), or a model file, whose
            tokenizer is taken.
    """
    return lambda nlp: TagloomTokenizer(nlp.vocab, name)


registry.tokenizers.register("tagloom.Tokenizer.v1", func=create_tokenizer)
