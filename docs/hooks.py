"""Pages from elsewhere in the repository, links out of the site, and sessions of Python, put in order."""

import posixpath
import re
from pathlib import Path
from typing import Any

import nbconvert
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
# Pages and pictures outside docs/, which keep their places in the tree of the site.
ELSEWHERE = (
    "CONTRIBUTING.md",
    "SECURITY.md",
    "packages/*/README.md",
    "packages/*/CHANGELOG.md",
    "packages/*/docs/*.md",
    "packages/*/docs/*.png",
    "results/README.md",
    "results/figures/*.svg",
    "results/figures/*.png",
)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the packages to those of docs/."""
    for pattern in ELSEWHERE:
        for path in sorted(ROOT.glob(pattern)):
            source = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, source, abs_src_path=str(path)))
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        for name, content in _notebook(path).items():
            files.append(File.generated(config, f"notebooks/{name}", content=content))
    return files


def _notebook(path: Path) -> dict[str, str | bytes]:
    """A notebook with its output as a page, and the pictures in it, by name."""
    prefix = {"unique_key": path.stem, "output_files_dir": "."}
    text, more = nbconvert.MarkdownExporter().from_filename(str(path), resources=prefix)
    pictures = {Path(name).name: content for name, content in more["outputs"].items()}
    download = f"\n\n[This page as a notebook]({path.name})\n"
    return {f"{path.stem}.md": text + download, **pictures}


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """Turn links to files of the repository into links of the site, or into words where it has no page."""
    here = _in_repository(page.file.src_uri)

    def mend(link: re.Match[str]) -> str:
        picture, text, target, anchor = link[1], link[2], link[3], link[4] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return link[0]
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        for candidate in (wanted, f"{wanted}/README.md"):
            there = _in_site(candidate)
            if files.get_file_from_path(there) is not None:
                relative = posixpath.relpath(there, posixpath.dirname(page.file.src_uri) or ".")
                return f"{picture}[{text}]({relative}{anchor})"
        if (ROOT / wanted).exists():
            return f"{text} (`{wanted}`)" if text.strip("`") != wanted else f"`{wanted}`"
        return link[0]  # a mistake, which the strict build reports

    fenced = re.split(r"(^```.*?^```[^\n]*$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(_named(part) if part.startswith("```") else LINK.sub(mend, part) for part in fenced)


def _named(block: str) -> str:
    """A block of code under the name of what it is: copying a session leaves out prompts and answers."""
    return block.replace("```python", "```pycon", 1) if ">>>" in block else block


def _in_repository(source: str) -> str:
    """Where a page of the site stands in the repository."""
    return f"docs/{source}" if (ROOT / "docs" / source).exists() else source


def _in_site(path: str) -> str:
    """The inverse of :func:`_in_repository`."""
    return path.removeprefix("docs/")
