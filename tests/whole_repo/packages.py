"""The packages of this repository, found by looking: a package that is added later is tested as well."""

import ast
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Package:
    folder: Path

    def __str__(self) -> str:
        return self.folder.name

    @property
    def project(self) -> dict:
        return tomllib.loads((self.folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    @property
    def import_name(self) -> str:
        (source,) = [path for path in (self.folder / "src").iterdir() if (path / "__init__.py").exists()]
        return source.name

    @property
    def version(self) -> str:
        settings = tomllib.loads((self.folder / "pyproject.toml").read_text(encoding="utf-8"))
        source = (self.folder / settings["tool"]["hatch"]["version"]["path"]).read_text(encoding="utf-8")
        [version] = re.findall(r'^__version__ = "(.*)"$', source, re.MULTILINE)
        return version

    @property
    def modules(self) -> list[Path]:
        return sorted((self.folder / "src").rglob("*.py"))

    def module_name(self, path: Path) -> str:
        parts = path.relative_to(self.folder / "src").with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def requirements(self, *extras: str) -> set[str]:
        """Names of the distributions it asks for, in normal form."""
        wanted = list(self.project.get("dependencies", []))
        for extra in extras:
            wanted += self.project.get("optional-dependencies", {}).get(extra, [])
        return {normal(re.match(r"[A-Za-z0-9._-]+", requirement)[0]) for requirement in wanted}

    @property
    def extras(self) -> list[str]:
        return list(self.project.get("optional-dependencies", {}))


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


PACKAGES = [Package(path.parent) for path in sorted(ROOT.glob("packages/*/pyproject.toml"))]
BY_DISTRIBUTION = {normal(package.project["name"]): package for package in PACKAGES}


def local_closure(package: Package) -> list[Package]:
    """The package and those of this repository that it needs, directly or not."""
    found: list[Package] = []
    waiting = [package]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.append(current)
            needed = current.requirements("test") if current == package else current.requirements()
            waiting += [BY_DISTRIBUTION[name] for name in sorted(needed & BY_DISTRIBUTION.keys())]
    return found


@cache
def imports(path: Path, *, everywhere: bool) -> frozenset[str]:
    """Top-level names a module imports: on import only, or ``everywhere`` in it.

    What stands under ``if TYPE_CHECKING`` is for type checkers and counts as neither.
    """
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and not everywhere:
            return
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8"), filename=str(path)))
    return frozenset(found)
