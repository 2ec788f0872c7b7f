"""What NVIDIA's compiler and assembler make of a kernel: registers, stack, spills, workgroup memory, machine code."""

import ctypes
import os
import re
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from .cuda import translate
from .tools import NVDISASM, NVRTC, PTXAS

# assembler's target by the name of a generation
TARGETS = ("sm_89", "sm_90")
SECONDS = 900

# machine instructions by kind; others are `other`
KINDS = {
    "global": "LDG STG LD ST RED ATOM ATOMG",
    "shared": "LDS STS ATOMS",
    "local": "LDL STL",
    "constant": "LDC ULDC LDCU",
    "float": "FADD FMUL FFMA FMNMX FSETP FSEL FSET FCHK",
    "special": "MUFU",
    "branch": "BRA BSSY BSYNC EXIT BREAK CALL RET WARPSYNC BRX",
    "barrier": "BAR MEMBAR ERRBAR CCTL FENCE",
}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names.split()}
# an instruction of the disassembly after its address and its guard
MACHINE = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?([A-Z]\w*)", re.M)


class Compiler:
    """NVIDIA's compiler of CUDA C++, which is a library."""

    def __init__(self):
        self.library = ctypes.CDLL(str(NVRTC))

    def ptx(self, source, path, options):
        """PTX of a kernel as text; the compiler's messages where it refuses."""
        program = ctypes.c_void_p()
        headers, names = strings([source.header]), strings(["metal.h"])
        text, name = source.text.encode(), str(path).encode()
        self.call("nvrtcCreateProgram", ctypes.byref(program), text, name, 1, headers, names)
        refused = self.library.nvrtcCompileProgram(program, len(options), strings(options))
        said = self.text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog", program) if refused else None
        ptx = None if refused else self.text("nvrtcGetPTXSize", "nvrtcGetPTX", program)
        self.call("nvrtcDestroyProgram", ctypes.byref(program))
        if refused:
            raise SystemExit(f"{path.name} does not compile; instrument/metal.py may lack a function:\n{said[:4000]}")
        return ptx

    def call(self, function, *arguments):
        code = getattr(self.library, function)(*arguments)
        if code:
            raise SystemExit(f"{function} failed with {code}")

    def text(self, size_function, text_function, program):
        size = ctypes.c_size_t()
        self.call(size_function, program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self.call(text_function, program, text)
        return text.value.decode()


def strings(texts):
    return (ctypes.c_char_p * len(texts))(*(text.encode() for text in texts))


def compile_kernels(configuration, targets=TARGETS, lines=False):
    """Figures of each kernel: its name to the target to figures. PTX and CUDA text stay in the folder."""
    compiler = Compiler()
    extra = ["-lineinfo"] if lines else []
    options = ["--std=c++17", "--gpu-architecture=compute_80", "--use_fast_math", "-default-device", *extra]

    def figures(kernel):
        source = translate(configuration.file(kernel, "metal").read_text())
        path = configuration.file(kernel, "cu")
        path.write_text(source.text)
        configuration.file(kernel, "ptx").write_text(compiler.ptx(source, path, options))
        return {target: assemble(configuration, kernel, target, extra) for target in targets}

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip((kernel.name for kernel in configuration.kernels), pool.map(figures, configuration.kernels)))


def assemble(configuration, kernel, target, options):
    """Figures of one kernel for one target."""
    cubin, begin = configuration.file(kernel, f"{target}.cubin"), time.time()
    command = [PTXAS, "-v", "-O3", f"-arch={target}", *options, "-o", cubin, configuration.file(kernel, "ptx")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise SystemExit(f"{kernel.name}: the assembler takes more than {SECONDS} s") from None
    said = done.stderr + done.stdout
    if done.returncode:
        raise SystemExit(f"{kernel.name}: the assembler refuses:\n{said[:2000]}")

    def number(words):
        found = re.search(words, said)
        return int(found[1]) if found else 0

    listing = subprocess.run([NVDISASM, "-c", cubin], capture_output=True, text=True, check=True).stdout
    machine = MACHINE.findall(listing)
    return {
        "registers": number(r"Used (\d+) registers"),
        "stack": number(r"(\d+) bytes stack frame"),
        "spill_stores": number(r"(\d+) bytes spill stores"),
        "spill_loads": number(r"(\d+) bytes spill loads"),
        "shared": number(r"(\d+) bytes smem"),
        # each instruction takes 16 bytes
        "code_bytes": 16 * len(machine),
        "kinds": dict(Counter(KIND_OF.get(name, "other") for name in machine).most_common()),
        "seconds": round(time.time() - begin, 2),
    }
