"""Sums over shards: the same for any division among workers, and those of all sentences up to rounding."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest

from tagloom.datasets import newswire
from tagloom.learners.blocks import count_gold
from tagloom.learners.learner import get_learner
from tagloom.learners.objective import build_objective
from tagloom.learners.settings import Settings
from tagloom.learners.sharded import LEAVES, BatchShard, Sums, add_pairs
from tagloom.systems.registry import get_system


def draw_sums(rng: np.random.Generator) -> Sums:
    return {(leaf, 1): (float(rng.normal()), leaf, rng.normal(size=5)) for leaf in range(LEAVES)}


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 16])
def test_the_tree_adds_up_the_same_for_any_number_of_workers(workers: int) -> None:
    leaves = draw_sums(np.random.default_rng(1))
    ((_, whole),) = add_pairs(leaves).items()
    found: Sums = {}
    for own in np.array_split(np.arange(LEAVES), workers):
        found |= add_pairs({(int(leaf), 1): leaves[int(leaf), 1] for leaf in own})
    ((place, total),) = add_pairs(found).items()
    assert place == (0, LEAVES)
    assert total[:2] == whole[:2]
    assert np.array_equal(total[2], whole[2])
    assert np.allclose(total[2], sum(each[2] for each in leaves.values()))


@pytest.mark.parametrize("name", ["lbfgs", "maxent"])
def test_shards_with_the_variables_of_the_whole_sum_to_it(name: str) -> None:
    row = get_system("tagger")
    options = row.load_options().parse({"label": "chunk", "learner": name, "templates": "chunking"})
    training = row.load_training().prepare(newswire(4, seed=1), options)
    blocks = training.encoded.cut_into_blocks(0)
    learner, data = get_learner(name), blocks.open(0)[0]
    build = partial(build_objective, learner, {**Settings().of(learner), "label_cutoff": 2})
    whole = build(data)
    x, gradient = np.random.default_rng(1).normal(size=whole.size) / 10, np.empty(whole.size)
    loss, errors = whole.evaluate(x, gradient, 1)
    leaves = {n: data.select(part) for n, part in enumerate(np.array_split(np.arange(blocks.count), LEAVES))}
    counts = count_gold(training.encoded.chain, blocks)
    shard = pickle.loads(pickle.dumps(BatchShard(partial(build, counts=counts), None, leaves)))
    (((_, _), total),) = shard.evaluate(x).items()
    assert total[:2] == (pytest.approx(loss), errors)
    assert np.allclose(total[2], gradient, atol=1e-4)
