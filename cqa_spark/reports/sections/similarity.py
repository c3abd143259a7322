"""Correlations with graded similarities by set of sentence pairs, beside published ones."""

from collections import defaultdict
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.text_pairs.layouts import set_of_pair
from cqa_spark.evaluation.statistics.set_means import MEAN, WEIGHTED_MEAN, SetScore
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import SET_METRICS
from cqa_spark.reports.evaluation import evaluation
from cqa_spark.reports.kit.blocks import (
    BREAK,
    NO_VALUE,
    Block,
    Cell,
    Columns,
    Heading,
    Plot,
    Row,
    Table,
    Text,
    Words,
    better_or_worse,
    forum,
)
from cqa_spark.reports.kit.svg import Picture, Whisker, new_axes, sentinel, whiskers
from cqa_spark.reports.kit.wording import SIGNIFICANT, count, interval, points
from cqa_spark.reports.queries import PostText, collect_texts
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section
from cqa_spark.reports.sts_results import PublishedScore, official_mean, published_scores
from cqa_spark.spark.frames import persisted

POINTS = 400
"""Most pairs of a set that are drawn."""

WORST = 12
"""Number of pairs shown that differ most."""

HIGHEST = 5
_MARK = 0.42
"""Half the height of the mark of a published result, in rows."""

_SIDES = ("query_id", "candidate_id")
_PAIR = ("site", *_SIDES)


