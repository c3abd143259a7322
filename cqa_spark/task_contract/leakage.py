"""Detects leakage, that is threads in both training and evaluation data, by their ids and by their texts."""

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING, OUTSIDE_TRAINING, QUERY, QUERY_POST

SHOWN_THREADS = 20

# Cleansed texts are truncated to about 1,000 characters, with other punctuation and without markup.
COMPARED_LETTERS = 200
# Shorter questions ("Good bank?") may be asked twice, so the first comment must match, too.
TELLING_LETTERS = 40


def threads_of(examples: DataFrame, posts: DataFrame, comments: DataFrame) -> DataFrame:
    """The threads of queries, with the keys that identify copies.

    Args:
        examples: of the schema ``EXAMPLES``.
        posts: of the schema ``POSTS``.
        comments: of the schema ``COMMENTS``.

    Returns:
        site, task, split, query_id, fold_key (the thread that represents the query and its copies), fingerprint
        (null if the question has no letters), subject.
    """
    queries = examples.select("site", "task", "split", F.expr(QUERY_POST).alias("query_id"), "fold_key").distinct()
    questions = queries.select("site", F.col("query_id").alias("post_id"))
    marks = fingerprints(posts.join(questions, on=["site", "post_id"], how="left_semi"), comments)
    return queries.join(marks.withColumnRenamed("post_id", "query_id"), on=["site", "query_id"], how="left")


def training_threads(examples: DataFrame, posts: DataFrame, comments: DataFrame) -> DataFrame:
    """The training threads, as stored with a model; same arguments as ``threads_of``.

    Returns:
        site, task, query_id, fold_key, fingerprint.
    """
    return trained_on(threads_of(examples.where(IN_TRAINING), posts, comments))


def trained_on(threads: DataFrame) -> DataFrame:
    """The rows of ``threads_of`` in the training part, with the columns of ``training_threads``."""
    return threads.where(IN_TRAINING).select("site", "task", "query_id", "fold_key", "fingerprint")


def shared_threads(evaluated: DataFrame, trained: DataFrame) -> DataFrame:
    """Evaluation threads that are also training threads, by id or by text.

    Threads are compared within a task, by the thread that represents a query and its copies; by text also with those of
    other sites, because threads are moved and copied between sites. Related threads that recur
    for another original question are not leaks in tasks B and C, because labels belong to the pair. Of several training
    threads, one is named, so that many copies of a text do not make as many pairs as the square of their number.

    Args:
        evaluated: as ``threads_of`` returns them.
        trained: as ``training_threads`` returns them.

    Returns:
        site, task, split (of the evaluation data), evaluated and trained (post ids, after that of another site its
        name), shared_by (id or text), subject.
    """
    own = F.concat_ws("/", "site", "fold_key")
    # Every thread has a row for its id, and one for its text.
    by_id = F.struct(F.lit("id").alias("shared_by"), own.alias("key"))
    by_text = F.struct(F.lit("text").alias("shared_by"), F.col("fingerprint").cast("string").alias("key"))
    keys = F.inline(F.array(by_id, by_text))
    sides = (evaluated.withColumn("is_trained", F.lit(False)), trained.withColumn("is_trained", F.lit(True)))
    shown = ("site", "task", "split", "query_id", own.alias("thread"), "subject", "is_trained")
    both = sides[0].unionByName(sides[1], allowMissingColumns=True).select(*shown, keys).where("key IS NOT NULL")
    alike = Window.partitionBy("task", "shared_by", "key")
    trained_thread = F.when(F.col("is_trained"), F.struct("thread", "site", "query_id"))
    bounds = both.withColumns({"first": F.min(trained_thread).over(alike), "last": F.max(trained_thread).over(alike)})
    # A copy of the thread itself is shared by id; if all training threads of the text are copies, first is last.
    copies = [F.when(F.col(f"{end}.thread") != F.col("thread"), _named(end)) for end in ("first", "last")]
    shared = F.when(F.col("shared_by") == "id", _named("first")).otherwise(F.coalesce(*copies))
    named = bounds.where(~F.col("is_trained")).withColumn("trained", shared).where("trained IS NOT NULL")
    return named.select(
        "site", "task", "split", F.col("query_id").alias("evaluated"), "trained", "shared_by", "subject"
    )


