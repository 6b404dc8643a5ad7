"""Features: attributes of words and tokens, templates over attributes, and their encoding as rows of weights."""

from tagloom.features.attributes import AttributeSpec, SentenceFunction, Value, Vocabulary, WordFunction
from tagloom.features.casing import Casing
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
from tagloom.features.vectors import Vectors

__all__ = [
    "AttributeSpec",
    "Batch",
    "Casing",
    "Categories",
    "Clusters",
    "Document",
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
    "Vectors",
    "Vocabulary",
    "WordFunction",
    "WordList",
    "list_template_sets",
    "load_resource",
    "load_templates",
    "parse_templates",
    "restore_resource",
]
