"""UDPipe 1 in a process of its own.

    python -m bench.treebank.udpipe USAGE train TRAIN HELDOUT MODEL
    python -m bench.treebank.udpipe USAGE tokenize MODEL TEXT OUT       from raw text
    python -m bench.treebank.udpipe USAGE conllu MODEL TREEBANK OUT     with the tokens of a treebank

Options are those of ``udpipe --train MODEL --heldout HELDOUT TRAIN``: all empty. This file needs the package
ufal.udpipe and nothing of tagloom.
"""

from __future__ import annotations

import sys
import time
from importlib.metadata import version
from pathlib import Path

from ufal import udpipe

from bench.usage import write_usage

METHOD, DEFAULT = "morphodita_parsito", ""


def read_sentences(path: str) -> udpipe.Sentences:
    """Read CoNLL-U."""
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText(Path(path).read_text("utf-8"))
    sentences = udpipe.Sentences()
    while reader.nextSentence(sentence := udpipe.Sentence(), error):
        sentences.push_back(sentence)
    require_success(error, path)
    return sentences


def require_success(error: udpipe.ProcessingError, what: str) -> None:
    if error.occurred():
        sys.exit(f"{what}: UDPipe says: {error.message}")


def train(train_file: str, heldout_file: str, model_file: str) -> None:
    """Train tokenizer, tagger and parser."""
    error = udpipe.ProcessingError()
    sides = read_sentences(train_file), read_sentences(heldout_file)
    model = udpipe.Trainer.train(METHOD, *sides, DEFAULT, DEFAULT, DEFAULT, error)
    require_success(error, train_file)
    Path(model_file).write_bytes(bytes(bytearray(model)))


def tag(how: str, model_file: str, source: str, target: str) -> None:
    """Tag and parse raw text (``tokenize``), or the tokens of a treebank (``conllu``)."""
    model, error = udpipe.Model.load(model_file), udpipe.ProcessingError()
    if model is None:
        sys.exit(f"{model_file}: UDPipe cannot read the model; remove it and run again")
    pipeline = udpipe.Pipeline(model, how, DEFAULT, DEFAULT, "conllu")
    found = pipeline.process(Path(source).read_text("utf-8"), error)
    require_success(error, source)
    Path(target).write_text(found, "utf-8")


def main(usage_file: str, job: str, *files: str) -> None:
    started = time.time()
    if job == "train":
        train(*files)
    else:
        tag(job, *files)
    write_usage(usage_file, started, version=version("ufal.udpipe"))


if __name__ == "__main__":
    main(*sys.argv[1:])
