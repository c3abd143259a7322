"""Sentence templates of the generated forum, by the intention of the comment.

Placeholders: ``{thing}`` (subject of the question), ``{place}`` and ``{fact}`` of its topic, ``{other}`` (a thing of
any topic), ``{name}`` (another member), ``{price}``, ``{phone}``, ``{url}``.
"""

SUBJECTS = (
    "Looking for {thing}",
    "Where to find {thing}?",
    "Advice needed: {thing}",
    "Anyone knows about {thing}",
    "{thing} - any experience?",
    "Help with {thing} please",
)

OPENINGS = (
    "Hi all; I am new here and need {thing}.",
    "Good day everyone; can anyone recommend {thing}?",
    "Dear friends; my wife is asking about {thing} and I have no idea where to start.",
    "I have been searching for {thing} since last month.",
    "My colleague told me that {thing} is hard to get here; is it true?",
)

DETAILS = (
    "My budget is about {price} riyals.",
    "I live {price} meters from the big roundabout so it should not be far.",
    "A friend paid {price} for it; is that normal?",
    "I read {url} but it looks old.",
    "We arrive in {price} days.",
)

CLOSINGS = (
    "Thanks in advance!",
    "Any help is appreciated.",
    "Please advise.",
    "Thanks & regards",
    "Kindly share numbers too :)",
)

# Detailed answers.
ANSWERS = (
    "For {thing} I would go to {place}. {fact}",
    "We used {place} twice and were happy. {fact} It cost us around {price} riyals.",
    "Try {place}; ask for the manager and say what you need. {fact}",
    "{fact} Everything is explained on {url} and the number is {phone}.",
    "I had the same problem with {thing} last year. {place} solved it for {price} riyals. {fact}",
    "Call {phone} ({place}). {fact} Good luck!",
)

SHORT_ANSWERS = ("{place}; hands down.", "Go to {place}.", "{place} is the best for {thing}", "check {url}", "{phone}")

# Uncertain answers: potentially useful.
GUESSES = (
    "Not sure; but I think {place} had something like {thing}.",
    "I heard that {place} is ok but never tried myself.",
    "Maybe ask at {place}? It was closed when i passed.",
    "It depends on your budget I guess; prices go up to {price}.",
    "My cousin knows about {thing}; I will ask him tonight.",
)

# Chat by other members in the middle of the thread.
CHATTER = (
    "lol {name} you again",
    "Welcome to the forum; enjoy the heat :)",
    "same question every week... use the search",
    "{name} is right as always hehe",
    "This reminds me of {other}; what a story that was",
    "I am bored at work; anybody going out tonight?",
    "why do people always complain",
    "haha nice one {name}",
    "good luck with that",
    "I thought this thread was about {other} :P",
)

JOKES = (
    "If you find {thing} tell me; I will sell it to {name} for double",
    "Marry a millionaire and forget {thing} :)",
    "{thing}? In this weather? You must be joking!",
    "My camel has better {other} than that",
)

QUESTIONS = (
    "Did you find {thing} in the end?",
    "I have the same question; anybody?",
    "How long are you staying? And which company do you work for?",
    "{name}; can you tell me more about {other}?",
)

# Advertisements, which look like answers.
ADVERTISEMENTS = (
    "Best offers for {other} and everything else at {url} call now {phone} only {price} riyals!!!",
    "We do {other}; cleaning; transport and more. Contact {phone}.",
)

# By the asker.
THANKS = (
    "Thank you {name}!",
    "Thanks all for the quick replies; much appreciated",
    "thanks a lot {name}; will try that tomorrow",
    "Great; thanks!!",
)

ASKER_REPLIES = (
    "{name}; what do you mean?",
    "But is it open on Fridays? And how much is it?",
    "Yes I tried that already; anything else?",
    "Anyone? Please...",
)

FIRST_NAMES = (
    "sand",
    "desert",
    "pearl",
    "gulf",
    "mister",
    "lady",
    "happy",
    "lost",
    "old",
    "blue",
    "silent",
    "captain",
    "doc",
    "crazy",
    "lucky",
    "sunny",
)
SECOND_NAMES = (
    "fox",
    "rider",
    "dreamer",
    "falcon",
    "walker",
    "cook",
    "nomad",
    "sailor",
    "teacher",
    "oryx",
    "moon",
    "driver",
    "painter",
    "wolf",
    "gardener",
    "star",
)
