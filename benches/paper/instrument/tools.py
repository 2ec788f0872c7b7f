"""Where things are kept, how commands run, and the compilers, which are fetched."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HOME = Path(os.environ.get("PAPER_HOME", Path.home() / ".cache" / "manyworlds-paper"))

# compiler of CUDA C++, assembler and disassembler of NVIDIA, as wheels of PyPI
WHEELS = ("nvidia-cuda-nvrtc-cu12==12.9.86", "nvidia-cuda-nvcc-cu12==12.9.86", "nvidia-cuda-nvdisasm==13.5.37")
NVIDIA = HOME / "nvidia-12.9.86"
NVRTC = NVIDIA / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"
PTXAS = NVIDIA / "nvidia/cuda_nvcc/bin/ptxas"
NVDISASM = NVIDIA / "nvidia/cu13/bin/nvdisasm"

# Mesa's driver for AMD, of a Debian release that is newer than most machines
RELEASE = "trixie"
MESA_PACKAGES = ("mesa-vulkan-drivers", "libvulkan-dev", "libc6")
MESA = HOME / RELEASE
MESA_LIBRARIES = MESA / "root/usr/lib/x86_64-linux-gnu"
LOADER = MESA_LIBRARIES / "ld-linux-x86-64.so.2"


def run(command, folder=ROOT, **more):
    """Output of a command; ends the program with the command's messages where it fails."""
    command = [str(part) for part in command]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, **more)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:2])} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def need(tool, package):
    """Ends the program where a tool of the system is missing."""
    if shutil.which(tool) is None:
        raise SystemExit(f"{tool} is missing: apt-get install {package}")


def fetch_nvidia():
    """NVIDIA's compilers, about 130 MB from PyPI, where they are missing."""
    need("g++", "g++")
    if NVDISASM.exists() and PTXAS.exists() and NVRTC.exists():
        return
    wheels = NVIDIA / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels, *WHEELS])
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(NVIDIA)
    for program in (PTXAS, NVDISASM):
        program.chmod(0o755)
    shutil.rmtree(wheels)


def fetch_mesa():
    """Mesa of RELEASE with its libraries, unpacked in HOME; nothing of it is installed."""
    need("gcc", "gcc")
    if LOADER.exists():
        return
    for folder in ("lists/partial", "cache/archives/partial", "root"):
        (MESA / folder).mkdir(parents=True, exist_ok=True)
    (MESA / "status").touch()
    source = f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror()} {RELEASE} main\n"
    (MESA / "sources.list").write_text(source)
    # folders of our own, and no package that is not needed
    settings = {
        "Dir::State::Lists": MESA / "lists",
        "Dir::State::status": MESA / "status",
        "Dir::Cache": MESA / "cache",
        "Dir::Etc::sourcelist": MESA / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "APT::Install-Recommends": "false",
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in settings.items())]
    run([*apt, "update"])
    run([*apt, "install", "-y", "--download-only", *MESA_PACKAGES])
    for package in (MESA / "cache/archives").glob("*.deb"):
        run(["dpkg", "-x", package, MESA / "root"])


def mirror():
    """Address of the mirror that this Debian installs from."""
    for file in sorted(Path("/etc/apt/sources.list.d").glob("*.sources")):
        for line in file.read_text().splitlines():
            if line.startswith("URIs:"):
                return line.split()[1]
    return "http://deb.debian.org/debian"
