"""The scikit-learn estimators: what X and y may be, what comes back, and that scikit-learn's own tools take them."""

from __future__ import annotations

import copy
import inspect
import io
import itertools
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

import tagloom
from tagloom.compat.sklearn import (
    METRICS,
    SCORERS,
    ChainClassifier,
    ParameterError,
    PhraseClassifier,
    SampleError,
    TokenFeatures,
    flat_f1,
    sequence_accuracy,
    span_f1,
    span_precision,
    span_recall,
    token_accuracy,
)
from tagloom.compat.sklearn.parameters import list_parameters
from tagloom.corpus import from_feature_dicts
from tagloom.datasets import indonesian_pos, newswire
from tagloom.systems.options import list_options
from tagloom.systems.tagger.options import TaggerOptions

SAMPLE = indonesian_pos()
X_TRAIN, Y_TRAIN = (list(SAMPLE.train.slice(0, 150).iter_sentences(name)) for name in ("form", "label"))
X_TEST, Y_TEST = (list(SAMPLE.test.slice(0, 40).iter_sentences(name)) for name in ("form", "label"))
NEWS = newswire(12, seed=5)
X_NEWS, Y_NEWS = (list(NEWS.iter_sentences(name)) for name in ("form", "ner"))
FAST = {"learner": "averaged-perceptron", "epochs": 3}
CRF = {"learner": "lbfgs", "epochs": 20}


def to_dicts(sequence: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "word": word,
            "length": len(word),
            "title": word.istitle(),
            "affixes": [word[:2], word[-2:]],
            "next": {"word": after, "short": len(after) / 10},
        }
        for word, after in zip(sequence, [*sequence[1:], ""])
    ]


D_TRAIN, D_TEST = list(map(to_dicts, X_TRAIN)), list(map(to_dicts, X_TEST))


@pytest.fixture(scope="module")
def tagger() -> ChainClassifier:
    return ChainClassifier(**FAST).fit(X_TRAIN, Y_TRAIN)


@pytest.fixture(scope="module")
def crf() -> ChainClassifier:
    return ChainClassifier(**CRF).fit(D_TRAIN, Y_TRAIN)


@pytest.fixture(scope="module")
def chunker() -> ChainClassifier:
    return ChainClassifier(**CRF, scoring="span_f1").fit(X_NEWS, Y_NEWS)


# -- parameters --------------------------------------------------------------------------------------------------------


def test_every_option_of_a_tagger_is_a_parameter_but_the_column_of_y() -> None:
    found = inspect.signature(ChainClassifier).parameters
    assert {*list_options(TaggerOptions)} - {*found} == {"label"}
    assert {*found} - {*list_options(TaggerOptions)} == {"columns", "normalise", "scoring", "decoder"}
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in found.values())
    assert {name: each.default for name, each in found.items()} == list_parameters("tagger")


def test_parameters_are_stored_untouched_and_cloned() -> None:
    functions = {"vowels": len}
    estimator = ChainClassifier(C=0.5, templates="pos", attributes=functions)
    assert estimator.attributes is functions
    assert estimator.get_params()["C"] == 0.5
    assert estimator.get_params()["epochs"] is None
    assert clone(estimator).get_params() == estimator.get_params()
    assert clone(estimator.set_params(C=2.0, epochs=4)).C == 2.0
    assert repr(ChainClassifier(C=2.0)) == "ChainClassifier(C=2.0)"
    assert "ChainClassifier" in ChainClassifier(C=2.0)._repr_html_()


def test_nothing_is_checked_before_fit() -> None:
    estimator = ChainClassifier(learner="adma", epochs=-1).set_params(scoring=3)
    with pytest.raises(ParameterError, match="epochs: expected a whole number of 1 or more, got -1"):
        estimator.fit(X_TRAIN, Y_TRAIN)
    with pytest.raises(ParameterError, match="unknown learner 'adma'; did you mean"):
        estimator.set_params(epochs=1).fit(X_TRAIN, Y_TRAIN)


def test_unknown_parameters_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(TypeError, match="ChainClassifier: unknown parameter 'epoch'; did you mean 'epochs'"):
        ChainClassifier(epoch=3)
    with pytest.raises(ValueError, match="Invalid parameter 'epoch'"):
        ChainClassifier().set_params(epoch=3)


# -- X and y -----------------------------------------------------------------------------------------------------------


