"""PTX of a kernel as a C++ function that runs one thread on the host and counts the basic blocks that it enters."""

import re

from . import ptx

TYPES = {"f32": "float", "pred": "bool"}
TYPES |= {f"{sign}{bits}": f"uint{bits}_t" for sign in "ub" for bits in (8, 16, 32, 64)}
TYPES |= {f"s{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)}
UNSIGNED = {"s": "u", "b": "u", "u": "u"}

SPECIAL = {"%tid.x": "t.index", "%ctaid.x": "t.group", "%nctaid.x": "t.groups", "%ntid.x": "t.threads"}
# threads and groups lie along the first axis
SPECIAL |= {f"%{name}.{axis}": "0u" for name in ("tid", "ctaid") for axis in "yz"}
SPECIAL |= {f"%{name}.{axis}": "1u" for name in ("ntid", "nctaid") for axis in "yz"}

INFIX = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "div": "/", "rem": "%"}
COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
COMPARED |= {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
# rounding of a conversion to a whole number
WHOLE = {"rzi": "truncf", "rni": "rintf", "rmi": "floorf", "rpi": "ceilf"}
# the product and the sum are rounded by themselves: host compilers have no fused operation to rely on
FLOAT = {
    "fma": "{0} * {1} + {2}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "min": "fminf({0}, {1})",
    "max": "fmaxf({0}, {1})",
    "abs": "fabsf({0})",
    "neg": "-{0}",
    "rcp": "1.0f / {0}",
    "sqrt": "sqrtf({0})",
    "rsqrt": "1.0f / sqrtf({0})",
    "ex2": "exp2f({0})",
    "lg2": "log2f({0})",
    "sin": "sinf({0})",
    "cos": "cosf({0})",
    "tanh": "tanhf({0})",
    "copysign": "copysignf({1}, {0})",
}
ATOMIC = {"add": "before + by", "or": "before | by", "and": "before & by"}
ATOMIC |= {"min": "before < by ? before : by", "max": "before > by ? before : by"}


class Function:
    """A kernel as C++. `blocks`: the instructions of each basic block."""

    def __init__(self, program, name):
        self.program, self.name = program, name
        self.lines, self.blocks, self.barriers = [], [], 0
        self.shared, self.shared_bytes = self.place_shared()
        self.begin_block()
        for item in program.items:
            if isinstance(item, str):
                self.lines.append(f"{label(item)}:;")
                self.begin_block()
            else:
                self.instruction(item)

    def text(self):
        """The file: registers, which outlive a barrier, and the function."""
        own = [f"    {TYPES[kind]} {bank(name)}[{count}];" for name, (kind, count) in self.program.banks.items()]
        variables = self.program.variables.values()
        own += [f"    alignas(16) char {symbol(v.name)}[{v.bytes}];" for v in variables if v.space == "local"]
        constants = [constant(v) for v in variables if v.space == "global"]
        resume = "".join(f" case {k + 1}: goto resume_{k + 1};" for k in range(self.barriers))
        return "\n".join(
            ['#include "machine.h"', f"namespace {{\nstruct Registers {{\n{chr(10).join(own)}\n}};", *constants, "}"]
            + [f"extern const size_t {self.name}_registers = sizeof(Registers);", f"void {self.name}(Thread& t) {{"]
            + ["    Registers& R = *static_cast<Registers*>(t.registers);", f"    switch (t.resume) {{{resume} }}"]
            + [*self.lines, "    t.resume = DONE;", "}", ""]
        )

    def place_shared(self):
        places, top = {}, 0
        for variable in self.program.variables.values():
            if variable.space == "shared":
                align = max(variable.align, 16)
                top = (top + align - 1) // align * align
                places[variable.name] = top
                top += variable.bytes
        return places, top

    def begin_block(self):
        self.lines.append(f"    t.entered[{len(self.blocks)}]++;")
        self.blocks.append([])

    def instruction(self, instruction):
        self.blocks[-1].append(instruction)
        name = instruction.parts[0]
        guard = f"if ({self.read(instruction.guard, 'pred')}) " if instruction.guard else ""
        special = {"bra": self.branch, "brx": self.branch_table, "ret": self.finish, "bar": self.barrier}
        if name in special:
            special[name](instruction, guard)
        elif name not in ("membar", "fence"):
            self.lines.append(f"    {guard}{{ {self.statement(instruction)} }}")

    # where control goes

    def branch(self, instruction, guard):
        self.lines.append(f"    {guard}goto {label(instruction.operands[0])};")
        self.begin_block()

    def branch_table(self, instruction, guard):
        at, table = instruction.operands
        cases = " ".join(f"case {k}: goto {label(to)};" for k, to in enumerate(self.program.targets[table]))
        self.lines.append(f"    {guard}switch ({self.read(at, 'u32')}) {{ {cases} }}")
        self.begin_block()

    def finish(self, _, guard):
        self.lines.append(f"    {guard}{{ t.resume = DONE; return; }}")
        self.begin_block()

    def barrier(self, _, guard):
        """The thread returns to the machine and goes on here when the others have come as far."""
        if guard:
            raise SystemExit(f"{self.name}: a barrier with a guard")
        self.barriers += 1
        self.lines.append(f"    t.resume = {self.barriers}; return; resume_{self.barriers}:;")

    # what instructions compute

    def statement(self, instruction):
        name, *rest = instruction.parts
        operands, kind = instruction.operands, rest[-1]
        if name == "ld":
            return self.load(instruction, kind)
        if name == "st":
            return self.store(instruction, kind)
        if name in ("atom", "red"):
            return self.atomic(instruction, kind)
        if name == "setp":
            return self.compare(rest, operands)
        if name == "cvt":
            return self.convert(rest, operands)
        if name in ("mov", "cvta"):
            return self.write(operands[0], kind, self.read(operands[1], kind))
        if name == "selp":
            a, b, chosen = self.read(operands[1], kind), self.read(operands[2], kind), self.read(operands[3], "pred")
            return self.write(operands[0], kind, f"{chosen} ? {a} : {b}")
        if name == "testp":
            return self.write(operands[0], "pred", f"std::{TESTS[rest[0]]}({self.read(operands[1], 'f32')})")
        if kind == "f32":
            return self.write(operands[0], kind, FLOAT[name].format(*(self.read(x, kind) for x in operands[1:])))
        return self.integer(name, rest, operands, kind)

    def integer(self, name, rest, operands, kind):
        """An operation of whole numbers or of predicates."""
        values = [self.read(x, kind) for x in operands[1:]]
        to, other = operands[0], UNSIGNED.get(kind[0], "") + kind[1:]
        if name in ("mul", "mad"):
            return self.multiply(name, rest, operands, kind)
        if name in ("add", "sub"):
            # without sign, as sums that leave the range wrap
            a, b = (self.read(x, other) for x in operands[1:])
            return self.write(to, other, f"{a} {INFIX[name]} {b}")
        if name in INFIX:
            return self.write(to, kind, f"{values[0]} {INFIX[name]} {values[1]}")
        if name in ("shl", "shr"):
            return self.shift(name, operands, kind)
        if name in ("min", "max"):
            sign = "<" if name == "min" else ">"
            return self.write(to, kind, f"{values[0]} {sign} {values[1]} ? {values[0]} : {values[1]}")
        if name == "not":
            return self.write(to, kind, f"!{values[0]}" if kind == "pred" else f"~{values[0]}")
        if name == "neg":
            return self.write(to, other, f"0 - {self.read(operands[1], other)}")
        if name == "abs":
            return self.write(to, kind, f"{values[0]} < 0 ? -{values[0]} : {values[0]}")
        return self.write(to, "u32", self.bits(name, rest, operands, kind))

    def bits(self, name, rest, operands, kind):
        """An operation on the bits of a word of 32."""
        if kind not in ("b32", "u32", "s32") or (name in ("bfe", "bfind") and kind == "s32"):
            raise SystemExit(f"{self.name}: {name} of {kind} is unknown")
        a, b, c, d = ([self.read(x, "u32") for x in operands[1:]] + [""] * 3)[:4]
        one = "((1u << {}) - 1)"
        values = {
            "popc": lambda: f"__builtin_popcount({a})",
            "clz": lambda: f"{a} ? __builtin_clz({a}) : 32",
            "bfind": lambda: f"{a} ? {'' if 'shiftamt' in rest else '31 - '}__builtin_clz({a}) : ~0u",
            "brev": lambda: f"reversed({a})",
            "bfe": lambda: f"({a} >> {b}) & {one.format(c)}",
            "bfi": lambda: f"({b} & ~({one.format(d)} << {c})) | (({a} & {one.format(d)}) << {c})",
        }
        if name not in values:
            raise SystemExit(f"{self.name}: the instruction {'.'.join([name, *rest])} is unknown")
        return values[name]()

    def multiply(self, name, rest, operands, kind):
        """Products of which the lower, the upper or both halves are kept."""
        size, sign = int(kind[1:]), kind[0]
        double = f"{sign}{2 * size}"
        a, b = (f"({TYPES.get(double, '')}){self.read(x, kind)}" for x in operands[1:3])
        if "wide" in rest:
            more = f" + {self.read(operands[3], double)}" if name == "mad" else ""
            return self.write(operands[0], double, f"{a} * {b}{more}")
        if "hi" in rest:
            return self.write(operands[0], kind, f"({a} * {b}) >> {size}")
        other = f"u{size}"
        a, b = (self.read(x, other) for x in operands[1:3])
        more = f" + {self.read(operands[3], other)}" if name == "mad" else ""
        return self.write(operands[0], other, f"{a} * {b}{more}")

    def shift(self, name, operands, kind):
        """Shifts by more than there are bits leave zero, or the sign."""
        last, by = f"{int(kind[1:]) - 1}u", self.read(operands[2], "u32")
        if name == "shr" and kind[0] == "s":
            return self.write(operands[0], kind, f"{self.read(operands[1], kind)} >> ({by} > {last} ? {last} : {by})")
        to, sign = f"u{kind[1:]}", "<<" if name == "shl" else ">>"
        return self.write(operands[0], to, f"{by} > {last} ? 0 : {self.read(operands[1], to)} {sign} {by}")

    def compare(self, rest, operands):
        kind, relation = rest[-1], rest[0]
        a, b = self.read(operands[1], kind), self.read(operands[2], kind)
        ordered, unordered = f"!std::isnan({a}) && !std::isnan({b})", f"(std::isnan({a}) || std::isnan({b}))"
        if relation in ("num", "nan"):
            value = ordered if relation == "num" else unordered
        else:
            value = f"{a} {COMPARED[relation[:2]]} {b}"
            if kind == "f32" and relation.endswith("u"):
                value = f"({value}) || {unordered}"
            elif kind == "f32" and relation == "ne":
                value = f"({value}) && {ordered}"
        # with another predicate
        if rest[1] in ("and", "or", "xor"):
            value = f"({value}) {INFIX[rest[1]]} {self.read(operands[3], 'pred')}"
        return self.write(operands[0], "pred", value)

    def convert(self, rest, operands):
        to, of = rest[-2:]
        value = self.read(operands[1], of)
        whole = next((WHOLE[part] for part in rest if part in WHOLE), None)
        if of == "f32" and to != "f32":
            value = f"whole<{TYPES[to]}>({whole}({value}))"
        elif whole:
            value = f"{whole}({value})"
        return self.write(operands[0], to, value)

    # memory

    def load(self, instruction, kind):
        to, at = instruction.operands
        if "param" in instruction.parts:
            return self.write(to, kind, self.parameter(at))
        values = to.strip("{}").split(",")
        begin = f"const char* at = {self.address(at, instruction.parts[1])};"
        steps = [f"const {TYPES[kind]} x{k} = at_of<{TYPES[kind]}>(at, {k});" for k in range(len(values))]
        steps += [self.write(value.strip(), kind, f"x{k}") for k, value in enumerate(values)]
        return " ".join([begin, self.log(instruction, kind, len(values)), *steps])

    def store(self, instruction, kind):
        at, of = instruction.operands
        values = of.strip("{}").split(",")
        begin = f"char* at = {self.address(at, instruction.parts[1])};"
        steps = [f"at_of<{TYPES[kind]}>(at, {k}) = {self.read(value.strip(), kind)};" for k, value in enumerate(values)]
        return " ".join([begin, self.log(instruction, kind, len(values)), *steps])

    def atomic(self, instruction, kind):
        *to, at, by = instruction.operands
        operation = next(part for part in instruction.parts if part in ATOMIC)
        kept = self.write(to[0], kind, "before") if to else ""
        word = TYPES[kind]
        return (
            f"{word}& value = at_of<{word}>({self.address(at, instruction.parts[1])}, 0); const {word} before = value, "
            f"by = {self.read(by, kind)}; value = {ATOMIC[operation]}; {kept}"
        )

    def log(self, instruction, kind, count):
        """Accesses of buffers are noted in one step."""
        if "global" not in instruction.parts:
            return ""
        return f"if (t.accesses) note(t, {len(self.lines)}, at, {ptx.BYTES[kind[1:]] * count});"

    def address(self, operand, space):
        """The address of `[base+offset]`."""
        base, offset = re.fullmatch(r"\[\s*([^+\s]+?)\s*(?:\+\s*(-?\d+))?\s*\]", operand).groups()
        begin = self.read(base, "u64" if space != "shared" else "u32")
        return f"t.shared + {begin} + ({offset or 0})" if space == "shared" else f"(char*){begin} + ({offset or 0})"

    def parameter(self, operand):
        """Buffers come first, and then their sizes in bytes as one parameter."""
        name, offset = re.fullmatch(r"\[\s*([^+\s]+?)\s*(?:\+\s*(\d+))?\s*\]", operand).groups()
        at = self.program.parameters.index(name)
        return f"t.buffers[{at}]" if at < len(self.program.parameters) - 1 else f"t.sizes[{int(offset or 0) // 4}]"

    # operands

    def read(self, operand, kind):
        """An operand as a C++ expression of a type of PTX; bits stay where a register is of another type."""
        if operand.startswith("!"):
            return f"!{self.read(operand[1:], kind)}"
        if operand in SPECIAL:
            return SPECIAL[operand]
        if operand.startswith("%"):
            own = self.program.kind(operand)
            value = f"R.{register(operand)}"
            if (own == "f32") != (kind == "f32"):
                return f"as_float({value})" if kind == "f32" else f"({TYPES[kind]})as_bits({value})"
            return value if own == kind else f"({TYPES[kind]}){value}"
        if operand in self.shared:
            return f"{self.shared[operand]}u"
        if operand in self.program.variables:
            own = "R." if self.program.variables[operand].space == "local" else ""
            return f"(uint64_t)&{own}{symbol(operand)}"
        if operand.startswith("0f"):
            return f"as_float(0x{operand[2:]}u)" if kind == "f32" else f"0x{operand[2:]}u"
        return f"({TYPES[kind]}){operand}" + ("ll" if abs(int(operand, 0)) > 2**31 - 1 else "")

    def write(self, operand, kind, value):
        """Sets a register to an expression of a type of PTX."""
        if operand == "_":
            return f"(void)({value});"
        own = self.program.kind(operand)
        if (own == "f32") != (kind == "f32"):
            value = f"as_float((uint32_t)({value}))" if own == "f32" else f"as_bits({value})"
        elif own != "f32":
            value = f"({TYPES[own]})({TYPES[kind]})({value})"
        return f"R.{register(operand)} = {value};"


TESTS = {"finite": "isfinite", "infinite": "isinf", "notanumber": "isnan"}


def bank(name):
    return "r_" + name[1:].replace("$", "S")


def register(name):
    """A register is an element of an array: structures of thousands of members compile slowly."""
    prefix, number = ptx.split(name)
    return f"{bank(prefix)}[{number}]"


def symbol(name):
    """A variable of the kernel, apart from what the machine declares."""
    return "v_" + name.replace("$", "S")


def label(name):
    return name.replace("$", "S")


def constant(variable):
    """A constant of the module."""
    kind, value = TYPES[variable.kind], variable.value or "0"
    if value.startswith("{"):
        return f"alignas(16) {kind} {symbol(variable.name)}[] = {value};"
    value = f"as_float(0x{value[2:]}u)" if value.startswith("0f") else value
    return f"alignas(16) {kind} {symbol(variable.name)} = {value};"
