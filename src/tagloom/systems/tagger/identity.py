"""The identity of a training: everything that decides what is learned, by name."""

from __future__ import annotations

import numpy as np

from tagloom._version import __version__
from tagloom.corpus import Corpus
from tagloom.files.checkpoint import compute_checksum
from tagloom.systems.tagger.encode import Encoded
from tagloom.systems.tagger.options import TaggerOptions

#: Options that the identity holds in the form that they were resolved to.
_RESOLVED = ("learner", "label", "scheme", "templates", "attributes", "sentence_attributes", "document_functions",
             "resources")  # fmt: skip


def identify_training(encoded: Encoded, options: TaggerOptions, dev: Corpus | None) -> dict[str, str]:
    """List everything that decides what is learned, by name; equal identities learn equal weights."""
    task, start = encoded.task, encoded.task.start
    vocabulary = task.encoder.vocabulary
    resources = [array for name in sorted(task.resources) for array in task.resources[name].to_tensors().values()]
    return {
        "tagloom": __version__,
        "system": "tagger",
        "normal form": str(task.normal_form),
        "data": task.corpus.checksum(),
        "dev": "none" if dev is None else dev.checksum(),
        "start": "none" if start is None else f"{start.spec.signature} {compute_checksum([start.parameters.weights])}",
        "learner": _text(options.chosen_learner),
        "label": task.label,
        "scheme": str(task.gold.decided.name if task.gold.decided else None),
        "templates": str(task.encoder.templates),
        "functions": " ".join(
            [*vocabulary.word_functions, *vocabulary.sentence_functions, *options.document_functions]
        ),
        "resources": compute_checksum(resources),
        "dictionary": compute_checksum(
            [] if task.dictionary is None else [task.dictionary.words, task.dictionary.bits]
        ),
        **{name: _text(value) for name, value in options.list_deciding(_RESOLVED).items()},
        "features": compute_checksum([encoded.nodes.table.keys(), encoded.edges.table.keys(), encoded.edge_pairs]),
        "weights": str(encoded.chain.size),
    }


def _text(value: object) -> str:
    return compute_checksum([value]) if isinstance(value, np.ndarray) else repr(value)