def test_labels_are_those_of_the_model_that_train_makes(tagger: ChainClassifier) -> None:
    model = tagloom.train(SAMPLE.train.slice(0, 150), **FAST)
    assert tagger.model_.to_bytes() == model.to_bytes()
    assert tagger.predict(X_TEST).tolist() == model.tag_many(X_TEST)
    assert tagger.classes_.tolist() == sorted({label for labels in Y_TRAIN for label in labels})
    assert tagger.predict_single(X_TEST[0]) == model.tag(X_TEST[0])


def test_feature_dicts_are_read_as_crfsuite_reads_them(crf: ChainClassifier) -> None:
    model = tagloom.train(from_feature_dicts(D_TRAIN, Y_TRAIN), **CRF)
    assert crf.predict(D_TEST).tolist() == [list(x) for x in crf.predict(np.array(D_TEST, object))]
    expected = model.tag_corpus(from_feature_dicts(D_TEST)).texts()
    assert [label for labels in crf.predict(D_TEST) for label in labels] == expected
    assert crf.score(D_TEST, Y_TEST) > 0.5


def object_array(items: list[Any]) -> np.ndarray[Any, Any]:
    array = np.empty(len(items), object)
    array[:] = items
    return array


def test_sequences_may_be_arrays_tuples_and_series(tagger: ChainClassifier) -> None:
    pandas = pytest.importorskip("pandas")
    expected = tagger.predict(X_TEST).tolist()
    arrays = [np.array(words) for words in X_TEST]
    for X in (object_array(X_TEST), tuple(map(tuple, X_TEST)), arrays, pandas.Series(X_TEST), object_array(arrays)):
        assert tagger.predict(X).tolist() == expected
        fitted = ChainClassifier(**FAST).fit(object_array(X_TRAIN), object_array(list(map(np.array, Y_TRAIN))))
    assert fitted.predict(X_TEST).tolist() == expected
    short = [words[:3] for words in X_TEST if len(words) >= 3]
    assert tagger.predict(np.array(short)).tolist() == tagger.predict(short).tolist()  # a table of strings


def test_rows_have_columns() -> None:
    X = [list(zip(NEWS.sentence(number, "form"), NEWS.sentence(number, "pos"))) for number in range(len(NEWS))]
    fitted = ChainClassifier(columns="form pos", templates="chunking", **FAST).fit(X, Y_NEWS)
    assert fitted.model_.columns == ("form", "pos")
    unnamed = ChainClassifier(templates="chunking", **FAST).fit(X, Y_NEWS)
    assert unnamed.predict(X).tolist() == fitted.predict(X).tolist()
    with pytest.raises(SampleError, match="missing column: pos"):
        fitted.set_params(columns=None).predict(X_NEWS)


def make_frame() -> Any:
    pandas = pytest.importorskip("pandas")
    numbers = np.repeat(np.arange(len(X_TRAIN)), list(map(len, X_TRAIN)))
    words = [word for words in X_TRAIN for word in words]
    return pandas.DataFrame({"sentence_id": numbers, "word": words}), [each for labels in Y_TRAIN for each in labels]


def test_frames_with_one_row_per_token_give_one_label_per_row(tagger: ChainClassifier) -> None:
    frame, labels = make_frame()
    fitted = ChainClassifier(**FAST).fit(frame, labels)
    assert fitted.model_.to_bytes() == tagger.model_.to_bytes()
    found = fitted.predict(frame)
    assert found.shape == (len(frame),)
    assert found.tolist() == [label for each in tagger.predict(X_TRAIN) for label in each]
    assert fitted.score(frame, labels) == tagger.score(X_TRAIN, Y_TRAIN)
    assert fitted.predict(frame[:0]).tolist() == []
    scores = cross_val_score(ChainClassifier(**FAST), frame, labels, groups=frame["sentence_id"], cv=GroupKFold(3))
    assert scores.min() > 0.6
    from sklearn.metrics import accuracy_score

    assert accuracy_score(labels, found) == fitted.score(frame, labels)


