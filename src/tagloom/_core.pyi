"""
Native core of tagloom: no I/O, no logging, no random numbers; arrays in, arrays out.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


def kernel_name() -> str:
    """Returns the instruction set of the kernels in use."""

def use_baseline_kernels(baseline: bool) -> None:
    """
    Selects the baseline kernels or the fastest ones, for tests; results do not depend on it.
    """

class StringTable:
    """Distinct strings numbered in order of first appearance."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def memory(self) -> int:
        """Returns the bytes of memory that the table takes."""

    def __getitem__(self, id: int) -> str: ...

    def __contains__(self, arg: str, /) -> bool: ...

    def find(self, text: str) -> int:
        """Returns the number of the string, or -1."""

    def intern(self, text: str) -> int:
        """Returns the number of the string, which is added if it is new."""

    def intern_all(self, words: Sequence[str]) -> NDArray[numpy.int32]:
        """Returns the numbers of many strings, as int32."""

    def strings(self) -> list[str]: ...

    def hashes(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
        """Returns the 64-bit hashes of all strings."""

    def to_blob(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """Returns (bytes, offsets), for saving."""

    @staticmethod
    def from_blob(blob: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> StringTable: ...

def split_parts(text: NDArray[numpy.uint8], ends: NDArray[numpy.int64]) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.int64]]:
    """
    Cuts texts after every blank and keeps each distinct part once, in order of appearance.
    """

def is_utf8(text: NDArray[numpy.uint8]) -> bool:
    """Whether all bytes together are valid UTF-8."""

def hash_string(text: str) -> int: ...

def mix(a: int, b: int) -> int: ...

def parse_columns(data: bytes, columns: int, separator: str, comment: str) -> dict[str, object] | tuple[int, str]:
    """Returns the parsed text, or (line, error message)."""

class Lookup:
    """A map from words to values, such as the bit strings of Brown clusters."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def add(self, word: str, value: str) -> None: ...

    def find(self, word: str) -> str:
        """Returns the word's value, or an empty string."""

    def find_folded(self, word: str) -> str:
        """
        Returns the word's value or that of another spelling: in lower case, capitalised, in upper case, mixed.
        """

    def words(self) -> StringTable: ...

    def values(self) -> StringTable: ...

    def value_ids(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    @staticmethod
    def restore(words: StringTable, values: StringTable, value_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Lookup: ...

class PhraseTrie:
    """Lists of phrases for longest-match lookup over tokens."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def add(self, list: int, fold: bool, tokens: Sequence[str], words: bool = False) -> None:
        """
        Adds a phrase. `fold` lower-cases both the phrase and the text; `words` also records the lists of its words.
        """

    def lists_of_words(self, strings: StringTable) -> NDArray[numpy.uint64]:
        """
        Returns [strings] which of the first 64 lists have phrases with each word, as bits, for phrases that were added with `words`.
        """

    def entries(self, strings: StringTable, codes: NDArray[numpy.int32], sentences: NDArray[numpy.int64]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint64]]:
        """
        Returns (offsets [N + 1], lengths, which of the first 64 lists as bits) of the phrases that begin at every token, shortest first.
        """

    def nodes(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint32], NDArray[numpy.uint64], int]:
        """
        Returns (keys, numbers of their sets of lists, the sets as rows of bits, words of a row), for saving.
        """

    @staticmethod
    def restore(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> PhraseTrie: ...

class LevelTable:
    """A map from the keys of n-grams to small whole numbers."""

    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    def find(self, key: int) -> int | None: ...

    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

    def levels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

class WordVectors:
    """A dense vector for every word of a table."""

    def __init__(self, words: StringTable, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def dimensions(self) -> int: ...

    def words(self) -> StringTable: ...

    def values(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """Returns [words x dimensions] numbers."""

class CaseCounter:
    """Counts how words are written."""

    def __init__(self) -> None: ...

    def add_text(self, text: str) -> None:
        """Counts the words of a text."""

    def add_word(self, word: str, times: int) -> None: ...

    def counts(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint64], NDArray[numpy.uint64], NDArray[numpy.uint64]]:
        """
        Returns (keys, lower, title, upper): the counts of every word in lower case, capitalised, and in capitals, in no order.
        """

class CaseTable:
    """Levels that tell how words are written."""

    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    def find(self, word: str) -> int:
        """Returns the level of a word."""

    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

    def levels(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')]: ...

CASE_LEVELS: int = 1296

UNKNOWN_CASE: int = 640

def ngram_keys(tokens: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
    """
    Returns the key of every run of n tokens, given the hashes of the tokens.
    """

MAX_OFFSET: int = 64

MAX_COMBINATIONS: int = 4096

def attribute_functions() -> list[tuple[str, bool, str]]:
    """
    Returns (name, whether a number follows it, help) of every built-in attribute.
    """

def lexical_attributes() -> list[str]:
    """
    Returns the names of the built-in attributes that tell which word it is.
    """

def attribute_values(name: str, n: int, word: str) -> list[str]: ...

def feature_key(template_text: str, values: Sequence[str]) -> int: ...

def boundary_text(distance: int) -> str: ...

class Macro:
    """
    A macro of Wapiti's patterns: x, t or m; X, T and M lower-case their value.
    """

    def __init__(self, command: str, pattern: str) -> None:
        """Raises ValueError with a reason if the pattern is not legal."""

    def apply(self, word: str) -> str:
        """Returns the value of a word."""

    def apply_outside(self, distance: int) -> str:
        """
        Returns the value before (-1, -2, ...) or after (1, 2, ...) the sentence.
        """

class Encoder:
    """Compiled attributes and templates."""

    def __init__(self) -> None: ...

    def add_native(self, name: str, n: int, column: int) -> int: ...

    def add_lookup(self, lookup: Lookup, n: int, fold: bool, column: int) -> int:
        """
        Adds the first n characters of the word's value; with `fold`, other spellings stand for unknown words.
        """

    def add_casing(self, table: CaseTable, column: int) -> int:
        """Adds how a text writes the word."""

    def add_listed(self, list: StringTable, column: int) -> int:
        """
        Adds an attribute that is 1 for words whose lower-cased form is in a list, and 0 for others.
        """

    def add_functional(self, list: StringTable, column: int) -> int:
        """Adds an attribute that is yes for words that are in a list as written."""

    def add_typed(self, list: StringTable, column: int) -> int:
        """
        Adds the type of a word in patterns, which is f for the words of a list.
        """

    def add_macro(self, macro: Macro, column: int) -> int:
        """Adds an attribute of the word that a macro computes."""

    def add_given(self, column: int) -> int:
        """Adds an attribute of the word whose values the caller provides."""

    def add_per_token(self) -> int:
        """
        Adds an attribute of the token whose values the caller provides for every batch.
        """

    def set_group(self, attribute: int, group: int) -> None:
        """Says which bit of a mask takes the values of an attribute away."""

    def add_template(self, text: str, parts: Sequence[tuple[int, int]], edge: bool) -> None: ...

class AttributeStore:
    """Values of all attributes, for the words seen so far and for one batch."""

    def __init__(self, encoder: Encoder) -> None: ...

    def extend(self, tables: Sequence[StringTable]) -> None:
        """Computes the native attributes of all new strings."""

    def memory(self) -> int:
        """Returns the bytes of memory that the values take."""

    def most(self, attribute: int) -> int:
        """Returns the largest number of values that one item has."""

    def items(self, attribute: int) -> int: ...

    def append(self, attribute: int, item: object) -> None:
        """
        Appends the values of the next item: None, a string, strings, or {string: weight}.
        """

    def clear(self, attribute: int) -> None: ...

    def values(self, attribute: int, item: int) -> list[tuple[str, float]]:
        """Returns (text, weight) of every value of an item."""

    def set_bag(self, attribute: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def match_phrases(self, attribute: int, trie: PhraseTrie, lists: Sequence[str], bioes: bool, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets B and I of the longest matches of every list; with `bioes`, S, B, I and E of those that begin at a word with a capital letter or a digit at its beginning.
        """

    def cut_words(self, attribute: int, trie: PhraseTrie, backward: bool, sizes: bool, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets S, B, M or E of each token by maximum matching; with `sizes`, single or multiple.
        """

    def find_words(self, attribute: int, trie: PhraseTrie, at_end: bool, limit: int, length_only: bool, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Finds the words of at most `limit` tokens that begin or end at each token, or only the length of the longest.
        """

    def find_categories(self, attribute: int, categories: Lookup, trie: PhraseTrie, backward: bool, n: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Finds the first n characters of the codes of the word around each token, by maximum matching.
        """

    def find_levels(self, attribute: int, table: LevelTable, n: int, at_end: bool, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Finds the level of the n-gram that begins or ends at each token."""

    def find_same(self, attribute: int, distance: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Sets yes where the token at `distance` to the right is the same."""

    def find_vectors(self, attribute: int, vectors: WordVectors, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Sets the numbers of the vector of every token's word."""

    def aggregate_context(self, attribute: int, clusters: Lookup | None, n: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], documents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets what stands around the nearest other occurrences of the word in the document: words, or with clusters the first `n` bits of them (0: all).
        """

    def find_document_kinds(self, attribute: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], documents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Sets the kind of the document of each token."""

    def find_sentence_places(self, attribute: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], documents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the number of the sentence of each token in its document, at most 5.
        """

    def find_sentence_cases(self, attribute: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], documents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Sets how the sentence of each token is written."""

    def read_stage(self, attribute: int, what: int, labels: StringTable, label_codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], documents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets what a first stage predicts in the other sentences of the document for the word (0), the pair of words (1), the entity (2), longer entities (3) or the cell of a table (4).
        """

    def find_place(self, attribute: int, macro: Macro, place: int, strings: StringTable, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Sets the value of a macro at a place of the sentence (1: the first word, -1: the last) at every token.
        """

class FeatureTable:
    """A map from 64-bit feature keys to rows."""

    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @staticmethod
    def hashed(buckets: int) -> FeatureTable: ...

    def __len__(self) -> int: ...

    @property
    def buckets(self) -> int: ...

    def find(self, key: int) -> int:
        """Returns the row of the key, or -1."""

    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

class Collected:
    """The features of a training corpus."""

    def __init__(self, buckets: int = 0, has_origins: bool = True) -> None:
        """
        Begins without features. Without origins, features take less memory and have no names.
        """

    def table(self, edge: bool) -> FeatureTable: ...

    def take(self, store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], threads: int = 1, masks: NDArray[numpy.uint8] | None = None) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]], tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]]:
        """
        Takes a batch and returns (offsets, rows, values) of nodes and of edges. The numbers of rows are provisional until `finish`.
        """

    def finish(self, cutoff: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint32]]:
        """
        Numbers the rows by frequency, once; returns the new number of each row of nodes and of edges, 2^32 - 1 for those that are rarer than the cut-off. Buckets keep their numbers.
        """

    def take_rows(self, edge: bool) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]:
        """
        Returns (offsets, rows, values) and moves them out, so it can be called only once.
        """

    def names(self, store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], edge: bool, part_names: Sequence[Sequence[str]], rows: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64]]:
        """Returns the texts of some features as (bytes, offsets)."""

