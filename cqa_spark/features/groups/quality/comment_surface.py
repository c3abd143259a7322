"""Surface features of a comment: lengths, marks, links, numbers and phrases, whatever the question is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import log1p

from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch, Texts

_NO_CAPITALS = bytes(set(range(256)) - set(range(ord("A"), ord("Z") + 1)))
_NO_LETTERS = bytes(set(_NO_CAPITALS) - set(range(ord("a"), ord("z") + 1)))
_WORD = re.compile(r"\w+")
_DIGIT = re.compile("[0-9]")


@dataclass(frozen=True)
class CommentText:
    """The analysed text of a comment.

    Attributes:
        raw: as written.
        clean: without markup.
        sentences: its sentences.
        tokens: words and punctuation.
        words: lower-case tokens with a letter or digit.
        content_words: words other than stop words.
    """

    raw: str
    clean: str
    sentences: Sequence[str]
    tokens: Sequence[str]
    words: Sequence[str]
    content_words: Sequence[str]

    @classmethod
    def read(cls, texts: Texts, index: int) -> CommentText:
        """The text with this index."""
        return cls(*(texts.unit(field.name)[index] for field in fields(cls)))

    @cached_property
    def lower(self) -> str:
        """The clean text in lower case."""
        return self.clean.lower()

    @cached_property
    def spellings(self) -> frozenset[str]:
        """Runs of letters and digits: unlike the words, they end at apostrophes and full stops."""
        return frozenset(_WORD.findall(self.lower))

    @cached_property
    def capitals(self) -> int:
        """Number of the letters A to Z."""
        return len(self.clean.encode().translate(None, _NO_CAPITALS))

    @cached_property
    def letters(self) -> int:
        """Number of the letters a to z and A to Z."""
        return len(self.clean.encode().translate(None, _NO_LETTERS))

    @cached_property
    def has_digit(self) -> bool:
        """Whether the clean text has a digit."""
        return _DIGIT.search(self.clean) is not None


SurfaceFeature = Callable[[CommentText], float]
"""The value of a feature."""


def share(count: float, total: int) -> float:
    """A count over a total; 0 if both are 0."""
    return count / max(1, total)


def matches(pattern: str) -> SurfaceFeature:
    """ln(1 + matches of a pattern in the clean text)."""
    compiled = re.compile(pattern)
    return lambda comment: log1p(sum(1 for _ in compiled.finditer(comment.clean)))


def marks(*characters: str) -> SurfaceFeature:
    """ln(1 + occurrences of characters in the clean text)."""
    return lambda comment: log1p(sum(map(comment.clean.count, characters)))


def tokens_of_kind(kind: str) -> SurfaceFeature:
    """ln(1 + placeholder tokens of a kind, which cleaning inserts)."""
    return lambda comment: log1p(comment.tokens.count(kind))


def _words_among(*words: str) -> Callable[[CommentText], int]:
    counted = frozenset(words)
    return lambda comment: sum(word in counted for word in comment.words)


def share_among(*words: str) -> SurfaceFeature:
    """Share of the words that belong to the given set."""
    count = _words_among(*words)
    return lambda comment: share(count(comment), len(comment.words))


def log_among(*words: str) -> SurfaceFeature:
    """ln(1 + words that belong to the given set)."""
    count = _words_among(*words)
    return lambda comment: log1p(count(comment))


def says(*phrases: str) -> SurfaceFeature:
    """1 if a phrase occurs as whole words, ignoring case."""
    single = frozenset(phrase for phrase in phrases if _WORD.fullmatch(phrase))
    longer = {phrase: re.compile(rf"\b{re.escape(phrase)}\b") for phrase in phrases if phrase not in single}

    def occurs(comment: CommentText) -> float:
        return not single.isdisjoint(comment.spellings) or any(
            phrase in comment.lower and bounded.search(comment.lower) for phrase, bounded in longer.items()
        )

    return occurs


def starts_with(*phrases: str) -> SurfaceFeature:
    """1 if the text starts with one of the phrases, ignoring leading punctuation."""
    start = re.compile(rf"\W*(?:{'|'.join(phrases)})\b", re.ASCII)
    return lambda comment: start.match(comment.lower) is not None


_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_SEMANTICZ = "Mihaylov and Nakov 2016, SemanticZ at SemEval-2016 Task 3"
_AGICHTEIN = "Agichtein et al. 2008, Finding high-quality content in social media"

_STRETCHED = re.compile(r"([a-z])\1\1+")
_SHOUTED = re.compile(r"\b[A-Z]{3,}\b")
_NUMBER = re.compile(r"\b[0-9][0-9.,;]*")
_PHONE_NUMBER = re.compile(r"\b[0-9]{3,4}[ -]?[0-9]{4}\b")
_AMOUNT = re.compile(r"\b(?:qr|qar|qrs|usd|riyals?|dollars?)\.? ?[0-9]|[0-9] ?(?:qr|qar|qrs|usd|riyals?|dollars?|k)\b")
_QUOTE = re.compile(r"""["“][^"“”]++["”]""")
_EMAIL = re.compile(r"\w@\w", re.ASCII)
_ADDRESS = re.compile(r"\A\s*(?:@|dear\b|[a-z0-9_]+ ?(?::|\.\.|;))")
_SIGNATURES = ("____", "----", "***")


