"""The documentation site: ``make docs`` builds it into build/docs, and every warning is an error."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from tagloom import __version__  # noqa: E402

project = "tagloom"
author = "The tagloom authors"
copyright = "the tagloom authors, MIT licence"  # noqa: A001
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "generated",
    "mathml",
    "repository_links",
]
exclude_patterns = ["_ext", "_static", "_templates"]
root_doc = "index"
# Types in signatures that users need not know have no page. They are in modules of modules, or of the core.
PRIVATE_TYPES = r"tagloom\.(_core|[a-z_]+\.[a-z_]+)\..*"
nitpicky = True
# References to other packages cannot be looked up without a network; those to tagloom are all checked.
nitpick_ignore_regex = [("py:.*", r"(?!tagloom\.).*"), ("py:class", PRIVATE_TYPES)]

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
suppress_warnings = ["ref.python"]  # two classes of one name, where an annotation does not say which
highlight_language = "text"

autodoc_typehints = "signature"
maximum_signature_line_length = 80
autodoc_member_order = "bysource"
add_module_names = False
python_use_unqualified_type_names = True
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_title = "tagloom"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
smartquotes_action = "De"  # dashes and ellipses; quotes are copied into shells
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#0b6e69", "color-brand-content": "#0b6e69"},
    "dark_css_variables": {"color-brand-primary": "#5fd0c5", "color-brand-content": "#5fd0c5"},
}
# `make linkcheck` follows external links; anchors of pages that are made by scripts cannot be seen.
linkcheck_anchors_ignore_for_url = [r"https://github\.com/.*"]
linkcheck_timeout = 20
