"""Model folders of the Hugging Face Hub: the model file, ``config.json`` and the card, saved, opened and uploaded."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from tagloom.compat.huggingface.card import LIBRARY, MODEL_FILE, CardInfo, write_card
from tagloom.corpus.replace import make_folder, replace_file
from tagloom.errors import ConfigError, DataError
from tagloom.systems.base import Functions, Model
from tagloom.systems.file import load

CONFIG_FILE, CARD_FILE = "config.json", "README.md"


def save_pretrained(model: Model, folder: str | os.PathLike[str], **info: Any) -> list[Path]:
    """Write a model folder: ``model.safetensors``, ``config.json`` and the model card ``README.md``.

    Args:
        model: The model.
        folder: The folder, made if it is not there. Files of these names are replaced, others stay.
        **info: What the card says besides, see :class:`CardInfo`: ``name``, ``description``, ``license``, ``language``,
            ``datasets``, ``tags`` and ``scores``.

    Returns:
        The files.
    """
    found, target = _read_info(info), make_folder(folder, "the model")
    contents = {
        MODEL_FILE: model.to_bytes(),
        CONFIG_FILE: json.dumps(build_config(model), ensure_ascii=False, indent=2).encode() + b"\n",
        CARD_FILE: write_card(model, found).encode(),
    }
    for name, data in contents.items():
        replace_file(target / name, data)
    return [target / name for name in contents]


def _read_info(info: dict[str, Any]) -> CardInfo:
    try:
        return CardInfo(**info)
    except TypeError:
        known = ", ".join(CardInfo.__dataclass_fields__)
        raise ConfigError(f"unknown part of a card among {', '.join(info)} (known: {known})") from None


def build_config(model: Model) -> dict[str, Any]:
    """Build what ``config.json`` says, for programs that do not open the model."""
    spec, tokenizer = model.spec, model.line.tokenizer
    return {
        "library_name": LIBRARY,
        "library_version": spec.version,
        "system": model.system,
        "reads": list(model.columns),
        "adds": [{"column": layer.column, "kind": layer.kind} for layer in model.layers],
        "tokenizer": None if tokenizer is None else tokenizer.name,
        "training_data_checksum": spec.data,
        "signature": str(spec.signature),
    }


def from_pretrained(
    name: str | os.PathLike[str],
    *,
    revision: str | None = None,
    token: str | bool | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    functions: Functions | None = None,
) -> Any:
    """Open the model of a folder, or of a repository of the Hub, which is downloaded once.

    Args:
        name: A folder, a model file, or the name of a repository, such as ``me/english-ner``.
        revision: Branch, tag or commit of the repository.
        token: Access token for the Hub; by default the one that was stored by ``hf auth login``.
        cache_dir: Folder for downloads.
        functions: Your own functions by name, if the model was trained with any.

    Raises:
        ModelFileError: The file is missing or damaged.
        DataError: The repository cannot be read.
    """
    path = Path(name)
    if path.is_dir():
        return load(path / MODEL_FILE, functions=functions)
    if path.is_file():
        return load(path, functions=functions)
    hub = _import_hub("a model of the Hub")
    try:
        file = hub.hf_hub_download(str(name), MODEL_FILE, revision=revision, token=token, cache_dir=cache_dir)
    except (OSError, ValueError) as error:
        raise DataError(f"{name}: no such folder, and not to be had from the Hub: {_shorten(error)}") from None
    return load(file, functions=functions)


def push_to_hub(
    model: Model | str | os.PathLike[str],
    repo_id: str,
    *,
    private: bool = False,
    token: str | bool | None = None,
    revision: str | None = None,
    commit_message: str = "Add a tagloom model",
    **info: Any,
) -> str:
    """Upload a model, or a folder that ``save_pretrained`` has written, to the Hub.

    Args:
        model: The model, or the folder.
        repo_id: Name of the repository, such as ``me/english-ner``; made if it is not there.
        private: Whether a new repository is private.
        token: Access token for the Hub; by default the one that was stored by ``hf auth login``.
        revision: Branch to commit to.
        commit_message: Message of the commit.
        **info: What the card of a model says besides, as for :func:`save_pretrained`; its name is ``repo_id``.

    Returns:
        The address of the commit.

    Raises:
        DataError: The Hub refuses it.
    """
    if isinstance(model, Model):
        with tempfile.TemporaryDirectory() as folder:
            save_pretrained(model, folder, **{"name": repo_id, **info})
            return push_to_hub(
                folder, repo_id, private=private, token=token, revision=revision, commit_message=commit_message
            )
    if info:
        raise ConfigError(f"{', '.join(info)}: the folder has its card already; pass it to save_pretrained instead")
    if not (Path(model) / MODEL_FILE).is_file():
        raise DataError(f"{model}: expected a folder with {MODEL_FILE}; write it with save_pretrained")
    hub = _import_hub("uploading a model")
    try:
        api = hub.HfApi(token=token)
        api.create_repo(repo_id, private=private, exist_ok=True, repo_type="model")
        done = api.upload_folder(
            folder_path=str(model), repo_id=repo_id, repo_type="model", revision=revision, commit_message=commit_message
        )
    except (OSError, ValueError) as error:
        raise DataError(f"{repo_id}: the Hub does not take it: {_shorten(error)}") from None
    return str(done)


def _import_hub(purpose: str) -> Any:
    try:
        import huggingface_hub
    except ImportError:
        raise ConfigError(f'{purpose} needs huggingface_hub: pip install "tagloom[huggingface]"') from None
    return huggingface_hub


def _shorten(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]
