"""Model cards: what a model is, how to use it and how well it does, in Markdown, with metadata for the Hub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tagloom.corpus.layers import HEADS
from tagloom.errors import ConfigError
from tagloom.evaluate import Score
from tagloom.systems.base import Model

LIBRARY = "tagloom"
TASK = "token-classification"  # what the Hub calls everything that labels tokens
MODEL_FILE = "model.safetensors"

# Strings that need no quotes in YAML; words that would be read as something else do.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}


@dataclass(frozen=True, kw_only=True)
class CardInfo:
    """What a card says that the model does not know.

    Attributes:
        name: Name of the model, or its repository, such as ``me/english-ner``.
        description: A sentence or more about the model.
        license: Licence, by its identifier on the Hub, such as ``mit``.
        language: Codes of the languages, such as ``en``.
        datasets: Data sets that the model was trained on, by their names on the Hub.
        tags: Further tags.
        scores: Scores by the name of the data that they were computed on.
    """

    name: str = "tagloom-model"
    description: str = ""
    license: str | None = None
    language: str | Sequence[str] = ()
    datasets: str | Sequence[str] = ()
    tags: Sequence[str] = ()
    scores: Mapping[str, Score] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, score in self.scores.items():
            if not isinstance(score, Score) or score.signature is None:
                raise ConfigError(f"scores: {name}: expected a score with a signature, as model.evaluate returns it")


def write_card(model: Model, info: CardInfo) -> str:
    """Write the card of a model."""
    head = "\n".join(_write_yaml(build_metadata(model, info)))
    parts = [f"---\n{head}\n---", f"# {info.name}", info.description, _introduce(model), *_write_use(model, info)]
    parts += ["## Model", _write_table(("", ""), _list_facts(model, info).items()), *_write_scores(info)]
    return "\n\n".join(filter(None, parts)) + "\n"


def build_metadata(model: Model, info: CardInfo) -> dict[str, Any]:
    """Build the metadata: values of the kinds that YAML has."""
    tags = dict.fromkeys([LIBRARY, model.system, *(layer.column for layer in model.own_layers), *info.tags])
    metrics = dict.fromkeys(name for score in info.scores.values() for name in score.main_values())
    found = {
        "library_name": LIBRARY,
        "pipeline_tag": TASK,
        "tags": list(tags),
        "language": _list(info.language),
        "license": info.license,
        "datasets": _list(info.datasets),
        "metrics": list(metrics),
        "model-index": [{"name": info.name, "results": list(_list_results(info))}] if info.scores else [],
    }
    return {key: value for key, value in found.items() if value}


def _list(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _list_results(info: CardInfo) -> Iterator[dict[str, Any]]:
    """List scores as the Hub has them: fractions, not percentages, each with the signature of the score."""
    kind = (_list(info.datasets) or ["custom"])[0]
    for name, score in info.scores.items():
        signature = {"signature": str(score.signature)}
        yield {
            "task": {"type": TASK, "name": score.kind},
            "dataset": {"type": kind, "name": name},
            "metrics": [
                {"type": metric, "value": round(value / 100, 6), "name": metric, "args": signature}
                for metric, value in score.main_values().items()
            ],
        }


# -- YAML --------------------------------------------------------------------------------------------------------------


def _write_yaml(value: Any, indent: int = 0) -> list[str]:
    """Write a mapping or a list as lines."""
    space, lines = " " * indent, list[str]()
    if isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(item, (Mapping, list)):
                lines += [f"{space}{key}:", *_write_yaml(item, indent + 2 * isinstance(item, Mapping))]
            else:
                lines.append(f"{space}{key}: {_write_scalar(item)}")
        return lines
    for item in value:
        if isinstance(item, Mapping):
            first, *others = _write_yaml(item, indent + 2)
            lines += [f"{space}- {first.strip()}", *others]
        else:
            lines.append(f"{space}- {_write_scalar(item)}")
    return lines


def _write_scalar(value: object) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


# -- Markdown ----------------------------------------------------------------------------------------------------------


def _introduce(model: Model) -> str:
    columns = ", ".join(f"`{layer.column}`" for layer in model.layers) or "tokens and sentences"
    return f"A {model.noun} made with tagloom {model.spec.version}. It adds {columns} to text."


def _write_use(model: Model, info: CardInfo) -> list[str]:
    lines = [
        "from tagloom.compat.huggingface import from_pretrained",
        "",
        f"model = from_pretrained({json.dumps(info.name)})",
    ]
    if len(model.columns) == 1 and not model.reads.bags:
        lines.append('print(model("..."))')
    else:
        row = ", ".join(f'"{column}": [...]' for column in model.columns)
        lines.append(f"print(model.annotate([{{{row}}}]))")
    code = "\n".join(lines)
    command = f"tagloom tag {MODEL_FILE} input.txt"
    return ["## Use", f'```py\n{code}\n```\n\n`pip install "tagloom[huggingface]"`, or on the command line:',
            f"```sh\n{command}\n```"]  # fmt: skip


def _list_facts(model: Model, info: CardInfo) -> dict[str, str]:
    spec, line = model.spec, model.line
    facts = {
        "system": model.system,
        "reads": " ".join(model.columns),
        "adds": " ".join(layer.column for layer in model.layers),
        "tokenizer": "" if line.tokenizer is None else line.tokenizer.name,
        "trees": "yes" if any(layer.kind == HEADS for layer in model.layers) else "",
        "training data (checksum)": spec.data,
        "seed": str(spec.seed),
        "signature": f"`{spec.signature}`",
        "licence": info.license or "",
    }
    return {name: fact for name, fact in facts.items() if fact}


def _write_scores(info: CardInfo) -> list[str]:
    if not info.scores:
        return []
    parts = ["## Scores", "In percent. The line below each table states all choices behind the numbers."]
    for name, score in info.scores.items():
        rows = [(metric, f"{value:.2f}") for metric, value in score.main_values().items()]
        parts += [f"**{_escape(name)}**", _write_table(("metric", "value"), rows), f"`{score.signature}`"]
    return parts


def _write_table(head: Sequence[str], rows: Any) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_escape, line))} |" for line in lines)


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
