"""README and manual: what they name exists, and what exists is named."""

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import click
import pytest

import bridgerag
from bridgerag.cli.app import cli
from bridgerag.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND_LINE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
PYTHON = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(command: str) -> str:
    """Return what the reference says under a command's heading."""
    return COMMAND_LINE.partition(f"\n## bridgerag {command}")[2].partition("\n## ")[0]


def block(*words: str) -> list[str]:
    """Return the lines of a block, by the script that .ci/run uses."""
    script = [sys.executable, str(ROOT / ".ci" / "blocks.py"), *words]
    return subprocess.check_output(script, text=True, cwd=ROOT).splitlines()


def anchors(page: Path) -> set[str]:
    """Return what a link may name after ``#``, as GitHub makes it."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_every_command_has_help_and_its_place_in_the_reference(name):
    command = cli.commands[name]
    assert command.help
    assert section(name), f"docs/command-line.md lacks {name}"
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{parameter.name} has no help"
            assert f"`{parameter.opts[0]}" in section(name), f"{name} {parameter.opts[0]}"
        else:
            assert (parameter.metavar or parameter.name.upper()).strip("[]") in section(name)


@pytest.mark.parametrize("field", fields(Settings), ids=lambda field: field.name)
def test_the_reference_gives_the_defaults_of_a_store(field):
    option = f"--{field.name.replace('_', '-')}"
    (row,) = [line for line in section("add").splitlines() if line.startswith(f"| `{option} ")]
    assert f"default {field.default}" in row.replace("`", "")
    assert option in (ROOT / "docs" / "store.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", bridgerag.__all__)
def test_every_public_name_is_in_the_python_reference(name):
    assert re.search(rf"\b{name}\b", PYTHON) or name == "__version__"


def test_every_public_method_is_in_the_python_reference():
    methods = [name for name in vars(bridgerag.Bridge) if not name.startswith("_")]
    missing = [name for name in methods if f"`{name}(" not in PYTHON]
    assert len(methods) > 8
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        there = page.parent / path if path else page
        assert there.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(there), f"{page.name} links to {target}"


def test_the_readme_sets_up_and_asks_in_two_commands_and_tests_in_two_more():
    first, second = block("README.md", "sh", "1"), block("README.md", "sh", "2")
    assert len(first) == 2
    assert first[1].startswith("bridgerag add docs && bridgerag ask ")
    assert second[-1] == "pytest"
    assert README.index("```sh") < README.index("\n## ")


def test_the_manual_has_blocks_to_run_and_every_page_is_linked_from_the_readme():
    pages = [f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))]
    assert len(block(*pages, "sh", "runnable")) > 10
    assert len(block(*pages, "python", "runnable")) > 10
    assert all(f"({page})" in README for page in pages)
