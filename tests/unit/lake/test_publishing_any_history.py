"""Whatever nights do one after the other, readers see the published rows, and collection takes nothing needed."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from small_runs import delta_table, held, lake_at, new_files, opened, paths, users

from cqa_spark.errors import InputError
from cqa_spark.lake.collection import FEWEST, collect
from cqa_spark.lake.publishing import publish, rollback
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.snapshot import published_of, published_snapshot
from cqa_spark.lake.table import NO_FILES

ROWS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["", "x", "xy", "z"]), max_size=2)
RUNS = st.sampled_from(["r1", "r2", "s1", "s2"])
"""Names of runs; the corpus is the first letter."""

Rows = dict[str, str]


class History(RuleBasedStateMachine):
    """Nights of two corpora, that replace sites, are published, rolled back and collected.

    Attributes:
        finished: rows by run.
        published: by corpus, the attempts in the order of their publication, with their rows; the latest corpus last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.lake = lake_at(self.folder / "lake")
        self.finished: dict[int, Rows] = {}  # by attempt: publishing a run shows its last one that is not collected
        self.published: dict[str, list[tuple[int, Rows]]] = {}

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @rule(run_id=RUNS, new=ROWS)
    def night(self, run_id: str, new: Rows) -> None:
        """Replace the rows of some sites in the published ones."""
        corpus = run_id[0]
        new = {f"{corpus}-{site}": letters for site, letters in new.items()}
        with opened(self.lake, run_id) as run:
            run.read_corpus(corpus)
            last = published_of(self.lake, corpus)
            base = last.files(USERS) if last is not None else NO_FILES
            rows = {site: [{"user_id": letter} for letter in letters] for site, letters in new.items() if letters}
            run.put(USERS, base.without(new).united(new_files(run, USERS, rows)))
        before = self.published[corpus][-1][1] if corpus in self.published else {}
        self.finished[run.record.attempt] = {site: letters for site, letters in (before | new).items() if letters}

    @precondition(lambda self: self.uncollected())
    @rule(data=st.data())
    def publish(self, data: st.DataObject) -> None:
        run_id = data.draw(st.sampled_from(sorted(self.uncollected())))
        with held(self.lake) as leased:
            shown = publish(leased, run_id)
        of_corpus = self.published.get(run_id[0], [])
        if not of_corpus or of_corpus[-1][0] != shown.attempt:
            self.published.pop(run_id[0], None)
            self.published[run_id[0]] = [*of_corpus, (shown.attempt, self.finished[shown.attempt])]

    @precondition(lambda self: self.published)
    @rule()
    def roll_back(self) -> None:
        """The corpus of the latest publication has its earlier rows again; the other one stays."""
        latest = list(self.published.values())[-1]
        earlier = [each for each in latest if each[0] != latest[-1][0]]
        with held(self.lake) as leased:
            if earlier:
                assert rollback(leased).attempt == earlier[-1][0]
                latest.append(earlier[-1])
            else:
                with pytest.raises(InputError, match="no earlier run"):
                    rollback(leased)

    @rule()
    def collect(self) -> None:
        with held(self.lake) as leased:
            collect(leased, FEWEST)
        for corpus, publications in self.published.items():
            kept = list(dict.fromkeys(attempt for attempt, _ in reversed(publications)))[:FEWEST]
            self.published[corpus] = [each for each in publications if each[0] in kept]

    def uncollected(self) -> list[str]:
        log = RunLog(self.lake.objects)
        return [run_id for run_id in ("r1", "r2", "s1", "s2") if log.last_success(run_id)]

    @invariant()
    def readers_see_what_was_published(self) -> None:
        if self.published:
            snapshot = published_snapshot(self.lake)
            rows = [publications[-1][1] for publications in self.published.values()]
            by_site = [item for each in rows for item in each.items()]
            assert users(snapshot) == sorted(f"{site}/{letter}" for site, letters in by_site for letter in letters)
            assert delta_table(self.lake) == paths(snapshot)
            assert [run.record.corpus for run in snapshot.runs] == list(self.published)[::-1]


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)
