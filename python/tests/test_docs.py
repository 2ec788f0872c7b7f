"""The documentation: its Python runs as written, its commands exist, its pages build and their links resolve."""

from __future__ import annotations

import ast
import functools
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import manyworlds as mw

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "site").rglob("*.md"))]
# documents outside of the site, too
DOCUMENTS = [*PAGES, *sorted((ROOT / "docs").glob("*.md")), ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"]
DOCUMENTS += [ROOT / "python" / "README.md", ROOT / "benches" / "paper" / "README.md"]
COLUMNS = 120
# what is no prose: tables, headings, HTML, pictures, includes, and code
NO_PROSE = ("|", "#", "<", "![", "--8<--", ":::", "    ")
FENCE = re.compile(
    r"(?:<!-- not run: (?P<reason>[^\n]*?) -->\n+)?^```(?P<language>\w+)[^\n]*\n(?P<text>.*?)^```", re.M | re.S
)
PENDING = re.compile(r"<!-- pending:.*?-->", re.S)
INCLUDE = re.compile(r'^--8<-- "(?P<file>[^":]+)(?::(?P<section>\w+))?"$', re.M)
PRINTED = re.compile(r"^print\(.*\)  # (.*)$", re.M)


class Block(NamedTuple):
    """A fenced block: its language, text, first line in the page, and why it is not run, where it is not."""

    language: str
    text: str
    line: int
    reason: str | None


def included(text: str) -> str:
    """A text with the files, or sections of files, that it includes."""

    def content(found: re.Match[str]) -> str:
        whole = (ROOT / found["file"]).read_text(encoding="utf-8")
        if found["section"] is None:
            return whole.rstrip("\n")
        mark = r"^[^\n]*--8<-- \[{}:" + found["section"] + r"\][^\n]*\n"
        part = re.search(mark.format("start") + r"(.*?)" + mark.format("end"), whole, flags=re.M | re.S)
        assert part, found[0]
        return part[1].rstrip("\n")

    return INCLUDE.sub(content, text)


def blocks(page: Path) -> list[Block]:
    """Fenced blocks of a page; what is commented out as pending is not there yet."""
    text = page.read_text(encoding="utf-8")
    text = PENDING.sub(lambda m: "\n" * m[0].count("\n"), included(text))
    return [
        Block(m["language"], m["text"], text[: m.start("text")].count("\n"), m["reason"]) for m in FENCE.finditer(text)
    ]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


with_python = [page for page in PAGES if any(block.language == "python" for block in blocks(page))]


def test_there_are_pages() -> None:
    assert len(PAGES) > 25 and len(with_python) > 15


@pytest.mark.filterwarnings("ignore::manyworlds.StatusWarning")
@pytest.mark.parametrize("page", with_python, ids=named)
def test_python_runs_as_written(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the root of the repository, into which nothing is written
    for folder in ("models", "examples", "python"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    printed: list[str] = []
    names: dict[str, object] = {"print": lambda *parts: printed.append(" ".join(map(str, parts)))}
    expected: list[str] = []
    for block in blocks(page):
        if block.language != "python":
            continue
        # errors have the line of the page
        code = compile("\n" * block.line + block.text, named(page), "exec")
        if block.reason is None:
            exec(code, names)
            expected += PRINTED.findall(block.text)
            assert printed[: len(expected)] == expected, named(page)


@pytest.mark.parametrize("page", with_python, ids=named)
def test_blocks_that_are_not_run_say_why_and_name_what_exists(page: Path) -> None:
    for block in blocks(page):
        if block.language != "python":
            continue
        assert block.reason is None or len(block.reason) > 10, f"{page}:{block.line}"
        for node in ast.walk(ast.parse(block.text)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "mw":
                assert hasattr(mw, node.attr), f"{page}:{block.line + node.lineno}: mw.{node.attr}"


def test_every_mark_belongs_to_a_block() -> None:
    for page in PAGES:
        marks = page.read_text(encoding="utf-8").count("<!-- not run:")
        assert marks == sum(block.reason is not None for block in blocks(page)), page


def test_every_public_name_has_its_place_in_the_reference() -> None:
    text = (ROOT / "docs" / "site" / "reference" / "package.md").read_text(encoding="utf-8")
    pages = ["Batch", "Element", "Model", "Spec"]  # made by docs/site/_hooks/tables.py
    for name in {*mw.__all__, *pages} - {"State", "Status", "enums"}:
        directive = name in pages or f"::: manyworlds.{name}\n" in text
        assert directive or re.search(rf"`manyworlds\.{name}\b|<!-- pending:[^>]*\b{name}\b", text), name


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_rows_of_a_table_have_the_same_cells(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
        rows = [re.sub(r"`[^`]*`", "", row).count("|") for row in table.splitlines()]
        assert len(set(rows)) == 1, f"{named(page)}: {table}"


@pytest.mark.parametrize("page", DOCUMENTS, ids=named)
def test_prose_has_at_most_120_columns(page: Path) -> None:
    # code keeps its lines, so that the numbers in messages are those of the file
    text = FENCE.sub(lambda m: "\n" * m[0].count("\n"), page.read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), 1):
        assert len(line) <= COLUMNS or line.startswith(NO_PROSE), f"{named(page)}:{number}: {len(line)} columns"


def test_decisions_that_are_named_exist() -> None:
    text = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    numbers = re.findall(r"^## (\d+)\. ", text, flags=re.M)
    assert [int(n) for n in numbers] == list(range(1, len(numbers) + 1))
    moved = set(re.findall(r'<a id="superseded-(\d+)">', text))
    assert moved == set(re.findall(r"\(#superseded-(\d+)\)", text)) <= set(numbers)
    for page in DOCUMENTS:
        for number in re.findall(r"[Dd]ecisions?(?:\.md)?[)\]]?[ \n]+(\d+)", page.read_text(encoding="utf-8")):
            assert number in numbers, f"{named(page)}: decision {number}"


def binary() -> Path | None:
    """The command: $MANYWORLDS_BIN, or that of the newest build."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = [
        Path(os.environ.get("MANYWORLDS_BIN", "")),
        *(target / kind / "manyworlds" for kind in ("debug", "release")),
    ]
    there = [path for path in found if path.is_file()]
    return there[0] if there else None


@functools.cache
def described(*verb: str) -> str:
    command = binary()
    assert command is not None
    done = subprocess.run([command, *verb, "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands(page: Path) -> list[str]:
    """Command lines of a page: in blocks of the shell, and as code in its text."""
    text = included(page.read_text(encoding="utf-8"))
    lines = []
    for block in blocks(page):
        if block.language in ("sh", "bash"):
            lines += block.text.replace("\\\n", " ").splitlines()
    lines += re.findall(r"`(manyworlds [^`\n]+)`", FENCE.sub("", text))
    lines = [line.replace("cargo run --release -- ", "manyworlds ").replace("\\|", "|") for line in lines]
    return [line for line in lines if line.startswith("manyworlds ")]


@pytest.mark.skipif(binary() is None, reason="no binary: build one, or name it in MANYWORLDS_BIN")
@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=named)
def test_commands_exist(page: Path) -> None:
    verbs = re.findall(r"^  (\w+) ", described().partition("Commands:")[2].partition("Options:")[0], flags=re.M)
    for line in commands(page):
        words = shlex.split(line, comments=True)[1:]
        words = words[
            : min((words.index(end) for end in ("|", ">", ">>", "&&", "&", ";") if end in words), default=None)
        ]
        verb = [word for word in words if not word.startswith("-")][:1]
        if verb:
            assert verb[0] in verbs, f"{named(page)}: {line}"
        known = set(re.findall(r"^\s+(?:-\w, )?(--[\w-]+)", described(*verb), flags=re.M))
        for word in words:
            if word.startswith("--"):
                assert word.partition("=")[0] in known, f"{named(page)}: {line}: {word}"


@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="no mkdocs: pip install ./python[docs]")
def test_the_site_builds_and_its_links_resolve(tmp_path: Path) -> None:
    mkdocs = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(mkdocs, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for page in tmp_path.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        # nothing is fetched from elsewhere
        assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="https?://', text), page
    fields = (tmp_path / "site" / "reference" / "data-fields.html").read_text(encoding="utf-8")
    assert all(f"<code>{name}</code>" in fields for name in mw._tables.DATA)
