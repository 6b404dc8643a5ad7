"""The benchmarks: each prepares its data once and returns a function to be timed. They need no corpora.

They call the package from its inside, so that one part of the core is measured at a time. A case that the base revision
cannot run is reported as new.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[[], object]
CASES: dict[str, Callable[[], Run]] = {}
DOCUMENTS = 150  # of the newswire generator
EXAMPLES = 400  # sentences of one-sentence calls


def add_case(name: str) -> Callable[[Callable[[], Run]], Callable[[], Run]]:
    """Register a benchmark under a name."""

    def register(prepare: Callable[[], Run]) -> Callable[[], Run]:
        CASES[name] = prepare
        return prepare

    return register


@functools.cache
def load_corpus() -> Any:
    """Real sentences with tags: the bundled Indonesian sample."""
    from tagloom.datasets import indonesian_pos

    return indonesian_pos().train


@functools.cache
def load_news() -> Any:
    """Generated sentences with entities, chunks and trees."""
    from tagloom.datasets import newswire

    return newswire(DOCUMENTS, seed=1)


@functools.cache
def write_text() -> str:
    """The words of the sample as running text."""
    corpus = load_corpus()
    lines = (" ".join(corpus.sentence(number, "form")) for number in range(len(corpus)))
    return "\n".join(lines) * 4


@functools.cache
def encode_corpus() -> Any:
    """The sample as learners see it."""
    from tagloom.systems.tagger import encode
    from tagloom.systems.tagger.options import TaggerOptions
    from tagloom.systems.tagger.task import Task

    options = TaggerOptions(templates="pos", learner="averaged-perceptron")
    encoded = getattr(encode, "EncodedCorpus", encode.Encoded)  # as older revisions call it
    return encoded.encode(Task.plan(load_corpus(), options), options)


@functools.cache
def train_tagger() -> Any:
    import tagloom

    return tagloom.train(load_corpus(), templates="pos", learner="madf", epochs=2)


@functools.cache
def train_parser() -> Any:
    import tagloom

    return tagloom.train(load_news(), system="parser", tags="gold", tag="pos", epochs=2)


def begin(learner: str, **settings: float) -> Any:
    """Begin the training of a learner on the sample."""
    from tagloom.learners import Settings, begin_training, get_learner

    encoded, count = encode_corpus(), len(load_corpus())
    names = encoded.task.structure.labels
    chosen = Settings(**settings)  # type: ignore[arg-type]
    return begin_training(
        get_learner(learner), chosen, names, encoded.chain, *_list_examples(encoded.data, count), seed=1, threads=1
    )


def _list_examples(data: Any, count: int) -> tuple[Any, ...]:
    """Return the examples as the revision takes them: older ones took data and their number."""
    try:
        from tagloom.learners.blocks import WholeData
    except ImportError:
        return data, count
    return (WholeData(data, count),)


def run_first_pass(learner: str, **settings: float) -> Run:
    """Every call makes the first pass of a new training: later passes have less to do."""
    import numpy as np

    order = np.random.default_rng(1).permutation(len(load_corpus()))
    return lambda: begin(learner, **settings).run(order)


# -- text and files ---------------------------------------------------------------


def cut_text(rules: str) -> Run:
    from tagloom._core import StringTable, tokenize

    text = write_text()
    return lambda: tokenize(text, rules, StringTable())


for _rules in ("unicode", "ptb", "whitespace"):
    CASES[f"tokenizer {_rules}"] = functools.partial(cut_text, _rules)


@add_case("read columns")
def read_columns() -> Run:
    import tagloom

    text = tagloom.corpus.to_string(load_corpus(), "conll", ["form", "label"]).encode()
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "columns.txt"
    path.write_bytes(text)
    return lambda: (folder, tagloom.read(path, columns="form label"))[1]


@add_case("load a model")
def load_model() -> Run:
    import tagloom

    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "model.tagloom"
    train_tagger().save(path)
    return lambda: (folder, tagloom.load(path))[1]


# -- features ---------------------------------------------------------------


@add_case("collect features")
def collect_features() -> Run:
    from tagloom.systems.tagger import encode
    from tagloom.systems.tagger.options import TaggerOptions

    options, task = TaggerOptions(templates="pos", learner="averaged-perceptron"), encode_corpus().task
    encoded = getattr(encode, "EncodedCorpus", encode.Encoded)  # as older revisions call it
    return lambda: encoded.encode(task, options)


@add_case("look features up")
def look_features_up() -> Run:
    encoded, corpus = encode_corpus(), load_corpus()
    return lambda: encoded.encode_other(corpus)


# -- search ---------------------------------------------------------------


def get_chains() -> tuple[Any, Any, Any]:
    """The sample encoded by a model, with its weights and flags."""
    model = train_tagger()
    chains, allowed = model.encode_chains(load_corpus())
    return chains, model.parameters.weights, allowed


@add_case("Viterbi")
def decode() -> Run:
    chains, weights, allowed = get_chains()
    return lambda: chains.decode_allowed(weights, allowed, 1)


@add_case("forward-backward")
def compute_marginals() -> Run:
    chains, weights, allowed = get_chains()
    return lambda: chains.marginals(weights, allowed, 1)


@add_case("10 best")
def find_nbest() -> Run:
    chains, weights, allowed = get_chains()
    return lambda: chains.nbest(weights, allowed, 10, 1)


@add_case("words to labels")
def tag_corpus() -> Run:
    model, corpus = train_tagger(), load_corpus()
    return lambda: model.tag_corpus(corpus)


@add_case("one sentence at a time")
def tag_sentences() -> Run:
    model, corpus = train_tagger(), load_corpus()
    sentences = [list(corpus.sentence(number, "form")) for number in range(min(EXAMPLES, len(corpus)))]
    return lambda: [model.tag(sentence) for sentence in sentences]


@add_case("parser, trees of a corpus")
def parse_corpus() -> Run:
    parser, corpus = train_parser(), load_news()
    return lambda: parser.parse_corpus(corpus)


# -- learning ---------------------------------------------------------------

CASES["pass of the averaged perceptron"] = functools.partial(run_first_pass, "averaged-perceptron")
CASES["pass of SGD"] = functools.partial(run_first_pass, "sgd", rate=0.1)
CASES["pass of MADF"] = functools.partial(run_first_pass, "madf", rate=0.1)


@add_case("gradient of L-BFGS")
def compute_gradient() -> Run:
    import numpy as np

    from tagloom._core import BatchObjective

    objective = BatchObjective(encode_corpus().data, False, 1, None)
    point, gradient = np.full(objective.size, 0.01), np.zeros(objective.size)
    return lambda: objective.evaluate(point, gradient, 1)


@add_case("pass of the parser")
def run_parser_pass() -> Run:
    import tagloom

    corpus = load_news().slice(0, 300)
    return lambda: tagloom.train(corpus, system="parser", tags="gold", tag="pos", epochs=1)
