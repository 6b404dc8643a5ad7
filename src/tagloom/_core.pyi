"""
Native core of tagloom: no I/O, no logging, no random numbers; arrays in, arrays out.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


def kernel_name() -> str:
    """Instruction set of the kernels in use."""

def use_baseline_kernels(baseline: bool) -> None:
    """For tests: results do not depend on it."""

class StringTable:
    """Distinct strings numbered in order of first appearance."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def __getitem__(self, id: int) -> str: ...

    def __contains__(self, arg: str, /) -> bool: ...

    def find(self, text: str) -> int:
        """Number of the string, or -1."""

    def intern(self, text: str) -> int:
        """Number of the string, added if new."""

    def intern_all(self, words: Sequence[str]) -> NDArray[numpy.int32]:
        """Numbers of many strings, int32."""

    def strings(self) -> list[str]: ...

    def hashes(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
        """64-bit hashes of all strings."""

    def to_blob(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """(bytes, offsets) for saving."""

    @staticmethod
    def from_blob(blob: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> StringTable: ...

def split_parts(text: NDArray[numpy.uint8], ends: NDArray[numpy.int64]) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.int64]]:
    """
    Texts cut after every blank, each distinct part kept once, in order of appearance.
    """

def hash_string(text: str) -> int: ...

def mix(a: int, b: int) -> int: ...

def parse_columns(data: bytes, columns: int, separator: str, comment: str) -> dict[str, object] | tuple[int, str]:
    """The parsed text, or (line, what is wrong)."""

class Lookup:
    """Word -> value, such as a Brown cluster's bit string."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def add(self, word: str, value: str) -> None: ...

    def find(self, word: str) -> str:
        """The word's value, or an empty string."""

    def words(self) -> StringTable: ...

    def values(self) -> StringTable: ...

    def value_ids(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    @staticmethod
    def restore(words: StringTable, values: StringTable, value_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Lookup: ...

class PhraseTrie:
    """Lists of phrases for longest match over tokens."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def add(self, list: int, fold: bool, tokens: Sequence[str], words: bool = False) -> None:
        """
        fold: lower-case both the phrase and the text; words: keep the lists of its words, too.
        """

    def lists_of_words(self, strings: StringTable) -> NDArray[numpy.uint64]:
        """
        [strings] sets of the lists with phrases that a word occurs in, of phrases that were added with their words.
        """

    def entries(self, strings: StringTable, codes: NDArray[numpy.int32], sentences: NDArray[numpy.int64]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint64]]:
        """
        (offsets [N + 1], lengths, sets of lists) of the phrases that begin at every token, shortest first.
        """

    def nodes(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]]:
        """(keys, sets of lists) for saving."""

    @staticmethod
    def restore(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], sets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> PhraseTrie: ...

class LevelTable:
    """Keys of n-grams -> small whole numbers."""

    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    def find(self, key: int) -> int | None: ...

    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

    def levels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

def ngram_keys(tokens: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
    """The key of every run of n tokens, given the tokens' hashes."""

MAX_OFFSET: int = 64

MAX_COMBINATIONS: int = 1048576

def attribute_functions() -> list[tuple[str, bool, str]]:
    """(name, whether a number follows it, help) of every built-in attribute."""

def attribute_values(name: str, n: int, word: str) -> list[str]: ...

def feature_key(template_text: str, values: Sequence[str]) -> int: ...

def boundary_text(distance: int) -> str: ...

class Encoder:
    """Attributes and templates, compiled."""

    def __init__(self) -> None: ...

    def add_native(self, name: str, n: int, column: int) -> int: ...

    def add_lookup(self, lookup: Lookup, n: int, column: int) -> int: ...

    def add_listed(self, list: StringTable, column: int) -> int:
        """1 for words whose lower-cased form stands in a list, 0 for others."""

    def add_functional(self, list: StringTable, column: int) -> int:
        """yes for words that stand in a list as they are written."""

    def add_typed(self, list: StringTable, column: int) -> int:
        """Types of words in patterns; f for those of a list."""

    def add_given(self, column: int) -> int:
        """Values of the word, given by the caller."""

    def add_per_token(self) -> int:
        """Values of the token, given by the caller for every batch."""

    def add_template(self, text: str, parts: Sequence[tuple[int, int]], edge: bool) -> None: ...

class AttributeStore:
    """Values of all attributes: of words seen so far, and of one batch."""

    def __init__(self, encoder: Encoder) -> None: ...

    def extend(self, tables: Sequence[StringTable]) -> None:
        """Compute native attributes of all new strings."""

    def most(self, attribute: int) -> int:
        """The largest number of values that one item has."""

    def items(self, attribute: int) -> int: ...

    def append(self, attribute: int, item: object) -> None:
        """Values of the next item: None, a string, strings, or {string: weight}."""

    def clear(self, attribute: int) -> None: ...

    def values(self, attribute: int, item: int) -> list[tuple[str, float]]:
        """(text, weight) of every value of an item."""

    def set_bag(self, attribute: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def match_phrases(self, attribute: int, trie: PhraseTrie, lists: Sequence[str], strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def cut_words(self, attribute: int, trie: PhraseTrie, backward: bool, sizes: bool, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """S, B, M, E by maximum matching, or with sizes: single, multiple."""

    def find_words(self, attribute: int, trie: PhraseTrie, at_end: bool, limit: int, length_only: bool, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        The words of at most limit tokens that begin, or end, at each token; or the longest one's length.
        """

    def find_categories(self, attribute: int, categories: Lookup, trie: PhraseTrie, backward: bool, n: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        First n characters of the codes of the word around each token, by maximum matching.
        """

    def find_levels(self, attribute: int, table: LevelTable, n: int, at_end: bool, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """The level of the n-gram that begins, or ends, at each token."""

    def find_same(self, attribute: int, distance: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """yes where the token so far to the right is the same."""

class FeatureTable:
    """64-bit feature keys -> rows."""

    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @staticmethod
    def hashed(buckets: int) -> FeatureTable: ...

    def __len__(self) -> int: ...

    @property
    def buckets(self) -> int: ...

    def find(self, key: int) -> int:
        """Row of the key, or -1."""

    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

class Collected:
    """The features of a training corpus."""

    def table(self, edge: bool) -> FeatureTable: ...

    def take_rows(self, edge: bool) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]:
        """(offsets, rows, values), moved out: can be taken once."""

    def names(self, store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], edge: bool, part_names: Sequence[Sequence[str]], rows: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64]]:
        """The texts of some features as (bytes, offsets)."""

def collect_features(store: AttributeStore, codes: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cutoff: int, buckets: int) -> Collected: ...

def encode(store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], nodes: FeatureTable, edges: FeatureTable) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]], tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]]:
    """
    Node and edge features of a batch as (offsets, rows, values); unknown features are dropped.
    """

class SearchSettings:
    """
    How a history-based model searches: lookahead, or a beam; from left to right or backwards.
    """

    def __init__(self, *, depth: int = 0, margin: float = 0.0, beam: int = 0, max_violation: bool = True, is_backwards: bool = False, is_normalised: bool = False) -> None: ...

class Chain:
    """A label a token; layout of the weights and allowed label sequences."""

    def __init__(self, labels: int, node_rows: int, has_transitions: bool, edge_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_pairs: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], has_triples: bool = False) -> None: ...

    @property
    def has_triples(self) -> bool: ...

    @property
    def triple_begin(self) -> int: ...

    @property
    def labels(self) -> int: ...

    @property
    def stride(self) -> int: ...

    @property
    def node_rows(self) -> int: ...

    @property
    def transition_begin(self) -> int: ...

    @property
    def edge_begin(self) -> int: ...

    @property
    def size(self) -> int:
        """Number of weights."""

