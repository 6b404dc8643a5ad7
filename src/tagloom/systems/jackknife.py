"""What models of any system make of text that they have not seen: the columns of a whole training corpus.

For every fold a model learns from the others and is applied to it. Its output has the errors that it will make in use:
a parser that reads predicted tags learns from such tags (Collins 2000).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.layers import Layer
from tagloom.corpus.spans import convert_labels
from tagloom.features.tensors import Tensors
from tagloom.systems.base import Model
from tagloom.systems.folds import HeldOut, Procedure
from tagloom.systems.learning import Report
from tagloom.systems.registry import get_system
from tagloom.systems.train import train


def build_procedure(
    system: str, layers: Sequence[Layer], options: Mapping[str, Any], identity: Mapping[str, str]
) -> Procedure[Model]:
    """Build the procedure that trains with some options and annotates.

    Args:
        system: Name of the system.
        layers: What models of the whole corpus add; the labels of a fold may show another scheme.
        options: Options of training, the same for all folds.
        identity: What decides the training on the whole corpus.
    """

    row = get_system(system)
    schemes = {layer.column: layer.scheme for layer in layers}

    def fit(corpus: Corpus, report: Report) -> Model:
        model: Model = train(corpus, system=row, on_progress=report, **options)
        return model

    def apply(model: Model, corpus: Corpus) -> Tensors:
        columns = model.predict(corpus, options.get("threads", 1))
        for layer in model.layers:
            written = schemes.get(layer.column)
            if layer.scheme is not None and written is not None and layer.scheme != written:
                column = convert_labels(columns[layer.column], corpus.sentences, layer.scheme, written)
                columns[layer.column] = column
        return _pack(columns)

    return Procedure(fit, apply, {**identity, "applied": "predict"})


def _pack(columns: Mapping[str, Column]) -> Tensors:
    tensors: Tensors = {}
    for name, column in columns.items():
        text, ends = column.strings.to_blob()
        tensors |= {f"{name}.codes": column.codes, f"{name}.text": text, f"{name}.ends": ends}
    return tensors


def join_columns(corpus: Corpus, found: Sequence[HeldOut]) -> dict[str, Column]:
    """Join the predicted columns of all folds."""
    names = [key.removesuffix(".codes") for key in found[0].arrays if key.endswith(".codes")]
    return {name: _join_column(corpus, found, name) for name in names}


def _join_column(corpus: Corpus, found: Sequence[HeldOut], name: str) -> Column:
    strings, codes = StringTable(), np.zeros(corpus.token_count, np.int32)
    for fold in found:
        texts = StringTable.from_blob(fold.arrays[f"{name}.text"], fold.arrays[f"{name}.ends"]).strings()
        tokens: IntArray = corpus.tokens_of(fold.sentences)
        codes[tokens] = strings.intern_all(texts)[fold.arrays[f"{name}.codes"]]
    return Column(codes, strings)
