"""``tagloom explain``: why every word of a sentence got its label, or its head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tagloom.cli.console import put_json, put_rich, table
from tagloom.cli.inputs import is_segmenter
from tagloom.cli.options import Json, ModelFile, Normalise
from tagloom.errors import DataError

if TYPE_CHECKING:
    from tagloom.systems import Explanation, Model, Parser, PhraseChunker

_TOP = 3


def explain(
    model_file: ModelFile,
    sentence: Annotated[
        str,
        typer.Argument(metavar="SENTENCE", help="Words between blanks, with further columns as word/POS or word|POS."),
    ],
    top: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Features to show of every word [3], and of a re-ranker's choice [10]."),
    ] = None,
    normalise: Normalise = None,
    json: Json = False,
) -> None:
    """Explain the labels, or the tree, of a sentence.

    For every word: its label, the runner-up, by how much the label won, and
    the features that spoke loudest: + for the label, - for the runner-up.
    Of a parser: every action, what it was taken in, the best other one, by how
    much it won (with the future that lookahead saw), and the features.
    Of a phrase chunker: the words with their scores as first word of a phrase
    and as one of the others, the phrases that were proposed, which of them were
    chosen over which, and the features.
    Of a reranked model first: the best candidates, with what the re-ranker and
    the tagger think of them, and the features in which the two best differ.
    Models of CRFsuite files take a token's attributes: "w=He|pos=PRP w=left".

    \b
    Examples:
      tagloom explain pos.tagloom "The dog sleeps ."
      tagloom explain chunks.tagloom "The/DT dog/NN sleeps/VBZ ./."
      tagloom explain en.parser "The dog sleeps ."
      tagloom explain names.tagloom "In/IN Bonn/NNP ,/, it/PRP rains/VBZ ./."
    """
    from tagloom.corpus.normalise import normal_form, normalised_text
    from tagloom.systems import Model, Parser, open_model

    model = open_model(model_file)
    if normalise is not None:
        sentence = normalised_text(sentence, normal_form(normalise))
    words = words_for(model, sentence)
    if not isinstance(model, Model):
        from tagloom.cli.explained import put_steps
        from tagloom.cli.recognised import put_phrases

        tokens, count = [token_for(model, word) for word in words], _TOP if top is None else top
        if isinstance(model, Parser):
            put_steps(model, model_file, tokens, count, json)
        else:
            put_phrases(model, model_file, tokens, count, json)
        return
    _put_labels(model, model_file, words, top, json)


def _put_labels(model: Model, path: str, words: list[str], top: int | None, json: bool) -> None:
    """The choice of a re-ranker, then every word."""
    from tagloom.cli.reranked import choice_to_list, put_choice

    tokens, count = [token_for(model, word) for word in words], _TOP if top is None else top
    ranked = [] if model.reranker is None else model.explain_choice(tokens)
    explanations = list(zip(words, model.explain(tokens)))
    if json:
        choice = {} if model.reranker is None else {"candidates": choice_to_list(ranked, top)}
        described = [_to_dict(word, explanation, count) for word, explanation in explanations]
        put_json({"model": path, **choice, "tokens": described, "signature": str(model.spec.signature)})
        return
    if model.reranker is not None:
        put_choice(ranked, top)
    headers = ("token", "label", "runner-up", "margin", "because of")
    put_rich(table(headers, [_row(word, explanation, count) for word, explanation in explanations], right=["margin"]))


def words_for(model: Model | Parser | PhraseChunker, sentence: str) -> list[str]:
    """The tokens of a sentence: what stands between blanks, or for a model that cuts words the characters."""
    words = sentence.split()
    if not words:
        raise DataError("expected a sentence, found nothing")
    return list("".join(words)) if is_segmenter(model) and len(model.columns) == 1 else words


def token_for(model: Model | Parser | PhraseChunker, word: str) -> str | list[str]:
    """A token as the model reads it: a word, a row of columns, or a bag of attributes."""
    from tagloom.systems import Model

    columns = model.columns
    if isinstance(model, Model) and model.spec.bags:
        return word.split("|")
    if len(columns) == 1:
        return word
    for separator in "/|":
        parts = word.rsplit(separator, len(columns) - 1)
        if len(parts) == len(columns) and all(parts):
            return parts
    raise DataError(f"expected {'/'.join(columns)}, the columns that the model reads, found {word!r}")


def _row(text: str, explanation: Explanation, top: int) -> tuple[str, ...]:
    features = ", ".join(f"{name} {weight:+.2f}" for name, weight in explanation.top(top))
    return text, explanation.label, explanation.rival, f"{explanation.margin:.2f}", features


def _to_dict(text: str, explanation: Explanation, top: int) -> dict[str, object]:
    return {
        "token": text,
        "label": explanation.label,
        "runner_up": explanation.rival,
        "margin": explanation.margin,
        "features": [{"name": name, "weight": weight} for name, weight in explanation.top(top)],
    }