def test_frames_of_numbers_are_features() -> None:
    frame, labels = make_frame()
    features = frame.assign(form=[len(word) / 10 for word in frame["word"]], title=frame["word"].str.istitle())
    features = features.rename(columns={"word": "token text", "form": "length"})
    fitted = ChainClassifier(**CRF).fit(features, labels)
    rows = features.drop(columns="sentence_id").to_dict("records")
    offsets = np.cumsum([0, *map(len, X_TRAIN)])
    sequences = [rows[start:stop] for start, stop in itertools.pairwise(offsets)]
    assert ChainClassifier(**CRF).fit(sequences, Y_TRAIN).predict(sequences[:5]).tolist() == [
        each.tolist() for each in np.split(fitted.predict(features[: offsets[5]]), offsets[1:5])
    ]
    assert fitted.predict_proba(features).shape == (len(frame), len(fitted.classes_))
    common, folds = ["NN" if label == "NN" else "other" for label in labels], GroupKFold(2)
    found = cross_val_predict(fitted, features, common, groups=frame["sentence_id"], cv=folds, method="predict_proba")
    assert found.shape == (len(frame), 2)
    assert np.allclose(found.sum(axis=1), 1, atol=1e-5)
    with pytest.raises(SampleError, match=r"column 'length' holds numbers such as 0\.6, which templates do not read"):
        ChainClassifier().fit(features.rename(columns={"token text": "word"}), labels)


def test_frames_with_lists_in_cells(tagger: ChainClassifier, crf: ChainClassifier) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"tokens": X_TEST})
    assert tagger.predict(frame).tolist() == tagger.predict(X_TEST).tolist()
    assert crf.predict(pandas.DataFrame({"features": D_TEST})).tolist() == crf.predict(D_TEST).tolist()
    assert ChainClassifier(**FAST).fit(frame, pandas.Series(Y_TEST)).score(frame, Y_TEST) > 0.9


def test_labels_may_be_whole_numbers() -> None:
    numbers = {label: number for number, label in enumerate(sorted({each for labels in Y_TRAIN for each in labels}))}
    y = [[numbers[label] for label in labels] for labels in Y_TRAIN]
    fitted = ChainClassifier(**FAST).fit(X_TRAIN, list(map(np.array, y)))
    assert fitted.classes_.tolist() == sorted(numbers.values())
    found = fitted.predict(X_TRAIN)
    assert all(type(label) is int for labels in found for label in labels)
    assert fitted.score(X_TRAIN, y) == token_accuracy(y, found) > 0.8
    nouns = [[label == "NN" for label in labels] for labels in Y_TRAIN]
    assert ChainClassifier(**FAST).fit(X_TRAIN, nouns).predict_single(X_TRAIN[0]) == nouns[0]


def test_empty_sequences(tagger: ChainClassifier, crf: ChainClassifier) -> None:
    for fitted in (tagger, crf):
        assert fitted.predict([[], []]).tolist() == [[], []]
        assert fitted.predict([]).tolist() == []
    assert [each.shape for each in crf.predict_proba([[], []])] == [(0, len(crf.classes_))] * 2
    assert tagger.predict([[], X_TEST[0], []]).tolist() == [[], tagger.predict_single(X_TEST[0]), []]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ("the dog", ["DT"], r"X: expected a list of sequences .* got 'the dog'"),
        (3, [["DT"]], "X: expected a list of sequences"),
        (["the dog"], [["DT"]], "X: sequence 1: expected a list of tokens, got 'the dog'"),
        ([{"form": ["a"]}], [["DT"]], "X: sequence 1: expected a list of tokens, got"),
        (
            [["a"], ["b", 3]],
            [["DT"], ["X", "Y"]],
            "X: sequence 2, token 2: expected a word like the first token, got 3",
        ),
        ([["a"], [{"b": 1}]], [["DT"], ["X"]], "X: sequence 2, token 1: expected a word like the first token"),
        (
            np.zeros((2, 3)),
            [["a"] * 3] * 2,
            "X: sequence 1, token 1: expected a word, a tuple, a feature dict, got 0.0",
        ),
        (np.array(3), [["a"]], "X: expected a list of sequences"),
        ([[{"a": float("nan")}]], [["X"]], "sentence 1, token 1: attribute 'a': expected a finite number, got nan"),
        ([[{"a": object}]], [["X"]], "sentence 1, token 1: attribute 'a': expected a number, a string or a list"),
        ([["a"], ["b"]], [["X"]], "X has 2 sequences, y has 1; pass one list of labels per sequence"),
        ([["a", "b"]], [["X"]], "sequence 1: 2 tokens in X, but 1 labels in y"),
        ([["a", "b"]], ["XY"], "y: sequence 1: expected a list of labels, got 'XY'"),
        ([["a", "b"]], [["X", 1]], "y: Unknown label type: expected strings or whole numbers, all of one type; got 1"),
        ([["a", "b"]], [[0.5, 1.5]], "y: Unknown label type: expected strings or whole numbers, all of one type; got 0.5"),
        ([["a"]], None, "requires y to be passed, but the target y is None"),
        ([["a"]], 3, "y: expected labels of the tokens of X, got 3"),
        ([], [], "no tokens to learn from"),
        ([[]], [[]], "no tokens to learn from"),
    ],
)
def test_wrong_data_is_refused_in_one_line(X: Any, y: Any, message: str) -> None:
    with pytest.raises(SampleError, match=message) as caught:
        ChainClassifier(**FAST).fit(X, y)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, (ValueError, tagloom.DataError))


