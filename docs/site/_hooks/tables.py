"""Pages that are made when the site is built: tables of fields, sizes and enumerations, members of classes, and the
project's documents, which stay where they are."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

import manyworlds as mw
from manyworlds import _core
from manyworlds._access import Access
from manyworlds._analysis import Analysis
from manyworlds._base import Base
from manyworlds._pictures import Pictures
from manyworlds._reports import Reports
from manyworlds._storage import Storage
from manyworlds._tables import DATA, FLAGS, KINDS, MODEL, SHORT, SIZES, Field, enumeration
from manyworlds._variation import Variation

ROOT = Path(__file__).resolve().parents[3]

# Documents of the project by their page.
DOCUMENTS = {
    "project/gallery.md": "docs/gallery.md",
    "project/models.md": "docs/models.md",
    "project/performance.md": "docs/performance.md",
    "project/decisions.md": "docs/decisions.md",
    "project/testing.md": "docs/testing.md",
    "project/architecture.md": "ARCHITECTURE.md",
    "project/changelog.md": "CHANGELOG.md",
    **{f"project/{file.name}": f"docs/{file.name}" for file in sorted((ROOT / "docs").glob("*.svg"))},
    **{f"project/images/{file.name}": f"docs/images/{file.name}" for file in sorted((ROOT / "docs/images").iterdir())},
}

# Sections of the Data fields, by stage, in the order of a step.
STAGES = {
    "state": "State: set by the caller, advanced by a step",
    "kinematics": "Kinematics",
    "com_pos": "Centres of mass",
    "camlight": "Cameras and lights",
    "tendon": "Tendons",
    "crb": "Inertia matrix",
    "factor_m": "Factors of the inertia matrix",
    "transmission": "Transmission",
    "collision": "Contacts",
    "make_constraint": "Constraint rows",
    "com_vel": "Velocities",
    "passive": "Passive forces",
    "fluid": "Fluid forces",
    "laws": "Laws",
    "reference_constraint": "Reference accelerations of constraints",
    "rne": "Bias forces",
    "actuation": "Actuation",
    "acceleration": "Unconstrained acceleration",
    "solve": "Constraint forces and accelerations",
    "sensor": "Sensors",
    "subtree_vel": "Subtree velocities and momenta",
    "rne_post": "Accelerations and forces of bodies",
    "energies": "Energy",
    "integrator": "Integration",
    "implicit": "Velocity derivatives",
    "inverse": "Inverse dynamics",
    "fwdinv": "Comparison of forward and inverse dynamics",
}

TYPES = {"real": "real", "int": "int32"}


def cell(text: Any) -> str:
    """Text in a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    names = list(head)
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def shape(field: Field, *first: str) -> str:
    return "`[" + ", ".join(str(d) for d in (*first, *field.axes)) + "]`"


def row(field: Field, *first: str) -> tuple[str, ...]:
    return (f"`{field.name}`", shape(field, *first), TYPES.get(field.elem, field.elem), field.unit, field.doc)


HEAD = ("field", "shape", "type", "unit", "meaning")


def data_fields() -> str:
    stages = list(dict.fromkeys(field.stage for field in DATA.values()))
    ordered = [s for s in STAGES if s in stages] + [s for s in stages if s not in STAGES]
    out = [
        "# Data fields\n",
        f"The {len(DATA)} fields of the worlds of a batch, by the stage of the pipeline that writes them. "
        "`batch.NAME` and `batch.get(NAME)` read a field as an array with the worlds first. Fields of the state and "
        "`qacc` can be set; the others are computed. Reals are float64 on the CPU and float32 from a GPU. Sizes such as "
        "`nbody` are explained [with the fields of the model](model-fields.md#sizes).\n",
    ]
    for stage in ordered:
        out.append(f"## {STAGES.get(stage, stage)}\n")
        if stage != "state":
            out.append(f"Stage `{stage}`.\n")
        out.append(table(HEAD, (row(f, "world") for f in DATA.values() if f.stage == stage)))
    return "\n".join(out)


def may_differ() -> set[str]:
    """Model fields that may have a value for each world, by trying."""
    world = "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>"
    batch = mw.Batch(mw.Model.from_xml_string(world), 1, device="cpu")
    found = set()
    for name in MODEL:
        try:
            batch.expand([name])
        except ValueError:
            continue
        found.add(name)
    return found


def group(field: Field) -> str:
    """The word before the first underscore: `body`, `geom`, `opt`."""
    return field.name.partition("_")[0]


def groups() -> dict[str, list[Field]]:
    """Model fields by their first word; words with a single field are together."""
    found: dict[str, list[Field]] = {}
    for field in MODEL.values():
        found.setdefault(group(field), []).append(field)
    single = [fields[0] for fields in found.values() if len(fields) == 1]
    out = {word: fields for word, fields in found.items() if len(fields) > 1}
    if single:
        out["others"] = single
    return out


