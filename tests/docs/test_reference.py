"""Nothing is left out: every learner, paper, command, option and public name has its place in the docs."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import tagloom
from tagloom.cli.app import COMMANDS, build_app
from tagloom.recipes import PAPERS
from tests.docs.blocks import list_blocks, list_commands

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from commands import escape, write_commands  # noqa: E402

#: Commands of tagloom in blocks that are shown and not run.
SHOWN = [
    pytest.param(command, id=f"{page.relative_to(ROOT)}:{command[:40]}")
    for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    for block in list_blocks(page.read_text("utf-8"))
    if block.language in ("bash", "")
    for command in list_commands(block.text)
    if not command.startswith("curl ")
]


def test_every_learner_has_a_concept_page() -> None:
    index = (DOCS / "concepts" / "index.md").read_text("utf-8")
    for learner in tagloom.LEARNERS:
        row = next((line for line in index.splitlines() if line.startswith("| [") and f"`{learner}`" in line), None)
        assert row is not None, f"concepts/index.md does not name {learner}"
        page = re.search(r"\]\(([\w-]+\.md)\)", row)
        assert page is not None
        assert f"`{learner}`" in (DOCS / "concepts" / page[1]).read_text("utf-8"), f"{page[1]} does not name {learner}"


@pytest.mark.parametrize("page", sorted((DOCS / "concepts").glob("*.md")), ids=lambda page: page.stem)
def test_concept_pages_have_all_parts(page: Path) -> None:
    text = page.read_text("utf-8")
    assert "$$" in text or page.stem in ("arc-standard",)
    if page.stem != "index":
        headings = re.findall(r"^## (.+)$", text, re.M)
        assert {"Problem", "In Python", "Options", "What the paper found", "What we find"} <= set(headings)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_has_pages(paper: str) -> None:
    contents = (DOCS / "papers" / "README.md").read_text("utf-8")
    for page in (f"{paper}.md", f"claims/{paper}.md"):
        assert (DOCS / "papers" / page).exists()
        assert f"({page})" in contents


def test_every_command_and_option_is_in_the_reference() -> None:
    text = write_commands()
    for name in COMMANDS:
        section = text.partition(f"\n## `tagloom {name}`\n")[2].partition("\n## `tagloom ")[0]
        assert section, name
        for parameter in get_command(build_app([name])).commands[name].params:  # type: ignore[attr-defined]
            if parameter.param_type_name == "option" and "options of training" not in section:
                assert f"`{parameter.opts[0]}`" in section, f"{name} {parameter.opts[0]}"


def test_help_texts_are_escaped() -> None:
    assert escape("a|b c_d [e] <f>, -o or --top 3") == r"a\|b c\_d \[e\] \<f>, `-o` or `--top` 3"


def test_every_public_name_is_in_the_reference() -> None:
    marks = "\n".join(page.read_text("utf-8") for page in (DOCS / "api").glob("*.md"))
    chosen = {name for names in re.findall(r"generated: api tagloom: (.+?) -->", marks) for name in names.split()}
    public = {name for name in tagloom.__all__ if name not in ("datasets", "report", "testing")}
    assert chosen == public


@pytest.mark.parametrize("command", SHOWN)
def test_commands_that_are_shown_exist(command: str) -> None:
    """Their options do, too; arguments are not looked at."""
    words = shlex.split(command.rpartition("| tagloom ")[2].removeprefix("tagloom "))
    name = next((word for word in words if not word.startswith("-")), None)
    if name is None or name in ("COMMAND", "MODEL"):
        return
    options = {flag for each in get_command(build_app([name])).commands[name].params for flag in  # type: ignore[attr-defined]
               (*each.opts, *each.secondary_opts)}  # fmt: skip
    given = {word.partition("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
    assert given <= options | {"--help", "-h", "--debug", "--version"}
