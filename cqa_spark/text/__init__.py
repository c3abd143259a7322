"""What posts and comments say: which text each has, cleaned and analysed once per distinct text."""

from cqa_spark.text.documents import distinct_texts, documents
from cqa_spark.text.pipeline import analyse

__all__ = ["analyse", "distinct_texts", "documents"]
