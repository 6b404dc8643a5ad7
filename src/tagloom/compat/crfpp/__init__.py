"""tagloom in the place of CRF++: ``learn`` and ``annotate`` do what ``crf_learn`` and ``crf_test`` do.

They read the template and column files of CRF++ (and the pattern files of Wapiti), learn the same objectives, and write
the same output; ``convert_model`` reads text models. ``tagloom crfpp-learn`` and ``tagloom crfpp-test`` are commands
that are made of them.
"""

from tagloom.compat.crfpp.learning import ALGORITHMS, choose_options, learn
from tagloom.compat.crfpp.output import annotate
from tagloom.compat.crfpp.text_model import convert_model

__all__ = ["ALGORITHMS", "annotate", "choose_options", "convert_model", "learn"]
