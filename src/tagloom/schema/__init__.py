"""Schemas of files: which values and arrays a file may hold, declared once and checked when it is opened."""

from tagloom.schema import limits as limits
from tagloom.schema.arrays import Array as Array
from tagloom.schema.arrays import Layout as Layout
from tagloom.schema.arrays import OneOf as OneOf
from tagloom.schema.arrays import describe_names as describe_names
from tagloom.schema.arrays import describe_strings as describe_strings
from tagloom.schema.misfit import Misfit as Misfit
from tagloom.schema.misfit import Text as Text
from tagloom.schema.values import Field as Field
from tagloom.schema.values import list_fields as list_fields
from tagloom.schema.values import parse_json as parse_json
from tagloom.schema.values import read_record as read_record
from tagloom.schema.values import read_value as read_value
