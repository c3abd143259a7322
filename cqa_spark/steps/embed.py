"""texts → embeddings: vectors of the texts that have none yet."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES, OUTSIDE_TRAINING, QUERY_POST
from cqa_spark.lake.schemas.text import DOCUMENTS, EMBEDDINGS, TEXTS
from cqa_spark.lake.table import TableFiles
from cqa_spark.runtime.flow import Product, Published, Step
from cqa_spark.steps.changed_sites import too_many_unused
from cqa_spark.text.encoders.encoder import embed, load_encoder, ship
from cqa_spark.text.encoders.model import EmbeddingModel


@dataclass(frozen=True)
class Embed(Step):
    """Encode texts with pretrained models; published vectors of existing texts are kept.

    Attributes:
        models: names of the models.
        examples_only: encode only the texts of queries and candidates that a system learns from or ranks: training
            examples without a label are left out.
    """

    models: Sequence[str]
    examples_only: bool = False

    name = "embeddings"

    def reads(self) -> tuple[Product, ...]:
        """The analysed texts, and which of them belong to examples."""
        return (TEXTS, DOCUMENTS, EXAMPLES) if self.examples_only else (TEXTS,)

    def reads_if_present(self) -> tuple[Product, ...]:
        """The published vectors."""
        return (Published(EMBEDDINGS),)

    def writes(self) -> tuple[Product, ...]:
        """The vectors."""
        return (EMBEDDINGS,)

    def prepare(self) -> None:
        """Check that the models are installed."""
        for name in self.models:
            load_encoder(EmbeddingModel.read(name))

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the vectors of new texts beside the published ones; those of texts that are gone stay for a while."""
        texts, models = self._texts(run), [EmbeddingModel.read(name) for name in self.models]
        for model in models:
            ship(run.lake.spark, model)
        counts.rows_in = run.rows(TEXTS) * len(models)
        published = files_of_models(run.published(EMBEDDINGS), models)
        kept = run.lake.read(EMBEDDINGS, published)
        known = kept.select("text_id", "model")
        missing = [
            (model, texts.join(known.where(F.col("model") == model.name), on="text_id", how="left_anti"))
            for model in models
        ]
        encoded = reduce(DataFrame.unionByName, [embed(lacking, model) for model, lacking in missing])
        new = run.new_files(EMBEDDINGS, encoded)
        counts.rows_out = new.rows
        if too_many_unused(published.rows + new.rows, counts.rows_in):
            published = run.new_files(EMBEDDINGS, kept.join(texts, on="text_id", how="left_semi"))
        run.put(EMBEDDINGS, published.united(new))

    def _texts(self, run: Run) -> DataFrame:
        texts = run.read(TEXTS).select("text_id", "clean")
        if not self.examples_only:
            return texts
        of_pair = F.explode(F.array(F.expr(QUERY_POST), "candidate_id")).alias("document_id")
        learned_or_ranked = F.col("label").isNotNull() | F.expr(OUTSIDE_TRAINING)
        pairs = run.read(EXAMPLES).where(learned_or_ranked).select("site", of_pair)
        documents = run.read(DOCUMENTS).join(pairs, on=["site", "document_id"], how="left_semi")
        needed = documents.select(F.explode(F.array("text_id", "subject_text_id")).alias("text_id"))
        return texts.join(needed, on="text_id", how="left_semi")


def files_of_models(files: TableFiles, models: Sequence[EmbeddingModel]) -> TableFiles:
    """The files with the vectors of some models, in their versions.

    Args:
        files: of the table of embeddings.
        models: the models.
    """
    wanted = {(model.name, model.version) for model in models}
    return replace(files, files=tuple(f for f in files.files if (f.values["model"], f.values["version"]) in wanted))