def compact_rows(chain: Chain, weights: NDArray[numpy.float32]) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float32]]:
    """
    Node rows that are not zero; their weights and the transitions, without the edge weights.
    """

def edge_support(offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], sentences: NDArray[numpy.int64], gold: NDArray[numpy.int32], labels: int, features: int, all: bool, is_backwards: bool = False) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

class ChainData:
    """Encoded sentences of a chain, with gold labels (or none)."""

    def __init__(self, chain: Chain, node_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], node_rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], node_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def sample(self, order: NDArray[numpy.int64]) -> tuple[Chain, ChainData]:
        """
        Some sentences as data of their own, with a chain of only the node features that occur in them.
        """

    def decode(self, weights: NDArray[numpy.float32], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
        """(labels [N], scores [S])"""

    def decode_allowed(self, weights: NDArray[numpy.float32], allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
        """(labels [N], scores [S]); `allowed` is [N][L] flags, or empty."""

    def decode_posterior(self, weights: NDArray[numpy.float32], allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        (labels [N], expected number of right ones [S]); `allowed` is [N][L] flags, or empty.
        """

    def marginals(self, weights: NDArray[numpy.float32], allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.float32], NDArray[numpy.float64]]:
        """(P(label | x) [N][L], log Z [S]); `allowed` is [N][L] flags, or empty."""

    def decode_history(self, weights: NDArray[numpy.float32], search: SearchSettings, allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        (labels [N], scores [S]) by lookahead or beam; `allowed` is [N][L] flags, or empty.
        """

    def nbest_history(self, weights: NDArray[numpy.float32], search: SearchSettings, allowed: NDArray[numpy.uint8], n: int, threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        As `nbest`: the best hypotheses of a beam of n, or of the search's own width if that is larger.
        """

    def history_log_probabilities(self, weights: NDArray[numpy.float32], search: SearchSettings, allowed: NDArray[numpy.uint8], threads: int) -> NDArray[numpy.float64]:
        """log P(gold | x) of every sentence, normalised label by label."""

    def history_marginals(self, weights: NDArray[numpy.float32], search: SearchSettings, allowed: NDArray[numpy.uint8], threads: int) -> NDArray[numpy.float32]:
        """P(label | x) [N][L], normalised label by label."""

    def look(self, weights: NDArray[numpy.float32], search: SearchSettings, sentence: int, decided: Sequence[int], window: bool) -> tuple[NDArray[numpy.float32], NDArray[numpy.int32]]:
        """
        (values of the labels of the next token, best labels from there on), for tests.
        """

    def log_probabilities(self, weights: NDArray[numpy.float32], threads: int) -> NDArray[numpy.float64]:
        """log P(gold | x) of every sentence."""

    def joined(self, sequences: NDArray[numpy.int64], breaks: NDArray[numpy.uint8]) -> ChainData:
        """
        The same tokens cut into other sequences; `breaks` marks tokens that no feature or span reaches over to, or is empty.
        """

    @property
    def gold(self) -> NDArray[numpy.int32]:
        """The gold labels [N]; empty if there are none."""

    def nbest(self, weights: NDArray[numpy.float32], allowed: NDArray[numpy.uint8], n: int, threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        (candidates of every sequence [S + 1], where their labels begin [C + 1], labels, scores [C]), best first.
        """

    def decode_rescored(self, weights: NDArray[numpy.float32], features: NonlocalFeatures, nonlocal_: NDArray[numpy.float32], second: NDArray[numpy.float32], allowed: NDArray[numpy.uint8], n: int, threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
        """(labels [N], total scores [D]): the best of n candidates a document."""

    def scores(self, weights: NDArray[numpy.float32], sequence: int, labels: NDArray[numpy.int32]) -> NDArray[numpy.float64]:
        """Scores of labellings of one sequence, given one after the other."""

def decode_words(chain: Chain, weights: NDArray[numpy.float32], store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], nodes: FeatureTable, edges: FeatureTable, allowed: NDArray[numpy.uint8], threads: int, search: SearchSettings | None = None) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
    """
    (labels [N], scores [S]) of a batch of words; `allowed` is [N][L] flags, or empty. By Viterbi, or as `search` says.
    """

class NonlocalFeatures:
    """Features of whole documents and all of their labels."""

    def __init__(self, data: ChainData, words: NDArray[numpy.int32], flags: NDArray[numpy.uint8], classes: Sequence[int], begins: Sequence[int], ends: Sequence[int], families: Sequence[bool], function: Callable[[int, NDArray[numpy.int32]], NDArray[numpy.uint32]] | None) -> None: ...

    @property
    def native_rows(self) -> int:
        """Rows of the native features; those of Python functions follow."""

    def count(self, document: int, labels: NDArray[numpy.int32]) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float32]]:
        """(rows, counts) of the features of one labelling."""

    def count_lists(self, first: NDArray[numpy.int64], begins: NDArray[numpy.int64], labels: NDArray[numpy.int32], threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]:
        """
        (where the rows of each candidate begin, rows, counts) of candidates of all documents.
        """

class CandidateLists:
    """Candidates of every document, found by another model."""

    def __init__(self, data: ChainData, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class StepSettings:
    """Numbers of a step; every step reads those it knows."""

    def __init__(self, *, aggressiveness: float = 1.0, rate: float = 0.1, decay: float = 0.0, l1: float = 0.0, l2: float = 0.0, examples: float = 1.0, period: float = 1.0, window: float = 1.0, slow: float = 0.995, fast: float = 0.6) -> None: ...

class MarginSettings:
    """
    n, C and the variants of Algorithms 3.1, 4.1 and 4.2 (kazama-torisawa-2007).
    """

    def __init__(self, *, candidates: int = 2, total_margin: float = 0.0, local_margin: float = 0.0, mends_local: bool = False, is_conservative: bool = False, local_first: bool = False) -> None: ...

def dot(a: NDArray[numpy.float64], b: NDArray[numpy.float64]) -> float:
    """Inner product, summed in the same order on every machine."""

def add_scaled(to: NDArray[numpy.float64], factor: float, from_: NDArray[numpy.float64]) -> None:
    """to += factor * from"""

class OnlineState:
    """
    Weights of an online learner, with the sums of the lazy average and what its step remembers.
    """

    def __init__(self, size: int, averaged: bool) -> None: ...

    def start(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Weights to begin with instead of zeros."""

    def set_frequency_rates(self, data: ChainData, a: float, b: float) -> None:
        """MADF's factor for every weight (he-wang-2012, Eq. 15)."""

    def epoch(self, data: ChainData, order: NDArray[numpy.int64], opponent: str, step: str, settings: StepSettings, costs: NDArray[numpy.float64], search: SearchSettings | None = None) -> tuple[int, int, float]:
        """
        One pass in the order given; (examples that moved the weights, tokens in error, loss).
        """

    def margin_epoch(self, data: ChainData, order: NDArray[numpy.int64], settings: MarginSettings, features: NonlocalFeatures | None, lists: CandidateLists | None) -> tuple[int, int, float]:
        """
        One pass of a margin perceptron over candidates (kazama-torisawa-2007), as `epoch`.
        """

    def search_epoch(self, data: ChainData, order: NDArray[numpy.int64], settings: SearchSettings) -> tuple[int, int, float]:
        """
        One pass of a history-based learner (tsuruoka-2011, Figure 3; beam search), as `epoch`; lookahead counts decisions.
        """

    def start_nonlocal(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Weights of non-local features to begin with."""

    def nonlocal_mean(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """Weights of non-local features, averaged as the others are."""

    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

    def mean(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """
        Mean of the weights after each example; the weights themselves if there is no averaging.
        """

    def take_mean(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """The mean, moved out: the state is empty afterwards."""

    def to_tensors(self) -> dict[str, NDArray[Any]]:
        """All that further passes depend on."""

    def restore(self, tensors: dict[str, NDArray[Any]]) -> None:
        """The inverse of to_tensors."""

class BatchObjective:
    """
    Sum of -log P(gold | x) over all sentences, and its gradient, as a function of the weights that exist.
    """

    def __init__(self, data: ChainData, all_labels: bool, label_cutoff: int = 1, search: SearchSettings | None = None) -> None: ...

    @property
    def size(self) -> int:
        """Number of variables."""

    @property
    def has_negative_values(self) -> bool:
        """Whether a feature has one."""

    def observed(self, threads: int) -> NDArray[numpy.float64]:
        """How often gold has the feature of each variable."""

    def largest_sum(self, counts: NDArray[numpy.float64], threads: int) -> float:
        """
        The largest sum of values of variables with counts, over tokens and labels: C of iterative scaling.
        """

    def start(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Takes over weights: those of features that fire become variables, the others stay as they are.
        """

    def evaluate(self, x: NDArray[numpy.float64], gradient: NDArray[numpy.float64], threads: int) -> tuple[float, int]:
        """Writes the gradient; (loss, tokens in error)."""

    def weights(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """The variables laid out as weights of the chain."""

    def variables(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The inverse of weights."""

def intern_sentences(tables: Sequence[StringTable], sentences: object) -> tuple[list[NDArray[numpy.int32]], NDArray[numpy.int64]]:
    """
    Codes of every column and sentence offsets of sentences given as lists of words or of rows of words.
    """

def label_lists(labels: NDArray[numpy.int32], sentences: NDArray[numpy.int64], names: list[str]) -> list[list[str]]: ...

def oracle_actions(heads: NDArray[numpy.int32], relations: NDArray[numpy.int32], count: int) -> NDArray[numpy.int32] | None:
    """The actions that build a tree; None if it is not projective."""

def build_tree(actions: NDArray[numpy.int32], count: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32]]:
    """(heads, relations; -1 for the root) that actions build."""

class ArcWalk:
    """
    Arc-standard action by action: 0 is shift, 1 + r an arc to the left, 1 + R + r one to the right.
    """

    def __init__(self, words: int, relations: int = 1, heads: Sequence[int] = [], names: Sequence[int] = []) -> None: ...

    def is_final(self) -> bool: ...

    def is_valid(self, action: int) -> bool: ...

    def apply(self, action: int) -> None: ...

    def undo(self) -> None: ...

    def cost(self, action: int) -> int:
        """
        0 if the gold tree can still be built after the action, where it can be built now.
        """

    def oracle(self) -> int: ...

    def stack(self) -> list[int]:
        """Words of the stack, the top last, counted from 0."""

    def front(self) -> int:
        """Words read so far."""

    def snapshot(self) -> bytes:
        """State and stack, byte by byte."""

class StateTemplates:
    """Compiled templates over the states of a parser."""

    def __init__(self, addresses: Sequence[tuple[int, int, int]], atoms: Sequence[tuple[int, int, int]], templates: Sequence[tuple[str, Sequence[int]]]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def reads_relations(self) -> bool: ...

class TreeData:
    """Sentences as a parser sees them, with gold trees (or none)."""

    def __init__(self, hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], attributes: int, relation_hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], relations: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def attribute_hashes(store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64]) -> NDArray[numpy.uint64]:
    """
    [attributes][N] the value of every attribute at every token, hashed; 0: none.
    """

class ParserState:
    """
    Weights of a parser that learns; features are numbered as updates ask for them.
    """

    def __init__(self, templates: StateTemplates, relations: int, averaged: bool) -> None: ...

    def epoch(self, data: TreeData, order: NDArray[numpy.int64], settings: SearchSettings) -> tuple[int, int, float]:
        """
        One pass in the order given; (decisions or trees that moved the weights, wrong actions, loss).
        """

    def frozen(self) -> dict[str, NDArray[Any]]:
        """
        What ParserCore takes: keys, ends, counts, actions and weights, averaged if the learner averages.
        """

    def to_tensors(self) -> dict[str, NDArray[Any]]:
        """All that further passes depend on."""

    def restore(self, keys: NDArray[numpy.uint64], templates: NDArray[numpy.uint8], counts: NDArray[numpy.uint16], actions: NDArray[numpy.uint16], weights: NDArray[numpy.float32], sums: NDArray[numpy.float32], clock: float) -> None:
        """The inverse of to_tensors."""

class ParserCore:
    """Frozen weights of a parser; features are ordered by template."""

    def __init__(self, templates: StateTemplates, relations: int, keys: NDArray[numpy.uint64], ends: NDArray[numpy.int64], counts: NDArray[numpy.uint16], actions: NDArray[numpy.uint16], weights: NDArray[numpy.float32]) -> None: ...

    def parse(self, data: TreeData, search: SearchSettings, threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """(heads [N], relations [N], -1 for the root, scores [S])"""

    def actions(self, data: TreeData, search: SearchSettings, sentence: int) -> NDArray[numpy.int32]:
        """The actions that build the tree of a sentence."""

    def look(self, data: TreeData, search: SearchSettings, sentence: int, done: Sequence[int]) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32], NDArray[numpy.int32], NDArray[numpy.uint64]]:
        """
        (scores of the actions, their values by lookahead, best way on, key of every template) after some actions.
        """

    def weights_of(self, key: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """Weights of a feature for every action; zeros if it is not known."""

class GlobalTemplates:
    """
    Compiled templates of global features, and what the labels of a model mean.
    """

    def __init__(self, templates: Sequence[tuple[str, bool, int, Sequence[tuple[int, int, int, int, int, Sequence[int]]]]], labels: Sequence[str], classes: Sequence[str], of_label: Sequence[int], begins: Sequence[int], ends: Sequence[int]) -> None: ...

    def __len__(self) -> int: ...

class GlobalData:
    """Sequences whose labellings have global features."""

    def __init__(self, templates: GlobalTemplates, hashes: NDArray[numpy.uint64], attributes: int, sequences: NDArray[numpy.int64], breaks: NDArray[numpy.uint8], words: StringTable, codes: NDArray[numpy.int32]) -> None: ...

    def __len__(self) -> int: ...

    def count(self, first: NDArray[numpy.int64], begins: NDArray[numpy.int64], labels: NDArray[numpy.int32], threads: int) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64]]:
        """
        (keys of all features, ascending, number of sequences that each occurs in)
        """

    def rows(self, table: FeatureTable, first: NDArray[numpy.int64], begins: NDArray[numpy.int64], labels: NDArray[numpy.int32], threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """
        (offsets [C + 1], rows) of the features of every candidate, ascending, each once; those not in the table are left out.
        """

    def describe(self, store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], sequence: int, labels: NDArray[numpy.int32]) -> list[tuple[int, str]]:
        """(key, text) of the features of one labelling."""

    def names(self, store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], table: FeatureTable, first: NDArray[numpy.int64], begins: NDArray[numpy.int64], labels: NDArray[numpy.int32]) -> list[str]:
        """The text of every row, empty for those that do not occur."""

class TagDictionary:
    """Labels that words may take; a word that is not in it may take any."""

    def __init__(self, words: NDArray[numpy.uint64], bits: NDArray[numpy.uint8], labels: int) -> None: ...

    def __len__(self) -> int: ...

    def flags(self, chain: Chain, words: StringTable, codes: NDArray[numpy.int32], sentences: NDArray[numpy.int64], given: NDArray[numpy.uint8]) -> NDArray[numpy.uint8]:
        """
        [N][L] flags inside `given`, which is such flags or empty; not where they would leave nothing.
        """

class RankingLists:
    """
    Candidates of every sequence with their scores and the rows of their features.
    """

    def __init__(self, first: NDArray[numpy.int64], scores: NDArray[numpy.float64], offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], features: int, values: NDArray[numpy.float32]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def features(self) -> int: ...

    def score(self, weights: NDArray[numpy.float64], base: float, threads: int) -> NDArray[numpy.float64]:
        """
        [C] base times the candidate's score, plus the weights of its features.
        """

    @overload
    def winners(self, values: NDArray[numpy.float64]) -> NDArray[numpy.int64]:
        """
        [S] the first of the highest values of every list, as a number inside it; -1: the list is empty.
        """

    @overload
    def winners(self, values: NDArray[numpy.int64]) -> NDArray[numpy.int64]: ...

class Boosting:
    """Boosting for ranking (collins-2002, Figure 2)."""

    def __init__(self, lists: RankingLists, best: NDArray[numpy.int64], smoothing: float) -> None: ...

    def watch(self, lists: RankingLists, correct: NDArray[numpy.int64], proposed: NDArray[numpy.int64], gold: int) -> None:
        """From now on, measure the winners of these lists after every round."""

    def run(self, rounds: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        (features, deltas, losses, F-measures) of the next rounds; fewer where no feature lowers the loss.
        """

    @property
    def base_weight(self) -> float:
        """w_0"""

    @property
    def loss(self) -> float:
        """ExpLoss, Z"""

    @property
    def pairs(self) -> int: ...

    def features(self) -> NDArray[numpy.uint32]:
        """
        The features that tell pairs apart, each standing for those with the same pairs.
        """

    def sums(self) -> NDArray[numpy.float64]:
        """W+ and W- of each of these features."""

    def pair_losses(self) -> NDArray[numpy.float64]:
        """exp(-M) of every pair."""

class RankingPerceptron:
    """
    The perceptron for ranking (collins-2002, Figure 3), with a margin if one is given.
    """

    def __init__(self, lists: RankingLists, best: NDArray[numpy.int64], beta: float, margin: float | None, costs: NDArray[numpy.int64] | None = None) -> None: ...

    def state(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        What ``restore`` takes: weights [m], moments [m], and of the scores weight and moment, with the number of lists seen [3].
        """

    def restore(self, weights: NDArray[numpy.float64], moments: NDArray[numpy.float64], numbers: NDArray[numpy.float64]) -> None:
        """
        Begin with these weights, or go on from what ``state`` gave; votes are counted anew.
        """

    def run(self, order: NDArray[numpy.int64]) -> tuple[int, int, float]:
        """
        One pass: (updates, costs of winners that are not the best candidate, loss); the cost is one if none are given.
        """

    def weights(self) -> tuple[NDArray[numpy.float64], float]:
        """Weights of the features and of the scores."""

    def mean(self) -> tuple[NDArray[numpy.float64], float]:
        """The means of the same after every list."""

    def trajectory(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float64], NDArray[numpy.int64]]:
        """
        (offsets [m + 1], events, weight of the scores after every update, votes): what voting needs.
        """

class Trajectory:
    """
    Perceptron weights after every update, as changes; each vector votes (collins-2002, Figure 4).
    """

    def __init__(self, offsets: NDArray[numpy.int64], events: NDArray[numpy.uint32], base: NDArray[numpy.float64], votes: NDArray[numpy.int64]) -> None: ...

    def vote(self, lists: RankingLists, only_winner: bool, threads: int) -> NDArray[numpy.int64]:
        """
        [C] votes; with `only_winner` counting stops where the first place is decided.
        """

def ascending_rows(offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
    """(offsets, rows) with the rows of every item in order, each once."""

def word_types(strings: StringTable, functional: StringTable) -> NDArray[numpy.uint8]:
    """
    [strings] what the attribute word_type says, as the code of its character.
    """

class PhraseData:
    """Sentences in words and in the predicates of phrases."""

    def __init__(self, sentences: NDArray[numpy.int64], word_offsets: NDArray[numpy.int64], word_rows: NDArray[numpy.uint32], word_features: int, around_offsets: NDArray[numpy.int64], around_rows: NDArray[numpy.uint32], inside_offsets: NDArray[numpy.int64], inside_rows: NDArray[numpy.uint32], forms: NDArray[numpy.uint64], types: NDArray[numpy.uint8], word_lists: NDArray[numpy.uint64], entry_offsets: NDArray[numpy.int64], entry_lengths: NDArray[numpy.uint32], entry_lists: NDArray[numpy.uint64], reach: int) -> None: ...

    def __len__(self) -> int: ...

    def count(self, begins: NDArray[numpy.uint8], insides: NDArray[numpy.uint8], categories: NDArray[numpy.int32], longest: int) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64]]:
        """
        (keys ascending, how often) of the features of all phrases that flags of words propose.
        """

    def learn(self, table: FeatureTable, filters: Perceptrons, scorers: Perceptrons, longest: int, order: NDArray[numpy.int64], offsets: NDArray[numpy.int64], begins: NDArray[numpy.int64], ends: NDArray[numpy.int64], categories: NDArray[numpy.int32]) -> tuple[int, int, int, int]:
        """
        One pass of recognition feedback: (updates, missed, over-predicted, correct phrases).
        """

    def recognise(self, table: FeatureTable, filters: Perceptrons, scorers: Perceptrons, longest: int, voted: bool, threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32]]:
        """
        (offsets [S + 1], begins, ends, categories) of the best phrases of every sentence.
        """

    def proposals(self, table: FeatureTable, filters: Perceptrons, scorers: Perceptrons, longest: int, voted: bool, sentence: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64]]:
        """
        (scores of the filters [T * 2], begins, ends, scores [P * K]) of the words and of all phrases that were proposed.
        """

    def keys(self, sentence: int, begin: int, end: int, left: NDArray[numpy.int32]) -> NDArray[numpy.uint64]:
        """
        Features of a phrase; left: categories of the words before it, the nearest first, -1 for none.
        """

class Perceptrons:
    """
    Voted perceptrons with a polynomial kernel, several functions of the same instances.
    """

    def __init__(self, features: int, functions: int, degree: int, dual: bool) -> None: ...

    @property
    def features(self) -> int: ...

    @property
    def functions(self) -> int: ...

    def scores(self, x: NDArray[numpy.uint32], voted: bool) -> NDArray[numpy.float64]:
        """[F] under the vectors as they are now, or under all that voted."""

    def add(self, x: NDArray[numpy.uint32], function: int, sign: int) -> None: ...

    def decide(self, function: int) -> None:
        """The vector of a function outlasts one decision more."""

    def vectors(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint32], NDArray[numpy.int32], NDArray[numpy.int64]]:
        """
        (decisions [F], offsets [J + 1], rows, functions, signs, when): what was added and subtracted.
        """

    def restore(self, decisions: NDArray[numpy.int64], offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], functions: NDArray[numpy.uint32], signs: NDArray[numpy.int32], when: NDArray[numpy.int64]) -> None:
        """The inverse of vectors(), for perceptrons that have not learned."""
