"""Taggers from model files of CRFsuite, which are read when :func:`tagloom.load` meets one."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom._version import __version__
from tagloom.corpus.feature_dicts import ATTRIBUTES, LABEL, from_feature_dicts
from tagloom.errors import ModelFileError
from tagloom.features import FeatureEncoder, Vocabulary, load_templates
from tagloom.files.container import short
from tagloom.files.crfsuite import CrfsuiteModel, parse_crfsuite
from tagloom.schema import limits
from tagloom.structures import Chain
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.parameters import NO_EXACT_WEIGHTS, HashArray, Parameters
from tagloom.systems.tagger.spec import TaggerSpec

LEARNER = "crfsuite"  # the file does not say by which of its learners
_BYTES_OF_WEIGHT = 12  # in single and in double precision


def read_tagger(file: Path, data: bytes) -> Tagger:
    """Build a tagger from the bytes of a model file of CRFsuite; ``file`` is its name in messages."""
    try:
        return build_tagger(parse_crfsuite(data), f"{zlib.crc32(data):08x}", len(data))
    except ValueError as error:
        raise ModelFileError(f"{file}: damaged or not a usable CRFsuite model ({short(error)})") from None


def build_tagger(model: CrfsuiteModel, checksum: str, stored: int) -> Tagger:
    """Build a tagger with the weights of a model of CRFsuite of some bytes, which it keeps in double precision."""
    templates = load_templates(ATTRIBUTES)
    encoder = FeatureEncoder(templates, Vocabulary((ATTRIBUTES,), frozenset({ATTRIBUTES})))
    keys, names = _name_features(encoder, model.attributes)
    chain = Chain(model.labels, None).compile(len(keys), templates.transitions, np.zeros(1, np.int64), _no_pairs())
    weights = _lay_out(chain, model, stored)
    single = weights.astype(np.float32)
    return Tagger(
        TaggerSpec(
            templates=encoder.templates, columns=(ATTRIBUTES,), bags=(ATTRIBUTES,), label=LABEL, scheme=None,
            written_scheme=None, learner=LEARNER, seed=0, data=checksum, version=__version__, temperature=1.0,
        ),
        Parameters(
            labels=model.labels, weights=single,
            exact_weights=NO_EXACT_WEIGHTS if np.array_equal(single, weights) else weights,
            node_keys=keys, node_names=names, edge_keys=np.zeros(0, np.uint64), edge_offsets=np.zeros(1, np.int64),
            edge_pairs=_no_pairs(), edge_names=FeatureNames.from_texts(np.zeros(0, np.uint8), np.zeros(1, np.int64)),
            known_words=np.zeros(0, np.uint64),
        ),
    )  # fmt: skip


def _no_pairs() -> NDArray[np.uint32]:
    return np.zeros(0, np.uint32)


def _name_features(encoder: FeatureEncoder, attributes: Sequence[str]) -> tuple[HashArray, FeatureNames]:
    """Find the keys and names of the features of attributes, in their order: those of a sentence that has them all."""
    batch, store = encoder.batch(from_feature_dicts([[[name] for name in attributes]])), encoder.new_store()
    encoder.prepare(store, batch)
    collected = _core.collect_features(store, batch.codes, batch.sentences, 1, 0)
    rows = np.arange(len(attributes), dtype=np.uint32)
    parts = encoder.part_names(encoder.templates.nodes)
    texts = collected.names(store, batch.codes, batch.sentences, False, parts, rows)
    return collected.table(False).keys(), FeatureNames.from_texts(*texts)


def _lay_out(chain: _core.Chain, model: CrfsuiteModel, stored: int) -> NDArray[np.float64]:
    """Put the weights where a chain has them; CRFsuite keeps only pairs of attribute and label that have a feature."""
    if not limits.is_bounded(_BYTES_OF_WEIGHT * chain.size, stored):
        size = f"{len(model.attributes):,} attributes and {len(model.labels):,} labels"
        raise ValueError(f"{size} have {chain.size:,} weights; expected at most {limits.MOST_GROWTH} times the file")
    weights = np.zeros(chain.size)
    states, transitions = model.states, model.transitions
    np.add.at(weights, states["source"].astype(np.int64) * chain.stride + states["label"], states["weight"])
    places = chain.transition_begin + transitions["source"].astype(np.int64) * chain.stride + transitions["label"]
    weights[places] = transitions["weight"]  # of several CRFsuite takes the last
    if np.abs(weights).max(initial=0) > np.finfo(np.float32).max:
        raise ValueError("weights beyond the range of single precision")
    return weights
