"""Features: attributes of words and tokens, templates over attributes, and their encoding as rows of weights."""

from tagloom.features.attributes import (
    AttributeSpec,
    DocumentAttribute,
    SentenceFunction,
    Value,
    Vocabulary,
    WordFunction,
)
from tagloom.features.casing import Casing
from tagloom.features.documents import Document, DocumentFunction, DocumentRows
from tagloom.features.encoder import Batch, Feature, FeatureEncoder
from tagloom.features.masking import MOST_COPIES, Masking, repeat_offsets, repeat_tokens
from tagloom.features.resources import (
    Categories,
    Clusters,
    Phrases,
    Resource,
    Source,
    WordList,
    load_resource,
    restore_resource,
)
from tagloom.features.sets import list_template_sets, load_templates
from tagloom.features.statistics import Statistics
from tagloom.features.templates import Part, Template, TemplateSet, parse_templates
from tagloom.features.vectors import Vectors

__all__ = [
    "MOST_COPIES",
    "AttributeSpec",
    "Batch",
    "Casing",
    "Categories",
    "Clusters",
    "Document",
    "DocumentAttribute",
    "DocumentFunction",
    "DocumentRows",
    "Feature",
    "FeatureEncoder",
    "Masking",
    "Part",
    "Phrases",
    "Resource",
    "SentenceFunction",
    "Source",
    "Statistics",
    "Template",
    "TemplateSet",
    "Value",
    "Vectors",
    "Vocabulary",
    "WordFunction",
    "WordList",
    "list_template_sets",
    "load_resource",
    "load_templates",
    "parse_templates",
    "repeat_offsets",
    "repeat_tokens",
    "restore_resource",
]
