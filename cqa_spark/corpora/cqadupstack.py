"""Writes a subforum of CQADupStack, in its own zip archives of JSON, as a question list."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cqa_spark.corpora.question_list.records import DUPLICATES, QUESTIONS, ListCounts
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
    with (folder / QUESTIONS).open("w", encoding="utf-8") as file:
        for name, values in questions.items():
            known = values if isinstance(values, dict) else {}
            question = {"qid": name} | {key: known[key] for key in ("title", "body") if key in known}
            file.write(json.dumps(question, ensure_ascii=False) + "\n")
    duplicates = 0
    with (folder / DUPLICATES).open("w", encoding="utf-8") as file:
        for name, values in questions.items():
            for duplicate in values.get("dups", []) if isinstance(values, dict) else []:
                file.write(f"{name}\t{duplicate}\n")
                duplicates += 1
    return ListCounts(len(questions), duplicates)


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
