"""What a comment looks like on its surface, whatever the question."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, feature_values
from cqa_spark.features.inputs import FeatureInputs

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_SEMANTICZ = "Mihaylov and Nakov 2016, SemanticZ at SemEval-2016 Task 3"
_AGICHTEIN = "Agichtein et al. 2008, Finding high-quality content in social media"


def _log(count: str) -> str:
    return f"ln(1 + {count})"


def _share(count: str, total: str) -> str:
    return f"({count}) / greatest(1, {total})"


def _matches(pattern: str) -> str:
    return f"regexp_count(clean, r'(?i){pattern}')"


def _says(pattern: str) -> str:
    return f"int(clean rlike r'(?i){pattern}')"


def _words_among(*words: str) -> str:
    chosen = ", ".join(f'"{word}"' for word in words)
    return f"size(filter(words, word -> word in ({chosen})))"


def _tokens(kind: str) -> str:
    return f"size(filter(tokens, token -> token = '{kind}'))"


_LENGTH = {
    FeatureColumn("log_chars", "ln(1 + characters of the clean text)", _NICOSIA): _log("length(clean)"),
    FeatureColumn("log_words", "ln(1 + words)", _NICOSIA): _log("size(words)"),
    FeatureColumn("sentences", "sentences", _SUPER_TEAM): "size(sentences)",
    FeatureColumn("words_per_sentence", "mean words of a sentence", _SUPER_TEAM): _share(
        "size(words)", "size(sentences)"
    ),
    FeatureColumn("mean_word_length", "mean characters of a word", _SUPER_TEAM): _share(
        "length(array_join(words, ''))", "size(words)"
    ),
    FeatureColumn(
        "longest_word", "characters of the longest word, at most 30", _SUPER_TEAM
    ): "least(30, coalesce(array_max(transform(words, word -> length(word))), 0))",
    FeatureColumn("type_token_ratio", "distinct words over words", _SUPER_TEAM): _share(
        "size(array_distinct(words))", "size(words)"
    ),
    FeatureColumn("content_share", "words that are no stop words over words", _AGICHTEIN): _share(
        "size(content_words)", "size(words)"
    ),
}

_MARKS = {
    FeatureColumn("question_marks", "ln(1 + question marks)", _NICOSIA): _log(_matches(r"\?")),
    FeatureColumn("ends_in_question_mark", "1 where the text ends in a question mark", _NICOSIA): _says(r"\?\s*$"),
    FeatureColumn("exclamation_marks", "ln(1 + exclamation marks)", _NICOSIA): _log(_matches("!")),
    FeatureColumn("ellipses", "ln(1 + runs of two or more full stops)", "ours"): _log(_matches(r"\.{2,}")),
    FeatureColumn("quotes", "1 where something stands in double quotes", "ours"): _says(r"""["“][^"“”]++["”]"""),
    FeatureColumn("brackets", "ln(1 + opening brackets)", "ours"): _log(_matches(r"\(")),
    FeatureColumn("semicolons", "ln(1 + commas and semicolons)", "ours"): _log(_matches("[,;]")),
    FeatureColumn("punctuation_share", "tokens without letter or digit over tokens", _SUPER_TEAM): _share(
        "size(tokens) - size(words)", "size(tokens)"
    ),
    FeatureColumn("capitals_share", "capital letters over letters", _NICOSIA): _share(
        "regexp_count(clean, '[A-Z]')", "regexp_count(clean, '[A-Za-z]')"
    ),
    FeatureColumn("shouted_words", "ln(1 + words of three or more capitals)", _SUPER_TEAM): _log(
        r"regexp_count(clean, r'\b[A-Z]{3,}\b')"
    ),
    FeatureColumn("stretched_words", "ln(1 + words with a letter three times in a row)", "ours"): _log(
        _matches(r"([a-z])\1{2,}")
    ),
    FeatureColumn(
        "starts_lower", "1 where the text starts with a small letter", _AGICHTEIN
    ): "int(clean rlike '^[a-z]')",
    FeatureColumn("repeated_marks", "1 where ! or ? stand two or more in a row", _NICOSIA): _says("[!?]{2,}"),
    FeatureColumn("cut", "1 where the text was cut at about 1,000 characters", "ours"): r"int(raw rlike r'\.{5}\s*$')",
}

_THINGS = {
    FeatureColumn("urls", "ln(1 + web addresses)", _NICOSIA): _log(_tokens("urltoken")),
    FeatureColumn("images", "ln(1 + images)", _SEMANTICZ): _log(_tokens("imagetoken")),
    FeatureColumn("smiles", "ln(1 + laughing emoticons)", _NICOSIA): _log(_tokens("smiletoken")),
    FeatureColumn("frowns", "ln(1 + sad emoticons)", _NICOSIA): _log(_tokens("frowntoken")),
    FeatureColumn("emails", "1 where an e-mail address stands", _NICOSIA): r"int(raw rlike r'\w@\w')",
    FeatureColumn("numbers", "ln(1 + numbers)", _SUPER_TEAM): _log(_matches(r"\b[0-9][0-9.,;]*")),
    FeatureColumn("phone_numbers", "1 where a number of seven or more digits stands", "ours"): _says(
        r"\b[0-9]{3,4}[ -]?[0-9]{4}\b"
    ),
    FeatureColumn("money", "1 where an amount of money stands", "ours"): _says(
        r"(\b(qr|qar|qrs|usd|riyals?|dollars?)\.? ?[0-9]|[0-9] ?(qr|qar|qrs|usd|riyals?|dollars?|k)\b|\$)"
    ),
    FeatureColumn("proper_names", "ln(1 + capitalised words that do not start a sentence)", "ours"): _log(
        r"regexp_count(clean, r'[a-z,;] [A-Z][a-z]')"
    ),
}

