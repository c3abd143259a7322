"""Loads models of any ranker from a folder."""

from cqa_spark.errors import ConfigError
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.rankers.model import DESCRIPTION, LEARNED, ModelDescription, RankerModel
from cqa_spark.rankers.registry import build_ranker


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
