"""Data sets in ``conf/datasets/NAME.yaml``: training files, files to rank, and gold files."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from cqa_spark.settings.conf_files import read_conf_file
from cqa_spark.settings.sections import SettingsSection
from cqa_spark.settings.values import SiteName


class DataPart(SettingsSection):
    """An evaluation part of a data set.

    Attributes:
        input: file with the queries to rank.
        gold: official file of relevance judgments, by task.
    """

    input: str
    gold: Mapping[str, str] = Field(default_factory=dict)


class DataSet(SettingsSection):
    """A data set; paths are relative to the folder of the data sets.

    Attributes:
        name: the file's name without ``.yaml``.
        about: description, one sentence.
        site: site name of the files.
        corpus: source format of the files.
        train: training files, or folders of them.
        unannotated: files without judgments, for text and statistics of authors; those that are absent are left out.
        leave_out: training threads that an evaluation part contains under another id.
        parts: evaluation parts by name, which becomes the split of their queries.
        mean: the official score, if it is a mean over the parts: weighted by their labelled queries, or unweighted.
        cross_validation: official files of relevance judgments of the training queries, by task, to evaluate each
            training query by models of the other folds; empty for data sets with a labelled part.
    """

    name: str
    about: str
    site: SiteName
    corpus: str
    train: tuple[str, ...] = Field(min_length=1)
    unannotated: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    parts: Mapping[str, DataPart]
    mean: Literal["weighted", "unweighted"] | None = None
    cross_validation: Mapping[str, str] = Field(default_factory=dict)

    def tasks(self) -> frozenset[str]:
        """The tasks of its files of relevance judgments."""
        return frozenset(task for part in self.parts.values() for task in part.gold) | frozenset(self.cross_validation)

    def paths(self) -> list[str]:
        """All its files, and folders of training files."""
        of_parts = [path for part in self.parts.values() for path in (part.input, *part.gold.values())]
        return [*dict.fromkeys([*self.train, *self.unannotated, *of_parts, *self.cross_validation.values()])]


def read_data_set(name: str) -> DataSet:
    """Read and check one data set.

    Args:
        name: the data set's name.

    Raises:
        ConfigError: there is no such data set, or its file has mistakes.
    """
    return read_conf_file(DataSet, "datasets", name, "data set")
