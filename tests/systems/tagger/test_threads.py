"""Same seed, same data: same bytes, for any number of threads; one model serves many threads at once."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tagloom
from tests.systems.toy import all_rows, entity_model, news, news_split, size, tagger

OPTIONS = {
    "templates": "form[{-1..1}]\npos[0]\nsize[0]\npos[0] / edge\n/ edge\n",
    "attributes": {"size": size},
    "epochs": 3,
}


def saved(path: Path, **options: object) -> bytes:
    train, dev = news_split()
    tagloom.train(train, dev=dev, **(OPTIONS | options)).save(path)
    return path.read_bytes()


@pytest.mark.parametrize("learner", tagloom.LEARNERS)
def test_a_seed_fixes_every_byte_of_the_model_file(tmp_path: Path, learner: str):
    files = [saved(tmp_path / "model", learner=learner, threads=threads) for threads in (1, 1, 2, 4)]
    assert len(set(files)) == 1


def test_another_seed_gives_another_model(tmp_path: Path):
    models = [saved(tmp_path / "model", seed=seed) for seed in (1, 2)]
    assert models[0] != models[1]
    one, two = (tagloom.train(news(), seed=seed, **OPTIONS) for seed in (1, 2))
    assert one.parameters.weights.tobytes() != two.parameters.weights.tobytes()


@pytest.mark.parametrize("threads", [1, 2, 3, 4, 64])
def test_labels_do_not_depend_on_the_number_of_threads(threads: int):
    sentences = all_rows(news()) * 4
    assert entity_model().tag_many(sentences, threads=threads) == entity_model().tag_many(sentences)
    assert entity_model().tag_corpus(news(), threads).codes.tolist() == entity_model().tag_corpus(news()).codes.tolist()


def test_labels_do_not_depend_on_what_was_tagged_before():
    sentences = all_rows(news())
    fresh = tagloom.train(news(), **OPTIONS)
    shuffled = random.Random(1).sample(range(len(sentences)), len(sentences))
    first = {index: fresh.tag(sentences[index]) for index in shuffled}
    assert [first[index] for index in range(len(sentences))] == fresh.tag_many(sentences)


def test_one_model_is_shared_by_many_threads():
    model = entity_model()
    chunks = [all_rows(news())[start : start + 20] for start in range(0, 160, 20)] * 6
    expected = [model.tag_many(chunk) for chunk in chunks]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(model.tag_many, chunks)) == expected
        assert list(pool.map(lambda chunk: model.tag_many(chunk, threads=2), chunks)) == expected
        explained = list(pool.map(lambda chunk: [e.scores.tolist() for e in model.explain(chunk[0])], chunks))
    assert explained == [[e.scores.tolist() for e in model.explain(chunk[0])] for chunk in chunks]


def test_training_runs_beside_tagging():
    words = ["the", "dog", "barks"]
    expected = tagger().tag(words)
    with ThreadPoolExecutor(4) as pool:
        models = [pool.submit(tagloom.train, news(), **OPTIONS) for _ in range(2)]
        assert all(label == expected for label in pool.map(tagger().tag, [words] * 200))
        assert len({model.result().parameters.weights.tobytes() for model in models}) == 1