def collect_features(store: AttributeStore, codes: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cutoff: int, buckets: int, threads: int = 1, masks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Collected:
    """
    Collects the features of a whole corpus. The number of threads changes nothing. `masks` are those of all tokens, copy after copy: every sentence is collected in as many copies, one after the other.
    """

def rename_rows(offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], values: NDArray[numpy.float32], new_row: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]:
    """
    Returns rows with the numbers that `Collected.finish` gave; those without one are dropped.
    """

def encode(store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], nodes: FeatureTable, edges: FeatureTable, threads: int = 1, masks: NDArray[numpy.uint8] | None = None) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]], tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]]:
    """
    Returns the node and edge features of a batch as (offsets, rows, values); unknown features are dropped.
    """

MAX_CLUSTERS: int = 10000

LOSS_DIGITS: int = 24

class BrownClustering:
    """
    Brown clusters of words that are numbered by falling frequency, in the making.
    """

    def __init__(self, left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int, clusters: int) -> None:
        """
        Takes distinct bigrams. The number `words` stands for all rarer words, `words` + 1 for the boundary of sentences.
        """

    def run(self, steps: int, threads: int = 1) -> int:
        """Does up to `steps` steps and returns how many are left."""

    def merges(self) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int64]]:
        """
        Returns (into, from, loss) of all merges so far. A cluster has the number of its most frequent word. The loss is that of average mutual information times the number of bigrams, in bits times 2^LOSS_DIGITS.
        """

