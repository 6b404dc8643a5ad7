"""The shapes of python-crfsuite and sklearn-crfsuite: their names, arguments and results, with tagloom's learners.

Code for either package runs with another import::

    from tagloom.compat import crfsuite as pycrfsuite
    from tagloom.compat import crfsuite as sklearn_crfsuite
    from tagloom.compat.crfsuite import metrics, scorers

docs/compat.md lists the arguments, what they map to, and what differs. For code that cannot be changed,
:func:`replace_imports` makes ``import pycrfsuite`` and ``import sklearn_crfsuite`` find this package.

>>> crf = CRF(c1=0.1, c2=0.1, max_iterations=50)
>>> crf = crf.fit([[{"word": "the"}, {"word": "dog"}]], [["DT", "NN"]])
>>> crf.predict_single([{"word": "dog"}])
['NN']
"""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.compat.crfsuite import metrics as metrics
    from tagloom.compat.crfsuite import scorers as scorers
    from tagloom.compat.crfsuite.crf import CRF as CRF
    from tagloom.compat.crfsuite.dump import ParsedDump as ParsedDump
    from tagloom.compat.crfsuite.errors import CRFSUITE_VERSION as CRFSUITE_VERSION
    from tagloom.compat.crfsuite.errors import CRFSuiteError as CRFSuiteError
    from tagloom.compat.crfsuite.imports import replace_imports as replace_imports
    from tagloom.compat.crfsuite.items import ItemSequence as ItemSequence
    from tagloom.compat.crfsuite.tagger import Tagger as Tagger
    from tagloom.compat.crfsuite.trainer import BaseTrainer as BaseTrainer
    from tagloom.compat.crfsuite.trainer import Trainer as Trainer

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        f"{__name__}.crf": ("CRF",),
        f"{__name__}.dump": ("ParsedDump",),
        f"{__name__}.errors": ("CRFSUITE_VERSION", "CRFSuiteError"),
        f"{__name__}.imports": ("replace_imports",),
        f"{__name__}.items": ("ItemSequence",),
        f"{__name__}.metrics": (),
        f"{__name__}.scorers": (),
        f"{__name__}.tagger": ("Tagger",),
        f"{__name__}.trainer": ("BaseTrainer", "Trainer"),
    },
)
