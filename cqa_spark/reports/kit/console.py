"""Blocks in the terminal: text and tables; plots and folded texts have no room there."""

from collections.abc import Sequence

from cqa_spark.process.terminal import Column, Styled, Terminal, TextTable
from cqa_spark.reports.kit.blocks import (
    Bars,
    Block,
    Cell,
    Code,
    Columns,
    Details,
    Facts,
    Heading,
    Only,
    Plot,
    Post,
    Ranking,
    Table,
    Text,
    plain,
)

_STYLES = {"better": "green", "worse": "red", "unclear": "dim", "muted": "dim"}
_ROW_STYLES = {"best": "bold", "group": "bold", "quiet": "dim"}


def print_blocks(blocks: Sequence[Block], terminal: Terminal) -> None:
    """Print blocks, one below the other."""
    for block in blocks:
        match block:
            case Table():
                _print_table(block, terminal)
            case Text():
                terminal.line(plain(block.words), style="dim" if block.style in ("legend", "source") else "")
            case Heading():
                terminal.line(plain(block.text), style="bold")
            case Facts():
                table = TextTable(Column("", whole=True, style="dim"), "", has_headings=False)
                for name, value in block.facts:
                    table.add_row(plain(name), plain(value))
                if block.facts:
                    terminal.table(table)
                    terminal.line()
            case Bars():
                terminal.line(f"{block.title}: {', '.join(f'{name} {text}' for name, _, text in block.shares)}")
            case Plot():
                if block.line:
                    terminal.line(block.line)
            case Columns():
                print_blocks(block.blocks, terminal)
                if any(isinstance(part, Bars) for part in block.blocks):
                    terminal.line()
            case Details():
                terminal.line(f"{plain(block.summary)} {block.aside}".strip())
                print_blocks(block.blocks, terminal)
                terminal.line()
            case Post() | Ranking():
                for post in block.posts if isinstance(block, Ranking) else (block,):
                    terminal.line("  ".join(map(plain, post.tag)), style="dim")
                    terminal.text(post.text)
            case Code():
                terminal.text(plain(block.text))
            case Only():
                print_blocks(block.blocks if block.medium == "terminal" else (), terminal)
            case _:
                pass  # HTML of a template


def cell_text(cell: Cell) -> str:
    """A cell on one line."""
    return f"{plain(cell.text)} {plain(cell.small)}".strip()


def _print_table(table: Table, terminal: Terminal) -> None:
    kept = list(range(len(table.headings)))
    text = _text_table(table, kept)
    # Of a table whose last column matters as much as the first ones, those in between go first.
    while table.last_stays and terminal.width and text.width > terminal.width and len(kept) > 3:
        del kept[-2]
        text = _text_table(table, kept)
    terminal.table(text)
    if absent := [heading for index, heading in enumerate(table.headings) if index not in kept]:
        terminal.line(f"no room for {', '.join(absent)}: a wider window, or a pipe such as | less -S, shows all", "dim")
    if table.about:
        terminal.line(plain(table.about).replace("\n", " "), style="dim")
    if table.title or table.about:
        terminal.line()


def _text_table(table: Table, kept: Sequence[int]) -> TextTable:
    """The columns with these indices."""
    first, *others = (table.headings[index] for index in kept)
    columns = [Column(heading, right=heading not in table.texts) for heading in others]
    text = TextTable(Column(first, whole=True), *columns, title=table.title)
    is_grouped = any(row.style == "group" for row in table.lines)
    for row in [*table.lines, *([table.total] if table.total else [])]:
        name = cell_text(row.name) if isinstance(row.name, Cell) else plain(row.name)
        indented = f"  {name}" if is_grouped and row.style != "group" else name
        # The heading of a group has no cells, and the last ones of a row may be missing.
        cells = [row.cells[index - 1] for index in kept[1:] if index <= len(row.cells)]
        styled = [Styled(cell_text(cell), _STYLES.get(cell.role, "")) for cell in cells]
        text.add_row(indented, *styled, style=_ROW_STYLES.get(row.style, ""))
    return text