def refuse_shared_threads(evaluated: DataFrame, trained: DataFrame) -> None:
    """Check that training and evaluation data share no thread; same arguments as ``shared_threads``.

    Raises:
        InputError: they share threads; the first ones are listed.
    """
    shared = shared_threads(evaluated, trained)
    count = shared.count()
    if not count:
        return
    rows = shared.orderBy("task", "split", "evaluated", "trained").limit(SHOWN_THREADS).collect()
    listed = [
        f"{row.task}: {row.split} {row.evaluated} = train {row.trained} (by {row.shared_by}), "
        f"{row.subject or 'no subject'}"
        for row in rows
    ]
    if count > len(rows):
        listed.append(f"and {count - len(rows)} more")
    raise InputError(
        f"{count} threads are both in the training and in the evaluation data:\n    " + "\n    ".join(listed),
        "remove them from the training files and train again, or allow shared threads if this is intended",
    )


def without_labels_of_trained(examples: DataFrame, threads: DataFrame, trained: list[DataFrame]) -> DataFrame:
    """Remove the labels of training threads from evaluation examples, so that these are not evaluated.

    Args:
        examples: of the schema ``EXAMPLES``.
        threads: as ``threads_of`` returns them for the labelled examples.
        trained: training threads of models, as ``training_threads`` returns them.

    Returns:
        The examples; those of shared threads outside the training part are ``unannotated``.
    """
    shared = shared_threads(threads.where(OUTSIDE_TRAINING), reduce(DataFrame.unionByName, trained))
    queries = shared.select("site", "task", F.col("evaluated").alias("query_id")).distinct()
    marked = examples.join(queries.withColumn("is_shared", F.lit(True)), on=list(QUERY), how="left")
    is_kept = F.col("is_shared").isNull() | (F.col("split") == "train")
    changed = {name: F.when(is_kept, F.col(name)) for name in ("label", "relevant")}
    changed["split"] = F.when(is_kept, F.col("split")).otherwise(UNANNOTATED)
    return EXAMPLES.conform(marked.withColumns(changed).drop("is_shared"))


def _named(trained: str) -> Column:
    """The id of a training thread, with the name of its site if that is another one."""
    of_other_site = F.concat(f"{trained}.query_id", F.lit(" of "), f"{trained}.site")
    return F.when(F.col(f"{trained}.site") == F.col("site"), F.col(f"{trained}.query_id")).otherwise(of_other_site)


def fingerprints(posts: DataFrame, comments: DataFrame) -> DataFrame:
    """Fingerprint every question.

    Args:
        posts: of the schema ``POSTS``.
        comments: of the schema ``COMMENTS``.

    Returns:
        site, post_id, subject, fingerprint (a hash; null if the question has no letters).
    """
    first = comments.where(F.col("position") == 1).select("site", "post_id", F.col("body").alias("reply"))
    questions = posts.where(F.col("post_type") == "question").select(
        "site", "post_id", "subject", letters(F.concat_ws(" ", "subject", "body")).alias("text")
    )
    with_reply = F.concat_ws("|", "text", letters(F.col("reply")))
    telling = F.when(F.length("text") >= TELLING_LETTERS, F.col("text")).otherwise(with_reply)
    hashed = F.when(F.length("text") > 0, F.xxhash64(telling))
    return questions.join(first, on=["site", "post_id"], how="left").select(
        "site", "post_id", "subject", hashed.alias("fingerprint")
    )


def letters(text: Column) -> Column:
    """The first letters and digits of a text in lower case, without markup, even if it is escaped once or twice."""
    plain = F.regexp_replace(F.lower(text), "&(amp;)+", "&")
    markup = F.replace(F.replace(plain, F.lit("&lt;"), F.lit("<")), F.lit("&gt;"), F.lit(">"))
    bare = F.regexp_replace(markup, "<[^<>]*>|&#?[a-z0-9]+;", "")
    return F.substring(F.regexp_replace(bare, r"[^\p{L}\p{N}]+", ""), 1, COMPARED_LETTERS)
