"""How Sphinx builds the documentation: ``make docs``. Every warning is an error there."""

from __future__ import annotations

from marriage_env import __version__

project = "Marriage"
author = "The Marriage developers"
copyright = "The Marriage developers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build"]
default_role = "code"  # what stands in single backticks in a docstring is a name
html_theme = "furo"
html_title = f"Marriage {__version__}"
html_show_copyright = False
html_static_path = html_css_files = ["site.css"]

myst_heading_anchors = 4
myst_links_external_new_tab = False
copybutton_prompt_text = ">>> "

nitpicky = True  # a type that leads nowhere is a warning, too,
nitpick_ignore_regex = [  # but for those of others: their pages are not asked, so that building needs no network
    ("py:class", r"(collections\.abc|gymnasium|numpy|os|pathlib|pettingzoo)\..*"),
    ("py:class", r"AECEnv|AutoresetMode|NDArray|Path|dtype|turn_based_aec_to_parallel"),
]
python_use_unqualified_type_names = True

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True
autodoc_inherit_docstrings = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
