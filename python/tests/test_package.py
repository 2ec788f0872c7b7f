"""The package itself: stubs, types, the README as written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import manyworlds as mw

HERE = Path(__file__).resolve().parents[1]

TYPED = """
import manyworlds as mw

model = mw.Model.from_xml_path("m.xml")
mass: float = model.opt.timestep + model.body_mass.sum()
count: int = model.nq
batch = mw.Batch(model, 2, device="cpu")
batch.qpos = batch.qvel[:, :1] + mw.State.QPOS
reveal_type(batch.joint("knee").qpos)
batch.qposs
batch.xpos = 1
"""


def test_stubs_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, HERE / "stubs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "typed.py"
    file.write_text(TYPED)
    mypy = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), str(file)]
    done = subprocess.run(mypy, capture_output=True, text=True, cwd=tmp_path)
    lines = [line.split(": ", 1)[1] for line in done.stdout.splitlines() if line.startswith("typed.py")]
    assert any("ndarray" in line for line in lines), done.stdout
    errors = [line for line in lines if line.startswith("error")]
    # the line with `batch.xpos` has two
    assert '"Batch" has no attribute "qposs"' in errors[0] and all("xpos" in e or "int" in e for e in errors[1:]), (
        errors
    )
    assert any("read-only" in error for error in errors)


def test_the_package_type_checks() -> None:
    done = subprocess.run([sys.executable, "-m", "mypy", "-p", "manyworlds"], capture_output=True, text=True, cwd=HERE)
    assert done.returncode == 0, done.stdout


@pytest.mark.filterwarnings("ignore::manyworlds.StatusWarning")
def test_the_quick_start_runs_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (HERE / "README.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert len(code) == 1
    (tmp_path / "models").symlink_to(HERE.parent / "models")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed: list[str] = []
    names["print"] = lambda *parts: printed.append(" ".join(map(str, parts)))
    exec(compile(code[0], "README.md", "exec"), names)
    # what it prints is what the comments say
    assert printed == re.findall(r"print\(.*\)  # (.*)", code[0])


def test_every_public_name_is_documented() -> None:
    for name in mw.__all__:
        assert name == "__version__" or getattr(mw, name).__doc__, name
    for owner in (mw.Model, mw.Batch, mw.Spec, mw.Element):
        for name in dir(owner):
            if not name.startswith("_") and name != "model":
                assert getattr(owner, name).__doc__, f"{owner.__name__}.{name}"


QUIET = """
import manyworlds as mw, manyworlds.envs
import sys
assert mw.adapters()
model = mw.Model.from_xml_path(sys.argv[1])
batch = mw.Batch(model, 2, device="gpu")
batch.step(2)
batch.render(0, width=32, height=24)
assert batch.qpos.shape[0] == 2
"""


def drivers() -> list[str]:
    """Lavapipe, whose package brings the layer that looks for a desktop, and that of the tests, if it is another."""
    lavapipe = [str(file) for file in Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json")]
    own = os.environ.get("VK_DRIVER_FILES")
    return lavapipe + ([own] if own and own not in lavapipe else [])


@pytest.mark.skipif(sys.platform != "linux", reason="drivers of Linux")
def test_nothing_is_said_that_was_not_asked_for() -> None:
    """Without a desktop, and with warnings as errors: neither by the package nor by a driver."""
    assert drivers(), "lavapipe is not installed"
    for driver in drivers():
        bare = {"PATH": os.environ["PATH"], "VK_DRIVER_FILES": driver, "VK_ICD_FILENAMES": driver}
        command = [sys.executable, "-W", "error", "-c", QUIET, str(HERE.parent / "models" / "cartpole.xml")]
        done = subprocess.run(command, capture_output=True, text=True, env=bare)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), driver
