"""Learner = opponent x step x averaging. Each part is a part of the core, and every published learner is one row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tagloom.arguments import check_methods
from tagloom.errors import ConfigError, unknown_name

#: What gold is compared with -> help.
OPPONENTS = {
    "best": "the best sequence under the current weights",
    "cost-augmented": "the sequence with the highest score plus cost",
    "predicted": "the best sequence, which costs a power of the number of its wrong labels",
    "expected": "the expectation under the model, as in the gradient of a CRF",
    "second-best": "the best sequence; if that is gold, the second best sequence, if gold wins by C or less",
    "rescored": "as second-best, among the n best sequences, by local and non-local features",
    "rescored-local": "as rescored; if gold wins by enough, also by local features alone",
    "reranked-score": "as second-best, among the candidates of another model, by its score and non-local features",
    "reranked": "as second-best, among the candidates of another model, by local and non-local features",
    "lookahead": "in every decision, the action whose best future is at most C behind that of the correct action",
    "beam": "the best hypothesis of a beam, if it scores higher than gold",
    "conditional": "in every decision, the expectation given the gold labels before it, as in the gradient of MaxEnt",
}
#: How far the weights move -> help.
STEPS = {
    "unit": "a step of size 1",
    "pa": "the smallest step that corrects the error, at most C",
    "pa2": "the smallest step that corrects the error, damped by 1 / 2C",
    "arow": "one variance per weight, which allows large steps at first and falls with every error",
    "dca": "loss divided by the squared gradient, at most C",
    "sgd": "a learning rate that falls with 1 / t",
    "madf": "as sgd, times a factor per weight that depends on the frequency of its feature",
    "adf": "one learning rate per feature, which falls faster for frequent features",
    "l1": "a learning rate that falls exponentially, with cumulative L1 penalty",
    "lbfgs": "limited-memory BFGS over all examples, with L2",
    "owlqn": "orthant-wise quasi-Newton over all examples, with L1 and L2",
    "gis": "generalised iterative scaling over all examples",
}
#: Which weights are kept -> help.
AVERAGINGS = {"none": "the last weights", "lazy": "the mean of the weights after every example"}

#: Legal combinations: step -> opponents.
LEGAL = {
    "unit": ("best", "second-best", "rescored", "rescored-local", "reranked-score", "reranked", "lookahead", "beam"),
    **dict.fromkeys(("pa", "pa2"), ("cost-augmented", "predicted")),
    "arow": ("predicted",),
    **dict.fromkeys(("dca", "madf", "adf", "l1"), ("expected",)),
    **dict.fromkeys(("sgd", "lbfgs", "owlqn"), ("expected", "conditional")),
    "gis": ("conditional",),
}
#: Opponents that differ from gold in few weights, which are listed one by one.
LISTING_OPPONENTS = ("best", "cost-augmented", "predicted")
#: Opponents that must lose to gold by a margin, and those of them that see whole documents.
MARGIN_OPPONENTS = ("second-best", "rescored", "rescored-local", "reranked-score", "reranked")
DOCUMENT_OPPONENTS = MARGIN_OPPONENTS[1:]
RERANKING_OPPONENTS = ("reranked-score", "reranked")
#: Opponents that decide label by label; a decision sees the labels decided before it.
HISTORY_OPPONENTS = ("lookahead", "beam", "conditional")
#: History-based opponents that search during training.
SEARCHING_OPPONENTS = HISTORY_OPPONENTS[:2]
#: Steps that use all examples at once, without averaging.
BATCH_STEPS = ("lbfgs", "owlqn", "gis")


@check_methods()
@dataclass(frozen=True)
class Learner:
    """How a model learns: what gold is compared with, how far the weights move, which weights are kept."""

    name: str
    opponent: str
    step: str
    averaging: str
    epochs: int = 10  # default number of passes

    def __post_init__(self) -> None:
        for kind, value, known in (
            ("opponent", self.opponent, OPPONENTS),
            ("step", self.step, STEPS),
            ("averaging", self.averaging, AVERAGINGS),
        ):
            if value not in known:
                raise unknown_name(kind, value, known)
        if self.opponent not in LEGAL[self.step]:
            partners = ", ".join(LEGAL[self.step])
            raise ConfigError(f"step {self.step!r} does not go with opponent {self.opponent!r} (legal: {partners})")
        if self.is_batch and self.averaging != "none":
            raise ConfigError(f"step {self.step!r} does not go with averaging {self.averaging!r} (legal: none)")

    @property
    def is_batch(self) -> bool:
        """Whether a step uses all examples at once."""
        return self.step in BATCH_STEPS

    @property
    def takes_support(self) -> bool:
        """Whether it can be told which labels of a feature have weights: batch learners, and those that list errors."""
        return self.is_batch or self.opponent in LISTING_OPPONENTS or (self.step, self.opponent) == ("sgd", "expected")

    @property
    def has_margin(self) -> bool:
        """Whether gold must win by a margin."""
        return self.opponent in MARGIN_OPPONENTS

    @property
    def is_history_based(self) -> bool:
        """Whether labels are decided one after another, in training and in tagging."""
        return self.opponent in HISTORY_OPPONENTS

    @property
    def is_locally_normalised(self) -> bool:
        """Whether every decision has its own probability, given the labels decided before it."""
        return self.opponent == "conditional"

    @property
    def sees_documents(self) -> bool:
        """Whether it learns features of whole documents."""
        return self.opponent in DOCUMENT_OPPONENTS

    @property
    def has_second_weights(self) -> bool:
        """Whether candidates are found with one vector of weights and chosen with another."""
        return self.opponent == "reranked"

    @property
    def can_diverge(self) -> bool:
        """Whether a rate decides how far it steps, which may be too far."""
        return self.step in _RATED_STEPS

    @property
    def sees_parts(self) -> bool:
        """Whether it can do with a part of the data at a time: learns from sentences."""
        return not self.sees_documents

    @property
    def can_be_mixed(self) -> bool:
        """Whether copies of it can learn from parts of the data: online learners without features of documents."""
        return not self.is_batch and not self.has_margin

    @property
    def has_likelihood(self) -> bool:
        """Whether scores are log probabilities, up to a constant per sentence."""
        return self.opponent == "expected"

    def with_averaging(self, averaging: str | None) -> Learner:
        """Copy the learner with another averaging, unless it is None."""
        return self if averaging is None else replace(self, averaging=averaging)


_RATED_STEPS = ("sgd", "adf", "madf", "l1")


#: The learners by name, as ``learner=`` of ``tagloom.train`` and ``--learner`` take them.
LEARNERS = {
    learner.name: learner
    for learner in (
        # Collins 2002, "Discriminative training methods for hidden Markov models", Figure 1 and section 2.3.
        Learner("perceptron", opponent="best", step="unit", averaging="none"),
        Learner("averaged-perceptron", opponent="best", step="unit", averaging="lazy"),
        # Crammer et al. 2006; he-wang-2012, section 2.1. Weights are averaged as in its section 3.1.
        Learner("pa", opponent="cost-augmented", step="pa", averaging="lazy"),
        Learner("pa2", opponent="cost-augmented", step="pa2", averaging="lazy"),
        # Crammer et al. 2006, with prediction-based updates; Crammer, Kulesza & Dredze 2009.
        Learner("prediction-pa", opponent="predicted", step="pa", averaging="lazy"),
        Learner("prediction-pa2", opponent="predicted", step="pa2", averaging="lazy"),
        Learner("arow", opponent="predicted", step="arow", averaging="none"),
        # Martins et al. 2010; he-wang-2012, section 2.2.
        Learner("dca", opponent="expected", step="dca", averaging="lazy"),
        # Bottou's CRFSGD; Sun, Wang & Li 2012; he-wang-2012, sections 2.3 and 2.4.
        Learner("sgd", opponent="expected", step="sgd", averaging="none"),
        Learner("adf", opponent="expected", step="adf", averaging="none"),
        Learner("madf", opponent="expected", step="madf", averaging="none"),
        # Tsuruoka, Tsujii & Ananiadou 2009.
        Learner("sgd-l1", opponent="expected", step="l1", averaging="none"),
        # kazama-torisawa-2007: Algorithms 3.1, 4.1 and 4.2, and re-ranking in section 6.3. Unlike in the paper, weights
        # are averaged, because that is better on development data.
        Learner("margin-perceptron", opponent="second-best", step="unit", averaging="lazy", epochs=100),
        Learner("candidate-perceptron", opponent="rescored", step="unit", averaging="lazy", epochs=100),
        Learner("nonlocal-perceptron", opponent="rescored-local", step="unit", averaging="lazy", epochs=100),
        Learner("reranking-1", opponent="reranked-score", step="unit", averaging="lazy", epochs=100),
        Learner("reranking-2", opponent="reranked", step="unit", averaging="lazy", epochs=100),
        # tsuruoka-2011, Figure 3; Collins & Roark 2004 and Huang, Fayong & Guo 2012 for the beam.
        Learner("lookahead-perceptron", opponent="lookahead", step="unit", averaging="lazy"),
        Learner("beam-perceptron", opponent="beam", step="unit", averaging="lazy"),
        # Lafferty et al. 2001 by L-BFGS; Andrew & Gao 2007 for the elastic net.
        Learner("lbfgs", opponent="expected", step="lbfgs", averaging="none", epochs=200),
        Learner("owlqn", opponent="expected", step="owlqn", averaging="none", epochs=200),
        # Ratnaparkhi 1996, with his 100 iterations of scaling; collins-2002, section 2.2. Darroch & Ratcliff 1972,
        # without a correction feature (Curran & Clark 2003).
        Learner("maxent", opponent="conditional", step="lbfgs", averaging="none", epochs=200),
        Learner("maxent-gis", opponent="conditional", step="gis", averaging="none", epochs=100),
        Learner("maxent-sgd", opponent="conditional", step="sgd", averaging="none"),
    )
}


#: Other names of learners. A CRF by SGD has the objective of one by L-BFGS, and learns it in a tenth of the time.
ALIASES = {"crf": "sgd"}


def get_learner(name: str | Learner) -> Learner:
    """Look up a learner by its name or alias; a ``Learner`` is returned unchanged.

    Raises:
        ConfigError: There is no learner of this name.
    """
    if isinstance(name, Learner):
        return name
    if not isinstance(name, str) or (name not in LEARNERS and name not in ALIASES):
        raise unknown_name("learner", name, [*LEARNERS, *ALIASES])
    return LEARNERS[ALIASES.get(name, name)]
