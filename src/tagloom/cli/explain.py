"""``tagloom explain``: why a model annotated a sentence as it did."""

from __future__ import annotations

from typing import Annotated

from tagloom.cli.console import put_json, put_parts
from tagloom.cli.inputs import split_sentence
from tagloom.cli.parameters import Json, ModelFile, argument, option
from tagloom.systems.file import load


def explain(
    model_file: ModelFile,
    sentence: Annotated[
        str, argument("SENTENCE", "Text; for a model that reads further columns, words as word/POS or word|POS.")
    ],
    top: Annotated[
        int | None,
        option(
            "N",
            "Number of features to show for every decision. Default: 3, and 10 for the choice of a re-ranker.",
            min=0,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Explain the labels, or the tree, of a sentence.

    A tagger shows for every word its label, the runner-up, by how much the
    label won, and the features that spoke loudest: + for the label, - for the
    runner-up. With a re-ranker, the best candidates come first, and the
    features in which the two best ones differ.
    A parser shows every action with the state that it was taken in, the best
    other action, by how much it won (with the future that lookahead saw), and
    the features.
    A phrase chunker shows the words with their scores as first word of a
    phrase and as one of the others, the phrases that were proposed, which of
    them won over which, and the features.
    A model that reads words only takes text, which its tokenizer cuts.
    Models of CRFsuite files take the attributes of a token:
    "w=He|pos=PRP w=left".

    \b
    Examples:
      tagloom explain pos.tagloom "The dog sleeps."
      tagloom explain chunks.tagloom "The/DT dog/NN sleeps/VBZ ./."
      tagloom explain en.parser "The dog sleeps."
      tagloom explain names.tagloom "In/IN Bonn/NNP ,/, it/PRP rains/VBZ ./."
    """
    model = load(model_file)
    found = model.explain(sentence if model.is_tokenizer else split_sentence(model, sentence))
    if json:
        put_json({"model": model_file, **found.to_dict(top), "signature": str(model.spec.signature)})
    else:
        put_parts(found.to_parts(top))
