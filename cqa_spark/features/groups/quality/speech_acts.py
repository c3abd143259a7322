"""Speech acts of the comment, such as thanks, advice, doubts and jokes, and whether its form fits the question.

Phrases are regular expressions over the clean text, for RE2, which matches in linear time, without regard to case.
Expressions for capitalised words, most likely names, switch case sensitivity on.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.features.arrays import ABSENT, Indices, Reals
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch, Texts

_IMPERATIVES = (
    "try|check|go|call|contact|ask|visit|get|take|see|look|buy|use|google|search|read|find|keep|make|give|send|wait|"
    "tell|talk|speak|apply|bring|register|report|forget|consult|avoid|stay|be|do not|don'?t|never|let"
)

ACTS = {
    "starts_with_thanks": ("starts with thanks", r"^\W*(many |big )?(thanks?|thanx|thx|thnx|tnx|thankyou)\b"),
    "starts_with_receipt": (
        "starts with an acknowledgement",
        r"^\W*(ok|okay|oh|ah|aha|hmm+|i see|got it|cool|great|nice|wow|good|well said|noted)\b",
    ),
    "opinion": (
        "gives the writer's opinion",
        r"\b(i (think|believe|feel|suppose|reckon|guess|prefer)|in my (humble )?opinion|imo|imho|personally|"
        r"if you ask me|my (2|two) cents)\b",
    ),
    "experience": (
        "reports the writer's experience or possessions",
        r"\b(i('ve| have|'d| had)? (been|used|bought|went|paid|got|had|tried|did|took|applied|lived|worked|was|"
        r"found|saw|know)|my (husband|wife|friend|company|sponsor|son|daughter|kids))\b",
    ),
    "advice": (
        "tells the reader what to do",
        r"\b((you|u|he|she|they) (should|can|could|may|must|need|needs|have to|has to|better|'d better|might)|"
        r"why (don'?t|not) you|how about|make sure|i('d| would)? (suggest|recommend|advi[sc]e)|better (to|if)|"
        r"best (to|bet|thing|way|place|option))\b",
    ),
    "condition": ("states a condition", r"\b(if (you|u|your|ur|it)|unless|depends?|as long as|provided)\b"),
    "reason": ("gives a reason", r"\b(because|coz|cuz|since|due to|so that|that'?s why|the reason)\b"),
    "hedge": (
        "expresses doubt",
        r"\b(maybe|perhaps|probably|might|not (so |really |very )?sure|seems?|as far as i know|afaik|"
        r"i('ve| have)? heard|usually|guess|suppose|somehow|i doubt)\b",
    ),
    "certainty": (
        "expresses certainty",
        r"\b(definitely|surely|of course|always|certainly|for sure|absolutely|no doubt)\b",
    ),
    "wishes": (
        "wishes or hopes",
        r"\b(good luck|best of luck|all the best|welcome|hope (this|it|that|you|u)|cheers|enjoy|god bless)\b",
    ),
    "polite": ("asks politely", r"\b(please|pls|plz|kindly|(would|could) (you|u|anyone|someone)|if you don'?t mind)\b"),
    "apology": ("apologises", r"\b(sorry|apolog\w+|my bad|excuse me|pardon|forgive me)\b"),
    "disagreement": (
        "disagrees",
        r"\b(disagree|not true|wrong|nonsense|no way|rubbish|i don'?t (think|agree|believe)|on the contrary|untrue|"
        r"that'?s not|it'?s not)\b",
    ),
    "agreement": (
        "agrees",
        r"\b(i agree|agree with|agreed|you('re| are) right|(he|she) is right|exactly|well said|"
        r"good (point|idea|advice)|so true|same opinion|as (\w+ )?(said|mentioned))\b|\+1",
    ),
    "insult": ("insults", r"\b(stupid|idiot|dumb|moron|fool|shut up|troll|loser|get a life|pathetic|racist)\b"),
    "joke": (
        "laughs or teases",
        r"\b(lol+|lmao|rofl|(ha|he){2,}h?|hihi|jk|just kidding|kidding|joke|joking)\b|smiletoken",
    ),
    "shares_problem": (
        "has the same question",
        r"\b(same (question|problem|issue|here|boat|situation)|me too|i also (want|need|have)|i'?m also|"
        r"also (looking|searching|interested)|any (update|luck|news))\b",
    ),
    "asks_back": (
        "asks the reader",
        r"\b(are|do|did|have|can|will|were|what|which|where|how|why|is)\b[^.!?\n]{0,40}\b(you|u|ur|your)\b[^.!\n]*\?",
    ),
    "offers": (
        "offers something",
        r"\b(i (can|could|will|would|'ll) (help|give|send|sell|assist|provide|arrange|do it)|"
        r"i('m| am) (selling|offering)|i have (a|an|one|some|it)|for sale|pm me|call me|we (offer|provide|have|are))\b",
    ),
    "about_forum": (
        "is about the forum, not the question",
        r"\b(ql|qler?s?|thread|post(s|ed)?|topic|moderator|mods?|search (button|box|function)|forum)\b",
    ),
}
"""Description and phrases of each speech act, by name."""

STARTS_IMPERATIVE = rf"^\W*(please |pls |just |then |so |or |and |you can )?({_IMPERATIVES})\b"
"""A sentence that starts with an imperative or advice."""

ENDS_IN_QUESTION_MARK = r"\?[^\w?]*$"
"""A sentence that is a question."""

QUESTIONS = {
    "how_much": r"\b(how (much|many|long|far|old|often)|price|cost|salary|fees?|rate|charges?|rent)\b",
    "where": r"\b(where|which (place|shop|store|area|mall)|location|located|address|place to|directions?)\b",
    "when": r"\b(when|what time|timings?|opening hours|how long|what date|which day)\b",
    "who": r"\b(who|whom|anyone|anybody|someone|somebody|contact|phone|number)\b",
    "which": r"\b(which|what|any (good|other|idea|suggestion|recommendation)s?|recommend|suggest(ions?)?|best|good)\b",
    "how": r"\b(how (to|do|can|could|did|should)|procedure|what (is|are) the (process|steps|requirements?))\b",
    "why": r"\b(why|how come|reason)\b",
    "yes_no": r"(^|[.!?\n][^\w.!?\n]*)(is|are|was|do|does|did|can|could|will|would|should|has|have|may|am)\b"
    r"[^.!\n]*\?",
}
"""Phrases of questions, by kind of question."""

ANSWERS = {
    "how_much": r"[0-9]|\b(free|cheap|expensive|hundred|thousand|one|two|three|four|five|ten|twenty|"
    r"(qr|qar)s?|riyals?)\b",
    "where": r"\b(near|next to|behind|opposite|beside|in front|road|street|mall|souq|centre|center|at the|in the|ring|"
    r"roundabout|area|located|corniche|sadd|industrial)\b|(?-i:[a-z,] [A-Z][a-z])|urltoken",
    "when": r"\b([0-9]{1,2} ?([:.][0-9]{2})? ?(am|pm|a\.m|p\.m)|mon|tues|wednes|thurs|fri|satur|sun)(day)?\b|"
    r"\b(hours?|days?|weeks?|months?|years?|morning|evening|afternoon|tomorrow|today|yesterday|january|february|march|"
    r"april|june|july|august|september|october|november|december|ramadan|eid)\b",
    "who": r"[0-9]{3,4}[ -]?[0-9]{4}|emailtoken|\b(mr|mrs|ms|dr|doctor)\b|(?-i:[a-z,] [A-Z][a-z])",
    "which": r"(?-i:[a-z,] [A-Z][a-z])|urltoken|imagetoken|\b(best|better|good|great|recommend|try)\b",
    "how": r"\b(first|then|after|next|need to|have to|go to|apply|bring|fill|submit|step|"
    r"get (a|an|the|your))\b|[0-9][.)] ",
    "why": r"\b(because|coz|cuz|since|due to|so that|that'?s why|reason)\b",
    "yes_no": r"^\W*(yes|yeah|yep|yup|no|nope|nah|of course|sure|not|definitely|"
    r"it (is|does|depends)|you (can|cannot|can'?t))\b",
}
"""Phrases of answers, by kind of question."""


_SEARLE = "Searle 1976, A classification of illocutionary acts; phrases ours"
_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_LI_ROTH = "Li and Roth 2002, Learning question classifiers; phrases ours"
_FIT = "kinds of question that the query asks and the comment answers in form"


class SpeechActsV1(QueryGroup):
    """Phrases of the comment, kinds of question in the query, and where the two fit."""

    name = "speech_acts_v1"
    family = "quality"
    about = "speech acts of the comment, and whether its form fits the question"
    entity = Entity.PAIR
    columns = (
        *(FeatureColumn(name, f"1 if the comment {about}", _SEARLE) for name, (about, _) in ACTS.items()),
        FeatureColumn("imperatives", "share of the sentences that start with an imperative or advice", _NICOSIA),
        FeatureColumn("questions", "share of the sentences that end in a question mark", _NICOSIA),
        *(
            FeatureColumn(f"asks_{kind}", f"1 if the question asks {kind.replace('_', ' ')}", _LI_ROTH)
            for kind in QUESTIONS
        ),
        *(
            FeatureColumn(
                f"form_{kind}", f"1 if the comment has the form of an answer to: {kind.replace('_', ' ')}", _LI_ROTH
            )
            for kind in ANSWERS
        ),
        FeatureColumn("forms_fit", _FIT, _LI_ROTH),
        FeatureColumn("forms_fit_share", "forms_fit divided by the kinds of question asked", _LI_ROTH),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Flags and shares of each pair whose candidate has a text; without a query text, its flags are 0."""
        texts, candidates, queries = batch.texts, batch.candidate_text, batch.query_text
        acts = _flags(texts, candidates, {name: phrases for name, (_, phrases) in ACTS.items()})
        asks, forms = _flags(texts, queries, QUESTIONS), _flags(texts, candidates, ANSWERS)
        fit = sum(asks[kind] * forms[kind] for kind in QUESTIONS)
        values = {
            **acts,
            **_shares(texts, candidates, {"imperatives": STARTS_IMPERATIVE, "questions": ENDS_IN_QUESTION_MARK}),
            **{f"asks_{kind}": flag for kind, flag in asks.items()},
            **{f"form_{kind}": flag for kind, flag in forms.items()},
            "forms_fit": fit,
            "forms_fit_share": fit / np.maximum(1, sum(asks.values())),
        }
        return {name: np.where(candidates != ABSENT, value, np.nan) for name, value in values.items()}