_LAUGH = re.compile("(?:ha|he){2,}h?")


def _laughs(comment: CommentText) -> bool:
    laughs = ("lol", "lmao", "rofl", "hihi")
    return not comment.spellings.isdisjoint(laughs) or any(map(_LAUGH.fullmatch, comment.spellings))


_LENGTH: Mapping[FeatureColumn, SurfaceFeature] = {
    FeatureColumn("log_chars", "ln(1 + characters of the clean text)", _NICOSIA): lambda comment: log1p(
        len(comment.clean)
    ),
    FeatureColumn("log_words", "ln(1 + words)", _NICOSIA): lambda comment: log1p(len(comment.words)),
    FeatureColumn("sentences", "sentences", _SUPER_TEAM): lambda comment: len(comment.sentences),
    FeatureColumn("words_per_sentence", "mean words of a sentence", _SUPER_TEAM): lambda comment: share(
        len(comment.words), len(comment.sentences)
    ),
    FeatureColumn("mean_word_length", "mean characters of a word", _SUPER_TEAM): lambda comment: share(
        len("".join(comment.words)), len(comment.words)
    ),
    FeatureColumn("longest_word", "characters of the longest word, at most 30", _SUPER_TEAM): lambda comment: min(
        30, max(map(len, comment.words), default=0)
    ),
    FeatureColumn("type_token_ratio", "distinct words over words", _SUPER_TEAM): lambda comment: share(
        len(set(comment.words)), len(comment.words)
    ),
    FeatureColumn("content_share", "content words over words", _AGICHTEIN): lambda comment: share(
        len(comment.content_words), len(comment.words)
    ),
}