class KMeans:
    """Clusters of points, in the making."""

    def __init__(self, points: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], dimensions: int, random: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> None:
        """
        Chooses one seed per random number by k-means++, fewer if points are equal.
        """

    def run_pass(self, threads: int = 1) -> int:
        """Does one pass and returns how many points have changed their cluster."""

    def __len__(self) -> int: ...

    def centroids(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

    def nearest(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    def distances(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """Returns the squared distance of every point from its centroid."""

class ItemRows:
    """Feature rows of sequences of feature dicts."""

    @property
    def sentences(self) -> NDArray[numpy.int64]:
        """Offsets of the sentences."""

    def arrays(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]:
        """
        Returns the offsets of the tokens, the rows and their values (empty if all are 1).
        """

def intern_items(strings: StringTable, sequences: object) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Returns codes, values, offsets of the tokens and offsets of the sentences of feature dicts.
    """

def find_items(table: FeatureTable, seed: str, sequences: object) -> ItemRows:
    """
    Looks up the features of feature dicts, for a template whose only part is an attribute of the token.
    """

class SearchSettings:
    """
    How a history-based model searches: by lookahead or with a beam, from left to right or backwards.
    """

    def __init__(self, *, depth: int = 0, margin: float = 0.0, beam: int = 0, max_violation: bool = True, is_backwards: bool = False, is_normalised: bool = False) -> None: ...

class Chain:
    """
    A model with one label per token: the layout of its weights and the allowed label sequences.
    """

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

    def __getstate__(self) -> tuple[Any, ...]: ...

    def __setstate__(self, arg: tuple[int, int, bool, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bool], /) -> None: ...

def compact_rows(chain: Chain, weights: NDArray[numpy.float32]) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float32] | None]:
    """
    Returns the node rows that are not zero, and their weights with the transitions but without the edge weights; None if all rows stay.
    """

def edge_support(offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], sentences: NDArray[numpy.int64], gold: NDArray[numpy.int32], labels: int, features: int, all: bool, is_backwards: bool = False) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]: ...

class GoldCounts:
    """How often features and label pairs occur with the gold labels."""

    def __init__(self, chain: Chain, is_backwards: bool = False) -> None: ...

    def add(self, data: ChainData) -> None:
        """Adds the counts of further data of the same chain."""

    def __getstate__(self) -> tuple[Any, ...]: ...

    def __setstate__(self, arg: tuple[Chain, bool, int, Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], /) -> None: ...

class ChainData:
    """Encoded sentences of a chain, with or without gold labels."""

    def __init__(self, chain: Chain, node_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], node_rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], node_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def sample(self, order: NDArray[numpy.int64]) -> tuple[Chain, ChainData]:
        """
        Returns some of the sentences as separate data, with a chain of only the node features that occur in them.
        """

    def select(self, order: NDArray[numpy.int64]) -> ChainData:
        """Returns some of the sentences as separate data of the same chain."""

    def with_segments(self, longest: int, offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], roles: NDArray[numpy.int32]) -> ChainData:
        """
        Returns the same sentences with features of segments; `roles` are the labels (first, inner, last, single) of every type, -1 for none.
        """

    def __getstate__(self) -> tuple[Any, ...]: ...

    def __setstate__(self, arg: tuple[Chain, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], int, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], /) -> None: ...

    def decode(self, weights: NDArray[numpy.float32], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
        """Returns (labels [N], scores [S])."""

    def decode_allowed(self, weights: NDArray[numpy.float32], allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        Returns (labels [N], scores [S]); `allowed` holds flags [N][L] or is empty.
        """

    def decode_posterior(self, weights: NDArray[numpy.float32], allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        Returns (labels [N], expected number of correct labels [S]); `allowed` holds flags [N][L] or is empty.
        """

    def decode_spans(self, weights: NDArray[numpy.float32], classes: Sequence[int], begins: Sequence[int], ends: Sequence[int], threshold: float, allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        Returns (labels [N], the sum of what the probabilities of the spans are above the threshold [S]); the labels have classes [L] (0: outside of spans), and always begin or end a span [L]; `allowed` as above.
        """

    def marginals(self, weights: NDArray[numpy.float32], allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.float32], NDArray[numpy.float64]]:
        """
        Returns (P(label | x) [N][L], log Z [S]); `allowed` holds flags [N][L] or is empty.
        """

    def decode_history(self, weights: NDArray[numpy.float32], search: SearchSettings, allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        Returns (labels [N], scores [S]), found by lookahead or beam; `allowed` holds flags [N][L] or is empty.
        """

    def nbest_history(self, weights: NDArray[numpy.float32], search: SearchSettings, allowed: NDArray[numpy.uint8], n: int, threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        Like `nbest`, with the best hypotheses of a beam of width n, or of the search's own width if that is larger.
        """

    def history_log_probabilities(self, weights: NDArray[numpy.float32], search: SearchSettings, allowed: NDArray[numpy.uint8], threads: int) -> NDArray[numpy.float64]:
        """Returns log P(gold | x) of every sentence, normalised label by label."""

    def history_marginals(self, weights: NDArray[numpy.float32], search: SearchSettings, allowed: NDArray[numpy.uint8], threads: int) -> NDArray[numpy.float32]:
        """Returns P(label | x) [N][L], normalised label by label."""

    def look(self, weights: NDArray[numpy.float32], search: SearchSettings, sentence: int, decided: Sequence[int], window: bool) -> tuple[NDArray[numpy.float32], NDArray[numpy.int32]]:
        """
        Returns (values of the labels of the next token, best labels from there on), for tests.
        """

    def log_probabilities(self, weights: NDArray[numpy.float32], threads: int) -> NDArray[numpy.float64]:
        """Returns log P(gold | x) of every sentence."""

    def decode_exact(self, weights: NDArray[numpy.float64], allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
        """The same in double precision."""

    def decode_spans_exact(self, weights: NDArray[numpy.float64], classes: Sequence[int], begins: Sequence[int], ends: Sequence[int], threshold: float, allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
        """The same in double precision."""

    def decode_posterior_exact(self, weights: NDArray[numpy.float64], allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
        """The same in double precision."""

    def marginals_exact(self, weights: NDArray[numpy.float64], allowed: NDArray[numpy.uint8], threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """The same in double precision."""

    def log_probabilities_exact(self, weights: NDArray[numpy.float64], threads: int) -> NDArray[numpy.float64]:
        """The same in double precision."""

    def joined(self, sequences: NDArray[numpy.int64], breaks: NDArray[numpy.uint8]) -> ChainData:
        """
        Returns the same tokens cut into other sequences; `breaks` marks the tokens before which features and spans end, or is empty.
        """

    @property
    def gold(self) -> NDArray[numpy.int32]:
        """Returns the gold labels [N], or an empty array without gold labels."""

    def nbest(self, weights: NDArray[numpy.float32], allowed: NDArray[numpy.uint8], n: int, threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        Returns (offsets of the candidates [S + 1], offsets of their labels [C + 1], labels, scores [C]), best first.
        """

    def decode_rescored(self, weights: NDArray[numpy.float32], features: NonlocalFeatures, nonlocal_: NDArray[numpy.float32], second: NDArray[numpy.float32], allowed: NDArray[numpy.uint8], n: int, threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        Returns (labels [N], total scores [D]) of the best of n candidates per document.
        """

    def scores(self, weights: NDArray[numpy.float32], sequence: int, labels: NDArray[numpy.int32]) -> NDArray[numpy.float64]:
        """
        Returns the scores of several labellings of one sequence; `labels` holds them concatenated.
        """

def decode_items(chain: Chain, weights: NDArray[numpy.float32], found: ItemRows, allowed: NDArray[numpy.uint8], threads: int, search: SearchSettings | None, exact: NDArray[numpy.float64], largest: float) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
    """
    Returns (labels [N], scores [S]) of feature dicts, found by Viterbi or by `search`; `allowed` holds flags [N][L] or is empty. With `exact` weights, whose largest absolute value is `largest`, the labels are theirs.
    """

def label_items(chain: Chain, weights: NDArray[numpy.float32], found: ItemRows, names: list[str], threads: int, search: SearchSettings | None, exact: NDArray[numpy.float64], largest: float) -> list[list[str]]:
    """
    Does the same without constraints, and returns the names of the labels of every sentence.
    """

def decode_words(chain: Chain, weights: NDArray[numpy.float32], store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], nodes: FeatureTable, edges: FeatureTable, allowed: NDArray[numpy.uint8], threads: int, search: SearchSettings | None = None) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
    """
    Returns (labels [N], scores [S]) of a batch of words, found by Viterbi or by `search`; `allowed` holds flags [N][L] or is empty.
    """

class NonlocalFeatures:
    """Features of whole documents and all of their labels."""

    def __init__(self, data: ChainData, words: NDArray[numpy.int32], flags: NDArray[numpy.uint8], classes: Sequence[int], begins: Sequence[int], ends: Sequence[int], families: Sequence[bool], function: Callable[[int, NDArray[numpy.int32]], NDArray[numpy.uint32]] | None) -> None: ...

    @property
    def native_rows(self) -> int:
        """
        Number of rows of the native features; the rows of Python functions follow.
        """

    def count(self, document: int, labels: NDArray[numpy.int32]) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float32]]:
        """Returns (rows, counts) of the features of one labelling."""

    def count_lists(self, first: NDArray[numpy.int64], begins: NDArray[numpy.int64], labels: NDArray[numpy.int32], threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]:
        """
        Returns (offsets of the rows of each candidate, rows, counts) for the candidates of all documents.
        """

class CandidateLists:
    """Candidates of every document, found by another model."""

    def __init__(self, data: ChainData, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class StepSettings:
    """Numeric settings of a step; every step reads only the ones it uses."""

    def __init__(self, *, aggressiveness: float = 1.0, rate: float = 0.1, decay: float = 0.0, l1: float = 0.0, l2: float = 0.0, examples: float = 1.0, period: float = 1.0, window: float = 1.0, slow: float = 0.995, fast: float = 0.6, variance: float = 1.0, gamma: float = 1.0, cost_power: float = 0.5) -> None: ...

class MarginSettings:
    """
    The settings n and C, and the variants of Algorithms 3.1, 4.1 and 4.2 (kazama-torisawa-2007).
    """

    def __init__(self, *, candidates: int = 2, total_margin: float = 0.0, local_margin: float = 0.0, mends_local: bool = False, is_conservative: bool = False, local_first: bool = False) -> None: ...

def dot(a: NDArray[numpy.float64], b: NDArray[numpy.float64]) -> float:
    """Returns the inner product, summed in the same order on every machine."""

def add_scaled(to: NDArray[numpy.float64], factor: float, from_: NDArray[numpy.float64]) -> None:
    """Computes to += factor * from in place."""

class OnlineState:
    """
    The weights of an online learner, with the sums of the lazy average and the state of its step.
    """

    def __init__(self, size: int, averaged: bool) -> None: ...

    def start(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Sets the initial weights, which are zeros otherwise."""

    def set_frequency_rates(self, counts: GoldCounts, a: float, b: float) -> None:
        """Sets MADF's factor for every weight (he-wang-2012, Eq. 15)."""

    @property
    def size(self) -> int:
        """Number of weights that learning may move."""

    def restrict(self, exists: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Leaves the weights at zero where this array is zero."""

    def follow_moves(self, chain: Chain) -> None:
        """
        Notes from now on which rows of weights move, as `mix_states` needs it.
        """

    def epoch(self, data: ChainData, order: NDArray[numpy.int64], opponent: str, step: str, settings: StepSettings, costs: NDArray[numpy.float64], search: SearchSettings | None = None) -> tuple[int, int, float]:
        """
        Makes one pass in the given order and returns (updates, wrong tokens, loss).
        """

    def margin_epoch(self, data: ChainData, order: NDArray[numpy.int64], settings: MarginSettings, features: NonlocalFeatures | None, lists: CandidateLists | None) -> tuple[int, int, float]:
        """
        Makes one pass of a margin perceptron over candidates (kazama-torisawa-2007); otherwise like `epoch`.
        """

    def search_epoch(self, data: ChainData, order: NDArray[numpy.int64], settings: SearchSettings) -> tuple[int, int, float]:
        """
        Makes one pass of a history-based learner (tsuruoka-2011, Figure 3; beam search); otherwise like `epoch`. With lookahead, updates are counted per decision.
        """

    def start_nonlocal(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Sets the initial weights of the non-local features."""

    def nonlocal_mean(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """
        Returns the weights of the non-local features, averaged like the other weights.
        """

    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

    def is_finite(self) -> bool:
        """Returns whether all weights are finite numbers, without copying them."""

    def mean(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """
        Returns the mean of the weights after each example, or the weights themselves without averaging.
        """

    def take_mean(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """Returns the mean and moves it out; the state is empty afterwards."""

    def to_tensors(self) -> dict[str, NDArray[Any]]:
        """Returns everything that further passes depend on."""

    def restore(self, tensors: dict[str, NDArray[Any]]) -> None:
        """The inverse of `to_tensors`."""

def mix_states(states: Sequence[OnlineState], chain: Chain, threads: int) -> None:
    """
    Mixes the states of learners that began a pass alike: rows become the mean of those that examples have moved (McDonald, Hall & Mann 2010).
    """

class BatchObjective:
    """
    The sum of -log P(gold | x) over all sentences and its gradient, as functions of the weights that exist.
    """

    def __init__(self, data: ChainData, all_labels: bool, label_cutoff: int = 1, search: SearchSettings | None = None, all_transitions: bool = True, counts: GoldCounts | None = None) -> None:
        """
        Counts of all data decide which weights exist if `data` is a part of it.
        """

    @property
    def size(self) -> int:
        """Number of variables."""

    @property
    def has_negative_values(self) -> bool:
        """Whether a feature has a variable."""

    def observed(self, threads: int) -> NDArray[numpy.float64]:
        """
        Returns how often the feature of each variable occurs with the gold labels.
        """

    def curvature(self, threads: int) -> NDArray[numpy.float64]:
        """
        Returns a bound on the second derivative along each variable where the objective was evaluated last, as if the labels of neighbours were independent. Evaluate it before the next call.
        """

    def largest_sum(self, counts: NDArray[numpy.float64], threads: int) -> float:
        """
        Returns C of iterative scaling: the largest sum, over tokens and labels, of the values of variables with counts.
        """

    def start(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Starts from the given weights: those of features that fire become variables, the others stay fixed.
        """

    def evaluate(self, x: NDArray[numpy.float64], gradient: NDArray[numpy.float64], threads: int) -> tuple[float, int]:
        """Writes the gradient and returns (loss, number of wrong tokens)."""

    def weights(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """Returns the variables, laid out as weights of the chain."""

    def variables(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The inverse of `weights`."""

def intern_sentences(tables: Sequence[StringTable], sentences: object) -> tuple[list[NDArray[numpy.int32]], NDArray[numpy.int64]]:
    """
    Returns the codes of every column and the sentence offsets; a sentence is a list of words or of rows of words.
    """

def label_lists(labels: NDArray[numpy.int32], sentences: NDArray[numpy.int64], names: list[str]) -> list[list[str]]: ...

def tokenize(text: str, rules: str, table: StringTable) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Cuts text into tokens, whose forms are added to the table. Returns their codes, starts and ends in code points, and the offsets of the sentences.
    """

def find_word_breaks(text: str) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """Returns the word boundaries of UAX #29, in code points."""

def get_breaks(text: str) -> tuple[NDArray[numpy.uint8], NDArray[numpy.uint8], NDArray[numpy.uint8]]:
    """Returns Word_Break, Sentence_Break and flags of every character."""

def list_abbreviations() -> dict[str, list[str]]:
    """
    Returns the words that keep their dot, by kind, and those that begin sentences.
    """

def oracle_actions(heads: NDArray[numpy.int32], relations: NDArray[numpy.int32], count: int, is_hybrid: bool = False) -> NDArray[numpy.int32] | None:
    """
    Returns the actions that build a tree, or None if it is not projective.
    """

def build_tree(actions: NDArray[numpy.int32], count: int, is_hybrid: bool = False) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32]]:
    """
    Returns (heads, relations) of the tree that the actions build; the root has relation -1.
    """

class ArcWalk:
    """
    Builds a tree action by action: 0 is shift, 1 + r a left arc, 1 + R + r a right arc.
    """

    def __init__(self, words: int, relations: int = 1, heads: Sequence[int] = [], names: Sequence[int] = [], is_hybrid: bool = False) -> None: ...

    def is_final(self) -> bool: ...

    def is_valid(self, action: int) -> bool: ...

    def apply(self, action: int) -> None: ...

    def undo(self) -> None: ...

    def cost(self, action: int) -> int:
        """
        Returns how many gold arcs are lost by the action; in arc-standard 0 or 1, provided that none is lost yet.
        """

    def oracle(self) -> int: ...

    def stack(self) -> list[int]:
        """The words on the stack, counted from 0, with the top last."""

    def front(self) -> int:
        """Number of words read so far."""

    def snapshot(self) -> bytes:
        """The bytes of the state and the stack."""

class StateTemplates:
    """Compiled templates over the states of a parser."""

    def __init__(self, addresses: Sequence[tuple[int, int, int]], atoms: Sequence[tuple[int, int, int]], templates: Sequence[tuple[str, Sequence[int]]]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def reads_relations(self) -> bool: ...

class TreeData:
    """Sentences as a parser sees them, with or without gold trees."""

    def __init__(self, hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], attributes: int, relation_hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], relations: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def attribute_hashes(store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64]) -> NDArray[numpy.uint64]:
    """
    Returns [attributes][N] the hash of the value of every attribute at every token; 0 means no value.
    """

class ParserState:
    """
    The weights of a parser during training; features are numbered when an update first needs them.
    """

    def __init__(self, templates: StateTemplates, relations: int, averaged: bool, is_hybrid: bool = False) -> None: ...

    def epoch(self, data: TreeData, order: NDArray[numpy.int64], settings: SearchSettings, explores: bool = False) -> tuple[int, int, float]:
        """
        Makes one pass in the given order, following its own decisions if it explores, and returns (updates, wrong actions, loss).
        """

    def frozen(self) -> dict[str, NDArray[Any]]:
        """
        Returns the arguments of ParserCore: keys, ends, counts, actions and weights, averaged if the learner averages.
        """

    def to_tensors(self) -> dict[str, NDArray[Any]]:
        """Returns everything that further passes depend on."""

    def restore(self, keys: NDArray[numpy.uint64], templates: NDArray[numpy.uint8], counts: NDArray[numpy.uint16], actions: NDArray[numpy.uint16], weights: NDArray[numpy.float32], sums: NDArray[numpy.float32], clock: float) -> None:
        """The inverse of `to_tensors`."""

class ParserCore:
    """The frozen weights of a parser; features are ordered by template."""

    def __init__(self, templates: StateTemplates, relations: int, keys: NDArray[numpy.uint64], ends: NDArray[numpy.int64], counts: NDArray[numpy.uint16], actions: NDArray[numpy.uint16], weights: NDArray[numpy.float32], is_hybrid: bool = False) -> None: ...

    def parse(self, data: TreeData, search: SearchSettings, threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        Returns (heads [N], relations [N], scores [S]); the root has relation -1.
        """

    def actions(self, data: TreeData, search: SearchSettings, sentence: int) -> NDArray[numpy.int32]:
        """Returns the actions that build the tree of a sentence."""

    def look(self, data: TreeData, search: SearchSettings, sentence: int, done: Sequence[int]) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32], NDArray[numpy.int32], NDArray[numpy.uint64]]:
        """
        Returns (scores of the actions, their values by lookahead, best continuation, key of every template) after some actions.
        """

    def weights_of(self, key: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """
        Returns the weights of a feature for every action, or zeros if the feature is unknown.
        """

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
        Returns (keys of all features in ascending order, number of sequences that each occurs in).
        """

    def rows(self, table: FeatureTable, first: NDArray[numpy.int64], begins: NDArray[numpy.int64], labels: NDArray[numpy.int32], threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """
        Returns (offsets [C + 1], rows) of the distinct features of every candidate, in ascending order; features that are not in the table are left out.
        """

    def describe(self, store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], sequence: int, labels: NDArray[numpy.int32]) -> list[tuple[int, str]]:
        """Returns (key, text) of the features of one labelling."""

    def names(self, store: AttributeStore, codes: Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], table: FeatureTable, first: NDArray[numpy.int64], begins: NDArray[numpy.int64], labels: NDArray[numpy.int32]) -> list[str]:
        """Returns the text of every row; it is empty for rows that do not occur."""

class TagDictionary:
    """
    The labels that words may take; a word that is not in the dictionary may take any label.
    """

    def __init__(self, words: NDArray[numpy.uint64], bits: NDArray[numpy.uint8], labels: int) -> None: ...

    def __len__(self) -> int: ...

    def flags(self, chain: Chain, words: StringTable, codes: NDArray[numpy.int32], sentences: NDArray[numpy.int64], given: NDArray[numpy.uint8]) -> NDArray[numpy.uint8]:
        """
        Returns flags [N][L] that restrict `given`, which holds such flags or is empty, except where no label would be left.
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
        Returns [C] `base` times the candidate's score plus the weights of its features.
        """

    @overload
    def winners(self, values: NDArray[numpy.float64]) -> NDArray[numpy.int64]:
        """
        Returns [S] the index, within every list, of the first highest value; -1 for an empty list.
        """

    @overload
    def winners(self, values: NDArray[numpy.int64]) -> NDArray[numpy.int64]: ...

class Boosting:
    """Boosting for ranking (collins-2002, Figure 2)."""

    def __init__(self, lists: RankingLists, best: NDArray[numpy.int64], smoothing: float) -> None: ...

    def watch(self, lists: RankingLists, correct: NDArray[numpy.int64], proposed: NDArray[numpy.int64], gold: int) -> None:
        """Measures the winners of these lists after every following round."""

    def run(self, rounds: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Returns (features, deltas, losses, F-measures) of the next rounds, which are fewer if no feature lowers the loss.
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
        Returns the features that distinguish pairs; each represents all features with the same pairs.
        """

    def sums(self) -> NDArray[numpy.float64]:
        """Returns W+ and W- of each of these features."""

    def pair_losses(self) -> NDArray[numpy.float64]:
        """Returns exp(-M) of every pair."""

class RankingPerceptron:
    """
    The perceptron for ranking (collins-2002, Figure 3), with a margin if one is given.
    """

    def __init__(self, lists: RankingLists, best: NDArray[numpy.int64], beta: float, margin: float | None, costs: NDArray[numpy.int64] | None = None) -> None: ...

    def state(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Returns the arguments of `restore`: weights [m], moments [m], and [3] the weight and moment of the scores and the number of lists seen.
        """

    def restore(self, weights: NDArray[numpy.float64], moments: NDArray[numpy.float64], numbers: NDArray[numpy.float64]) -> None:
        """
        Starts from these weights, or continues from what `state` returned; the count of votes restarts.
        """

    def run(self, order: NDArray[numpy.int64]) -> tuple[int, int, float]:
        """
        Makes one pass and returns (updates, costs of winners that are not the best candidate, loss); without costs, each such winner costs one.
        """

    def weights(self) -> tuple[NDArray[numpy.float64], float]:
        """Returns the weights of the features and of the scores."""

    def mean(self) -> tuple[NDArray[numpy.float64], float]:
        """Returns the means of these weights, taken after every list."""

    def trajectory(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float64], NDArray[numpy.int64]]:
        """
        Returns what voting needs: (offsets [m + 1], events, weight of the scores after every update, votes).
        """

class Trajectory:
    """
    Perceptron weights after every update, as changes; each vector votes (collins-2002, Figure 4).
    """

    def __init__(self, offsets: NDArray[numpy.int64], events: NDArray[numpy.uint32], base: NDArray[numpy.float64], votes: NDArray[numpy.int64]) -> None: ...

    def vote(self, lists: RankingLists, only_winner: bool, threads: int) -> NDArray[numpy.int64]:
        """
        Returns the votes [C]; with `only_winner`, counting stops once the first place is decided.
        """

def ascending_rows(offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
    """
    Returns (offsets, rows) with the distinct rows of every item in ascending order.
    """

def word_types(strings: StringTable, functional: StringTable) -> NDArray[numpy.uint8]:
    """
    Returns [strings] the value of the attribute word_type, as the code of its character.
    """

class PhraseData:
    """Sentences as features of their words and predicates of their phrases."""

    def __init__(self, sentences: NDArray[numpy.int64], word_offsets: NDArray[numpy.int64], word_rows: NDArray[numpy.uint32], word_features: int, around_offsets: NDArray[numpy.int64], around_rows: NDArray[numpy.uint32], inside_offsets: NDArray[numpy.int64], inside_rows: NDArray[numpy.uint32], forms: NDArray[numpy.uint64], types: NDArray[numpy.uint8], word_lists: NDArray[numpy.uint64], entry_offsets: NDArray[numpy.int64], entry_lengths: NDArray[numpy.uint32], entry_lists: NDArray[numpy.uint64], reach: int) -> None: ...

    def __len__(self) -> int: ...

    def count(self, begins: NDArray[numpy.uint8], insides: NDArray[numpy.uint8], categories: NDArray[numpy.int32], longest: int) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64]]:
        """
        Returns (keys in ascending order, counts) of the features of all phrases that the flags of words propose.
        """

    def learn(self, table: FeatureTable, filters: Perceptrons, scorers: Perceptrons, longest: int, order: NDArray[numpy.int64], offsets: NDArray[numpy.int64], begins: NDArray[numpy.int64], ends: NDArray[numpy.int64], categories: NDArray[numpy.int32]) -> tuple[int, int, int, int]:
        """
        Makes one pass of recognition feedback and returns the number of (updates, missed, over-predicted, correct phrases).
        """

    def recognise(self, table: FeatureTable, filters: Perceptrons, scorers: Perceptrons, longest: int, voted: bool, threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32]]:
        """
        Returns (offsets [S + 1], begins, ends, categories) of the best phrases of every sentence.
        """

    def proposals(self, table: FeatureTable, filters: Perceptrons, scorers: Perceptrons, longest: int, voted: bool, sentence: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64]]:
        """
        Returns (scores of the filters [T * 2], begins, ends, scores [P * K]) of the words and of all proposed phrases.
        """

    def keys(self, sentence: int, begin: int, end: int, left: NDArray[numpy.int32]) -> NDArray[numpy.uint64]:
        """
        Returns the features of a phrase; `left` holds the categories of the words before it, nearest first, with -1 for none.
        """

class Perceptrons:
    """
    Voted perceptrons with a polynomial kernel: several functions over the same instances.
    """

    def __init__(self, features: int, functions: int, degree: int, dual: bool) -> None: ...

    @property
    def features(self) -> int: ...

    @property
    def functions(self) -> int: ...

    def scores(self, x: NDArray[numpy.uint32], voted: bool) -> NDArray[numpy.float64]:
        """
        Returns the scores [F] under the current vectors, or under all vectors that voted.
        """

    def add(self, x: NDArray[numpy.uint32], function: int, sign: int) -> None: ...

    def decide(self, function: int) -> None:
        """Records that the vector of a function has survived one more decision."""

    def vectors(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint32], NDArray[numpy.int32], NDArray[numpy.int64]]:
        """
        Returns what was added and subtracted: (decisions [F], offsets [J + 1], rows, functions, signs, when).
        """

    def restore(self, decisions: NDArray[numpy.int64], offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], functions: NDArray[numpy.uint32], signs: NDArray[numpy.int32], when: NDArray[numpy.int64]) -> None:
        """
        The inverse of `vectors`, for perceptrons that have not learned anything yet.
        """

class SegmentFeatures:
    """
    Features of the segments of some sentences: (seed, [(place, source)]) of every template; (offsets, values) of every attribute; (offsets, lengths, sets) of the entries of every resource.
    """

    def __init__(self, templates: Sequence[tuple[int, Sequence[tuple[int, int]]]], attributes: Sequence[tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]], entries: Sequence[tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint64]]], sentences: NDArray[numpy.int64]) -> None: ...

    @property
    def tokens(self) -> int: ...

    def keys(self, starts: NDArray[numpy.int64], stops: NDArray[numpy.int64]) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint32]]:
        """
        Returns the keys of the features of some segments, and the templates that they come from.
        """

    def rows(self, longest: int, table: FeatureTable, first_row: int, threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]:
        """
        Returns (offsets, rows) of all segments of at most `longest` tokens: segment (first token) * longest + (tokens - 1).
        """
