"""Judgments of test collections by their id in the catalogue of ir_datasets, if that package is installed."""

from collections import defaultdict

from cqa_spark.corpora.ir_datasets import load_collection, rows
from cqa_spark.errors import ConfigError


def catalogue_grades(dataset: str) -> dict[str, dict[str, int]]:
    """The grade of each judged document, by query; ir_datasets downloads the judgments if it has no copy of them.

    Args:
        dataset: id, with or without the prefix.

    Raises:
        ConfigError: ir_datasets is not installed, has no such data set, or the data set has no judgments.
        EnvironmentProblem: the judgments cannot be downloaded.
    """
    collection = load_collection(dataset)
    if not collection.has_qrels():
        raise ConfigError(f"{dataset} has no judgments", f"name a subset with judgments, such as {dataset}/test")
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows(dataset, collection.qrels_iter):
        grades[row.query_id][row.doc_id] = row.relevance
    return dict(grades)
