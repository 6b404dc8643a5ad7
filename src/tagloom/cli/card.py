"""``tagloom card``: a model folder with a model card, for the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tagloom.cli.console import build_warning, log, log_files, put
from tagloom.cli.parameters import Columns, Format, ModelFile, Threads, option, select_given
from tagloom.compat.huggingface import push_to_hub, save_pretrained
from tagloom.evaluate import Score
from tagloom.systems.base import Model
from tagloom.systems.file import load
from tagloom.systems.inputs import Input


def card(
    model_file: ModelFile,
    output: Annotated[str, option("FOLDER", "Folder to write.", "--output", "-o")],
    name: Annotated[str | None, option("NAME", "Name of the model. Default: that of the folder.")] = None,
    description: Annotated[str | None, option("TEXT", "A sentence about the model.")] = None,
    license_name: Annotated[str | None, option("ID", "Licence of the model, such as mit.", "--license")] = None,
    language: Annotated[list[str] | None, option("CODE", "Language of the model, such as en. Repeatable.")] = None,
    dataset: Annotated[
        list[str] | None, option("NAME", "Data set that it was trained on, by its name on the Hub. Repeatable.")
    ] = None,
    test: Annotated[
        list[str] | None, option("FILE", "Corpus with gold labels to score the model on, for the card. Repeatable.")
    ] = None,
    format_name: Format = None,
    columns: Columns = None,
    threads: Threads = 1,
    push: Annotated[str | None, option("REPO", "Upload the folder to this repository of the Hub.")] = None,
) -> None:
    """Write a model folder with a model card, for the Hugging Face Hub.

    The folder has the model file, config.json and README.md: how to use the
    model, what it was made of, the checksum of its training data, and scores
    with their signatures, also as metadata that the Hub shows.
    --push uploads it; log in first with hf auth login.

    \b
    Examples:
      tagloom card ner.tagloom -o english-ner --license mit --language en --test test.txt
      tagloom card ner.tagloom -o english-ner --push me/english-ner
    """
    model: Model = load(model_file)
    notes: list[str] = []
    scores = dict(_score(model, Input(path, format_name, columns, notes), threads) for path in test or [])
    info = select_given(
        description=description, license=license_name, language=language, datasets=dataset, scores=scores
    )
    files = save_pretrained(model, output, name=name or push or Path(output).resolve().name, **info)
    log(*notes)
    log_files(files, None)
    if push is not None:
        put(push_to_hub(output, push))


def _score(model: Model, source: Input, threads: int) -> tuple[str, Score]:
    """Score a model on a file; the name of the score has the checksum of the file."""
    corpus = source.read(model, gold=True)
    source.notes.extend(map(build_warning, model.check_labels(corpus)))
    return f"{Path(corpus.source).name} (checksum {corpus.checksum()})", model.evaluate(corpus, threads=threads)
