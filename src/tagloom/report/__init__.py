"""Reports: a comparison of learners as table, CSV, learning curves and one HTML page; drawings of trees."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.report.curves import PlotsMissingError as PlotsMissingError
    from tagloom.report.curves import draw_curves as draw_curves
    from tagloom.report.files import write_report as write_report
    from tagloom.report.landscape import draw_tuning as draw_tuning
    from tagloom.report.page import html_page as html_page
    from tagloom.report.panels import Panel as Panel
    from tagloom.report.panels import draw_panels as draw_panels
    from tagloom.report.table import HEADERS as HEADERS
    from tagloom.report.table import comparison_csv as comparison_csv
    from tagloom.report.table import curves_csv as curves_csv
    from tagloom.report.table import table_rows as table_rows
    from tagloom.report.tree_layout import SentenceTree as SentenceTree
    from tagloom.report.tree_svg import tree_svg as tree_svg
    from tagloom.report.tree_text import tree_text as tree_text
    from tagloom.report.tuned import tuning_csv as tuning_csv
    from tagloom.report.tuned import write_tuning as write_tuning

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.report.curves": ("PlotsMissingError", "draw_curves"),
        "tagloom.report.files": ("write_report",),
        "tagloom.report.landscape": ("draw_tuning",),
        "tagloom.report.page": ("html_page",),
        "tagloom.report.panels": ("Panel", "draw_panels"),
        "tagloom.report.table": ("HEADERS", "comparison_csv", "curves_csv", "table_rows"),
        "tagloom.report.tree_layout": ("SentenceTree",),
        "tagloom.report.tree_svg": ("tree_svg",),
        "tagloom.report.tree_text": ("tree_text",),
        "tagloom.report.tuned": ("tuning_csv", "write_tuning"),
    },
)
