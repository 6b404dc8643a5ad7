"""tagloom in spaCy pipelines: components ``tagloom_ner``, ``tagloom_tagger``, ``tagloom_parser`` and ``tagloom_spans``.

spaCy finds them by entry points, and the tokenizer ``tagloom.Tokenizer.v1``, too.
"""

from tagloom.text.export.spacy import require_spacy

require_spacy("tagloom.compat.spacy")

from tagloom.compat.spacy.component import TagloomComponent as TagloomComponent  # noqa: E402
from tagloom.compat.spacy.factories import create_ner as create_ner  # noqa: E402
from tagloom.compat.spacy.factories import create_parser as create_parser  # noqa: E402
from tagloom.compat.spacy.factories import create_spans as create_spans  # noqa: E402
from tagloom.compat.spacy.factories import create_tagger as create_tagger  # noqa: E402
from tagloom.compat.spacy.tokenizer import TagloomTokenizer as TagloomTokenizer  # noqa: E402
from tagloom.compat.spacy.tokenizer import create_tokenizer as create_tokenizer  # noqa: E402
