"""Kernels in Metal's language, as naga writes them, in CUDA C++."""

import re
from dataclasses import dataclass

from . import metal

BUFFERS = {"data_f": "float*", "data_i": "int*", "model_f": "const float*", "model_i": "const int*"}

# what Metal hands to a kernel, and where CUDA has it
BUILT_IN = {
    "threadgroup_position_in_grid": "metal::uint3(blockIdx.x, blockIdx.y, blockIdx.z)",
    "threadgroups_per_grid": "metal::uint3(gridDim.x, gridDim.y, gridDim.z)",
    "thread_index_in_threadgroup": "threadIdx.x",
}

ENTRY = re.compile(
    r"struct main_Input \{.*?max_total_threads_per_threadgroup\((?P<threads>\d+)\).*?"
    r"kernel void main_\((?P<parameters>.*?)\n\) \{(?P<body>.*)",
    re.S,
)
PARAMETER = re.compile(r"(?P<declaration>[^\[]*?)(?P<name>\w+)(?: \[\[(?P<attribute>[^\]]*)\]\])?$")
SWIZZLE = re.compile(r"\.([xyzw]{2,4})\b")
FUNCTION = re.compile(r"^((?!static|struct|typedef|using)[A-Za-z_][\w:]*(?:<[^>]*>)? (\w+)\($)", re.M)


@dataclass
class Source:
    """A kernel in CUDA C++, the header that it includes, and the threads of a group."""

    text: str
    header: str
    threads: int

    def functions(self):
        """For each line of the text the function that it stands in."""
        name, of = "", []
        for line in self.text.split("\n"):
            if head := re.match(r"^INLINE \S+ (\w+)\($", line):
                name = head[1]
            elif " kernel_main(" in line:
                name = "kernel_main"
            of.append(name)
        return of


def translate(text):
    """The one kernel of a file of Metal."""
    entry = ENTRY.search(text)
    # function heads of naga open a parenthesis at the end of their line
    before = FUNCTION.sub(r"INLINE \1", expressions(declarations(text[: entry.start()])))
    arguments = ", ".join(f"{kind} __restrict__ {name}_at" for name, kind in BUFFERS.items())
    lines = ['#include "metal.h"', before]
    lines.append(f'extern "C" __global__ void __launch_bounds__({entry["threads"]})')
    lines.append(f"    kernel_main({arguments}, const _mslBufferSizes _buffer_sizes) {{")
    lines += [f"    {line}" for line in parameters(entry["parameters"])]
    body = "\n".join(lines) + expressions(entry["body"])
    return Source(body, metal.header(set(SWIZZLE.findall(text))), int(entry["threads"]))


def declarations(text):
    """Without Metal's own headers; constants, and arrays of unknown length, as C++ has them."""
    text = re.sub(r"#include <[^>]*>\n", "", text).replace("using metal::uint;\n", "")
    text = re.sub(r"^constant ", "static constexpr ", text, flags=re.M)
    return re.sub(r"^typedef (float|int) (\w+)\[1\];", r"typedef \1 \2[1 << 28];", text, flags=re.M)


def expressions(text):
    """Without address spaces, which the compiler finds; literals in single precision; groups of components as calls."""
    text = re.sub(r"\b(thread|device|threadgroup) ", "", text)
    text = re.sub(r"\bconstant ", "const ", text)
    text = re.sub(r"(?<![\w.])(\d+\.\d*)(?![\w.])", r"\1f", text)
    return SWIZZLE.sub(r".\1()", text)


def parameters(text):
    """Lines that declare what the entry point got as parameters."""
    for parameter in filter(None, (line.strip(" ,") for line in text.split("\n"))):
        found = PARAMETER.match(parameter)
        name, declaration = found["name"], found["declaration"].strip()
        if declaration.startswith("threadgroup"):
            yield workgroup(declaration.removeprefix("threadgroup ").rstrip("& "), name)
        elif declaration.startswith("device"):
            kind = declaration.removeprefix("device ").rstrip("& ")
            yield f"{kind}& {name} = *reinterpret_cast<{kind}*>({name}_at);"
        elif not declaration.startswith("constant"):
            yield f"const auto {name} = {BUILT_IN[found['attribute']]};"


def workgroup(kind, name):
    """A variable in workgroup memory, without the constructor that a structure would have."""
    if kind in ("uint", "int", "float"):
        return f"__shared__ {kind} {name};"
    bytes_of = f"__shared__ __align__(16) char {name}_bytes[sizeof({kind})];"
    return f"{bytes_of} {kind}& {name} = *reinterpret_cast<{kind}*>({name}_bytes);"