_MARKS: Mapping[FeatureColumn, SurfaceFeature] = {
    FeatureColumn("question_marks", "ln(1 + question marks)", _NICOSIA): marks("?"),
    FeatureColumn("ends_in_question_mark", "1 if the text ends in a question mark", _NICOSIA): lambda comment: (
        comment.clean.rstrip().endswith("?")
    ),
    FeatureColumn("exclamation_marks", "ln(1 + exclamation marks)", _NICOSIA): marks("!"),
    FeatureColumn("ellipses", "ln(1 + runs of two or more full stops)", "ours"): matches(r"\.{2,}"),
    FeatureColumn("quotes", "1 if it has text in double quotes", "ours"): lambda comment: (
        _QUOTE.search(comment.clean) is not None
    ),
    FeatureColumn("brackets", "ln(1 + opening brackets)", "ours"): marks("("),
    FeatureColumn("semicolons", "ln(1 + commas and semicolons)", "ours"): marks(",", ";"),
    FeatureColumn("punctuation_share", "tokens without letter or digit over tokens", _SUPER_TEAM): lambda comment: (
        share(len(comment.tokens) - len(comment.words), len(comment.tokens))
    ),
    FeatureColumn("capitals_share", "capital letters over letters", _NICOSIA): lambda comment: share(
        comment.capitals, comment.letters
    ),
    FeatureColumn("shouted_words", "ln(1 + words of three or more capitals)", _SUPER_TEAM): lambda comment: (
        log1p(len(_SHOUTED.findall(comment.clean))) if comment.capitals >= 3 else 0.0
    ),
    FeatureColumn("stretched_words", "ln(1 + words with a letter three times in a row)", "ours"): lambda comment: log1p(
        len(_STRETCHED.findall(comment.lower))
    ),
    FeatureColumn("starts_lower", "1 if the text starts with a small letter", _AGICHTEIN): lambda comment: (
        "a" <= comment.clean[:1] <= "z"
    ),
    FeatureColumn("repeated_marks", "1 if it has two or more ! or ? in a row", _NICOSIA): lambda comment: any(
        pair in comment.clean for pair in ("!!", "??", "!?", "?!")
    ),
    FeatureColumn("cut", "1 if the text was cut at about 1,000 characters", "ours"): lambda comment: (
        comment.raw.rstrip().endswith(".....")
    ),
}

_THINGS: Mapping[FeatureColumn, SurfaceFeature] = {
    FeatureColumn("urls", "ln(1 + web addresses)", _NICOSIA): tokens_of_kind("urltoken"),
    FeatureColumn("images", "ln(1 + images)", _SEMANTICZ): tokens_of_kind("imagetoken"),
    FeatureColumn("smiles", "ln(1 + laughing emoticons)", _NICOSIA): tokens_of_kind("smiletoken"),
    FeatureColumn("frowns", "ln(1 + sad emoticons)", _NICOSIA): tokens_of_kind("frowntoken"),
    FeatureColumn("emails", "1 if it has an e-mail address", _NICOSIA): lambda comment: (
        "@" in comment.raw and _EMAIL.search(comment.raw) is not None
    ),
    FeatureColumn("numbers", "ln(1 + numbers)", _SUPER_TEAM): lambda comment: (
        log1p(len(_NUMBER.findall(comment.clean))) if comment.has_digit else 0.0
    ),
    FeatureColumn("phone_numbers", "1 if it has a number of seven or more digits", "ours"): lambda comment: (
        comment.has_digit and _PHONE_NUMBER.search(comment.clean) is not None
    ),
    FeatureColumn("money", "1 if it has an amount of money", "ours"): lambda comment: (
        "$" in comment.clean or (comment.has_digit and _AMOUNT.search(comment.lower) is not None)
    ),
    FeatureColumn("proper_names", "ln(1 + capitalised words that do not start a sentence)", "ours"): matches(
        "[a-z,;] [A-Z][a-z]"
    ),
}

