"""``cqa lake forget``: a user or a post is removed from all tables and models, and from all later runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.commands.runs import RunLogSettings
from cqa_spark.errors import InputError
from cqa_spark.process.terminal import Terminal, TextTable, number
from cqa_spark.settings.sections import SettingsSection
from cqa_spark.settings.values import NotHashed, Shown, SiteName

if TYPE_CHECKING:
    from cqa_spark.corpora.erasure import Change, Forgotten
    from cqa_spark.lake.lake import Lake, LeasedLake
    from cqa_spark.lake.snapshot import Snapshot


class ForgottenSettings(SettingsSection):
    """User or post to forget."""

    flag_prefix = ""

    site: SiteName | None = Field(default=None, description="site of the user or post")
    user: Annotated[str | None, Shown("ID")] = Field(default=None, description="user to forget, with all posts")
    post: Annotated[str | None, Shown("ID")] = Field(
        default=None, description="post to forget, with its answers and comments"
    )
    now: bool = Field(
        default=False, description="delete the files of all earlier publications; nothing is left to roll back to"
    )


class ForgetSettings(RunLogSettings):
    """Remove a user or a post from all tables, models and reports, publish the result, and leave them out for good."""

    examples = (
        "cqa lake forget --lake build/lake --site beer.stackexchange.com --user 42",
        "cqa lake forget --lake build/lake --site beer.stackexchange.com --post 7 --now",
    )
    needs = ("forgotten.site",)
    writing = ("{job.lake}: a new published run, forgotten.json",)

    forgotten: Annotated[ForgottenSettings, NotHashed()] = ForgottenSettings()

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Not exactly one of user and post."""
        forgotten = values.get("forgotten")
        if isinstance(forgotten, Mapping) and bool(forgotten.get("user")) == bool(forgotten.get("post")):
            yield "forgotten.user", "name one user or one post", "give --user ID or --post ID"


def forget(settings: ForgetSettings) -> None:
    """Remove a user or a post, publish the result, and delete the files that only earlier runs need.

    If this was done before, only files are deleted.

    Raises:
        InputError: nothing is published, or the published run has no such user or post.
        AnotherWriter: another process writes the lake.
    """
    from cqa_spark.corpora.erasure import add_forgotten
    from cqa_spark.lake.publishing import publish, remove_earlier_report
    from cqa_spark.lake.snapshot import published_snapshot
    from cqa_spark.runtime.workspace import open_run_in, write_lake
    from cqa_spark.steps.forget import changes_in, forgotten_in, remove, remove_seen_findings

    named, terminal = _named(settings), Terminal()
    with write_lake(settings, "forget", create=False) as lake:
        last = published_snapshot(lake).of_site(named.site)
        forgotten = _listed(lake, named)
        with forgotten_in(last, named.site, _with_listed(lake, named)) as gone:
            changes = changes_in(last, gone)
            if changes:
                with open_run_in(lake, settings, "forget", resume=False) as run:
                    run.carry(last)
                    with run.step("forget") as step:
                        step.rows_in = sum(files.rows for files in last.tables.values())
                        remove(run, gone)
                        remove_seen_findings(lake, gone)
                        step.rows_out = sum(files.rows for files in run.tables.values())
                    forgotten = named.model_copy(update={"attempt": run.record.attempt})
                    add_forgotten(lake.objects, forgotten)
                publish(lake, run.run_id, reason=f"forgot a {named.kind} of {named.site}")
                terminal.line(f"{named} is forgotten:")
                terminal.table(changes_table(changes))
                terminal.line("texts that no other document has are removed, and reports and predictions, which quote")
                terminal.line("or name posts; the next night writes a new report")
            elif forgotten is not None:
                terminal.line(f"{named} was forgotten before: no table has rows of it, and nothing was written")
            else:
                raise _unknown(named, last)
        remove_earlier_report(lake)  # also where the command was interrupted after the publication
        _delete_earlier(lake, forgotten, last.record.corpus, now=settings.forgotten.now)


