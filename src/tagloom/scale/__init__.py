"""Tagging on many machines: files and data sets, by the workers of a Ray cluster."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.scale.tagging import TaggedFiles as TaggedFiles
    from tagloom.scale.tagging import tag_dataset as tag_dataset

__getattr__, __dir__, __all__ = lazy_names(__name__, {"tagloom.scale.tagging": ("TaggedFiles", "tag_dataset")})
