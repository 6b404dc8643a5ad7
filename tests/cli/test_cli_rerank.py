"""tagloom rerank: what it writes and tells, errors before the long work, Ctrl-C; every command on a reranked model."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import tagloom as library
from tagloom.cli.main import run
from tagloom.corpus import read, write
from tagloom.datasets import newswire
from tests.cli.outcome import Tagloom
from tests.treebank import conllu

COLUMNS = "form pos ner"
TEMPLATES = "form[{-1..1}]\nshort_shape[0]\n/ edge\n"
FAST = ("--folds", 2, "--cutoff", 2, "--candidates", 4, "--jobs", 1)
SENTENCE = "Smith/NNP visited/VBD Paris/NNP ./."


@dataclass(frozen=True)
class Made:
    train: Path
    dev: Path
    model: Path
    voted: Path
    boosting: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A tagger of entities, and two re-ranked ones."""
    folder = tmp_path_factory.mktemp("rerank")
    names = ("train.txt", "dev.txt", "ner.tagloom", "voted.tagloom", "boosting.tagloom")
    found = Made(*(folder / name for name in names))
    for seed, path in enumerate((found.train, found.dev), 1):
        write(newswire(10 if seed == 1 else 6, seed=seed), path, "conll", COLUMNS)
    options = ["--columns", COLUMNS, "--templates", TEMPLATES, "--learner", "averaged-perceptron", "--scheme", "data",
               "--epochs", "3"]  # fmt: skip
    assert run(["train", str(found.train), "-o", str(found.model), *options]) == 0
    for method, path in (("voted", found.voted), ("boosting", found.boosting)):
        more = ["--rounds", "60", "--templates", "entities"] if method == "boosting" else ["--beta", "0.2,1"]
        call = ["rerank", found.model, found.train, "--dev", found.dev, "-o", path, "--method", method, *FAST, *more]
        assert run([str(word) for word in call]) == 0
    return found


# -- what it makes and tells -------------------------------------------------------------------------------------------


def test_the_model_is_that_of_the_library(made: Made, tmp_path: Path) -> None:
    model = library.rerank(
        made.model, made.train, dev=made.dev, columns=COLUMNS, method="voted", folds=2, cutoff=2, candidates=4,
        beta=(0.2, 1.0),
    )  # fmt: skip
    model.save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == made.voted.read_bytes()


def test_progress_and_scores(tagloom: Tagloom, made: Made, tmp_path: Path) -> None:
    output = tmp_path / "out"
    call = ("rerank", made.model, made.train, "--dev", made.dev, "-o", output, *FAST, "--method", "margin", "--beta")
    result = tagloom(*call, "0.5", "--C", "0.1,1", "--passes", 2)
    assert result.code == 0, result.err
    lists = r"f1 of the first [\d.]+, of the best [\d.]+; \d+ lists, \d+ without gold, \d+ of one candidate, \d+ empty"
    assert re.search(rf"^training lists: {lists}$", result.err, re.M)
    assert re.search(rf"^development lists: {lists}$", result.err, re.M)
    assert result.err.count("\nfold ") == 2
    for margin in ("0.1", "1"):
        assert re.search(rf"^beta 0.5, C {margin}: pass 1: [\d,]+ updates, dev F1 [\d.]+$", result.err, re.M)
    last = result.err.splitlines()[-1]
    told = re.fullmatch(
        rf"saved {output}: margin: pass [12], beta 0.5, C (0.1|1), [\d,]+ global features; "
        r"dev f1 ([\d.]+) of the tagger alone, ([\d.]+) reranked(: no gain)?", last
    )  # fmt: skip
    assert told, last
    assert bool(told[4]) == (float(told[3]) <= float(told[2]))
    titles = [line for line in result.out.splitlines() if line.startswith("dev")]
    assert titles == ["dev, tagger alone", "dev, reranked"]
    dev = read(made.dev, "conll", COLUMNS)
    assert told[2] == f"{library.load(made.model).evaluate(dev).value:.2f}"
    assert told[3] == f"{library.load(output).evaluate(dev).value:.2f}"