def preview(settings: ForgetSettings) -> None:
    """Print which tables would change, for ``--dry-run``.

    Raises:
        InputError: as for ``forget``.
    """
    from cqa_spark.lake.snapshot import published_snapshot
    from cqa_spark.runtime.workspace import read_lake
    from cqa_spark.steps.forget import changes_in, forgotten_in

    named, lake = _named(settings), read_lake(settings)
    last = published_snapshot(lake).of_site(named.site)
    with forgotten_in(last, named.site, _with_listed(lake, named)) as gone:
        changes = changes_in(last, gone)
    if changes:
        Terminal().table(changes_table(changes))
    elif _listed(lake, named) is not None:
        Terminal().line(f"{named} was forgotten before: no table has rows of it")
    else:
        raise _unknown(named, last)


def changes_table(changes: Iterable[Change]) -> TextTable:
    """A row for each table: the numbers of rows that go, and of rows that stay without a reference."""
    rows: dict[str, tuple[int, int]] = {}
    for change in changes:
        removed, altered = rows.get(change.table, (0, 0))
        rows[change.table] = removed + change.removed, altered + change.altered
    cells = ((name, *(f"{count:,}" for count in counts)) for name, counts in sorted(rows.items()))
    return TextTable("table", number("removed"), number("changed"), rows=cells)


def _named(settings: ForgetSettings) -> Forgotten:
    from cqa_spark.corpora.erasure import Forgotten

    person = settings.forgotten
    kind, name = ("user", person.user) if person.user else ("post", person.post)
    return Forgotten.model_validate({"site": person.site, "kind": kind, "id": name})


def _listed(lake: Lake, named: Forgotten) -> Forgotten | None:
    """The entry of a user or post in the list of what is forgotten; None if it has none."""
    from cqa_spark.corpora.erasure import read_forgotten

    return next((entry for entry in read_forgotten(lake.objects) if str(entry) == str(named)), None)


def _with_listed(lake: Lake, named: Forgotten) -> Sequence[Forgotten]:
    """A user or post, and all others of the site that are forgotten."""
    from cqa_spark.corpora.erasure import of_site, read_forgotten

    return [*of_site(read_forgotten(lake.objects), named.site), named]


def _unknown(named: Forgotten, last: Snapshot) -> InputError:
    return InputError(
        f"the published run {last.record.run_id} has no rows of {named}; nothing was written",
        "check the site and the id; cqa inspect lists the sites",
    )


def _delete_earlier(lake: LeasedLake, forgotten: Forgotten, corpus: str, *, now: bool) -> None:
    """Collect the publications that still have the data, and say which runs have it afterwards.

    Args:
        lake: leased by this process.
        forgotten: the user or post, with the attempt that removed it.
        corpus: corpus of the runs that had the data.
        now: also collect the publication before the current one.
    """
    from cqa_spark.lake.collection import FEWEST, collect
    from cqa_spark.lake.run_log import RunLog

    log = RunLog(lake.objects)
    publications = [record for record in log.records(status="published") if record.corpus == corpus]
    latest_first = dict.fromkeys(record.attempt for record in reversed(publications))
    without = list(takewhile(lambda attempt: attempt >= forgotten.attempt, latest_first))
    kept = collect(lake, max(1, len(without)), fewest=1 if now else FEWEST, corpus=corpus).kept
    earlier = [log.read(record) for record in kept if record.attempt < forgotten.attempt]
    others = sorted({record.run_id for record in earlier if record.corpus == corpus})
    terminal = Terminal()
    if not others:
        terminal.line("no run of the lake has the data any more, so none of before can be published again")
    elif now:
        terminal.line(f"still with the data: {', '.join(others)}, which were kept: cqa runs keep RUN --release, again")
    else:
        terminal.line(f"still with the data, for readers and cqa runs rollback: {', '.join(others)}; later runs take")
        terminal.line("their places, and the same command with --now deletes them at once: no rollback then")


JOBS = (Job("lake forget", "remove a user or a post for good", "inspection", ForgetSettings, forget, preview=preview),)
