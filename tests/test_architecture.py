"""The shape of the package: which way imports point, what is exported, what every part says."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import bridgerag

SOURCE = Path(__file__).parents[1] / "src" / "bridgerag"

# From left to right. A part imports itself and what stands to its left, never a neighbour.
LAYERS = (
    {"errors", "text"},
    {"types"},
    {"protocols", "settings", "chunks"},
    {"documents", "entities", "embedding", "generation"},
    {"forest"},
    {"abstracts"},
    {"store"},
    {"retrieval", "ingest"},
    {"engine"},
    {"serialize"},
    {"evaluation", "server"},
    {"cli"},
    {"__main__"},
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
LEVEL["_native"] = -1  # the C++ core: every part may call it
LEVEL["bridgerag"] = LEVEL["engine"] + 0.5  # the names that users import, wired in engine

MODULES = sorted(SOURCE.rglob("*.py"))


def part_of(module: Path) -> str:
    """Return the layer's name: a package below bridgerag, or a module beside it."""
    first = module.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "bridgerag" if first == "__init__" else first


def imported_parts(module: Path) -> Iterator[str]:
    """Yield every part of bridgerag that a module imports, anywhere in it, types included."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} imports relatively"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            root, _, below = name.partition(".")
            if root == "bridgerag":
                part = below.partition(".")[0]
                yield part if part in LEVEL else "bridgerag"


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_left(module):
    here = part_of(module)
    wrong = {part for part in imported_parts(module) if part != here and LEVEL[part] >= LEVEL[here]}
    assert not wrong, f"{here} stands left of or beside {wrong}"


def test_every_part_has_its_place():
    assert {part_of(module) for module in MODULES} <= set(LEVEL)


def test_only_the_intended_names_are_exported():
    assert sorted(bridgerag.__all__) == sorted(
        [
            *("open", "Bridge", "Settings", "Document", "Context", "Hit", "Reason", "EntityMatch"),
            *("Answer", "Citation", "AddReport", "Status", "BridgeError", "__version__"),
        ]
    )
    assert len(bridgerag.__all__) <= 15
    assert all(hasattr(bridgerag, name) for name in bridgerag.__all__)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_module_says_what_it_is_for_and_every_function_fits_a_screen(module):
    tree = ast.parse(module.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            assert lines <= 60, f"{node.name} has {lines} lines"


@pytest.mark.parametrize(
    "package", sorted(SOURCE.rglob("__init__.py")), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_what_a_package_exports_is_there(package):
    tree = ast.parse(package.read_text(encoding="utf-8"))
    names = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert "__all__" in names, "a package names what others may use"
