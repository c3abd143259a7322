"""Surface features of a comment, independent of the question."""

import re
from collections.abc import Mapping
from math import log1p

from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.groups.text.surface_matchers import (
    CommentText,
    SurfaceFeature,
    log_among,
    marks,
    matches,
    says,
    share,
    share_among,
    starts_with,
    tokens_of_kind,
)
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.tabulate import candidate_texts, tabulate

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
    FeatureColumn("log_chars", "ln(1 + characters of the clean text)", _NICOSIA): lambda one: log1p(len(one.clean)),
    FeatureColumn("log_words", "ln(1 + words)", _NICOSIA): lambda one: log1p(len(one.words)),
    FeatureColumn("sentences", "sentences", _SUPER_TEAM): lambda one: len(one.sentences),
    FeatureColumn("words_per_sentence", "mean words of a sentence", _SUPER_TEAM): lambda one: share(
        len(one.words), len(one.sentences)
    ),
    FeatureColumn("mean_word_length", "mean characters of a word", _SUPER_TEAM): lambda one: share(
        len("".join(one.words)), len(one.words)
    ),
    FeatureColumn("longest_word", "characters of the longest word, at most 30", _SUPER_TEAM): lambda one: min(
        30, max(map(len, one.words), default=0)
    ),
    FeatureColumn("type_token_ratio", "distinct words over words", _SUPER_TEAM): lambda one: share(
        len(set(one.words)), len(one.words)
    ),
    FeatureColumn("content_share", "content words over words", _AGICHTEIN): lambda one: share(
        len(one.content_words), len(one.words)
    ),
}

_MARKS: Mapping[FeatureColumn, SurfaceFeature] = {
    FeatureColumn("question_marks", "ln(1 + question marks)", _NICOSIA): marks("?"),
    FeatureColumn("ends_in_question_mark", "1 if the text ends in a question mark", _NICOSIA): lambda one: (
        one.clean.rstrip().endswith("?")
    ),
    FeatureColumn("exclamation_marks", "ln(1 + exclamation marks)", _NICOSIA): marks("!"),
    FeatureColumn("ellipses", "ln(1 + runs of two or more full stops)", "ours"): matches(r"\.{2,}"),
    FeatureColumn("quotes", "1 if it has text in double quotes", "ours"): lambda one: (
        _QUOTE.search(one.clean) is not None
    ),
    FeatureColumn("brackets", "ln(1 + opening brackets)", "ours"): marks("("),
    FeatureColumn("semicolons", "ln(1 + commas and semicolons)", "ours"): marks(",", ";"),
    FeatureColumn("punctuation_share", "tokens without letter or digit over tokens", _SUPER_TEAM): lambda one: share(
        len(one.tokens) - len(one.words), len(one.tokens)
    ),
    FeatureColumn("capitals_share", "capital letters over letters", _NICOSIA): lambda one: share(
        one.capitals, one.letters
    ),
    FeatureColumn("shouted_words", "ln(1 + words of three or more capitals)", _SUPER_TEAM): lambda one: (
        log1p(len(_SHOUTED.findall(one.clean))) if one.capitals >= 3 else 0.0
    ),
    FeatureColumn("stretched_words", "ln(1 + words with a letter three times in a row)", "ours"): lambda one: log1p(
        len(_STRETCHED.findall(one.lower))
    ),
    FeatureColumn("starts_lower", "1 if the text starts with a small letter", _AGICHTEIN): lambda one: (
        "a" <= one.clean[:1] <= "z"
    ),
    FeatureColumn("repeated_marks", "1 if it has two or more ! or ? in a row", _NICOSIA): lambda one: any(
        pair in one.clean for pair in ("!!", "??", "!?", "?!")
    ),
    FeatureColumn("cut", "1 if the text was cut at about 1,000 characters", "ours"): lambda one: (
        one.raw.rstrip().endswith(".....")
    ),
}

_THINGS: Mapping[FeatureColumn, SurfaceFeature] = {
    FeatureColumn("urls", "ln(1 + web addresses)", _NICOSIA): tokens_of_kind("urltoken"),
    FeatureColumn("images", "ln(1 + images)", _SEMANTICZ): tokens_of_kind("imagetoken"),
    FeatureColumn("smiles", "ln(1 + laughing emoticons)", _NICOSIA): tokens_of_kind("smiletoken"),
    FeatureColumn("frowns", "ln(1 + sad emoticons)", _NICOSIA): tokens_of_kind("frowntoken"),
    FeatureColumn("emails", "1 if it has an e-mail address", _NICOSIA): lambda one: (
        "@" in one.raw and _EMAIL.search(one.raw) is not None
    ),
    FeatureColumn("numbers", "ln(1 + numbers)", _SUPER_TEAM): lambda one: (
        log1p(len(_NUMBER.findall(one.clean))) if one.has_digit else 0.0
    ),
    FeatureColumn("phone_numbers", "1 if it has a number of seven or more digits", "ours"): lambda one: (
        one.has_digit and _PHONE_NUMBER.search(one.clean) is not None
    ),
    FeatureColumn("money", "1 if it has an amount of money", "ours"): lambda one: (
        "$" in one.clean or (one.has_digit and _AMOUNT.search(one.lower) is not None)
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
        lambda one: _ADDRESS.match(one.lower) is not None
    ),
    FeatureColumn("signed", "1 if it has the forum's signature mark", "ours"): lambda one: any(
        mark in one.raw for mark in _SIGNATURES
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
        return tabulate(
            self.columns, candidate_texts(batch), lambda index: _values(CommentText.read(batch.texts, index))
        )


def _values(comment: CommentText) -> dict[str, float]:
    return {column.name: feature(comment) for column, feature in _FEATURES.items()}
