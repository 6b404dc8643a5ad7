"""Reports: models, comparisons and tunings as HTML pages, tables, CSV and figures."""

from typing import TYPE_CHECKING

from tagloom._lazy import lazy_names

if TYPE_CHECKING:
    from tagloom.report.comparison_page import build_html_page as build_html_page
    from tagloom.report.curves import Panel as Panel
    from tagloom.report.curves import draw_curves as draw_curves
    from tagloom.report.curves import draw_panels as draw_panels
    from tagloom.report.diagnosis.model_report import ModelReport as ModelReport
    from tagloom.report.diagnosis.model_report import report_model as report_model
    from tagloom.report.figure import PlotsMissingError as PlotsMissingError
    from tagloom.report.files import write_report as write_report
    from tagloom.report.table import HEADERS as HEADERS
    from tagloom.report.table import build_comparison_csv as build_comparison_csv
    from tagloom.report.table import build_curves_csv as build_curves_csv
    from tagloom.report.table import build_table_rows as build_table_rows
    from tagloom.report.trees import build_sentence_tree as build_sentence_tree
    from tagloom.report.tuning import build_tuning_csv as build_tuning_csv
    from tagloom.report.tuning import draw_tuning as draw_tuning
    from tagloom.report.tuning import write_tuning as write_tuning

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "tagloom.report.curves": ("Panel", "draw_curves", "draw_panels"),
        "tagloom.report.diagnosis.model_report": ("ModelReport", "report_model"),
        "tagloom.report.figure": ("PlotsMissingError",),
        "tagloom.report.files": ("write_report",),
        "tagloom.report.comparison_page": ("build_html_page",),
        "tagloom.report.table": ("HEADERS", "build_comparison_csv", "build_curves_csv", "build_table_rows"),
        "tagloom.report.trees": ("build_sentence_tree",),
        "tagloom.report.tuning": ("draw_tuning", "build_tuning_csv", "write_tuning"),
    },
)
