"""``tagloom serve``: models behind HTTP, with a page to try them on."""

from __future__ import annotations

from typing import Annotated

from tagloom.cli.console import log
from tagloom.cli.parameters import argument, flag, option
from tagloom.serve import Limits, Settings, run_server
from tagloom.serve.settings import TOKEN_VARIABLE, name_models, read_tokens

_LIMITS = Limits()
_PANEL = "Limits"


def serve(
    models: Annotated[
        list[str], argument("MODEL...", "Model files: FILE, or NAME=FILE to name them. The first is the default.")
    ],
    host: Annotated[str, option("ADDRESS", "Address to listen on. 0.0.0.0: all of this machine.")] = "127.0.0.1",
    port: Annotated[int, option("N", "Port to listen on; 0 for any that is free.", min=0, max=65535)] = 8000,
    workers: Annotated[int, option("N", "Number of processes.", min=1, max=1024)] = 1,
    token_file: Annotated[
        str | None,
        option("FILE", f"Bearer tokens, one per line; requests must bring one. Also read from {TOKEN_VARIABLE}."),
    ] = None,
    reload: Annotated[
        float, option("SECONDS", "How often model files are looked at for changes; 0: never.", min=0)
    ] = 2.0,
    mmap: Annotated[
        bool, flag("--mmap", "Map model files into memory, so that workers share them. Replace files, never edit them.")
    ] = False,
    no_request_log: Annotated[bool, flag("--no-request-log", "Do not write one line per request to the log.")] = False,
    shutdown: Annotated[
        float, option("SECONDS", "Time for requests that are under way when the server ends.", min=0)
    ] = 30.0,
    max_body: Annotated[
        int, option("BYTES", "Largest body of a request.", min=1, rich_help_panel=_PANEL)
    ] = _LIMITS.body,
    max_tokens: Annotated[
        int, option("N", "Most tokens of a request.", min=1, rich_help_panel=_PANEL)
    ] = _LIMITS.tokens,
    max_inputs: Annotated[
        int, option("N", "Most texts, or sentences of tokens, of a request.", min=1, rich_help_panel=_PANEL)
    ] = _LIMITS.inputs,
    max_explained: Annotated[
        int, option("N", "Most tokens of a request for explanations.", min=1, rich_help_panel=_PANEL)
    ] = _LIMITS.explained,
    timeout: Annotated[
        float, option("SECONDS", "Longest time from a request to its answer.", min=0.001, rich_help_panel=_PANEL)
    ] = _LIMITS.seconds,
    read_timeout: Annotated[
        float, option("SECONDS", "Longest time for a request to arrive.", min=0.001, rich_help_panel=_PANEL)
    ] = _LIMITS.read_seconds,
    idle_timeout: Annotated[
        float, option("SECONDS", "Longest time of a connection without requests.", min=0.001, rich_help_panel=_PANEL)
    ] = _LIMITS.idle_seconds,
    max_requests: Annotated[
        int, option("N", "Most requests at the same time, per worker.", min=1, rich_help_panel=_PANEL)
    ] = _LIMITS.requests,
    max_connections: Annotated[
        int, option("N", "Most connections at the same time, per worker.", min=1, rich_help_panel=_PANEL)
    ] = _LIMITS.connections,
) -> None:
    """Serve models over HTTP, with a page to try them on.

    POST /v1/annotate takes {"text": "..."} or {"tokens": [...]}, also lists of
    them as "texts" and "sentences", and answers with tokens, spans and trees.
    /v1/nbest has the best labellings, /v1/explain the features that decided,
    /v1/models what is served. /health, /ready and /metrics (Prometheus) are for
    those who run the server; /openapi.json describes all of it.
    The page at / shows annotations, explains them, compares two models, and
    saves corrections as training data.
    A model file that changes is loaded again; requests that are under way end
    with the model that they began with. The log on stderr has one JSON object
    per line, and never holds texts. SIGTERM or Ctrl-C end the server after the
    requests that are under way.
    Needs the extra serve: pip install "tagloom[serve]".

    \b
    Examples:
      tagloom serve ner.tagloom
      tagloom serve ner.tagloom pos=en.tagloom --port 9000 --workers 4
      tagloom serve ner.tagloom --host 0.0.0.0 --token-file tokens.txt
      curl -H 'content-type: application/json' -d '{"text": "Peter sleeps in Bonn."}' 127.0.0.1:8000/v1/annotate
    """
    limits = Limits(
        body=max_body, tokens=max_tokens, inputs=max_inputs, explained=max_explained, seconds=timeout,
        read_seconds=read_timeout, idle_seconds=idle_timeout, requests=max_requests, connections=max_connections,
    )  # fmt: skip
    settings = Settings(name_models(models), limits, read_tokens(token_file), reload, mmap, not no_request_log)
    names = " ".join(settings.models)

    def tell(address: str, number: int) -> None:
        place = f"[{address}]" if ":" in address else address
        log(f"tagloom serves {names} on http://{place}:{number}/ (Ctrl-C ends it)")

    run_server(settings, host=host, port=port, workers=workers, shutdown_seconds=shutdown, on_start=tell)