def test_json(tagloom: Tagloom, made: Made, tmp_path: Path) -> None:
    common = ("rerank", made.model, made.train, "-o", tmp_path / "out", *FAST, "--method", "boosting", "--json")
    told = tagloom(*common, "--dev", made.dev, "--rounds", 60, "--templates", "entities").json
    assert (tmp_path / "out").read_bytes() == made.boosting.read_bytes()
    spec = library.load(made.boosting).spec.reranker
    assert spec is not None
    assert (told["method"], told["settings"]) == ("boosting", {"smoothing": 0.001})
    assert told["model_bytes"] == made.boosting.stat().st_size
    assert (told["round"], told["candidates"], told["folds"], told["cutoff"]) == (spec.round, 4, 2, 2)
    assert told["templates"] == "entities"
    assert told["dev"]["reranked"]["f1"] == pytest.approx(spec.dev_score)
    assert told["dev"]["tagger"]["f1"] == told["lists"]["dev"]["first"]["f1"]
    for lists in told["lists"].values():
        assert lists["oracle"]["f1"] >= lists["first"]["f1"]
        assert lists["with_gold"] + lists["without_gold"] == lists["lists"] > lists["empty"] + lists["single"]
    assert told["seconds"]["total"] > 0
    assert "|reranker:boosting,entities,n=4,smoothing=0.001,rounds=" in told["signature"]
    alone = tagloom(*common, "--rounds", 7).json
    assert (alone["round"], list(alone["lists"]), "dev" in alone) == (7, ["train"], False)


def test_the_same_command_goes_on(tagloom: Tagloom, made: Made, tmp_path: Path) -> None:
    call = ("rerank", made.model, made.train, "-o", tmp_path / "out", *FAST, "--cache", tmp_path / "folds")
    assert tagloom(*call).code == 0
    again = tagloom(*call, "--method", "averaged", "--no-names")
    assert again.err.count("read from the cache") == 2
    parameters = library.load(tmp_path / "out").parameters.reranker
    assert parameters is not None
    assert parameters.names is None


