"""Which published vectors are those of a model."""

from cqa_spark.lake.table import DataFile, TableFiles
from cqa_spark.steps.embed import files_of_models
from cqa_spark.text.encoders.model import EmbeddingModel


def test_vectors_of_another_version_or_model_are_made_again() -> None:
    english, multilingual = (EmbeddingModel.read(name) for name in ("bge_small_en", "multilingual_e5_small"))

    def file(model: str, version: str, number: int) -> DataFile:
        values = {"model": model, "version": version}
        return DataFile(f"tables/embeddings/r{number}.1/part.parquet", 9, number, values)

    files = (
        file(english.name, english.version, 1),
        file(english.name, "0", 2),
        file(multilingual.name, english.version, 3),
        file(multilingual.name, multilingual.version, 4),
        file(english.name, english.version, 5),
    )
    published = TableFiles(("text_id", "model", "version", "vector"), files)
    assert [file.rows for file in files_of_models(published, [english]).files] == [1, 5]
    assert [file.rows for file in files_of_models(published, [multilingual, english]).files] == [1, 4, 5]
    assert files_of_models(published, []).files == ()
