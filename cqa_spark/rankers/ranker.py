"""The interface of rankers: estimators with declared parameters, whose fit returns a model."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict
from pyspark.sql import DataFrame

from cqa_spark.errors import ConfigError
from cqa_spark.lake.model_folder import ModelFolder
from cqa_spark.rankers.model import DESCRIPTION, LEARNED, ModelDescription, RankerModel, TrainingCounts
from cqa_spark.rankers.registry import build_ranker


class RankerParameters(BaseModel):
    """Base class of a ranker's parameters; the fields declare name, type, default and help."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def needs_features(self) -> tuple[str, ...]:
        """Feature columns named in the parameters."""
        return ()

    def reads_texts(self) -> bool:
        """Whether the ranker also uses words, which requires the columns that ``pair_words`` adds."""
        return False

    def require_environment(self) -> None:
        """Check, before Spark starts, what training needs: its libraries, and executors that stay for several workers.

        Raises:
            EnvironmentProblem: a library is not installed; the message names the command that installs it.
            ConfigError: several workers train, and executors are allocated dynamically.
        """
        return


P = TypeVar("P", bound=RankerParameters)


@dataclass(frozen=True)
class Ranker(ABC, Generic[P]):
    """An estimator; registered by name in ``cqa_spark.rankers.ranker``.

    Attributes:
        parameters: the parameters, of type ``parameters_type``.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    parameters_type: ClassVar[type[RankerParameters]]
    model_type: ClassVar[type[RankerModel]]

    parameters: P

    @property
    def gives_probabilities(self) -> bool:
        """Whether the scores of its models are probabilities of relevance."""
        return False

    @property
    def gives_similarities(self) -> bool:
        """Whether the scores of its models are predicted similarities, from 0 to 5."""
        return False

    @property
    def learns_choices(self) -> bool:
        """Whether it learns from the column ``choice``, which examples of undecided nights have as well."""
        return False

    @abstractmethod
    def fit(self, frame: DataFrame) -> RankerModel:
        """Fit a model on training examples.

        Args:
            frame: columns of the table ``examples`` and features, doubles named ``GROUP__COLUMN``.

        Raises:
            ContractError: a feature is not a number, or a feature named in the parameters is missing.
            InputError: there are no suitable training examples.
        """

    def fit_scores(self, frame: DataFrame) -> RankerModel:
        """Fit a model for its scores only; skips a threshold that would need models of folds."""
        return self.fit(frame)

    def describe(
        self, features: tuple[str, ...], *, threshold: float | None = None, training: TrainingCounts | None = None
    ) -> ModelDescription:
        """The description of a model of this ranker."""
        return ModelDescription(
            ranker=self.name,
            parameters=self.parameters.model_dump(mode="json"),
            features=features,
            threshold=threshold,
            training=training,
        )


# Rankers by name; a module is imported at first use, because composite rankers look up their members here.


# The specification of a ranker in a recipe.


# Loads models of any ranker from a folder.


def load_model(folder: ModelFolder) -> RankerModel:
    """Load a model saved by ``RankerModel.save``.

    Raises:
        ContractError: the ranker or its parameters are unknown, or the fitted state does not match them.
    """
    description = folder.read_json(DESCRIPTION, ModelDescription)
    try:
        ranker = build_ranker(description.ranker, description.parameters)
    except ConfigError as error:
        raise folder.refusal(DESCRIPTION, error.problem) from error
    complete = description.model_copy(update={"parameters": ranker.parameters.model_dump(mode="json")})
    return ranker.model_type.load_learned(complete, folder.within(LEARNED))