def test_frames_without_ids_are_refused() -> None:
    frame, labels = make_frame()
    with pytest.raises(SampleError, match="expected a data frame with one row per token and a column sentence_id"):
        ChainClassifier().fit(frame[["word"]], labels)
    with pytest.raises(SampleError, match=r"X has \d+ rows, y has 1 labels; pass one label per row"):
        ChainClassifier().fit(frame, labels[:1])
    with pytest.raises(ParameterError, match="columns: 'label' is the name of y"):
        ChainClassifier(columns="form label").fit(X_TRAIN, Y_TRAIN)


def test_unfitted_estimators_say_so() -> None:
    for method in ("predict", "predict_proba", "predict_marginals", "predict_spans"):
        with pytest.raises(NotFittedError, match="This ChainClassifier instance is not fitted yet: call 'fit'"):
            getattr(ChainClassifier(), method)(X_TEST)
    with pytest.raises(NotFittedError):
        ChainClassifier().score(X_TEST, Y_TEST)
    with pytest.raises(NotFittedError):
        check_is_fitted(ChainClassifier())


def test_words_and_feature_dicts_are_not_mixed_up(tagger: ChainClassifier, crf: ChainClassifier) -> None:
    with pytest.raises(SampleError, match="missing column: form"):
        tagger.predict(D_TEST)
    with pytest.raises(SampleError, match="missing column: attributes"):
        crf.predict(X_TEST)


# -- probabilities -----------------------------------------------------------------------------------------------------


def test_probabilities_are_the_marginals_of_the_model(crf: ChainClassifier) -> None:
    found = crf.predict_proba(D_TEST)
    assert found.shape == (len(D_TEST),)
    order = [crf.model_.labels.index(label) for label in crf.classes_]
    for own, sequence in zip(found, D_TEST):
        assert own.shape == (len(sequence), len(crf.classes_))
        np.testing.assert_allclose(own.sum(axis=1), 1, atol=1e-5)
    attributes = [list(map(read_bag, sequence)) for sequence in D_TEST[:3]]
    for own, sequence in zip(found, attributes):
        np.testing.assert_allclose(own, crf.model_.marginals(sequence)[:, order], atol=1e-6)
    marginals = crf.predict_marginals(D_TEST)
    assert marginals[0][0] == dict(zip(crf.classes_.tolist(), found[0][0].tolist()))
    assert crf.predict_marginals_single(D_TEST[0]) == marginals[0]


def read_bag(item: dict[str, Any]) -> dict[str, float]:
    column = from_feature_dicts([[item]]).column("attributes")
    values = np.bincount(column.codes, column.values)  # an attribute may occur twice
    return dict(zip(column.strings.strings(), values.tolist()))


def test_probabilities_of_spans_are_those_of_the_labels_of_y(chunker: ChainClassifier) -> None:
    assert {label[0] for label in chunker.model_.labels} > {"O", "B", "I"}  # decided in BIOES
    assert {label[0] for label in chunker.classes_} == {"O", "B", "I"}
    found = chunker.predict_proba(X_NEWS)
    for own in found:
        np.testing.assert_allclose(own.sum(axis=1), 1, atol=1e-5)
    sequence, classes = X_NEWS[0], chunker.classes_.tolist()
    decided = chunker.model_.marginals(sequence)
    for place, label in enumerate(classes):
        prefixes = {"B": "BS", "I": "IE", "O": "O"}[label[0]]
        parts = [n for n, each in enumerate(chunker.model_.labels) if each[0] in prefixes and each[1:] == label[1:]]
        np.testing.assert_allclose(found[0][:, place], decided[:, parts].sum(axis=1), atol=1e-6)