_MANNER: Mapping[FeatureColumn, SurfaceFeature] = {
    FeatureColumn("first_person_share", "I, me, my, we, us, our over words", _AGICHTEIN): share_among(
        "i", "me", "my", "mine", "we", "us", "our", "im", "i'm", "i've"
    ),
    FeatureColumn("second_person_share", "you, your, u, ur over words", _AGICHTEIN): share_among(
        "you", "your", "yours", "u", "ur", "you're", "you'll"
    ),
    FeatureColumn("third_person_share", "he, she, they and their forms over words", "ours"): share_among(
        "he", "she", "they", "him", "her", "them", "his", "their"
    ),
    FeatureColumn("question_words", "ln(1 + question words)", _NICOSIA): log_among(
        "who", "what", "when", "where", "why", "which", "how", "whose"
    ),
    FeatureColumn("starts_as_question", "1 if the first word asks", _NICOSIA): starts_with(
        *("who", "what", "when", "where", "why", "which", "how", "is", "are", "do", "does", "did", "can", "could"),
        *("would", "will", "any", "anyone", "have"),
    ),
    FeatureColumn("thanks", "1 if it thanks", _NICOSIA): says(
        "thank", "thanks", "thanx", "thx", "thnx", "thankyou", "tnx", "appreciate", "appreciated"
    ),
    FeatureColumn("acknowledges", "1 if it agrees or acknowledges", _NICOSIA): says(
        *("ok", "okay", "agree", "agreed", "exactly", "good point", "i see", "got it", "right", "correct", "true"),
        *("same here", "me too"),
    ),
    FeatureColumn("greets", "1 if it greets or welcomes", "ours"): says(
        "hi", "hello", "hey", "salam", "assalamu", "welcome", "good morning", "good luck", "good evening"
    ),
    FeatureColumn("laughs", "1 if it laughs", _SUPER_TEAM): _laughs,
    FeatureColumn("advises", "1 if it advises", _NICOSIA): says(
        *("try", "check", "go to", "should", "suggest", "advise", "advice", "recommend", "contact", "call", "visit"),
        *("better", "need to", "have to"),
    ),
    FeatureColumn("thinks", "1 if it gives an opinion", _NICOSIA): says(
        *("i think", "i guess", "i believe", "i feel", "i suppose", "i heard", "i know", "in my opinion", "imo"),
        *("imho", "maybe", "probably", "might"),
    ),
    FeatureColumn("answers_yes_or_no", "1 if it starts with yes or no", _NICOSIA): starts_with(
        "yes", "yeah", "yep", "yup", "no", "nope", "nah", "of course", "sure", "not"
    ),
    FeatureColumn("private_message", "1 if it mentions private messages", "ours"): says(
        "pm", "p.m.", "inbox", "private message", "pming", "pmed", "pmd"
    ),
    FeatureColumn("asks_for_contact", "1 if it asks to be contacted or sent something", "ours"): says(
        *("call me", "contact me", "email me", "mail me", "send me", "let me know", "my number", "my email"),
        *("my mail", "tell me"),
    ),
    FeatureColumn("negates", "ln(1 + negations)", _SUPER_TEAM): log_among(
        "no", "not", "never", "nothing", "none", "don't", "dont", "can't", "cant", "won't", "isn't"
    ),
    FeatureColumn("place", "1 if it says where something is", "ours"): says(
        *("near", "next to", "behind", "opposite", "beside", "in front of", "road", "street", "mall", "souq"),
        *("centre", "center", "city"),
    ),
    FeatureColumn("addresses_member", "1 if it starts with @, a bare name and a colon, or dear", "ours"): (
        lambda comment: _ADDRESS.match(comment.lower) is not None
    ),
    FeatureColumn("signed", "1 if it has the forum's signature mark", "ours"): lambda comment: any(
        mark in comment.raw for mark in _SIGNATURES
    ),
}

_FEATURES: Mapping[FeatureColumn, SurfaceFeature] = {**_LENGTH, **_MARKS, **_THINGS, **_MANNER}


class CommentSurfaceV1(QueryGroup):
    """Lengths, punctuation, links and numbers, and phrases of the comment's own text."""

    name = "comment_surface_v1"
    family = "quality"
    about = "surface of the comment, independent of the question"
    entity = Entity.CANDIDATE
    columns = tuple(_FEATURES)

    def compute(self, batch: QueryBatch) -> Values:
        """Counts, shares and flags of each candidate's text."""

        def values(index: int) -> dict[str, float]:
            comment = CommentText.read(batch.texts, index)
            return {column.name: feature(comment) for column, feature in _FEATURES.items()}

        return self.tabulate(batch.known_candidate_texts(), values)
