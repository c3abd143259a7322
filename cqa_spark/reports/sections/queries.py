"""The best and worst queries of the best system with their texts, and those on which it and the baseline disagree."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import QUERY_METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.reports.evaluation import evaluation
from cqa_spark.reports.kit.blocks import (
    Block,
    Cell,
    Details,
    Heading,
    Post,
    Ranking,
    Row,
    Span,
    Strip,
    Table,
    Text,
    Words,
    forum,
)
from cqa_spark.reports.kit.wording import points, score, signed
from cqa_spark.reports.queries import QUERY, TEXTS, PostText, any_of, collect_texts, measured_queries
from cqa_spark.reports.reasons import FeatureContribution, feature_value
from cqa_spark.reports.reported_run import MeasuredQuery, Pair, Query, QueryLinks, ReportedRun
from cqa_spark.reports.section import Section

# Queries on which the best system and the baseline rank different candidates first, and one of them is better.

CHARACTERS = 700


@dataclass(frozen=True)
class Disagreement:
    """A query on which one of two systems is better.

    Attributes:
        better: the better system.
        subject: title of the query, or its id.
        text: its text, possibly truncated.
        first: text of the candidate that the better system ranks first, possibly truncated.
        other_first: text of the candidate that the other system ranks first.

    Source:
        Xu et al. 2018, Preferred Answer Selection in Stack Overflow, Table 6.
    """

    better: str
    subject: str
    text: str
    first: str
    other_first: str


def disagreements(
    system: str,
    baseline: str,
    firsts: Iterable[tuple[MeasuredQuery, str | None, str | None]],
    texts: Mapping[Query, PostText],
) -> Iterator[Disagreement]:
    """The queries whose first candidates differ.

    Args:
        system: the best system.
        baseline: the system that it is compared with.
        firsts: a query, and the ids of the candidates that the system and the baseline rank first; None if unknown.
        texts: texts of queries and candidates, by site and id.
    """
    for query, *ids in firsts:
        if None in ids or ids[0] == ids[1]:
            continue
        asked = texts.get((query.site, query.query_id), PostText())
        candidates = [texts.get((query.site, str(candidate_id)), PostText()) for candidate_id in ids]
        by_system = dict(zip((system, baseline), candidates, strict=True))
        better, other = (system, baseline) if (query.difference or 0.0) > 0 else (baseline, system)
        yield Disagreement(
            better,
            asked.subject or query.query_id,
            asked.in_line(CHARACTERS),
            by_system[better].in_line(CHARACTERS),
            by_system[other].in_line(CHARACTERS),
        )


QUERY_CHARACTERS = 1500
CANDIDATE_CHARACTERS = 700
CANDIDATES = 10
"""Number of top-ranked candidates shown for each query."""

REASONS = 3
"""Largest number of reasons shown for a candidate's score."""


@dataclass(frozen=True)
class RankedCandidate:
    """One candidate as ranked by the best system.

    Attributes:
        candidate_id: id within the site.
        rank: rank of the candidate, from 1.
        initial_rank: rank in the given order; None if unknown.
        score: score of the candidate, on the ranker's own scale.
        predicted: whether the system predicts that it is relevant.
        relevant: whether it is relevant; None if unjudged.
        text: the candidate as it was written, possibly truncated.
        contributions: the strongest feature contributions; empty if the ranker does not provide them.
    """

    candidate_id: str
    rank: int
    initial_rank: int | None
    score: float
    predicted: bool
    relevant: bool | None
    text: Markup
    contributions: tuple[FeatureContribution, ...] = ()

    @property
    def reasons(self) -> tuple[FeatureContribution, ...]:
        """The strongest contribution of each feature group, at most three, the strongest first."""
        strongest: dict[str, FeatureContribution] = {}
        for contribution in self.contributions:
            strongest.setdefault(contribution.group, contribution)
        return tuple(strongest.values())[:REASONS]


@dataclass(frozen=True)
class QueryStory:
    """One query with its candidates, in ranked order.

    Attributes:
        kind: best, worst, or sample without measurements.
        site: site of the query.
        query_id: id within the site.
        subject: title; empty if there is none.
        text: the query as it was written, possibly truncated.
        value: main measure of the best system on this query; None if it was not measured.
        baseline_value: main measure of the baseline.
        candidates: top-ranked candidates.
    """

    kind: str
    site: str
    query_id: str
    subject: str
    text: Markup
    value: float | None
    baseline_value: float | None
    candidates: tuple[RankedCandidate, ...]

    @property
    def given_order(self) -> tuple[RankedCandidate, ...]:
        """The candidates in the order of the forum or search engine; empty unless all of them are shown."""
        ordered = sorted(self.candidates, key=lambda candidate: candidate.initial_rank or 0)
        complete = [candidate.initial_rank for candidate in ordered] == list(range(1, len(ordered) + 1))
        return tuple(ordered) if complete else ()