def test_models_without_probabilities_say_how_to_get_them(tagger: ChainClassifier) -> None:
    with pytest.raises(
        ParameterError, match="predict_proba: the scores of averaged-perceptron are not probabilities; choose"
    ):
        tagger.predict_proba(X_TEST)
    calibrated = ChainClassifier(**FAST).fit(X_TRAIN, Y_TRAIN, X_dev=X_TEST, y_dev=Y_TEST)
    np.testing.assert_allclose(calibrated.predict_proba(X_TEST)[0].sum(axis=1), 1, atol=1e-5)
    folded = ChainClassifier(**FAST, calibration_folds=2).fit(X_TRAIN, Y_TRAIN)
    assert folded.predict_proba(X_TEST)[0].shape == calibrated.predict_proba(X_TEST)[0].shape
    touching = ChainClassifier(**CRF).fit([["a", "b", "c"]], [["I-X", "B-X", "O"]])
    with pytest.raises(ParameterError, match="labels in IOB1 have no probabilities of their own; write y in IOB2"):
        touching.predict_proba([["a"]])


# -- spans and scores --------------------------------------------------------------------------------------------------


def test_spans(chunker: ChainClassifier, tagger: ChainClassifier) -> None:
    found = chunker.predict_spans(X_NEWS)
    assert found[0] == chunker.model_.spans(X_NEWS[0])
    with pytest.raises(ParameterError, match="predict_spans: the labels of this model are plain tags; use predict"):
        tagger.predict_spans(X_TEST)


def test_phrases() -> None:
    classifier = PhraseClassifier(epochs=2, cutoff=1, scoring="span_f1").fit(X_NEWS, Y_NEWS)
    model = tagloom.train(list(zip(X_NEWS, Y_NEWS)), system="phrases", epochs=2, cutoff=1)
    assert classifier.predict(X_NEWS).tolist() == model.tag_many(X_NEWS)
    assert classifier.predict_spans(X_NEWS).tolist() == model.spans_many(X_NEWS)
    assert classifier.score(X_NEWS, Y_NEWS) == span_f1(Y_NEWS, classifier.predict(X_NEWS)) > 0.9
    assert pickle.loads(pickle.dumps(classifier)).predict(X_NEWS).tolist() == classifier.predict(X_NEWS).tolist()
    assert not hasattr(classifier, "partial_fit")
    assert not hasattr(classifier, "predict_proba")
    search = GridSearchCV(PhraseClassifier(cutoff=1, epochs=1, scoring="span_f1"), {"degree": [1, 2]}, cv=2)
    assert search.fit(X_NEWS, Y_NEWS).best_params_["degree"] in (1, 2)


def test_scores_agree_with_those_of_tagloom(tagger: ChainClassifier, chunker: ChainClassifier) -> None:
    pairs = list(zip(X_TEST, Y_TEST))
    assert tagger.score(X_TEST, Y_TEST) == pytest.approx(tagger.model_.evaluate(pairs).accuracy / 100)
    assert chunker.score(X_NEWS, Y_NEWS) == pytest.approx(
        chunker.model_.evaluate(list(zip(X_NEWS, Y_NEWS))).value / 100
    )
    found = chunker.predict(X_NEWS)
    for name, metric in METRICS.items():
        assert chunker.set_params(scoring=name).score(X_NEWS, Y_NEWS) == metric(Y_NEWS, found)
        assert SCORERS[name](chunker, X_NEWS, Y_NEWS) == metric(Y_NEWS, found)
    assert chunker.set_params(scoring=lambda gold, found: len(gold)).score(X_NEWS, Y_NEWS) == len(X_NEWS)
    with pytest.raises(ParameterError, match="unknown scoring 'span_f'; did you mean 'span_f1'"):
        chunker.set_params(scoring="span_f").score(X_NEWS, Y_NEWS)
    chunker.set_params(scoring="span_f1")


