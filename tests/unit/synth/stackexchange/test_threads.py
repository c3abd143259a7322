import numpy as np
import pytest

from cqa_spark.synth.stackexchange.dump import site_of
from cqa_spark.synth.stackexchange.population import THREADS, SitePlan, generator
from cqa_spark.synth.stackexchange.texts import compose_bodies, invent_comments
from cqa_spark.synth.stackexchange.threads import (
    INTENDED_ORDER,
    SPREAD_OF_QUALITY,
    ThreadBlock,
    draw_accepted,
    invent_links,
    invent_threads,
)


def blocks(*, with_signal: bool) -> list[ThreadBlock]:
    plan = SitePlan("workshop.stackexchange.com", 5000, 4, signal=with_signal)
    site = site_of(plan)
    return [
        invent_threads(plan, block, site.population, site.vocabulary, generator(plan.seed, block, THREADS))
        for block in range(plan.blocks)
    ]


def advantage(some: list[ThreadBlock]) -> dict[str, float]:
    """How much of each trait accepted answers have more than others, in threads with both."""
    accepted: dict[str, list[float]] = {}
    for threads in some:
        answers = threads.thread[threads.questions :]
        best = np.zeros(len(answers), dtype=bool)
        best[threads.accepted[threads.accepted >= 0] - threads.questions] = True
        counts = np.bincount(answers, minlength=threads.questions)
        contested = (counts[answers] > 1) & (threads.accepted[answers] >= 0)
        for name, trait in vars(threads.traits).items():
            others = np.bincount(answers, trait, threads.questions)[answers] - trait
            difference = trait - others / np.maximum(counts[answers] - 1, 1)
            accepted.setdefault(name, []).extend(difference[contested & best])
    return {name: float(np.mean(values)) for name, values in accepted.items()}


def test_one_answer_a_thread_is_accepted_and_mostly_the_best() -> None:
    quality = np.tile([-1.0, 1.0, -1.0, 0.0], 1000)
    drawn = draw_accepted(quality, np.repeat(np.arange(1000), 4), np.random.default_rng(1))
    assert (drawn // 4).tolist() == list(range(1000))
    share = np.bincount(drawn % 4, minlength=4) / 1000
    weights = np.exp(SPREAD_OF_QUALITY * quality[:4])
    assert share == pytest.approx(weights / weights.sum(), abs=0.04)


def test_accepted_answers_have_more_of_each_trait_in_the_intended_order() -> None:
    by_trait = advantage(blocks(with_signal=True))
    assert tuple(sorted(by_trait, key=lambda name: by_trait[name], reverse=True)) == INTENDED_ORDER[:-1]
    assert by_trait["author_skill"] > 0.5
    assert by_trait["earliness"] > 0.05


def test_without_signal_accepted_answers_are_like_the_others() -> None:
    assert all(abs(value) < 0.1 for value in advantage(blocks(with_signal=False)).values())


def test_traits_show_in_the_texts() -> None:
    plan = SitePlan("workshop.stackexchange.com", 500, 4)
    site = site_of(plan)
    rng = generator(plan.seed, 0, THREADS)
    threads = invent_threads(plan, 0, site.population, site.vocabulary, rng)
    comments = invent_comments(threads, site.population, site.phrasebook, rng)
    links = invent_links(plan, 0, threads, rng)
    bodies = compose_bodies(threads, links, np.zeros(len(threads.id), dtype=bool), plan.site, site.phrasebook, rng)
    praised = {
        post
        for post, text in zip(comments.post.tolist(), comments.text, strict=True)
        if text.startswith(("Great", "Thank", "Perfect", "+1", "Excellent"))
    }
    words = [{site.vocabulary.words[word] for word in row} for row in threads.subjects.focus.tolist()]
    answers = range(threads.questions, len(threads.id))
    shown = {
        "comment_tone": [post in praised for post in answers],
        "overlap": [sum(word in bodies.html[post] for word in words[threads.thread[post]]) for post in answers],
        "form": [len(bodies.html[post]) for post in answers],
    }
    for name, values in shown.items():
        assert np.corrcoef(vars(threads.traits)[name], values)[0, 1] > 0.25, name
