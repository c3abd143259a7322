"""The record counts of one dump file."""

from __future__ import annotations

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.inputs import UNANNOTATED
from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.corpora.stackexchange.lines import OpenFile


def account(
    dump: DumpTable, each: OpenFile, lines: int, not_rows: int, *, rows_out: int, rows_quarantined: int = 0
) -> FileAccount:
    """The file's row of ``ingested_files``.

    Args:
        dump: the kind of rows.
        each: the file.
        lines: its lines.
        not_rows: number of lines that are not rows.
        rows_out: number of stored rows.
        rows_quarantined: number of quarantined rows.
    """
    return FileAccount(
        site=each.file.site,
        source_file=each.file.path,
        split=UNANNOTATED,
        table_name=dump.table.name,
        lines=lines,
        not_rows=not_rows,
        is_complete=each.probe.complete,
        rows_in=lines - not_rows,
        rows_out=rows_out,
        rows_quarantined=rows_quarantined,
    )