def test_metrics() -> None:
    gold = [["B-PER", "I-PER", "O"], ["B-LOC", "O"]]
    found = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]
    assert token_accuracy(gold, found) == 3 / 5
    assert sequence_accuracy(gold, found) == 1 / 2
    assert span_precision(gold, found) == span_recall(gold, found) == span_f1(gold, found) == 1 / 2
    assert span_precision([["B-X", "O"]], [["B-X", "B-X"]]) == 1 / 2
    assert span_recall([["B-X", "B-X"]], [["B-X", "O"]]) == 1 / 2
    assert span_f1([["O", "O"]], [["O", "O"]]) == 0
    assert span_f1([["O"]], [["I-X"]]) == span_f1([["O"]], [["I-X"]], rule="strict") == 0
    assert flat_f1(gold, found, labels=["B-PER", "I-PER"]) == 1
    assert flat_f1(gold, found, average=None).shape == (4,)
    assert token_accuracy(["a", "b"], np.array(["a", "a"])) == 1 / 2
    assert token_accuracy([], []) == sequence_accuracy([], []) == 0


@pytest.mark.parametrize(
    ("metric", "gold", "found", "message"),
    [
        (span_f1, [["NN"]], [["DT"]], "the labels are plain tags such as 'NN', no spans; score token_accuracy"),
        (token_accuracy, [["a"]], [["a"], ["b"]], "y_true has 1 sequences, y_pred 2"),
        (token_accuracy, [["a"]], [["a", "b"]], "sequence 1: 1 labels in y_true, but 2 in y_pred"),
        (token_accuracy, "a", ["a"], "y_true: expected lists of labels, got 'a'"),
        (token_accuracy, [["a"]], [["a"], "b"], "y_pred: sequence 2: expected a list of labels, got 'b'"),
    ],
)
def test_metrics_refuse_other_data(metric: Any, gold: Any, found: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric(gold, found)


def test_metrics_refuse_other_rules() -> None:
    with pytest.raises(ParameterError, match="rule: expected 'conlleval' or 'strict', got 'exact'"):
        span_f1([["B-X"]], [["B-X"]], rule="exact")


# -- more data ---------------------------------------------------------------------------------------------------------


def test_partial_fit_goes_on_from_the_model() -> None:
    estimator, model = ChainClassifier(learner="averaged-perceptron"), None
    for start in range(0, 150, 50):
        part = SAMPLE.train.slice(start, start + 50)
        estimator.partial_fit(X_TRAIN[start : start + 50], Y_TRAIN[start : start + 50])
        model = tagloom.train(part, learner="averaged-perceptron", epochs=1, start=model)
    assert model is not None
    assert estimator.model_.to_bytes() == model.to_bytes()
    assert estimator.classes_.tolist() == sorted({label for labels in Y_TRAIN for label in labels})
    assert estimator.score(X_TEST, Y_TEST) > 0.6


def test_partial_fit_knows_labels_before_they_come() -> None:
    classes = sorted({label for labels in Y_TRAIN for label in labels})
    estimator = ChainClassifier(learner="sgd").partial_fit(X_TRAIN[:3], Y_TRAIN[:3], classes=classes)
    assert estimator.classes_.tolist() == classes
    found = estimator.predict_proba(X_TEST)[0]
    assert found.shape[1] == len(classes) > len(estimator.model_.labels)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    estimator.partial_fit(X_TRAIN, Y_TRAIN)
    assert estimator.classes_.tolist() == sorted(estimator.model_.labels) == classes
    estimator.partial_fit([["x"]], [["NEW"]])
    assert "NEW" in estimator.classes_
    with pytest.raises(SampleError, match="y has labels that are not in classes: 'OLD'"):
        estimator.partial_fit([["x"]], [["OLD"]], classes=["NEW"])


def test_fit_forgets_what_was_learned_before() -> None:
    estimator = ChainClassifier(**FAST).fit(X_TEST, Y_TEST)
    first = estimator.model_.to_bytes()
    assert estimator.fit(X_TRAIN, Y_TRAIN).fit(X_TEST, Y_TEST).model_.to_bytes() == first


# -- copies ------------------------------------------------------------------------------------------------------------


class WatchedUnpickler(pickle.Unpickler):
    """Notes what a pickle calls."""

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream)
        self.called: set[str] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.called.add(f"{module}.{name}")
        return super().find_class(module, name)


