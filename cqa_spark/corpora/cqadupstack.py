"""Writes a subforum of CQADupStack, in its own zip archives of JSON, as a question list."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cqa_spark.corpora.question_list.records import ListCounts, write_list
from cqa_spark.errors import InputError

_SUFFIX = "_questions.json"
_REMEDY = "give the archive of one subforum, such as android.zip, which holds android/android_questions.json"


def write_question_list(archive: Path, folder: Path) -> ListCounts:
    """Write the questions of a subforum, and the duplicates that its users named.

    The questions are held in memory. Values that are no text, list or id are written as they are: reading the list puts
    them into quarantine.

    Args:
        archive: the zip file of one subforum.
        folder: existing folder for the files.

    Raises:
        InputError: it is no zip file, or holds no questions of this layout.

    Source:
        Hoogeveen, Verspoor and Baldwin 2015, CQADupStack: A Benchmark Data Set for Community Question-Answering
        Research, ADCS, and its script query_cqadupstack.py.
    """
    questions = _questions(archive)
    known = {name: values if isinstance(values, dict) else {} for name, values in questions.items()}
    return write_list(
        folder,
        ({"qid": name} | {key: known[name][key] for key in ("title", "body") if key in known[name]} for name in known),
        ((name, duplicate) for name, values in known.items() for duplicate in values.get("dups", [])),
    )


def _questions(archive: Path) -> Mapping[str, Any]:
    """The questions of an archive by id."""
    try:
        with zipfile.ZipFile(archive) as files:
            names = [name for name in files.namelist() if name.endswith(_SUFFIX)]
            if len(names) != 1:
                raise InputError(f"{archive} has {len(names)} files *{_SUFFIX}, not one", _REMEDY)
            questions = json.loads(files.read(names[0]))
    except (zipfile.BadZipFile, ValueError) as error:
        raise InputError(f"{archive} cannot be read: {error}", _REMEDY) from error
    if not isinstance(questions, dict):
        raise InputError(f"{names[0]} in {archive} is not a JSON object of questions by id", _REMEDY)
    return questions