def model_fields() -> str:
    differ = may_differ()
    short = {word: kind for kind, word in SHORT.items()}
    out = [
        "# Model fields\n",
        f"The {len(MODEL)} fields of a compiled model, under MuJoCo's names. `model.NAME` reads one; "
        "`batch.expand([NAME])` gives it a value for each world, where the last column says that it may differ.\n",
        "## Sizes\n",
        table(("size", "number of"), ((f"`{name}`", doc) for name, doc in SIZES.items())),
    ]
    for word, fields in groups().items():
        kind = KINDS.get(short.get(word, word))
        named = f" ({kind.word})" if kind and kind.word != word else ""
        out.append(f"## {word}{named}\n" if word == "others" else f"## {word}_…{named}\n")
        rows = ((*row(f), "yes" if f.name in differ else "") for f in fields)
        out.append(table((*HEAD, "may differ"), rows))
    return "\n".join(out)


def enumerations() -> str:
    out = [
        "# Enumerations\n",
        "`manyworlds.enums` has MuJoCo's enumerations: `enums.Joint.HINGE`, `enums.Disable.CONTACT`. `State` and "
        "`Status` are names of the package too.\n",
    ]
    for name, members in _core.enums():
        title = enumeration(name, members).__name__
        out.append(f"## {title}\n")
        if name in FLAGS:
            out.append("Bits, which are combined with `|`.\n")
        out.append(table(("name", "value"), ((f"`{member}`", value) for member, value in members)))
    return "\n".join(out)


def members(owner: type) -> list[str]:
    """Public members that a class defines itself."""
    kinds = (property, classmethod, staticmethod)
    named = ((n, v) for n, v in vars(owner).items() if not n.startswith("_"))
    return [name for name, value in named if inspect.isfunction(value) or isinstance(value, kinds)]


def described(owner: type, root: bool = True) -> str:
    """The directive for a class and its members; without `root`, for the members alone."""
    options = f"      show_root_heading: {str(root).lower()}\n      show_root_toc_entry: {str(root).lower()}\n"
    listed = "".join(f"        - {name}\n" for name in members(owner))
    place = owner.__module__ if owner.__module__.startswith("manyworlds._") and not root else "manyworlds"
    options += f"      heading_level: {2 if root else 3}\n"
    return f"\n::: {place}.{owner.__name__}\n    options:\n{options}      members:\n{listed}"


# Parts of a batch, with the titles of their sections.
PARTS = (
    ("Fields and states", Access),
    ("Models that differ", Variation),
    ("Contacts, Jacobians, derivatives", Analysis),
    ("Pictures", Pictures),
    ("Status, room, device", Reports),
    ("Worlds", Base),
    ("Snapshots and files", Storage),
)


def batch() -> str:
    text = (
        "# Batch\n\nBeside the members below a batch has an attribute for each [Data field](data-fields.md), and for "
        'each kind of object a method with its name (`batch.body("head")`) and one for several '
        '(`batch.bodies("*_foot")`).\n'
    )
    return text + described(mw.Batch) + "".join(f"\n## {title}\n{described(part, False)}" for title, part in PARTS)


def model() -> str:
    text = (
        "# Model\n\nBeside the members below a model has an attribute for each [Model field](model-fields.md) and each "
        '[size](model-fields.md#sizes), and for each kind of object a method with its name (`model.joint("knee")`) '
        'and one for several (`model.joints("*_hip")`). The groups `model.opt`, `model.stat` and `model.vis` have the '
        "fields `opt_…`, `stat_…` and `vis_…`.\n"
    )
    return text + described(mw.Model)


def spec() -> str:
    text = (
        "# Spec\n\nBeside the members below a Spec has for each kind of element a method with its name "
        '(`spec.geom("foot")`) and one for all or several (`spec.geoms("foot_*")`).\n'
    )
    return text + described(mw.Spec) + described(mw.Element)


PAGES = {
    "reference/data-fields.md": data_fields,
    "reference/model-fields.md": model_fields,
    "reference/enumerations.md": enumerations,
    "reference/batch.md": batch,
    "reference/model.md": model,
    "reference/spec.md": spec,
}


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages."""
    for uri, make in PAGES.items():
        files.append(File.generated(config, uri, content=make()))
    for uri, path in DOCUMENTS.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Leaves out what is pending; in code of tables a bar is written `\\|`, as GitHub wants it, and shown as a bar."""
    markdown = re.sub(r"<!-- pending:.*?-->\n?", "", markdown, flags=re.S)
    return re.sub(r"^\|.*", lambda row: re.sub(r"`[^`]*`", _bars, row[0]), markdown, flags=re.M)


def _bars(code: re.Match[str]) -> str:
    return code[0].replace("\\|", "|")