@dataclass(frozen=True)
class Queries:
    """The queries that are shown.

    Attributes:
        best_system: system that ranked the candidates.
        stories: the best queries, then the worst ones; or a sample.
        disagreements: queries with the largest differences between the best system and the baseline whose first
            candidates differ (Xu et al. 2018, Table 6).
        is_baseline_given_order: whether the baseline is the order of the forum or search engine.
        links: files with every query; None if none were written.
    """

    best_system: str
    stories: tuple[QueryStory, ...]
    disagreements: tuple[Disagreement, ...] = ()
    is_baseline_given_order: bool = False
    links: QueryLinks | None = None


_PAIR = (*QUERY, "candidate_id")

_Candidate = dict[str, Any]
"""A ranked candidate, by column; columns without a value are left out."""


def data(run: ReportedRun) -> Queries | None:
    """The best and the worst queries; the first ones by id without measurements.

    None for a measure of all queries together.
    """
    evaluated, measured = run.once(evaluation), run.once(measured_queries)
    shown = _choose(run)
    if not evaluated.by_query or not shown:
        return None
    differing = [*measured.gained, *measured.lost] if measured else []
    keys = [_key(query) for _, query in shown]
    candidates, of_baseline = _candidates(run, any_of("query_id", [*keys, *map(_key, differing)]))
    ranked = [(row["site"], row["candidate_id"]) for key in keys for row in candidates.get(key, ())]
    pairs = [(query, _first(candidates, query), of_baseline.get(_key(query))) for query in differing]
    firsts = [(query.site, first) for query, *both in pairs for first in both if first is not None]
    texts = collect_texts(run.tables, sorted({*keys, *ranked, *map(_key, differing), *firsts}))
    contributions = run.contributions(run.best_system, keys)
    return Queries(
        run.best_system,
        tuple(_story(*choice, texts, candidates, contributions) for choice in shown),
        tuple(disagreements(run.best_system, run.baseline or "", pairs, texts)),
        evaluated.baseline == "given_order",
        measured.links if measured else None,
    )


def blocks(queries: Queries) -> list[Block]:
    """The queries, folded: their texts, candidates and the reasons of the scores."""
    is_sample = queries.stories[0].kind == "sample"
    shown: list[Block] = [Heading("Queries" if is_sample else "Best and worst queries", 2), _legend(queries, is_sample)]
    titles = {"best": "Best", "worst": "Worst", "sample": f"Rankings of {queries.best_system}"}
    for kind, title in titles.items():
        stories = [story for story in queries.stories if story.kind == kind]
        if stories:
            shown += [Heading(title), *(_folded(story, queries, story is stories[0]) for story in stories)]
    if queries.disagreements:
        headings = ("Question", "Better system", "Its first candidate", "First candidate of the other")
        rows = [
            Row(
                Cell((Span(query.subject, "bold"), " ", forum(query.text)), role="text"),
                (Cell(query.better), Cell(forum(query.first)), Cell(forum(query.other_first))),
            )
            for query in queries.disagreements
        ]
        about = (
            "The largest differences between the best system and the baseline, where they rank different candidates "
            "first."
        )
        shown += [Heading("Where systems disagree"), Table("", about, headings, rows, headings, style="queries")]
    return shown


def _legend(queries: Queries, is_sample: bool) -> Text:
    """What squares and triangles mean, and where all queries are."""
    words: list[Words] = []
    if not is_sample:
        words += ["One square per candidate, in ranked order. "]
        words += [Span("relevant", "key", "yes"), Span("not relevant", "key", "no")]
    words.append("Expand a query to read it. ")
    if any(candidate.contributions for story in queries.stories for candidate in story.candidates):
        words += [
            "Below each candidate are the three features with the largest effect on its score, each from a different "
            "group: ",
            Span("▲ up", role="better"), ", ", Span("▼ down", role="worse"), ". ",
        ]  # fmt: skip
    if queries.links:
        table, csv = Span("searchable table", "link", address=queries.links.page), queries.links.csv
        words += ["All queries: ", table, ", ", Span("CSV", "link", address=csv), "."]
    return Text(tuple(words), "legend")


def _folded(story: QueryStory, queries: Queries, is_open: bool) -> Details:
    """A query with its candidates."""
    strips = []
    if story.value is not None:
        marks = [_mark(candidate) for candidate in story.candidates]
        strips.append(Strip(queries.best_system, marks, points(story.value)))
        if story.given_order:
            has_value = story.baseline_value is not None and queries.is_baseline_given_order
            value = points(story.baseline_value or 0.0) if has_value else ""
            strips.append(Strip("given order", [_mark(candidate) for candidate in story.given_order], value, True))
    source = Text(f"{story.query_id} · {story.site}", "source")
    return Details(
        forum(story.subject or story.query_id),
        [Post(story.text), Ranking([_post(candidate) for candidate in story.candidates]), source],
        story=True,
        is_open=is_open,
        strips=strips,
    )


def _mark(candidate: RankedCandidate) -> str:
    if candidate.relevant is None:
        return "open"
    return "yes" if candidate.relevant else "no"