def _flags(texts: Texts, indices: Indices, patterns: Mapping[str, str]) -> dict[str, Reals]:
    """By the name of the phrases, 1 where the text contains them; 0 for absent texts."""
    distinct, row = np.unique(indices, return_inverse=True)
    clean = _take(texts, "clean", distinct)
    return {name: _matches(clean, pattern)[row] for name, pattern in patterns.items()}


def _shares(texts: Texts, indices: Indices, patterns: Mapping[str, str]) -> dict[str, Reals]:
    """By the name of the phrases, the share of each text's sentences that contain them."""
    distinct, row = np.unique(indices, return_inverse=True)
    lists = _take(texts, "sentences", distinct)
    sentences, text = lists.flatten(), pc.list_parent_indices(lists).to_numpy()
    number = np.maximum(1, np.bincount(text, minlength=len(distinct)))
    return {
        name: (np.bincount(text, _matches(sentences, pattern), minlength=len(distinct)) / number)[row]
        for name, pattern in patterns.items()
    }


def _take(texts: Texts, unit: str, indices: Indices) -> pa.Array:
    """The items of a column at the given indices; null where the text is absent."""
    return texts.column(unit).combine_chunks().take(pa.array(indices, mask=indices == ABSENT))


def _matches(texts: pa.Array, pattern: str) -> Reals:
    """1 for each text that matches the expression, ignoring case; 0 for nulls."""
    matches = pc.match_substring_regex(texts, pattern, ignore_case=True)
    return matches.fill_null(False).to_numpy(zero_copy_only=False).astype(np.float64)
