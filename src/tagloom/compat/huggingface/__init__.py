"""tagloom and Hugging Face: model folders with cards for the Hub, and data sets of annotated corpora."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.compat.huggingface.card import CardInfo as CardInfo
    from tagloom.compat.huggingface.card import write_card as write_card
    from tagloom.compat.huggingface.data_sets import to_columns as to_columns
    from tagloom.compat.huggingface.data_sets import to_dataset as to_dataset
    from tagloom.compat.huggingface.hub import from_pretrained as from_pretrained
    from tagloom.compat.huggingface.hub import push_to_hub as push_to_hub
    from tagloom.compat.huggingface.hub import save_pretrained as save_pretrained

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.compat.huggingface.card": ("CardInfo", "write_card"),
        "tagloom.compat.huggingface.data_sets": ("to_columns", "to_dataset"),
        "tagloom.compat.huggingface.hub": ("from_pretrained", "push_to_hub", "save_pretrained"),
    },
)
