"""Stand-ins for the packages pycrfsuite and sklearn_crfsuite, for code whose imports cannot be changed."""

from __future__ import annotations

import sys
from importlib import import_module

_PACKAGE = "tagloom.compat.crfsuite"
#: What ``import NAME`` finds -> the module of this package, empty for the package itself.
_MODULES = {
    "pycrfsuite": "",
    "pycrfsuite._pycrfsuite": "",
    "pycrfsuite._logparser": ".log",
    "pycrfsuite._dumpparser": ".dump",
    "sklearn_crfsuite": "",
    "sklearn_crfsuite.estimator": ".crf",
    "sklearn_crfsuite.metrics": ".metrics",
    "sklearn_crfsuite.scorers": ".scorers",
    "sklearn_crfsuite.trainer": ".trainer",
    "sklearn_crfsuite.utils": ".metrics",
}


def replace_imports() -> None:
    """Let ``import pycrfsuite`` and ``import sklearn_crfsuite`` find this package, in this process, from now on.

    Modules that were imported before keep what they have. ``sklearn_crfsuite.scorers`` needs scikit-learn and is left
    out without it.

    >>> import sys
    >>> before = dict(sys.modules)
    >>> replace_imports()
    >>> import pycrfsuite, sklearn_crfsuite.metrics
    >>> pycrfsuite.Tagger.__module__
    'tagloom.compat.crfsuite.tagger'
    >>> for name in [name for name in sys.modules if name.startswith(("pycrfsuite", "sklearn_crfsuite"))]:
    ...     del sys.modules[name]
    """
    for name, module in _MODULES.items():
        if module == ".scorers" and not _has_sklearn():
            continue
        sys.modules[name] = import_module(_PACKAGE + module)


def _has_sklearn() -> bool:
    from importlib.util import find_spec

    return find_spec("sklearn") is not None