def test_a_reranked_model_is_reranked_anew(tagloom: Tagloom, made: Made, tmp_path: Path) -> None:
    call = ("rerank", made.boosting, made.train, "--dev", made.dev, "-o", tmp_path / "out", *FAST, "--beta", "0.2,1",
            "--method", "voted")  # fmt: skip
    result = tagloom(*call)
    assert "the model has a re-ranker already: the new one takes its place" in result.err
    new, old = (library.load(path).reranker for path in (tmp_path / "out", made.voted))
    assert new is not None
    assert old is not None
    assert new.spec == old.spec


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--method", "vote"), "unknown method 'vote'"),
        (("--beta", "0.1,1"), "beta: several values need development data to choose from"),
        (("--beta", "much"), "--beta much: expected a number, or several numbers joined by commas"),
        (("--seed", "0.5"), "--seed 0.5: expected a whole number"),
        (("--beta", "-1"), "beta: expected a number from 0 to"),
        (("--smoothing", "0.1"), "smoothing: margin has beta and C and passes, not this"),
        (("--method", "boosting", "--beta", "1"), "beta: boosting has smoothing and rounds, not this"),
        (("--method", "boosting", "--rounds", 0), "rounds: expected a whole number from 1 to"),
        (("--candidates", 1), "candidates: expected a whole number from 2 to 100000, got 1"),
        (("--folds", 1), "folds: expected a whole number of 2 or more, got 1"),
        (("--folds", 10_000), "folds: "),
        (("--jobs", 0), "jobs: expected"),
        (("--threads", 0), "threads: expected"),
        (("--cutoff", 0), "cutoff: expected"),
        (("--templates", "none"), "--templates none: your own functions can be features only in Python"),
        (("--templates", "nobody"), "unknown set of global templates or file 'nobody'"),
        (("--templates", "A = form[st"), "templates:1: expected attribute[place]"),
        (("--templates", "A = chunk[start]"), "unknown attribute or column in template"),
        (("--templates", "A = pos[start]"), "global templates: column 'pos' is none that the tagger reads (form)"),
        (("--resource", "lowercased=/no/such"), "/no/such: no such file"),
        (("--cache", "/dev/null"), "/dev/null: cannot make this folder for folds: "),
        (("-o", "/no/such/file"), "/no/such/file: cannot write: no such directory"),
    ],
)
def test_errors_are_one_line(
    tagloom: Tagloom, made: Made, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    output = () if "-o" in arguments else ("-o", tmp_path / "out")
    assert tagloom("rerank", made.model, made.train, *output, *arguments).error.startswith(message)
    assert not list(tmp_path.iterdir())


def test_files_that_do_not_fit(tagloom: Tagloom, made: Made, tmp_path: Path) -> None:
    output = tmp_path / "out"
    other = tmp_path / "other.txt"
    other.write_text(made.train.read_text().replace("PER", "NEW"))
    unlabelled = tmp_path / "unlabelled.txt"
    write(read(made.dev, "conll", COLUMNS), unlabelled, "conll", "form")
    error = tagloom("rerank", made.model, other, "-o", output).error
    assert error.startswith(f"{other}: label 'B-NEW' of column 'ner' is none of the model's")
    error = tagloom("rerank", made.model, made.train, "--dev", unlabelled, "-o", output, "--format", "conll").error
    assert error.startswith(f"{unlabelled}: missing column: ner (the model reads form ner, found form)")
    assert "damaged or not a model file" in tagloom("rerank", made.train, made.train, "-o", output).error
    assert "is an input, too" in tagloom("rerank", made.model, made.train, "-o", made.model).error
    library.load(made.model).partial_fit(read(made.dev, "conll", COLUMNS)).save(tmp_path / "more")
    assert tagloom("rerank", tmp_path / "more", made.train, "-o", output).error.startswith("the model began from")
    assert not output.exists()


def test_a_parser_is_refused(tagloom: Tagloom, made: Made, tmp_path: Path) -> None:
    (tmp_path / "trees.conllu").write_text(conllu(10, 1))
    parser = tmp_path / "parser"
    options = ("--system", "parser", "--tags", "gold", "--epochs", 1)
    assert tagloom("train", tmp_path / "trees.conllu", "-o", parser, *options).code == 0
    error = tagloom("rerank", parser, made.train, "-o", tmp_path / "out").error
    assert error == f"{parser}: a parser has no labellings to choose from; name the model of a tagger"


def test_templates_of_entities_for_plain_tags(tagloom: Tagloom, made: Made, tmp_path: Path) -> None:
    pos = tmp_path / "pos"
    options = ("--columns", COLUMNS, "--label", "pos", "--templates", TEMPLATES, "--epochs", 1)
    assert tagloom("train", made.train, "-o", pos, *options).code == 0
    call = ("rerank", pos, made.train, "-o", tmp_path / "out", *FAST)
    assert "are of entities, but the labels of the model are plain tags" in tagloom(
        *call, "--templates", "A = form[start..end]"
    ).error  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_during_the_folds_writes_nothing(tmp_path: Path) -> None:
    draw = random.Random(1)
    rows = [f"w{draw.randrange(50)} {draw.choice(['B-X', 'O'])}\n" + "\n" * (draw.random() < 0.1) for _ in range(9000)]
    (tmp_path / "endless.txt").write_text("".join(rows))
    model = library.train(tmp_path / "endless.txt", epochs=1)
    endless = replace(model.spec, epochs=100_000_000)  # taggers of folds learn as long as the model could
    library.Tagger(endless, model.parameters, model.resources).save(tmp_path / "model")
    code = "import sys; from tagloom.cli import main; sys.exit(main())"
    arguments = ["rerank", "model", "endless.txt", "-o", "out", "--jobs", "2", "--cache", "folds"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "at a time" in line:
            break
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    kept = "interrupted; nothing is saved; finished folds are kept: the same command continues\n"
    assert (process.returncode, err) == (130, kept)
    assert not (tmp_path / "out").exists()


def test_ctrl_c_during_boosting_saves_the_best_so_far(
    tagloom: Tagloom, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tagloom.learners import ranking

    monkeypatch.setattr(ranking, "_STRETCH", 10)
    real = ranking._rounds

    class Interrupted:
        """Rounds that a user ends after twenty."""

        def __init__(self, boosting: object) -> None:
            self.boosting, self.calls = boosting, 0

        def run(self, count: int) -> object:
            self.calls += 1
            if self.calls > 2:
                raise KeyboardInterrupt
            return self.boosting.run(count)  # type: ignore[attr-defined]

        @property
        def loss(self) -> float:
            return float(self.boosting.loss)  # type: ignore[attr-defined]

    monkeypatch.setattr(ranking, "_rounds", lambda boosting, *rest: real(Interrupted(boosting), *rest))  # type: ignore[arg-type]
    call = ("rerank", made.model, made.train, "-o", tmp_path / "out", *FAST, "--method", "boosting", "--rounds", 1000)
    result = tagloom(*call, "--dev", made.dev, "--smoothing", "0.001,0.01", "--json")
    assert result.code == 130
    assert "interrupted: the best until now is kept" in result.err
    assert result.json["interrupted"]
    assert result.json["round"] <= 20
    assert result.json["settings"] == {"smoothing": 0.001}  # the other one was never begun
    assert library.load(tmp_path / "out").reranker is not None


# -- reranked models in the other commands -----------------------------------------------------------------------------


def test_tag(tagloom: Tagloom, made: Made, tmp_path: Path) -> None:
    model, dev = library.load(made.voted), read(made.dev, "conll", COLUMNS)

    def labels(*options: object, model: Path = made.voted) -> list[str]:
        out = tagloom("tag", model, made.dev, *options).out
        return [line.split()[-1] for line in out.splitlines() if line and not line.startswith(("-DOCSTART-", "# "))]

    expected = model.tag_corpus(dev).texts()
    assert labels() == labels("--decoder", "reranked") == labels("--threads", 2) == expected
    alone = model.without_reranker().tag_corpus(dev).texts()
    assert labels("--decoder", "viterbi") == alone == labels("--candidates", 1) != expected
    assert labels("--candidates", 9) == model.tag_corpus(dev, candidates=9).texts()
    model.calibrate(dev).save(tmp_path / "calibrated")
    assert labels("--confidence", model=tmp_path / "calibrated") == expected
    assert labels("--nbest", 1) == expected
    error = tagloom("tag", made.voted, made.dev, "--decoder", "viterbi", "--candidates", 3).error
    assert error == "candidates: decoder 'viterbi' chooses among none; leave it out"
    assert tagloom("tag", made.voted, made.dev, "--candidates", 0).error.startswith("candidates: expected")
    assert "this model has no re-ranker" in tagloom("tag", made.model, made.dev, "--decoder", "reranked").error


def test_nbest_has_the_votes(tagloom: Tagloom, made: Made) -> None:
    out = tagloom("tag", made.voted, made.dev, "--nbest", 3).out
    heads = [line.split()[1:] for line in out.splitlines() if re.match(r"# \d", line)]
    ranks, votes = [int(rank) for rank, _ in heads], [float(vote) for _, vote in heads]
    assert set(ranks) == {0, 1, 2}
    assert all(0 <= vote <= 1 for vote in votes)
    assert all(one >= other for rank, one, other in zip(ranks[1:], votes, votes[1:]) if rank)


def test_eval_says_what_it_used(tagloom: Tagloom, made: Made) -> None:
    own, fewer = (tagloom("eval", made.voted, made.dev, *more).out for more in ((), ("--candidates", 2)))
    assert "|reranker:voted,collins-2002,n=4," in own
    assert "|reranker:voted,collins-2002,n=2," in fewer
    beam = tagloom("eval", made.voted, made.dev, "--beam", 4).out
    assert "reranker" not in beam
    assert "|search:beam=4|" in beam
    assert "f1 " in tagloom("eval", made.voted, made.dev, "--compare", made.model).out


def test_inspect(tagloom: Tagloom, made: Made) -> None:
    model = library.load(made.boosting)
    spec, parameters = model.spec.reranker, model.parameters.reranker
    assert spec is not None
    assert parameters is not None
    out = tagloom("inspect", made.boosting, "--top", 3).out
    assert (
        f"re-ranker: boosting: round {spec.round}, smoothing 0.001, dev score {spec.dev_score:.2f}; 4 candidates" in out
    )
    assert "global templates: words = lower[start..end]; " in out
    told = tagloom("inspect", made.boosting, "--top", 3, "--json").json
    assert told["sizes"]["global_features"] == len(parameters.keys)
    assert told["spec"]["reranker"]["method"] == "boosting"
    (tagger, _), *top = told["details"]["top_global_features"]
    assert tagger == "score of the tagger"
    weights = sorted((abs(float(weight)) for weight in parameters.ranker.mean_weights()[0]), reverse=True)
    assert [abs(weight) for _, weight in top] == weights[: len(top)]
    assert all(name in out for name, _ in top)
    assert "re-ranker" not in tagloom("inspect", made.model).out
    assert tagloom("inspect", made.model, "--json").json["details"]["top_global_features"] == []


def test_explain(tagloom: Tagloom, made: Made) -> None:
    model, words = library.load(made.boosting), [word.split("/")[0] for word in SENTENCE.split()]
    ranked = model.explain_choice(words)
    out = tagloom("explain", made.boosting, " ".join(words)).out
    head, *lines = out.splitlines()
    assert head.split() == ["rank", "value", "tagger", "labelling"]
    assert [line.split()[3:] for line in lines[:4]] == [each.candidate.labels for each in ranked]
    rest = out.split("for 1, against 2\n")[1]
    name, weight = next(iter(ranked[0].against(ranked[1]).items()))
    assert rest.splitlines()[0].split(maxsplit=1) == [f"{weight:+.3f}", name]
    assert "because of" in rest
    told = tagloom("explain", made.boosting, " ".join(words), "--json", "--top", 100).json
    assert [each["labels"] for each in told["candidates"]] == [each.candidate.labels for each in ranked]
    assert [token["label"] for token in told["tokens"]] == model.tag(words)
    for each in told["candidates"][1:]:  # a linear ranker: what is told adds up to the difference
        total = sum(feature["weight"] for feature in each["against_it"])
        assert total == pytest.approx(told["candidates"][0]["value"] - each["value"])
    assert "candidates" not in tagloom("explain", made.model, " ".join(words), "--json").json


def test_a_start_model_loses_its_reranker(tagloom: Tagloom, made: Made, tmp_path: Path) -> None:
    starts = [tmp_path / "reranked", tmp_path / "plain"]
    for start, output in zip((made.boosting, made.model), starts):
        result = tagloom("train", made.dev, "--start", start, "-o", output, "--epochs", 1)
        assert result.code == 0
        assert ("the re-ranker of the start model is not taken over" in result.err) == (start == made.boosting)
    assert starts[0].read_bytes() == starts[1].read_bytes()


def test_templates_prints_a_file_of_global_ones(tagloom: Tagloom, tmp_path: Path) -> None:
    (tmp_path / "my.globals").write_text("# mine\nA = form[start]\n")
    assert tagloom("templates", tmp_path / "my.globals").out == "A = form[start]\n"
