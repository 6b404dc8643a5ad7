"""Learning by lookahead (tsuruoka-2011, Figure 3) and by beams against plain learners with a dict of weights."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tests.core import chains, parsers
from tests.oracle.arc_standard import State, least_loss
from tests.oracle.state_features import Template
from tests.oracle.tagging import Tagging
from tests.oracle.transitions import (
    Example,
    Weights,
    learn_by_beam,
    learn_by_exploration,
    learn_by_lookahead,
    mean,
)
from tests.strategies import trees

MARGINS = st.sampled_from([0.0, 0.5, 1.0, 3.0])
# (depth, margin) of lookahead, or (width, early) of a beam.
LOOKAHEADS = st.tuples(st.integers(0, 2), MARGINS)
BEAMS = st.tuples(st.integers(1, 4), st.booleans())
Plan = tuple[float, float]


def settings_of(beam: bool, plan: Plan, **more: bool) -> _core.SearchSettings:
    if beam:
        return _core.SearchSettings(beam=plan[0], max_violation=not plan[1], **more)
    return _core.SearchSettings(depth=plan[0], margin=plan[1], **more)


def plain_passes(examples: Sequence[Example], passes: int, beam: bool, plan: Plan) -> tuple[Weights, Weights]:
    """(last weights, their mean)"""
    learn = learn_by_beam if beam else learn_by_lookahead
    weights: Counter = Counter()
    vectors = [vector for _ in range(passes) for vector in learn(examples, *plan, weights)]
    return vectors[-1], mean(vectors)


@st.composite
def treebanks(draw: st.DrawFn) -> tuple[list[Template], int, list, list]:
    """Templates, number of relations, sentences and their trees."""
    relations = draw(st.integers(1, 2))
    templates = draw(parsers.template_lists(relations > 1 and draw(st.booleans())))
    rng = random.Random(draw(st.integers(0, 2**32)))
    sentences, gold = [], []
    for heads in draw(st.lists(trees(most=5), min_size=1, max_size=4)):
        sentences.append([[rng.choice([0, 1, 3, 5]) for _ in heads] for _ in range(parsers.ATTRIBUTES)])
        gold.append((heads, [rng.randrange(relations) for _ in heads]))
    return templates, relations, sentences, gold


def learned_weights(state: _core_double.ParserState) -> dict[tuple[int, int], float]:
    """(key, action) -> weight, of those that are not zero."""
    rows = state.frozen()
    owners = np.repeat(rows["keys"], rows["counts"]).tolist()
    return dict(zip(zip(owners, rows["actions"].tolist()), rows["weights"].tolist()))


def learn_parser(treebank: tuple, beam: bool, plan: Plan, averaged: bool, passes: int = 2) -> tuple[dict, dict]:
    """What the core learns, and what the plain learner does, as (key, action) -> weight."""
    templates, relations, sentences, gold = treebank
    state = _core_double.ParserState(parsers.core_templates(templates), relations, averaged)
    data, order = parsers.core_data(sentences, relations, gold), np.arange(len(sentences))
    for _ in range(passes):
        state.epoch(data, order, settings_of(beam, plan))
    found = learned_weights(state)
    systems = [parsers.plain_system(templates, relations, values) for values in sentences]
    paths = [
        tuple(_core.oracle_actions(np.array(heads, np.int32), np.array(names, np.int32), relations).tolist())
        for heads, names in gold
    ]
    last, average = plain_passes(list(zip(systems, paths)), passes, beam, plan)
    return found, average if averaged else last


def check_same(found: Weights, expected: Weights) -> None:
    for feature in {*found, *expected}:
        assert found.get(feature, 0.0) == pytest.approx(expected.get(feature, 0.0), abs=1e-12)


@given(treebank=treebanks(), plan=LOOKAHEADS, averaged=st.booleans())
@settings(max_examples=30)
def test_parsers_learn_by_lookahead_as_figure_3_does(treebank: tuple, plan: Plan, averaged: bool):
    check_same(*learn_parser(treebank, False, plan, averaged))


@given(treebank=treebanks(), plan=BEAMS, averaged=st.booleans())
@settings(max_examples=30)
def test_parsers_learn_by_beams_as_the_plain_learner_does(treebank: tuple, plan: Plan, averaged: bool):
    check_same(*learn_parser(treebank, True, plan, averaged))


@given(treebank=treebanks(), margin=MARGINS, averaged=st.booleans())
@settings(max_examples=30)
def test_parsers_explore_as_the_plain_learner_does(treebank: tuple, margin: float, averaged: bool):
    templates, relations, sentences, gold = treebank
    state = _core_double.ParserState(parsers.core_templates(templates), relations, averaged, True)
    data, order = parsers.core_data(sentences, relations, gold), np.arange(len(sentences))
    weights, vectors, examples = Counter(), [], []
    for values, (heads, names) in zip(sentences, gold):
        system, known = parsers.plain_system(templates, relations, values, is_hybrid=True), {}
        tree = heads, tuple(name if head else -1 for head, name in zip(heads, names))

        def costs(at: State, system=system, tree=tree, known=known) -> dict[int, int]:
            least = least_loss(system, at, tree, known)
            return {a: least_loss(system, system.apply(at, a), tree, known) - least for a in system.actions(at)}

        examples.append((system, costs))
    for _ in range(2):
        state.epoch(data, order, _core.SearchSettings(depth=0, margin=margin), True)
        vectors += learn_by_exploration(examples, margin, weights)
    check_same(learned_weights(state), mean(vectors) if averaged else vectors[-1])


@given(treebank=treebanks(), beam=st.booleans())
@settings(max_examples=20)
def test_a_parser_goes_on_from_its_arrays(treebank: tuple, beam: bool):
    templates, relations, sentences, gold = treebank
    compiled, data = parsers.core_templates(templates), parsers.core_data(sentences, relations, gold)
    order, search = np.arange(len(sentences)), settings_of(beam, (2, 1))
    state = _core.ParserState(compiled, relations, True)
    state.epoch(data, order, search)
    arrays = state.to_tensors()
    again = _core.ParserState(compiled, relations, True)
    again.restore(**{name: a for name, a in arrays.items() if name != "numbers"}, clock=arrays["numbers"][0])
    assert state.epoch(data, order, search) == again.epoch(data, order, search)
    for name, array in state.to_tensors().items():
        np.testing.assert_array_equal(array, again.to_tensors()[name])


def test_features_that_gold_and_the_best_share_get_no_row():
    # The first shift is the same on all ways: a beam learns nothing of it.
    templates = [Template("bias", ()), Template("s0", (parsers.Atom("attribute", "s0"),))]
    sentence = [[1, 3, 5], [1, 1, 1]]
    state = _core_double.ParserState(parsers.core_templates(templates), 1, False)
    data = parsers.core_data([sentence], 1, [((2, 0, 2), (0, 0, 0))])
    state.epoch(data, np.array([0]), _core.SearchSettings(beam=2))
    initial = parsers.plain_system(templates, 1, sentence).keys(parsers.State())[1]
    assert len(state.frozen()["keys"]) > 0
    assert initial not in state.to_tensors()["keys"].tolist()


# -- taggers --


@st.composite
def tagged(draw: st.DrawFn) -> tuple[chains.Problem, list[tuple[int, ...]]]:
    """A chain, sentences and gold labels, some of which the masks may forbid."""
    problem = draw(chains.problems(triples=True, most_labels=3, most_tokens=4))
    label = st.integers(0, problem.labels - 1)
    return problem, [tuple(draw(label) for _ in range(length)) for length in problem.lengths]


def learn_tagger(drawn: tuple, beam: bool, plan: Plan, backwards: bool, averaged: bool) -> tuple[dict, dict]:
    problem, gold = drawn
    chain = chains.core_chain(problem.space, problem.features)
    data = chains.core_data(chain, problem.sentences, gold)
    state = _core_double.OnlineState(chain.size, averaged)
    for _ in range(2):
        state.search_epoch(data, np.arange(len(gold)), settings_of(beam, plan, is_backwards=backwards))
    weights = state.mean()
    found = {part: weights[at] for part, at in chains.positions(chain, problem.space, problem.features).items()}
    examples = []
    for sentence, labels in zip(problem.sentences, gold):
        path = labels[::-1] if backwards else labels
        # What the masks forbid is not learned from, like an empty sentence.
        known = problem.space.allows(labels)
        examples.append((Tagging(problem.space, sentence if known else [], backwards), path if known else ()))
    last, average = plain_passes(examples, 2, beam, plan)
    return found, average if averaged else last


@given(drawn=tagged(), plan=LOOKAHEADS, backwards=st.booleans(), averaged=st.booleans())
@settings(max_examples=50)
def test_taggers_learn_by_lookahead_as_figure_3_does(drawn: tuple, plan: Plan, backwards: bool, averaged: bool):
    check_same(*learn_tagger(drawn, False, plan, backwards, averaged))


@given(drawn=tagged(), plan=BEAMS, backwards=st.booleans(), averaged=st.booleans())
@settings(max_examples=50)
def test_taggers_learn_by_beams_as_the_plain_learner_does(drawn: tuple, plan: Plan, backwards: bool, averaged: bool):
    check_same(*learn_tagger(drawn, True, plan, backwards, averaged))
