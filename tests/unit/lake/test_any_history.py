"""Whatever nights do one after the other, readers see the published rows, and collection takes nothing needed."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from small_runs import delta_table, held, lake_at, new_files, opened, paths, users

from cqa_spark.lake.collection import FEWEST, collect
from cqa_spark.lake.publishing import Snapshot, publish, published_run, published_snapshot, rollback
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.table_files import NO_FILES

ROWS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["", "x", "xy", "z"]), max_size=2)
RUNS = st.sampled_from(["r1", "r2"])

Rows = dict[str, str]


class History(RuleBasedStateMachine):
    """Nights of two names, that replace sites, fail, are published, rolled back and collected."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.lake = lake_at(self.folder / "lake")
        self.finished: dict[int, Rows] = {}  # by attempt: publishing a run shows its last one that is not collected
        self.published: list[tuple[int, Rows]] = []

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @rule(run_id=RUNS, new=ROWS)
    def night(self, run_id: str, new: Rows) -> None:
        """Replace the rows of some sites in the published ones."""
        with opened(self.lake, run_id) as run:
            record = published_run(self.lake)
            base = Snapshot(self.lake, record).files(USERS) if record is not None else NO_FILES
            rows = {site: [{"user_id": letter} for letter in letters] for site, letters in new.items() if letters}
            run.put(USERS, base.without(new).united(new_files(run, USERS, rows)))
        before = self.published[-1][1] if self.published else {}
        self.finished[run.record.attempt] = {site: letters for site, letters in (before | new).items() if letters}

    @precondition(lambda self: self.uncollected())
    @rule(data=st.data())
    def publish(self, data: st.DataObject) -> None:
        run_id = data.draw(st.sampled_from(sorted(self.uncollected())))
        with held(self.lake) as leased:
            shown = publish(leased, run_id)
        if not self.published or self.published[-1][0] != shown.attempt:
            self.published.append((shown.attempt, self.finished[shown.attempt]))

    @precondition(lambda self: len({attempt for attempt, _ in self.published}) > 1)
    @rule()
    def roll_back(self) -> None:
        current = self.published[-1][0]
        self.published.append(next(each for each in reversed(self.published) if each[0] != current))
        with held(self.lake) as leased:
            assert rollback(leased).attempt == self.published[-1][0]

    @rule()
    def collect(self) -> None:
        with held(self.lake) as leased:
            collect(leased, FEWEST)
        kept = list(dict.fromkeys(attempt for attempt, _ in reversed(self.published)))[:FEWEST]
        self.published = [each for each in self.published if each[0] in kept]

    def uncollected(self) -> list[str]:
        log = RunLog(self.lake.objects)
        return [run_id for run_id in ("r1", "r2") if log.last_success(run_id)]

    @invariant()
    def readers_see_what_was_published(self) -> None:
        if self.published:
            snapshot = published_snapshot(self.lake)
            expected = sorted(f"{site}/{letter}" for site, rows in self.published[-1][1].items() for letter in rows)
            assert users(snapshot) == expected
            assert delta_table(self.lake) == paths(snapshot)


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)