_MANNER = {
    FeatureColumn("first_person_share", "I, me, my, we, us, our over words", _AGICHTEIN): _share(
        _words_among("i", "me", "my", "mine", "we", "us", "our", "im", "i'm", "i've"), "size(words)"
    ),
    FeatureColumn("second_person_share", "you, your, u, ur over words", _AGICHTEIN): _share(
        _words_among("you", "your", "yours", "u", "ur", "you're", "you'll"), "size(words)"
    ),
    FeatureColumn("third_person_share", "he, she, they and their forms over words", "ours"): _share(
        _words_among("he", "she", "they", "him", "her", "them", "his", "their"), "size(words)"
    ),
    FeatureColumn("question_words", "ln(1 + question words)", _NICOSIA): _log(
        _words_among("who", "what", "when", "where", "why", "which", "how", "whose")
    ),
    FeatureColumn("starts_as_question", "1 where the first word asks", _NICOSIA): _says(
        r"^\W*(who|what|when|where|why|which|how|is|are|do|does|did|can|could|would|will|any|anyone|have)\b"
    ),
    FeatureColumn("thanks", "1 where it thanks", _NICOSIA): _says(
        r"\b(thanks?|thanx|thx|thnx|thank ?you|tnx|appreciated?)\b"
    ),
    FeatureColumn("acknowledges", "1 where it agrees or acknowledges", _NICOSIA): _says(
        r"\b(ok|okay|agree|agreed|exactly|good point|i see|got it|right|correct|true|same here|me too)\b"
    ),
    FeatureColumn("greets", "1 where it greets or welcomes", "ours"): _says(
        r"\b(hi|hello|hey|salam|assalamu|welcome|good (morning|luck|evening))\b"
    ),
    FeatureColumn("laughs", "1 where it laughs", _SUPER_TEAM): _says(r"\b(lol|lmao|rofl|(ha|he){2,}+h?|hihi)\b"),
    FeatureColumn("advises", "1 where it advises", _NICOSIA): _says(
        r"\b(try|check|go to|should|suggest|advi[sc]e|recommend|contact|call|visit|better|need to|have to)\b"
    ),
    FeatureColumn("thinks", "1 where it gives an opinion", _NICOSIA): _says(
        r"\b(i (think|guess|believe|feel|suppose|heard|know)|in my opinion|imo|imho|maybe|probably|might)\b"
    ),
    FeatureColumn("answers_yes_or_no", "1 where it starts with yes or no", _NICOSIA): _says(
        r"^\W*(yes|yeah|yep|yup|no|nope|nah|of course|sure|not)\b"
    ),
    FeatureColumn("private_message", "1 where it speaks of private messages", "ours"): _says(
        r"\b(pm|p\.m\.|inbox|private message|pming|pmed|pmd)\b"
    ),
    FeatureColumn("asks_for_contact", "1 where it asks to be contacted or sent something", "ours"): _says(
        r"\b(call me|contact me|email me|mail me|send me|let me know|my (number|email|mail)|tell me)\b"
    ),
    FeatureColumn("negates", "ln(1 + negations)", _SUPER_TEAM): _log(
        _words_among("no", "not", "never", "nothing", "none", "don't", "dont", "can't", "cant", "won't", "isn't")
    ),
    FeatureColumn("place", "1 where it says where something is", "ours"): _says(
        r"\b(near|next to|behind|opposite|beside|in front of|road|street|mall|souq|centre|center|city)\b"
    ),
    FeatureColumn("addresses_member", "1 where it starts with @, a bare name and a colon, or dear", "ours"): _says(
        r"^\s*(@|dear\b|[a-z0-9_]+ ?(:|\.\.|;))"
    ),
    FeatureColumn(
        "signed", "1 where the forum's signature mark stands", "ours"
    ): r"int(raw rlike r'(_{4,}|-{4,}|\*{3,})')",
}

_FEATURES = {**_LENGTH, **_MARKS, **_THINGS, **_MANNER}
"""Each column with the Spark SQL expression over ``texts`` that computes it."""


class CommentSurfaceV1(FeatureGroup):
    """Lengths, marks, things and manners of speaking, from the comment's own text."""

    name: ClassVar[str] = "comment_surface_v1"
    family: ClassVar[str] = "quality"
    about: ClassVar[str] = "what the comment looks like, whatever the question"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Counts, shares and flags of each candidate's text."""
        candidates = inputs.with_text(self.entities(inputs.examples), "candidate_id")
        values = feature_values(_FEATURES)
        return candidates.select(*self.entity.key, *values)
