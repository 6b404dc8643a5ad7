"""Phrases of a chunker as text: recognised in a corpus, explained, and what the chunker is made of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tagloom.cli.console import put, put_json, put_rich, table
from tagloom.cli.inputs import Input
from tagloom.cli.inspect import put_history
from tagloom.cli.tagged import json_lines, writer_for
from tagloom.corpus.streams import decode_lines
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.corpus import Column, Corpus
    from tagloom.systems import PhraseChunker, PhraseExplanation
    from tagloom.systems.phrases.explain import FilteredWord, ProposedPhrase

# -- tag ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recognising:
    """How the phrases of a corpus are to be recognised and written."""

    chunker: PhraseChunker
    threads: int = 1
    normalise: str | None = None  # the normal form in which the chunker reads the text

    def text(self, source: Input) -> str:
        """The input with the chunker's labels, as text; JSONL gets spans, too."""
        corpus = source.read_for(self.chunker)
        read = corpus if self.normalise is None else self._normalised(corpus, self.normalise)
        predicted = self.chunker.tag_corpus(read, self.threads)
        if str(corpus.extras["format"]) == "jsonl":
            return "".join(json_lines(self._records(corpus, predicted, source.data)))
        labelled: Any = self.chunker  # what writing looks at is the same as of a tagger
        return writer_for(labelled, corpus)(labelled, corpus, predicted, source.data)

    def _normalised(self, corpus: Corpus, form: str) -> Corpus:
        from tagloom.corpus.normalise import Recut, normal_form

        found = Recut.of(corpus, normal_form(form)).corpus
        if found.token_count != corpus.token_count:
            raise ConfigError("--normalise: normalising changes the number of characters; convert the text first")
        return found

    def _records(self, corpus: Corpus, predicted: Column, data: bytes) -> Iterator[dict[str, object]]:
        """The objects of the input with tokens, tags and spans: of characters where there is a text, else of tokens."""
        tagged = corpus.with_column("tags", predicted)
        lines = [line for line in decode_lines(data, corpus.source) if line.strip(" \t\r")]
        for number, line in enumerate(lines):
            record, tokens = json.loads(line), corpus.sentence(number, self.chunker.main)
            spans = self._spans(tagged, number)
            if isinstance(record.get("text"), str):
                spans = _in_characters(spans, tokens, record["text"], f"{corpus.source}:{number + 1}")
            yield {**record, "tokens": tokens, "tags": tagged.sentence(number, "tags"), "spans": spans}

    def _spans(self, tagged: Corpus, number: int) -> list[list[object]]:
        from tagloom.corpus.spans import spans_from_labels

        one = tagged.slice(number, number + 1)
        column, scheme = one.column("tags"), self.chunker.spec.written
        found = spans_from_labels(column.strings.strings(), column.codes, one.sentences, scheme)
        return [[start, stop, category] for _, start, stop, category in found.tuples()]


def _in_characters(spans: list[list[Any]], tokens: Sequence[str], text: str, where: str) -> list[list[object]]:
    from tagloom.corpus.formats.offsets import locate

    if not spans:
        return []
    places = locate(tokens, text, where)
    return [[places[start][0], places[stop - 1][1], category] for start, stop, category in spans]


# -- explain -----------------------------------------------------------------------------------------------------------


def put_phrases(chunker: PhraseChunker, path: str, tokens: Sequence[object], top: int, json_: bool) -> None:
    """The words before the filters, the phrases that were proposed, and why some were chosen."""
    found = chunker.explain(tokens)
    if json_:
        put_json({"model": path, **_to_dict(found, top), "signature": str(chunker.spec.signature)})
        return
    put_rich(table(("word", "begins a phrase", "goes on in one"), [_word_row(word) for word in found.words],
                   right=["begins a phrase", "goes on in one"]))  # fmt: skip
    headers = ("phrase", "words", "verdict", "category", "score", "other categories", "against", "because of")
    rows = [_phrase_row(phrase, top) for phrase in found.phrases]
    if rows:
        put_rich(table(headers, rows, right=["score"]))
    else:
        put("no phrase was proposed")


def _word_row(word: FilteredWord) -> tuple[str, str, str]:
    return word.word, _passed(word.begin, word.begins), _passed(word.inside, word.continues)


def _passed(score: float, passes: bool) -> str:
    return f"{score:+,.1f} {'yes' if passes else 'no'}"


def _phrase_row(phrase: ProposedPhrase, top: int) -> tuple[str, ...]:
    others = ", ".join(f"{category} {score:+,.1f}" for category, score in phrase.scores[1 : top + 1])
    against = ", ".join(f"{start}:{stop} {category}" for start, stop, category in phrase.overlapping)
    features = ", ".join(f"{name} {said:+,.1f}" for name, said in phrase.contributions[:top])
    place = f"{phrase.start}:{phrase.stop}"
    words = " ".join(phrase.words)
    return place, words, phrase.verdict, phrase.category, f"{phrase.score:+,.1f}", others, against, features


def _to_dict(found: PhraseExplanation, top: int) -> dict[str, object]:
    return {
        "words": [asdict(word) for word in found.words],
        "phrases": [_phrase_dict(phrase, top) for phrase in found.phrases],
        "spans": found.spans,
    }


def _phrase_dict(phrase: ProposedPhrase, top: int) -> dict[str, object]:
    return {
        "start": phrase.start,
        "stop": phrase.stop,
        "words": phrase.words,
        "verdict": phrase.verdict,
        "scores": dict(phrase.scores),
        "overlapping": phrase.overlapping,
        "features": [{"name": name, "weight": said} for name, said in phrase.contributions[:top]],
    }


# -- inspect -----------------------------------------------------------------------------------------------------------


def sizes(chunker: PhraseChunker) -> dict[str, int]:
    """What was learned, in numbers."""
    parameters = chunker.parameters
    return {
        "categories": len(parameters.categories),
        "word_features": len(parameters.word_keys),
        "phrase_features": len(parameters.phrase_keys),
        "filter_vectors": len(parameters.filters.amounts),
        "scorer_vectors": len(parameters.scorers.amounts),
    }


def put_chunker(chunker: PhraseChunker, path: str, json_: bool) -> None:
    """Facts, and passes."""
    spec, count = chunker.spec, {"bytes": Path(path).stat().st_size, **sizes(chunker)}
    if json_:
        put_json(_report(chunker, path, count))
        return
    facts = {
        "signature": spec.signature,
        "reads": " ".join(chunker.columns),
        "writes": f"{spec.label} in {spec.written_scheme}",
        "categories": " ".join(chunker.categories),
        "size": ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in count.items()),
        "kernel": f"degree {spec.degree}, {spec.form}",
        "phrases": f"{spec.longest} words at most, {spec.window} words around",
        **{f"resource {name}": " ".join(lists) or "included" for name, lists in spec.resources.items()},
    }
    put("\n".join(f"{name}: {fact}" for name, fact in facts.items()))
    put_history(spec.history, spec.best_epoch, "phrases in error")


def _report(chunker: PhraseChunker, path: str, count: dict[str, int]) -> dict[str, object]:
    spec = asdict(chunker.spec)
    history = spec.pop("history")
    sets = {name: str(getattr(chunker.spec, name)).splitlines() for name in ("templates", "around", "inside")}
    return {
        "model": path,
        "signature": str(chunker.spec.signature),
        "sizes": count,
        "categories": list(chunker.categories),
        "spec": {**spec, **sets},
        "history": history,
    }
