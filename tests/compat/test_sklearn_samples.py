"""The scikit-learn estimators: what X and y may be, and what is refused."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    GroupKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.utils.validation import check_is_fitted

import tagloom
from tagloom.compat.sklearn import (
    ChainClassifier,
    ParameterError,
    SampleError,
    token_accuracy,
)
from tagloom.corpus import from_feature_dicts
from tests.compat.sklearn_sequences import (
    CRF,
    D_TEST,
    D_TRAIN,
    FAST,
    NEWS,
    SAMPLE,
    X_NEWS,
    X_TEST,
    X_TRAIN,
    Y_NEWS,
    Y_TEST,
    Y_TRAIN,
    make_frame,
    object_array,
)


@pytest.fixture(scope="module")
def tagger() -> ChainClassifier:
    return ChainClassifier(**FAST).fit(X_TRAIN, Y_TRAIN)


@pytest.fixture(scope="module")
def crf() -> ChainClassifier:
    return ChainClassifier(**CRF).fit(D_TRAIN, Y_TRAIN)


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


def test_item_sequences_of_python_crfsuite(crf: ChainClassifier) -> None:
    pycrfsuite = pytest.importorskip("pycrfsuite")
    items = [pycrfsuite.ItemSequence(sequence) for sequence in D_TRAIN]
    assert ChainClassifier(**CRF).fit(items, Y_TRAIN).model_.to_bytes() == crf.model_.to_bytes()


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


def test_columns_of_features_are_joined_under_their_names() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"words": X_TRAIN, "features": D_TRAIN, "number": range(len(X_TRAIN))})
    joined = [[{"words": word, "features": item} for word, item in zip(*pair)] for pair in zip(X_TRAIN, D_TRAIN)]
    fitted = ChainClassifier(**CRF).fit(frame, Y_TRAIN)
    assert fitted.model_.to_bytes() == ChainClassifier(**CRF).fit(joined, Y_TRAIN).model_.to_bytes()
    frame["words"] = [words[:-1] if number == 1 else words for number, words in enumerate(X_TRAIN)]
    with pytest.raises(SampleError, match=r"X: sequence 2: the columns differ in length: words \d+, features \d+"):
        fitted.predict(frame)


def test_frames_of_other_libraries_are_refused() -> None:
    class Frame(list[str]):
        def to_pandas(self) -> None: ...

    with pytest.raises(SampleError, match=r"X: a data frame of another library; pass X.to_pandas\(\)"):
        ChainClassifier().fit(Frame(["word"]), [["X"]])


def test_labels_may_be_whole_numbers() -> None:
    numbers = {label: number for number, label in enumerate(sorted({each for labels in Y_TRAIN for each in labels}))}
    y = [[numbers[label] for label in labels] for labels in Y_TRAIN]
    fitted = ChainClassifier(**FAST).fit(X_TRAIN, list(map(np.array, y)))
    assert fitted.classes_.tolist() == sorted(numbers.values())
    found = fitted.predict(X_TRAIN)
    assert all(type(label) is int for labels in found for label in labels)
    assert fitted.score(X_TRAIN, y) == token_accuracy(y, found) > 0.8
    assert fitted.set_params(scoring=lambda gold, found: gold[0][0] - found[0][0]).score(X_TRAIN[:1], y[:1]) == 0
    nouns = [[label == "NN" for label in labels] for labels in Y_TRAIN]
    assert ChainClassifier(**FAST).fit(X_TRAIN, nouns).predict_single(X_TRAIN[0]) == nouns[0]


def test_empty_sequences(tagger: ChainClassifier, crf: ChainClassifier) -> None:
    for fitted in (tagger, crf):
        assert fitted.predict([[], []]).tolist() == [[], []]
        assert fitted.predict([]).tolist() == []
        pandas = pytest.importorskip("pandas")
        assert fitted.predict(pandas.DataFrame({"tokens": [[], []]})).tolist() == [[], []]
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
            "X: sequence 1, token 1: expected a word or a tuple or a feature dict, got 0.0",
        ),
        (np.array(3), [["a"]], "X: expected a list of sequences"),
        ([np.array("a")], [["a"]], "X: sequence 1: expected a list of tokens"),
        (scipy.sparse.eye_array(2).tocsr(), [["a"], ["b"]], "X: expected a list of sequences"),
        ([[{"a": float("nan")}]], [["X"]], "sentence 1, token 1: attribute 'a': expected a finite number, got nan"),
        ([[{"a": object}]], [["X"]], "sentence 1, token 1: attribute 'a': expected a number, a string or a list"),
        ([["a"], ["b"]], [["X"]], "X has 2 sequences, y has 1; pass one list of labels per sequence"),
        ([["a", "b"]], [["X"]], "sequence 1: 2 tokens in X, but 1 labels in y"),
        ([["a", "b"]], ["XY"], "y: sequence 1: expected a list of labels, got 'XY'"),
        ([["a", "b"]], [["X", 1]], "y: Unknown label type: expected strings or whole numbers, all of one type; got 1"),
        (
            [["a", "b"]],
            [[0.5, 1.5]],
            "y: Unknown label type: expected strings or whole numbers, all of one type; got 0.5",
        ),
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
    with pytest.raises(ParameterError, match="columns: expected names of columns, got 3"):
        ChainClassifier(columns=3).fit(X_TRAIN, Y_TRAIN)
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
