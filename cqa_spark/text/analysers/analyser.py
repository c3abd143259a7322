"""What an analyser of texts is, and which one jobs use: the one that ``conf/text.yaml`` names."""

from abc import ABC, abstractmethod
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ConfigError
from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.plugins import PluginKind
from cqa_spark.settings.conf_files import conf_file
from cqa_spark.settings.yaml import read_yaml
from cqa_spark.text.cleaning import clean

_SETTINGS = "text.yaml"


class Analyser(ABC):
    """Analyses cleaned texts.

    Attributes:
        about: one line for lists of analysers.
    """

    about: ClassVar[str]

    def require(self) -> None:
        """Check, before Spark starts, that what the analyser needs is installed.

        Raises:
            EnvironmentProblem: something is missing.
        """
        return

    @abstractmethod
    def analyse(self, texts: DataFrame) -> DataFrame:
        """Analyse every text.

        Args:
            texts: ``text_id``, ``raw`` and ``clean``.

        Returns:
            The table ``texts``; arrays are in text order.
        """


ANALYSERS: PluginKind[type[Analyser]] = PluginKind("analysers", "text analyser")


class _TextSettings(BaseModel):
    """The content of ``conf/text.yaml``."""

    model_config = ConfigDict(extra="forbid")

    analyser: str


def analyser_in_use() -> str:
    """The name of the analyser that ``conf/text.yaml``, or the user's file in its place, names.

    Raises:
        ConfigError: the file names none, or one that is not installed.
    """
    file = conf_file(_SETTINGS)
    try:
        name = _TextSettings.model_validate(read_yaml(file).value).analyser
    except ValidationError as error:
        mistakes = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise ConfigError(f"{file} is invalid: {mistakes}", "it has one line, such as: analyser: rules") from None
    return ANALYSERS.registration(name).name


def analyse(texts: DataFrame) -> DataFrame:
    """Clean and analyse every text once, with the analyser in use.

    Args:
        texts: ``text_id`` and ``raw`` of each distinct text, as ``distinct_texts`` returns them.

    Returns:
        The table ``texts``; arrays are in text order.

    Raises:
        ConfigError: as for ``analyser_in_use``.
        EnvironmentProblem: the analyser needs something that is not installed.
    """
    analyser = ANALYSERS.load(analyser_in_use())()
    analyser.require()
    # Repartitioned explicitly, because Spark sizes partitions by bytes and the work per byte is large.
    partitions = int(str(texts.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    cleaned = texts.repartition(partitions, "text_id").select("text_id", "raw", clean(F.col("raw")).alias("clean"))
    return TEXTS.conform(analyser.analyse(cleaned))
