"""Models behind HTTP: ``tagloom serve``, its JSON interface and its page.

A request goes through ``protocol`` (time to send it), ``frame`` (who may ask, how many at once, what is logged and
counted), ``endpoints`` (messages in and out) and ``lanes`` (requests that wait together become one call of the core).
"""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names
from tagloom.serve.extra import require_packages

if TYPE_CHECKING:
    from tagloom.serve.app import create_app as create_app
    from tagloom.serve.server import run_server as run_server
    from tagloom.serve.settings import Limits as Limits
    from tagloom.serve.settings import Settings as Settings

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.serve.app": ("create_app",),
        "tagloom.serve.server": ("run_server",),
        "tagloom.serve.settings": ("Limits", "Settings"),
    },
)

require_packages()
