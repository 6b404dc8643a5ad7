"""Text: tokenizers and sentence splitters, whose tokens know where they stand in the text."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.text.tokenizers import FunctionTokenizer as FunctionTokenizer
    from tagloom.text.tokenizers import Segmentation as Segmentation
    from tagloom.text.tokenizers import Tokenizer as Tokenizer
    from tagloom.text.tokenizers import get_tokenizer as get_tokenizer
    from tagloom.text.tokenizers import list_tokenizers as list_tokenizers

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.text.tokenizers": (
            "FunctionTokenizer",
            "Segmentation",
            "Tokenizer",
            "get_tokenizer",
            "list_tokenizers",
        ),
    },
)