@dataclass(frozen=True)
class Points:
    """Pairs of one set: gold similarities, and scores on the scale of the gold."""

    set_name: str
    gold: tuple[float, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class WorstPair:
    """Two sentences whose score, on the scale of the gold similarity from 0 to 5, differs most from it."""

    set_name: str
    gold: float
    score: float
    one: str
    other: str


@dataclass(frozen=True)
class Similarity:
    """Everything about one split.

    Attributes:
        systems: in the order of their mean, best first.
        sets: names of the sets and, after them, of the means.
        correlations: of every system on every set.
        published: published results on the sets.
        points: pairs of the best system, by set; a sample of large sets.
        worst: the pairs of the best system that differ most.
        best_system: system of the points and of the worst pairs.
        baseline: system that the others are compared with; None if there is none.
    """

    systems: tuple[str, ...]
    sets: tuple[str, ...]
    correlations: tuple[SetScore, ...]
    published: tuple[PublishedScore, ...]
    points: tuple[Points, ...]
    worst: tuple[WorstPair, ...]
    best_system: str
    baseline: str | None

    def correlation(self, system: str, set_name: str) -> SetScore:
        """The correlation of a system on a set."""
        return next(row for row in self.correlations if (row.system, row.set_name) == (system, set_name))

    def published_on(self, set_name: str) -> PublishedScore | None:
        """The published result on a set."""
        return next((score for score in self.published if score.set_name == set_name), None)


def data(run: ReportedRun) -> Similarity | None:
    """Correlations of the systems, a sample of the pairs of the best one, and the pairs that differ most."""
    correlations = tuple(SetScore(*(entry[name] for name in SetScore._fields)) for entry in run.entries("set_metrics"))
    sets = tuple(sorted({row.set_name for row in correlations} - {WEIGHTED_MEAN, MEAN}))
    if not sets:
        return None
    means = tuple(name for name in (WEIGHTED_MEAN, MEAN) if any(row.set_name == name for row in correlations))
    headline = official_mean(sets) if means else sets[0]
    leading = {row.system: row.value for row in correlations if row.set_name == headline}
    with persisted(_pairs(run)) as (pairs,):
        return Similarity(
            systems=tuple(sorted(leading, key=lambda system: (-leading[system], system))),
            sets=(*sets, *means),
            correlations=correlations,
            published=published_scores({row.set_name: row.queries for row in correlations if row.set_name in sets}),
            points=_points(pairs),
            worst=_worst(run, pairs),
            best_system=run.best_system,
            baseline=run.once(evaluation).baseline,
        )


def blocks(similarity: Similarity) -> list[Block]:
    """The correlations as a plot and as a table, the pairs of each set, and the largest errors."""
    leading, has_published = similarity.systems[0], bool(similarity.published)
    caption = (
        f"Pearson's correlation of {leading} with the gold similarities, times 100. The bar of a dot is the bootstrap "
        f"interval over the pairs of the set{'; the red mark is the published result.' if has_published else '.'}"
    )
    sources = dict.fromkeys(score.source for score in similarity.published)
    errors = [
        (f"{pair.gold:.1f}", (Cell(f"{pair.score:.1f}"), _sentences(pair), Cell(forum(pair.set_name))))
        for pair in similarity.worst
    ]
    return [
        Plot("sets", partial(plot_sets, similarity), caption),
        _correlations(similarity),
        *(Text(source, "source") for source in sources),
        Heading("Gold similarity and score"),
        Text(
            f"Pairs scored by {similarity.best_system}; scores are rescaled to the mean and standard deviation of the "
            "gold similarities. A perfect score lies on the diagonal.",
            "legend",
        ),
        Columns(
            [
                Plot(f"points{number}", partial(plot_points, of_set), of_set.set_name, small=True)
                for number, of_set in enumerate(similarity.points)
            ]
        ),
        Heading("Largest errors"),
        Table(
            "",
            f"Pairs for which the score of {similarity.best_system} differs most from the gold similarity.",
            ("Gold", "Score", "Sentences", "Set"),
            errors,
            ("Sentences", "Set"),
        ),
    ]


def _sentences(pair: WorstPair) -> Cell:
    return Cell((forum(pair.one), BREAK, forum(pair.other)), role="prose")


def _correlations(similarity: Similarity) -> Table:
    """The correlations by set, and the published ones."""
    about: tuple[Words, ...] = ("Pearson's correlation times 100 by set, with bootstrap intervals.",)
    if similarity.baseline:
        about += (" ", *better_or_worse(similarity.baseline), f"bootstrap test (p\xa0<\xa0{SIGNIFICANT}).")
    rows = []
    for set_name in similarity.sets:
        scores = [similarity.correlation(system, set_name) for system in similarity.systems]
        cells = [Cell(count(scores[0].queries))]
        for score in scores:
            sign = ""
            if score.p_value < SIGNIFICANT:
                sign = "better" if score.difference > 0 else "worse"
            cells.append(Cell(points(score.value), interval(score.low, score.high), sign=sign))
        if similarity.published:
            published = similarity.published_on(set_name)
            cells.append(NO_VALUE if published is None else Cell(points(published.value), published.system))
        rows.append(Row(forum(set_name), cells))
    headings = ("Set", "Pairs", *similarity.systems, *(["Published"] if similarity.published else []))
    return Table("", about, headings, rows, style="measures")


def _pairs(run: ReportedRun) -> DataFrame:
    """The pairs of the best system, with scores brought to the mean and deviation of the gold similarities."""
    examples = run.table("examples")
    assert examples is not None
    gold = examples.where("similarity is not null").select(*_PAIR, "similarity")
    scored = run.rankings().where(F.col("system") == run.best_system)
    pairs = gold.join(scored.select(*_PAIR, "score"), on=[*_PAIR])
    of_all = Window.partitionBy("site")
    scale = F.stddev_pop("similarity").over(of_all) / F.stddev_pop("score").over(of_all)
    scaled = F.mean("similarity").over(of_all) + (F.col("score") - F.mean("score").over(of_all)) * scale
    return pairs.withColumns({"scaled": F.coalesce(scaled, "score"), "set_name": set_of_pair(F.col("query_id"))})


def _points(pairs: DataFrame) -> tuple[Points, ...]:
    drawn = Window.partitionBy("set_name").orderBy(F.xxhash64("query_id"), "query_id")
    sample = pairs.withColumn("position", F.row_number().over(drawn)).where(F.col("position") <= POINTS)
    by_set = defaultdict(list)
    for row in sample.orderBy("set_name", "position").select("set_name", "similarity", "scaled").collect():
        by_set[row.set_name].append((row.similarity, row.scaled))
    return tuple(Points(name, *map(tuple, zip(*rows, strict=True))) for name, rows in by_set.items())


def _worst(run: ReportedRun, pairs: DataFrame) -> tuple[WorstPair, ...]:
    distance = F.abs(F.col("scaled") - F.col("similarity"))
    rows = pairs.orderBy(F.round(distance, 6).desc(), "query_id").limit(WORST).collect()
    texts = collect_texts(run.tables, [(row.site, row[side]) for row in rows for side in _SIDES]) if rows else {}
    return tuple(
        WorstPair(
            row.set_name,
            row.similarity,
            row.scaled,
            *(texts.get((row.site, row[side]), PostText()).body for side in _SIDES),
        )
        for row in rows
    )


def plot_points(points: Points, width: int) -> Picture:
    """Draw the pairs of a set; a perfect score lies on the diagonal."""
    from matplotlib.ticker import MultipleLocator

    figure, axes = new_axes(width, width)
    axes.plot([0, HIGHEST], [0, HIGHEST], color=sentinel("line"), linewidth=1)
    axes.scatter(points.gold, points.scores, s=9, color=sentinel("accent"), alpha=0.45, linewidths=0)
    axes.set_xlabel("gold similarity", color=sentinel("muted"), fontsize=12)
    axes.set_ylabel("score", color=sentinel("muted"), fontsize=12)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(1))
    axes.set_xlim(-0.25, HIGHEST + 0.25)
    axes.set_ylim(-1, HIGHEST + 1)
    return Picture(figure, f"Gold similarity and score of {len(points.gold)} pairs of {points.set_name}.")


def plot_sets(similarity: Similarity, width: int) -> Picture:
    """Draw the best system's correlation on each set with its interval, and the published one as a mark."""
    best = [similarity.correlation(similarity.systems[0], name) for name in similarity.sets]
    figure = whiskers([Whisker(row.set_name, row.value, row.low, row.high, "ink") for row in best], None, width)
    for position, set_name in enumerate(similarity.sets):
        published = similarity.published_on(set_name)
        if published:
            figure.axes[0].vlines(
                100 * published.value, position - _MARK, position + _MARK, color=sentinel("loss"), linewidth=3
            )
    described = ", ".join(f"{row.set_name} {100 * row.value:.1f}" for row in best)
    return Picture(figure, f"Correlation of {similarity.systems[0]} in percent: {described}.")


SECTION = Section("similarity", "Sets", data, blocks, products=(SET_METRICS, EXAMPLES), optional=(POSTS,))
