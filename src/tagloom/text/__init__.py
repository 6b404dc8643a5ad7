"""Text: tokenizers, annotations of running text with character offsets, and drawings of dependency trees."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.text.annotation import Annotation as Annotation
    from tagloom.text.annotation import Sentence as Sentence
    from tagloom.text.annotation import Span as Span
    from tagloom.text.annotation import SpanLayer as SpanLayer
    from tagloom.text.annotation import Token as Token
    from tagloom.text.html import iter_html_page as iter_html_page
    from tagloom.text.tokenizers import FunctionTokenizer as FunctionTokenizer
    from tagloom.text.tokenizers import Segmentation as Segmentation
    from tagloom.text.tokenizers import Tokenizer as Tokenizer
    from tagloom.text.tokenizers import get_tokenizer as get_tokenizer
    from tagloom.text.tokenizers import list_tokenizers as list_tokenizers
    from tagloom.text.tree_as_svg import draw_tree_svg as draw_tree_svg
    from tagloom.text.trees import SentenceTree as SentenceTree
    from tagloom.text.trees import draw_tree_text as draw_tree_text

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.text.annotation": ("Annotation", "Sentence", "Span", "SpanLayer", "Token"),
        "tagloom.text.html": ("iter_html_page",),
        "tagloom.text.tree_as_svg": ("draw_tree_svg",),
        "tagloom.text.trees": ("SentenceTree", "draw_tree_text"),
        "tagloom.text.tokenizers": (
            "FunctionTokenizer",
            "Segmentation",
            "Tokenizer",
            "get_tokenizer",
            "list_tokenizers",
        ),
    },
)
