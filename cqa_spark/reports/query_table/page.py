"""Renders the queries as a page with the only script of all reports, which its policy names by its hash."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from markupsafe import Markup

from cqa_spark.reports.kit.page import render_page
from cqa_spark.reports.query_table.content import QueryTable

SCRIPT = "table.js"


def render_query_table(table: QueryTable) -> str:
    """Render the page; the same table gives the same text, and all texts of the forum are escaped.

    Args:
        table: content of the page.
    """
    script = files("cqa_spark.reports.query_table").joinpath(SCRIPT).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render_page("query_table/page.html.j2", {}, table=table, script=Markup(script), digest=digest)
