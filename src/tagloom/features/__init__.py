"""Features: attributes of words and tokens, templates over attributes, and their encoding as rows of weights."""

from tagloom.features.attributes import (
    AttributeSpec,
    DocumentAttribute,
    SentenceFunction,
    Value,
    Vocabulary,
    WordFunction,
)
from tagloom.features.documents import Document, DocumentFunction, DocumentRows
from tagloom.features.encoder import Batch, Feature, FeatureEncoder
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

__all__ = [
    "AttributeSpec",
    "Batch",
    "Categories",
    "Clusters",
    "Document",
    "DocumentAttribute",
    "DocumentFunction",
    "DocumentRows",
    "Feature",
    "FeatureEncoder",
    "Part",
    "Phrases",
    "Resource",
    "SentenceFunction",
    "Source",
    "Statistics",
    "Template",
    "TemplateSet",
    "Value",
    "Vocabulary",
    "WordFunction",
    "WordList",
    "list_template_sets",
    "load_resource",
    "load_templates",
    "parse_templates",
    "restore_resource",
]
