"""Neural rankers that read the words of query and candidate."""

from typing import ClassVar, TypeVar

from pydantic import Field
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.rankers.neural.model import TextNetworkModel
from cqa_spark.rankers.neural.neural_ranker import NeuralRanker
from cqa_spark.rankers.neural.parameters import NeuralParameters
from cqa_spark.rankers.neural.training_rows import training_rows
from cqa_spark.rankers.pair_words import WORD_COLUMNS, require_words
from cqa_spark.text.word_vectors import RAREST, WordVectors

_WORDS = "words"


class TextNetworkParameters(NeuralParameters):
    """Parameters of a network that reads texts."""

    most_words: int = Field(200, ge=1, description="maximum number of content words of each text")

    def reads_texts(self) -> bool:
        """Always."""
        return True


T = TypeVar("T", bound=TextNetworkParameters)


class TextNetworkRanker(NeuralRanker[T]):
    """Word vectors are trained on the texts of the training examples and then frozen."""

    model_type: ClassVar[type[TextNetworkModel]] = TextNetworkModel

    def fit(self, frame: DataFrame) -> TextNetworkModel:
        """Train word vectors on the texts, and learn ``relevant`` from texts and features.

        Raises:
            ContractError: the word columns are missing.
            InputError: no word is frequent enough for a vector.
        """
        require_words(frame, self.name)
        given = self.parameters
        with training_rows(frame, needs_features=False) as training:
            vectors = WordVectors.learn(_texts(training.frame), _WORDS, ("train",))
            known = vectors.vocabulary
            if not known.words:
                raise InputError(
                    f"no word occurs {RAREST} times in the texts of the {training.counts.rows} training examples",
                    "train on more examples, or use a ranker without texts",
                )
            network = self.train(training, known.words, known.vectors, given.most_words)
        description = self.describe(training.features, threshold=given.threshold, training=training.counts)
        return self.model_type(description, network, vectors)


def _texts(frame: DataFrame) -> DataFrame:
    """The distinct texts of queries and candidates."""
    both = [frame.select(F.col(name).alias(_WORDS)) for name in WORD_COLUMNS]
    texts = both[0].unionByName(both[1])
    return texts.select(F.sha2(F.concat_ws(" ", _WORDS), 256).alias("text_id"), _WORDS).distinct()
