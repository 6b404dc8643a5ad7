"""The messages of the interface: what requests and answers hold, from which their JSON schemas are made."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

#: A token: a word; its columns, if the model reads several; or its features with their values.
Token = str | list[str] | dict[str, float | str | bool]

#: Fields that hold whole numbers. They are decoded as floats, because 5.0 is a whole number, too, in JSON schemas.
WHOLE_FIELDS = ("n", "top")

MOST_CANDIDATES = 100
MOST_FEATURES = 100

_ONE_OF = "Give exactly one of `text`, `texts`, `tokens` and `sentences`."


class Request(Struct, forbid_unknown_fields=True):
    """What all requests have: one or several texts, or one or several sentences of tokens."""

    model: Annotated[str | UnsetType, Meta(description="Name of the model; the default one if missing.")] = UNSET
    text: Annotated[str | UnsetType, Meta(description=f"Running text. {_ONE_OF}")] = UNSET
    texts: Annotated[list[str] | UnsetType, Meta(description=f"Several texts. {_ONE_OF}")] = UNSET
    tokens: Annotated[list[Token] | UnsetType, Meta(description=f"The tokens of one sentence. {_ONE_OF}")] = UNSET
    sentences: Annotated[list[list[Token]] | UnsetType, Meta(description=f"Several sentences. {_ONE_OF}")] = UNSET


class AnnotateRequest(Request):
    """Texts or tokens to annotate."""

    confidence: Annotated[bool, Meta(description="Give tokens and spans a probability as `score`.")] = False


class NbestRequest(Request):
    """Texts or tokens whose best labellings are asked for."""

    n: Annotated[
        float,
        Meta(ge=1, le=MOST_CANDIDATES, description="Number of labellings per sentence."),
    ] = 5


class ExplainRequest(Request):
    """Texts or tokens whose annotation is to be explained."""

    top: Annotated[float, Meta(ge=0, le=MOST_FEATURES, description="Most features per decision.")] = 10


class Place(Struct):
    """A range of characters, and of tokens; `end` and `last` are one past the last."""

    start: int
    end: int
    first: int
    last: int


class Multiword(Place):
    """Several words that are one token of the text."""

    text: str


class SpanRecord(Place):
    """A labelled range of tokens."""

    label: str
    text: str
    layer: str
    score: float | UnsetType = UNSET


class AnnotationRecord(Struct):
    """A text with everything that a model found in it; the same keys as those of `tagloom tag --to jsonl`."""

    text: str
    columns: Annotated[list[str], Meta(description="Names of the columns: keys of every token.")]
    layers: Annotated[list[str], Meta(description="Names of the layers of spans.")]
    sentences: list[Place]
    tokens: Annotated[
        list[dict[str, Any]], Meta(description="`text`, `start`, `end`, one key per column, and `score` if asked for.")
    ]
    spans: list[SpanRecord]
    heads: Annotated[str | UnsetType, Meta(description="The column of heads, if there are trees.")] = UNSET
    relations: Annotated[str | UnsetType, Meta(description="The column of relations, if there are trees.")] = UNSET
    multiwords: list[Multiword] | UnsetType = UNSET


class AnnotateResponse(Struct):
    """One annotation per text, or per sentence of tokens."""

    model: str
    annotations: list[AnnotationRecord]


class CandidateSpan(Struct):
    """A span of a labelling, in characters."""

    start: int
    end: int
    label: str


class CandidateRecord(Struct):
    """One labelling of a sentence; those of documents have the score of the whole document."""

    score: float
    probability: Annotated[float | None, Meta(description="Null if the model has no probabilities.")]
    labels: Annotated[list[str], Meta(description="One label per token.")]
    spans: list[CandidateSpan]


class RankedToken(Struct):
    """A token of a sentence."""

    text: str
    start: int
    end: int


class RankedSentence(Struct):
    """A sentence with its best labellings, best first."""

    start: int
    end: int
    tokens: list[RankedToken]
    candidates: list[CandidateRecord]


class RankedText(Struct):
    """A text with the best labellings of its sentences."""

    text: str
    layer: Annotated[str, Meta(description="The column of the labels.")]
    sentences: list[RankedSentence]


class NbestResponse(Struct):
    """One entry per text, or per sentence of tokens."""

    model: str
    results: list[RankedText]


class FeatureRecord(Struct):
    """A feature, and its weight for the choice (above zero) or against it."""

    name: str
    weight: float


class DecisionRecord(Struct):
    """A decision of a model about a range of characters."""

    start: int
    end: int
    choice: str
    rival: Annotated[str | None, Meta(description="The best other choice; null if there was none.")]
    margin: Annotated[float | None, Meta(description="By how much the choice won; null without a rival.")]
    features: list[FeatureRecord]
    note: str


class ExplainedLayer(Struct):
    """The decisions of one model of the line."""

    layer: Annotated[str, Meta(description="The columns that the model adds; empty for a tokenizer.")]
    decisions: list[DecisionRecord]


class ExplainedText(Struct):
    """A text with the decisions that its annotation consists of."""

    text: str
    layers: list[ExplainedLayer]


class ExplainResponse(Struct):
    """One entry per text, or per sentence of tokens."""

    model: str
    results: list[ExplainedText]


class LabelRecord(Struct):
    """A label that a model can give, and its hue in degrees, which is the same in all pages and drawings."""

    label: str
    hue: int


class LayerRecord(Struct):
    """A column that a model adds."""

    name: str
    kind: Annotated[str, Meta(description="`labels`, `tags`, `heads` or `relations`.")]
    spans: Annotated[bool, Meta(description="Whether the labels write spans.")]
    labels: Annotated[list[LabelRecord], Meta(description="Labels or types of spans; empty if they are not listed.")]


class Capabilities(Struct):
    """What a model can be asked for."""

    text: Annotated[bool, Meta(description="Running text; otherwise tokens only.")]
    confidence: bool
    nbest: bool
    explain: bool


class ModelRecord(Struct):
    """A model that is served."""

    name: str
    default: bool
    system: str
    noun: str
    signature: str
    reads: Annotated[list[str], Meta(description="Columns of a token; one: tokens are words.")]
    capabilities: Capabilities
    confidence_note: str
    layers: list[LayerRecord]
    sizes: dict[str, int]
    bytes: int
    loaded: Annotated[str, Meta(description="Time of loading, in ISO 8601.")]


class LimitRecord(Struct):
    """The limits of a request."""

    body: int
    tokens: int
    inputs: int
    explained: int
    seconds: float


class ModelsResponse(Struct):
    """The models that are served, the default one first, and the limits of requests."""

    models: list[ModelRecord]
    limits: LimitRecord
    version: str


class HealthResponse(Struct):
    """The server runs."""

    status: Literal["ok"]
    version: str


class ReadyResponse(Struct):
    """All models are loaded."""

    status: Literal["ready"]
    models: list[str]


class ProblemRecord(Struct):
    """Why a request was refused."""

    error: Annotated[str, Meta(description="What is wrong, in one line.")]
    status: int
