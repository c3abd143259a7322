"""The page for reviewers: by subtask, published systems and ours, with deviations, seeds, encoders and provenance."""

from collections.abc import Iterator, Mapping

from cqa_spark.evaluation.published import PublishedTable, read_published_table
from cqa_spark.experiments.retraining import seeds_of
from cqa_spark.features.registry import embedding_models
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED
from cqa_spark.reports.kit.wording import MISSING, counted, points
from cqa_spark.systems.reproduced_figures import ERRORS, reproduced_figures, reproduced_scores
from cqa_spark.systems.system import System, known_systems, read_recipe
from cqa_spark.text.encoders.model import EmbeddingModel
from generators.markdown import code, folded, page, plain, table
from generators.provenance import is_stale, provenance

INTRO = """What a reviewer of reproductions asks, by subtask: the published score, ours, whether the recipe is
faithful, each deviation, the seeds, what pretrained encoders have read, and where the figure comes from. [Published
results](published.md) has the complete tables, [Reproductions](reproductions.md) all measures,
[Provenance](provenance.md) inputs and commands."""

LIMITS = """**What our figures compare with.** The labels of the official test sets are not distributed with this
project. Column *ours* is measured on the development set (*dev*), or on training questions by models of other folds,
so it does not compare with the published score on the test set, except where both are of the development set:
`semanticz_vectors_2016_a`, whose paper has that score, and `kunneman_2019_b`, whose authors published their run.
Others, who have the labels, measured our own systems on the test sets; these figures are among the published ones.

**What was chosen on what.** Groups, penalties and rankers of our systems were chosen by cross-validation over
training threads, and scores on the development set were visible meanwhile. Nothing was chosen by a test set. Settings
of published systems are those of their papers where these state them; else those of our systems, chosen once for all.

**Seeds.** A ranker that samples has the seed shown; figures are of this one seed unless a page gives a spread.
Training is deterministic on one machine; between machines, last digits of word vectors differ, and [trees amplify
them](../scaling.md#what-changes-scores).

**What failed** is in [the archive](../archive.md): networks of Xu et al. on few questions, the temporal split,
attention for external comments, a learned order of duplicates that is no better without its dearest features."""

NOT_BUILT = """**What is not faithful, and why.** A learning system is faithful here if its parts are known, its
resources are free, and a score of it is on a set whose labels are free, too. That is so for subtask A
(`semanticz_vectors_2016_a`) and subtask B (`kunneman_2019_b`), and for none of the others:

- Subtask C: the two teams whose whole method is known, SUper and SemanticZ, multiply scores of subtask A that need
  data of users crawled from the forum, or vectors of it. Their scores, and those of KeLP and IIT-UHH, are of the test
  sets.
- Subtask D: the training questions and 100 of the 250 development questions are not among the files here, and the
  teams used MADAMIRA, the Arabic Gigaword, or translations.
- STS: systems with a published score on labelled pairs need word vectors of 300 dimensions, paraphrases, WordNet or a
  parser. Of GloVe, a package has 50 dimensions.
- The alignment of Sultan et al. (2014, 2015) is no feature group: its evidence is the paraphrase database, named
  entities and dependencies. Without them it is the share of common stems: 77.3 by a script on the development pairs of
  the STS Benchmark, where `tfidf_sts` has 79.67, so it would be their method in name only.

Sentences about parts of systems follow the papers, the overviews, the readmes of the submissions of 2016, and code that
authors published; where these say nothing, the recipe says that a part is ours."""

TABLES: Mapping[str, tuple[str, str]] = {
    **{
        f"semeval{year}_{letter}": (f"semeval{year}" + ("_d" if letter == "d" else ""), task)
        for year in (2016, 2017)
        for letter, task in {
            "a": "question_comment",
            "b": "question_question",
            "c": "external_comment",
            "d": "arabic_pair",
        }.items()
    },
    "sts2016": ("sts2016", "sts"),
    "sts2017": ("sts2017", "sts"),
}
"""Data set and task of the recipes of each table."""

HEADINGS = ("system", "published", "ours", "seed, encoders", "measured")


def reproducibility_page() -> str:
    """A section for each subtask."""
    recipes = [recipe for recipe in map(read_recipe, known_systems()) if recipe.paper is not None]
    blocks = (block for name in TABLES for block in _section(name, recipes))
    return page("Reproducibility", INTRO, LIMITS, NOT_BUILT, *blocks)


def _section(name: str, recipes: list[System]) -> Iterator[str]:
    published, (data_set, task) = read_published_table(name), TABLES[name]
    members = [
        recipe
        for recipe in recipes
        if recipe.task == task and str(recipe.data_set).removesuffix("_translated").removesuffix("_part1") == data_set
    ]
    if not members:
        return
    yield f"## {name}"
    official = published.values(published.ranked, published.columns[0])
    decimals = published.decimals
    best, *_ = official
    winner = f"{best}, {official[best]:.{decimals}f}"
    among = f" of {len(published.ranked)} {published.ranked_runs}" if published.complete else ""
    yield plain(f"{published.about} The best{among}: {winner}.")
    yield table(HEADINGS, [_row(published, recipe) for recipe in members])
    deviations = [f"- {code(recipe.name)}: {plain(text)}" for recipe in members if (text := _deviations(recipe))]
    if deviations:
        yield folded(f"Deviations of {counted(len(deviations), 'system')}", "\n".join(deviations))


def _deviations(recipe: System) -> str:
    missing = f" Missing: {recipe.missing}" if recipe.missing else ""
    return " ".join(f"{recipe.replaces}{missing}".split())


def _row(published: PublishedTable, recipe: System) -> list[str]:
    data_set = str(recipe.data_set)
    scores, errors = reproduced_scores().get(recipe.name, {}), reproduced_figures()[ERRORS].get(recipe.name, {})
    parts = [f"{data_set}_{part}" for part in ("dev", CROSS_VALIDATED)] + ["stsb_dev"]
    part = next((part for part in parts if part in scores), "")
    measure = "MAP@10" if published.task == "ranking" else "Pearson"
    ours = MISSING
    if measure in scores.get(part, {}):
        error = errors.get(part, {}).get(measure)
        spread = "" if error is None else f" ± {points(error)}"
        ours = f"{points(scores[part][measure])}{spread} {part.removeprefix(f'{data_set}_')}"
    # The mean over sets, where there is one, stands last.
    stated = [
        points(expected.measures[measure]) + (" dev" if of_part.endswith("_dev") else "")
        for of_part, expected in recipe.expected.items()
        if measure in expected.measures
    ]
    entry = provenance().get(f"{recipe.name} {part}")
    state = "stale" if is_stale(recipe.name, part) else "current"
    models = embedding_models(recipe.feature_groups)
    encoders = [f"{code(model)}: {plain(EmbeddingModel.read(model).trained_on)}" for model in models]
    seeds = dict.fromkeys(seeds_of(recipe.ranker).values())
    return [
        f"[{recipe.name}](systems.md#{recipe.name}), {recipe.faithfulness}",
        stated[-1] if stated else MISSING,
        ours,
        "; ".join([*(f"seed {seed}" for seed in seeds), *encoders]) or "none",
        f"{entry['date'][:10]} {code(entry['commit'][:8])} {state}" if entry else MISSING,
    ]
