"""Sentence patterns of the generated site, with gaps, by intent.

Gaps are members of ``vocabulary.Gap``, in lower case. Sentences of posts are HTML, those of titles and comments plain
text.
"""

from enum import Enum, auto


class Intent(Enum):
    """The purpose of a sentence."""

    TITLE = auto()
    PROBLEM = auto()
    ADVICE = auto()
    CODE = auto()
    PRAISE = auto()
    CRITICISM = auto()
    ASIDE = auto()
    REQUEST = auto()
    REPLY = auto()
    WIKI = auto()
    ABOUT = auto()


PATTERNS: dict[Intent, tuple[str, ...]] = {
    Intent.TITLE: (
        "How do I {verb} a {focus} without the {topic}?",
        "Why does {focus} {verb} the {adjective} {topic} in {tag}?",
        "{tag}: the {focus} does not {verb} my {topic}",
        "What is the difference between a {focus} and a {topic}?",
        "Is there a {adjective} way to {verb} {number} {focus}s with {tag}?",
        "Cannot {verb} the {topic} → {focus}: “no such {noun}”",
        "Best {noun} for a {adjective} {focus} that has to {verb} & {verb}",
        'Error "no such {noun}" when the {focus} is {adjective}',
        "{tag} {topic} <{focus}> and the {adjective} {noun}",
    ),
    Intent.PROBLEM: (
        "I have a {adjective} {focus} and I would like to {verb} it with a {topic}.",
        "When I {verb} the {topic}, the {noun} does not {verb} any more.",
        "My {focus} has {number} {noun}s, and each of them needs its own {topic}.",
        "I tried to {verb} the {noun} first, but then the {adjective} {topic} was gone.",
        "The documentation says that a {topic} should <em>never</em> {verb} the {focus}.",
        "What I expect is a {adjective} {noun}; what I get is <code>{topic}</code>.",
        "Is it possible to {verb} the {focus} without a {adjective} {noun}?",
        "The {noun} comes from a {topic} that somebody else wrote {number} days ago.",
        "I'm new to {tag}, so please excuse me if this is a {adjective} {noun}.",
        "As far as I know, every {topic} has to {verb} before the {noun} can {verb}.",
        "Here is what I do to {verb} it:",
        "It works for {number} {noun}s, but with more than that the {focus} becomes {adjective}.",
        'I read about "{topic}" &amp; similar things, yet nobody explains the {focus}.',
        "Should I {verb} the {topic} or the {noun}?",
        "After {number} minutes the {adjective} {noun} is still there.",
        'I looked at <a href="https://docs.example.org/{topic}/{number}">the manual</a> but it is about {noun}s.',
        "Any {noun} would help, even a {adjective} one.",
        "Thanks in advance!",
    ),
    Intent.ADVICE: (
        "You have to {verb} the {topic} before you {verb} the {noun}.",
        "The {topic} is {adjective} because the {noun} cannot {verb} it.",
        "A {adjective} {topic} does exactly that, see <code>{topic}.{verb}()</code>.",
        "In my experience the {topic} should be <strong>{adjective}</strong>, or the {noun} will {verb}.",
        "First {verb} the {noun}, then {verb} the {topic} with {number} or more.",
        "If you {verb} a {adjective} {noun} instead, there is no need for the {topic}.",
        "That is not how {tag} treats a {topic}: it will {verb} the {noun} & the {topic} together.",
        "Make sure that the {noun} is {adjective}; otherwise the {topic} does not {verb}.",
        "There are {number} ways to {verb} this, and the {adjective} one needs a {topic}.",
        "I would {verb} the {topic} only once and keep the {adjective} {noun}.",
        "This has changed: since version {number} the {topic} can {verb} by itself.",
        "Note that <em>{topic}</em> and <em>{topic}</em> are not the same {noun}.",
        "The reason is that every {topic} holds a {noun} until somebody decides to {verb} it.",
        'See <a href="https://docs.example.org/{topic}/{number}">{topic} in the manual</a> for a {adjective} {noun}.',
        "It took me {number} hours to find out that the {topic} must not {verb} twice.",
        "Then x &lt; {number} holds, and the {noun} is {adjective}, as &quot;{topic}&quot; says.",
        "Of course you can also {verb} the {noun} by hand.",
        "Hope this helps.",
    ),
    Intent.CODE: (
        "{topic} = {focus}({number})",
        "for {noun} in {topic}:",
        "    {topic}.{verb}({noun}, &quot;{focus}&quot;)",
        "if {noun} &lt; {number} &amp;&amp; {topic} &gt; 0 {",
        "}",
        "    return {topic}[{number}]",
        "# {verb} the {adjective} {noun}",
        "import {topic}",
        "&lt;{topic} name=&quot;{noun}&quot; size='{number}'/&gt;",
        "SELECT {noun}, {topic} FROM {focus} WHERE {noun} &gt;= {number};",
        "$ {tag} --{verb} {noun} | {topic} -n {number}",
        "",
    ),
    Intent.PRAISE: (
        "Great answer, the part about the {topic} solved it for me!",
        "Thank you, this works perfectly. Exactly the {noun} I needed.",
        "+1, I did not know that a {topic} can {verb} like this.",
        "Excellent explanation of the {topic}, very clear.",
        "That was helpful; after {number} days of trying it finally works :)",
        "Best answer here. The {adjective} {noun} makes all the difference.",
        "Perfect, thanks a lot!",
    ),
    Intent.CRITICISM: (
        "This does not work, the {topic} still fails to {verb}.",
        "-1, that is wrong: a {topic} never has a {noun}.",
        "Sorry, but this does not answer the question about the {topic}.",
        "I tried it and got an error after {number} seconds.",
        "That's misleading. You cannot {verb} the {noun} with this.",
        "Unfortunately the {adjective} {noun} makes it worse.",
    ),
    Intent.ASIDE: (
        "What happens if the {topic} has more than {number} {noun}s?",
        "Do you have a source for the {noun}?",
        "There is a similar {noun} in <https://docs.example.org/{topic}> I think.",
        'In {tag} one would say "{topic}", not "{topic}".',
        "I have edited the {noun}, feel free to roll back.",
        "Which version of {tag} is this about?",
        "See also the {adjective} {topic} & its {noun}.",
    ),
    Intent.REQUEST: (
        "Can you show us the {topic} that you {verb}?",
        "What have you tried so far to {verb} the {noun}?",
        "Please add the {adjective} {noun} to your question.",
        "Is the {topic} on your machine {adjective}?",
        "Welcome to the site! Which {noun} do you mean?",
        "I voted to close because the {noun} is unclear.",
        "How many {topic}s do you have? More than {number}?",
    ),
    Intent.REPLY: (
        "Yes, the {topic} is {adjective}, I checked it twice.",
        "I have added the {noun}, please have another look.",
        "No, I cannot {verb} the {topic} there.",
        "I will try to {verb} it tonight.",
        "It is about {number}, why do you ask?",
        "Could you explain the {noun}?",
    ),
    Intent.WIKI: (
        "For questions about how to {verb} a {topic}.",
        "A {topic} is a {adjective} {noun} that can {verb} other {noun}s.",
        "Use this tag for the {adjective} {topic}, not for a {noun}.",
        "It is often asked together with {noun}s and {topic}s.",
    ),
    Intent.ABOUT: (
        "I work with {tag} and have done so for {number} months.",
        "Mostly {tag}; sometimes a {adjective} {topic}.",
        'My <a href="https://{topic}.example.org">{noun}</a> is about {tag} &amp; {topic}s.',
        "Ask me about any {topic}.",
        "I like to {verb} things.",
    ),
}