def _post(candidate: RankedCandidate) -> Post:
    """A candidate with its rank, judgment and score, and the features behind it."""
    tag: list[Words] = [Span(str(candidate.rank), "bold")]
    if candidate.relevant is not None:
        tag.append(Span("relevant" if candidate.relevant else "not relevant", role="label"))
    tag += [f"score {score(candidate.score)}", f"predicted {'relevant' if candidate.predicted else 'not relevant'}"]
    if candidate.initial_rank is not None:
        tag.append(f"initial rank {candidate.initial_rank}")
    reasons, values = [], []
    for contribution in candidate.reasons:
        role, sign = ("better", "▲ ") if contribution.by > 0 else ("worse", "▼ ")
        reasons.append((Span(sign, role=role), Span(contribution.plain, role=role, hint=contribution.feature)))
    for contribution in candidate.contributions:
        role = "better" if contribution.by > 0 else "worse"
        value = f" = {feature_value(contribution)}"
        label = Span(contribution.label, role=role, hint=contribution.feature)
        values.append((Span(f"{signed(contribution.by)} ", role=role), label, Span(value, role=role)))
    return Post(candidate.text, tag, _mark(candidate), reasons, values)


def _choose(run: ReportedRun) -> list[tuple[str, MeasuredQuery]]:
    """The kind and the query: best and worst, or a sample without measurements."""
    measured = run.once(measured_queries)
    if measured is None:
        ranked = run.rankings().where((F.col("system") == run.best_system) & (F.col("rank") == 1))
        rows = ranked.select(*QUERY).orderBy(*QUERY).limit(run.shown_queries).collect()
        return [("sample", MeasuredQuery(row.site, row.query_id, "", 0, 0, None, None)) for row in rows]
    worst = [query for query in measured.worst if query not in measured.best]
    return [*(("best", query) for query in measured.best), *(("worst", query) for query in worst)]


def _key(query: MeasuredQuery) -> Query:
    return query.site, query.query_id


def _first(candidates: Mapping[Query, Sequence[_Candidate]], query: MeasuredQuery) -> str | None:
    """Id of the first candidate of the best system."""
    of_query = candidates.get(_key(query))
    return str(of_query[0]["candidate_id"]) if of_query else None


def _candidates(run: ReportedRun, is_chosen: Column) -> tuple[dict[Query, list[_Candidate]], dict[Query, str]]:
    """The top candidates of the chosen queries, in ranked order with judgments, and the first one of the baseline."""
    is_top = (F.col("system") == run.best_system) & (F.col("rank") <= CANDIDATES)
    is_first = (F.col("system") == F.lit(run.baseline)) & (F.col("rank") == 1)
    ranked = run.rankings().where((is_top | is_first) & is_chosen)
    rows = ranked.select(*_PAIR, "system", "rank", "score", "predicted")
    examples = run.table("examples")
    if examples is not None:
        judged = examples.where(is_chosen).select(*_PAIR, "initial_rank", "relevant")
        rows = rows.unionByName(judged, allowMissingColumns=True)  # paired here: a join would take another job
    by_pair: dict[tuple[str, ...], _Candidate] = defaultdict(dict)
    of_baseline: dict[Query, str] = {}
    for row in rows.collect():
        if row["system"] is not None and row["system"] == run.baseline != run.best_system:
            of_baseline[row["site"], row["query_id"]] = row["candidate_id"]
            continue
        values = {name: value for name, value in row.asDict().items() if value is not None}
        by_pair[tuple(row[name] for name in _PAIR)].update(values)
    by_query: dict[Query, list[_Candidate]] = defaultdict(list)
    for entry in sorted((entry for entry in by_pair.values() if "rank" in entry), key=lambda entry: entry["rank"]):
        by_query[entry["site"], entry["query_id"]].append(entry)
    return by_query, of_baseline


def _story(
    kind: str,
    query: MeasuredQuery,
    texts: Mapping[Query, PostText],
    candidates: Mapping[Query, Sequence[_Candidate]],
    contributions: Mapping[Pair, tuple[FeatureContribution, ...]],
) -> QueryStory:
    key = (query.site, query.query_id)
    text = texts.get(key, PostText())
    return QueryStory(
        kind=kind,
        site=query.site,
        query_id=query.query_id,
        subject=text.subject,
        text=text.on_page(QUERY_CHARACTERS),
        value=query.value,
        baseline_value=query.baseline,
        candidates=tuple(
            RankedCandidate(
                row["candidate_id"], row["rank"], row.get("initial_rank"), row["score"], row["predicted"],
                row.get("relevant"),
                texts.get((query.site, row["candidate_id"]), PostText()).on_page(CANDIDATE_CHARACTERS, title=True),
                contributions.get((*key, row["candidate_id"]), ()),
            )
            for row in candidates.get(key, ())
        ),
    )  # fmt: skip


SECTION = Section("queries", "Queries", data, blocks, optional=(RANKINGS, EXAMPLES, QUERY_METRICS, *TEXTS))
