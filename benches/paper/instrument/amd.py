"""What AMD's compiler makes of a kernel: RADV of Mesa, on a device that is only named."""

import json
import os
from pathlib import Path

from .tools import HOME, LOADER, MESA, MESA_LIBRARIES, fetch_mesa, run

SOURCE = "pipelines.c"
# names of the driver's statistics, and ours
FIGURES = {
    "VGPRs": "registers",
    "Spilled VGPRs": "spills",
    "LDS size": "shared",
    "Scratch size": "scratch",
    "Code size": "code_bytes",
    "Instructions": "instructions",
    "Subgroups per SIMD": "waves",
    # both take a fixed guess of how often a loop runs, so that loops written out do not compare with loops
    "Latency": "latency",
    "Inverse Throughput": "inverse_throughput",
}


def compile_kernels(configuration, family):
    """Figures of each kernel for a family of GPUs, as `navi31`."""
    fetch_mesa()
    program = HOME / "pipelines"
    # what the library of Vulkan needs of a newer system is found when the program runs
    vulkan = [f"-I{MESA}/root/usr/include", MESA_LIBRARIES / "libvulkan.so.1", "-Wl,--allow-shlib-undefined"]
    run(["gcc", "-O1", "-o", program, Path(__file__).with_name(SOURCE), *vulkan])
    driver = MESA / "radeon.json"
    library = str(MESA_LIBRARIES / "libvulkan_radeon.so")
    icd = {"file_format_version": "1.0.0", "ICD": {"api_version": "1.4.305", "library_path": library}}
    driver.write_text(json.dumps(icd))
    settings = {
        "RADV_FORCE_FAMILY": family,
        "RADV_DEBUG": "nocache",
        "MESA_SHADER_CACHE_DISABLE": "1",
        "VK_DRIVER_FILES": str(driver),
        "XDG_RUNTIME_DIR": str(HOME),
    }
    figures = {}
    for kernel in configuration.kernels:
        # by the loader of the release that the driver is of
        command = [LOADER, "--library-path", MESA_LIBRARIES, program, configuration.file(kernel, "spv")]
        said = json.loads(run(command, env={**os.environ, **settings}))
        figures[kernel.name] = {ours: said[theirs] for theirs, ours in FIGURES.items()}
    return figures
