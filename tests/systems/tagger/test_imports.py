"""A program that only loads a tagger and tags imports nothing that is needed for training, experiments or reading."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tagloom
from tests.systems.toy import TAGGED

PROGRAM = """
import json, sys
import tagloom
tags = tagloom.load(sys.argv[1]).tag(["the", "dog"])
print(json.dumps([tags, sorted(name for name in sys.modules if name.startswith("tagloom."))]))
"""
UNUSED = ("experiments", "recipes", "report", "cli", "datasets", "corpus.formats")


@pytest.mark.parametrize("learner", ["averaged-perceptron", "lbfgs", "maxent", "nonlocal-perceptron"])
def test_loading_and_tagging_imports_no_learners_experiments_or_readers(tmp_path: Path, learner: str):
    tagloom.train(TAGGED, learner=learner, epochs=2).save(tmp_path / "m")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "m")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    tags, modules = json.loads(done.stdout)
    assert len(tags) == 2
    learners = {name for name in modules if name.startswith("tagloom.learners")}
    assert learners <= {"tagloom.learners", "tagloom.learners.learner"}
    assert not [name for name in modules if name.startswith(tuple(f"tagloom.{part}" for part in UNUSED))]