def test_pickles_hold_the_bytes_of_the_model_and_no_code(tagger: ChainClassifier) -> None:
    data = pickle.dumps(tagger)
    assert tagger.model_.to_bytes() in data
    unpickler = WatchedUnpickler(io.BytesIO(data))
    again = unpickler.load()
    own = {name for name in unpickler.called if not name.startswith("numpy.")}
    assert own == {"tagloom.compat.sklearn.chain.ChainClassifier", "tagloom.systems.file.restore_model"}
    assert again.get_params() == tagger.get_params()
    assert again.predict(X_TEST).tolist() == tagger.predict(X_TEST).tolist()
    assert again.classes_.tolist() == tagger.classes_.tolist()


def count_vowels(word: str) -> str:
    return str(sum(letter in "aeiou" for letter in word))


def test_copies_keep_functions_of_the_user() -> None:
    joblib = pytest.importorskip("joblib")
    options = {"attributes": {"vowels": count_vowels}, "templates": "vowels[0]\nform[0]", **FAST}
    fitted = ChainClassifier(**options).fit(X_TRAIN, Y_TRAIN)
    expected = fitted.predict(X_TEST).tolist()
    stream = io.BytesIO()
    joblib.dump(fitted, stream)
    stream.seek(0)
    for other in (copy.deepcopy(fitted), copy.copy(fitted), pickle.loads(pickle.dumps(fitted)), joblib.load(stream)):
        assert other.predict(X_TEST).tolist() == expected
        assert other.model_.to_bytes() == fitted.model_.to_bytes()


# -- tools of scikit-learn ---------------------------------------------------------------------------------------------


def test_estimators_are_no_classifiers_of_tables() -> None:
    """A classifier of tables would get its folds by the classes of y, which sequences of labels are not."""
    assert not is_classifier(ChainClassifier())
    tags = ChainClassifier().__sklearn_tags__()
    assert tags.target_tags.required
    assert not tags.input_tags.two_d_array
    assert tags.input_tags.one_d_array
    assert tags.input_tags.string
    assert tags.input_tags.dict


def test_grid_search_over_a_pipeline() -> None:
    pipeline = Pipeline([("features", TokenFeatures()), ("tagger", ChainClassifier(learner="lbfgs", epochs=10))])
    grid = {"features__window": [0, 1], "tagger__c2": [0.1, 10.0]}
    scoring = {name: SCORERS[name] for name in ("token_accuracy", "flat_f1")}
    search = GridSearchCV(pipeline, grid, cv=2, scoring=scoring, refit="token_accuracy")
    search.fit(X_TRAIN[:80], Y_TRAIN[:80])
    means = search.cv_results_["mean_test_token_accuracy"]
    assert len(means) == 4
    assert search.cv_results_["mean_test_flat_f1"].max() > 0.6
    assert search.best_score_ == means.max() > means.min()
    assert search.best_params_["tagger__c2"] == 0.1
    assert search.predict(X_TEST).shape == (len(X_TEST),)
    assert search.score(X_TEST, Y_TEST) == token_accuracy(Y_TEST, search.predict(X_TEST)) > 0.6
    assert search.predict_proba(X_TEST[:1])[0].shape == (len(X_TEST[0]), len(search.classes_))


def test_randomized_search_over_options() -> None:
    choices = {"C": [0.1, 1.0, 10.0], "templates": ["pos", "pos-affixes"], "learner": ["pa", "margin-perceptron"]}
    search = RandomizedSearchCV(ChainClassifier(epochs=2), choices, n_iter=3, cv=2, random_state=1)
    search.fit(object_array(X_TRAIN[:60]), object_array(Y_TRAIN[:60]))
    assert set(search.best_params_) == set(choices)
    assert search.best_estimator_.model_.spec.learner == search.best_params_["learner"]


def test_cross_validation() -> None:
    found = cross_val_predict(ChainClassifier(**FAST), X_TRAIN, Y_TRAIN, cv=3)
    assert [len(labels) for labels in found] == list(map(len, X_TRAIN))
    assert token_accuracy(Y_TRAIN, found) > 0.6
    equal = [words[:4] for words in X_TRAIN if len(words) >= 4], [labels[:4] for labels in Y_TRAIN if len(labels) >= 4]
    assert cross_val_predict(ChainClassifier(**FAST), *equal, cv=2).shape == (len(equal[0]),)
    results = cross_validate(ChainClassifier(**FAST), X_NEWS, Y_NEWS, cv=2, scoring=SCORERS, return_estimator=True)
    assert {f"test_{name}" for name in METRICS} <= results.keys()
    assert (results["test_span_f1"] > 0.3).all()


