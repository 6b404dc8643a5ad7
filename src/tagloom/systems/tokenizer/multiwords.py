"""Words of multiword tokens: ``don't`` is ``do`` and ``n't``, French ``du`` is ``de`` and ``le``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tagloom._core import StringTable
from tagloom.features.tensors import Tensors

_BETWEEN = "\t"  # stands in no word of CoNLL-U


@dataclass(frozen=True)
class MultiwordTokens:
    """How tokens are split: as in the training data or, for unknown ones, before the longest known last word."""

    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by token, lower-cased

    @classmethod
    def count(cls, pairs: Iterable[tuple[str, tuple[str, ...]]]) -> MultiwordTokens:
        """Keep the most frequent split of every token; the first one met, if there are several."""
        counts: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
        for token, words in pairs:
            counts[token.lower()][tuple(word.lower() for word in words)] += 1
        return cls({token: found.most_common(1)[0][0] for token, found in counts.items()})

    def __post_init__(self) -> None:
        """Collect the last words of tokens that their words cut exactly."""
        endings = {words[-1] for token, words in self.splits.items() if len(words) == 2 and "".join(words) == token}
        object.__setattr__(self, "_endings", endings)
        object.__setattr__(self, "_longest", max(map(len, endings), default=0))

    def split(self, token: str) -> list[str]:
        """Split a token into words, in the case of the token where its words cut it exactly.

        >>> tokens = MultiwordTokens.count([("don't", ("do", "n't")), ("du", ("de", "le"))])
        >>> tokens.split("Don't"), tokens.split("Du"), tokens.split("COULDN'T"), tokens.split("aha")
        (['Do', "n't"], ['De', 'le'], ['COULD', "N'T"], ['aha'])
        """
        lower = token.lower()
        words = self.splits.get(lower) or self._split_unknown(lower)
        if "".join(words) == lower and len(lower) == len(token):
            return self._cut(token, words)
        if token[:1].isupper() and words:
            return [words[0][:1].upper() + words[0][1:], *words[1:]]
        return list(words)

    def _split_unknown(self, token: str) -> tuple[str, ...]:
        endings: set[str] = self._endings  # type: ignore[attr-defined]
        longest: int = self._longest  # type: ignore[attr-defined]
        for length in range(min(longest, len(token) - 1), 0, -1):
            if token[-length:] in endings:
                return token[:-length], token[-length:]
        return (token,)

    @staticmethod
    def _cut(token: str, words: tuple[str, ...]) -> list[str]:
        ends = [sum(map(len, words[: number + 1])) for number in range(len(words))]
        return [token[start:end] for start, end in zip([0, *ends], ends)]

    def to_tensors(self) -> Tensors:
        """Convert to arrays."""
        tensors: Tensors = {}
        lists = {"tokens": list(self.splits), "words": [_BETWEEN.join(words) for words in self.splits.values()]}
        for name, texts in lists.items():
            table = StringTable()
            codes = table.intern_all(texts)
            text, ends = table.to_blob()
            tensors |= {f"multiwords.{name}.text": text, f"multiwords.{name}.ends": ends,
                        f"multiwords.{name}.codes": codes}  # fmt: skip
        return tensors

    @classmethod
    def from_tensors(cls, tensors: Tensors) -> MultiwordTokens:
        """Build from arrays that fit their schema; raises ValueError for an empty word."""
        tokens, words = (
            StringTable.from_blob(*(tensors[f"multiwords.{name}.{part}"] for part in ("text", "ends"))).strings()
            for name in ("tokens", "words")
        )
        split = [tuple(joined.split(_BETWEEN)) for joined in words]  # each once, however many tokens have it
        if not all(map(all, split)):
            raise ValueError("a multiword token has an empty word")
        codes = (tensors[f"multiwords.{name}.codes"].tolist() for name in ("tokens", "words"))
        return cls({tokens[token]: split[own] for token, own in zip(*codes, strict=True)})