def test_searches_run_in_parallel() -> None:
    joblib = pytest.importorskip("joblib")
    search = GridSearchCV(ChainClassifier(**FAST), {"epochs": [1, 2]}, cv=2, n_jobs=2)
    with joblib.parallel_config(backend="threading"):  # processes start slowly; copies are tested above
        assert search.fit(X_TRAIN[:40], Y_TRAIN[:40]).best_score_ > 0.3


# -- features ----------------------------------------------------------------------------------------------------------


def test_token_features_look_at_neighbours() -> None:
    features = TokenFeatures(["lower", "suffix2", "hyphen"], window=1)
    own = [{"lower": "a-b", "suffix2": "-B", "hyphen": "yes"}, {"lower": "c"}, {"lower": "dd", "suffix2": "dd"}]
    (found,) = features.fit_transform([["A-B", "c", "dd"]])
    assert found == [{**own[0], "+1": own[1]}, {**own[1], "-1": own[0], "+1": own[2]}, {**own[2], "-1": own[1]}]
    assert features.set_params(window=0).transform([["A-B", "c", "dd"]])[0] == own


def test_token_features_of_rows_and_of_functions() -> None:
    rows = [[("The", "DT"), ("dog", "NN")]]
    (found,) = TokenFeatures(["form"], window=0).transform(rows)
    assert found == [{"form": "The", "pos": "DT"}, {"form": "dog", "pos": "NN"}]
    (found,) = TokenFeatures(["form"], window=0, columns="form xpos").transform(rows)
    assert found[1] == {"form": "dog", "xpos": "NN"}
    last = TokenFeatures((), window=0, function=lambda tokens, position: {"last": position == len(tokens) - 1})
    assert last.transform([["a", "b"]])[0] == [{"last": False}, {"last": True}]
    assert last.transform(rows)[0][1] == {"pos": "NN", "last": True}


def test_token_features_become_a_data_frame(crf: ChainClassifier) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"tokens": X_TEST}, index=range(100, 100 + len(X_TEST)))
    features = TokenFeatures().set_output(transform="pandas")
    found = features.fit_transform(frame)
    assert list(found.columns) == ["features"] == list(features.get_feature_names_out())
    assert list(found.index) == list(frame.index)
    assert found["features"].tolist() == TokenFeatures().transform(X_TEST).tolist()
    steps = make_pipeline(TokenFeatures(), ChainClassifier(**CRF)).set_output(transform="pandas")
    plain = make_pipeline(TokenFeatures(), ChainClassifier(**CRF))
    assert steps.fit(frame, Y_TEST).predict(frame).tolist() == plain.fit(X_TEST, Y_TEST).predict(X_TEST).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attributes": "lower"}, "attributes: expected a list of names, got 'lower'"),
        ({"attributes": ["lowr"]}, "lowr"),
        ({"attributes": ["two words"]}, "attributes: expected a name such as lower or suffix3, got 'two words'"),
        ({"attributes": [3]}, "attributes: expected a name such as lower or suffix3, got 3"),
        ({"attributes": ["suffix"]}, "suffix"),
        ({"window": -1}, "window: expected a whole number from 0 to 100, got -1"),
    ],
)
def test_token_features_refuse_other_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        TokenFeatures(**options).fit(X_TEST)


def test_token_features_refuse_other_data() -> None:
    frame, _ = make_frame()
    with pytest.raises(SampleError, match="expected one sequence per sample, got one row per token"):
        TokenFeatures().transform(frame)
    with pytest.raises(SampleError, match="expected words or tuples, got feature dicts"):
        TokenFeatures().transform(D_TEST)


# -- imports -----------------------------------------------------------------------------------------------------------


def test_import_without_scikit_learn_says_what_to_install() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import tagloom; import tagloom.compat.sklearn"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    line = found.stderr.strip().splitlines()[-1]
    assert line == 'ImportError: tagloom.compat.sklearn needs scikit-learn: pip install "tagloom[sklearn]"'


def test_tagloom_does_not_import_scikit_learn() -> None:
    code = "import sys, tagloom; tagloom.train([(['a'], ['X'])]); print('sklearn' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
