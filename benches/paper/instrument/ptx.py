"""PTX, NVIDIA's assembly language of a machine that is not one: the text of a kernel as a list of instructions."""

import re
from dataclasses import dataclass, field

BYTES = {"8": 1, "16": 2, "32": 4, "64": 8}

REGISTERS = re.compile(r"\.reg \.(\w+) (.*)")
VARIABLE = re.compile(r"\.(shared|local|global)(?: \.align (\d+))? \.(\w+) ([\w$]+)(?:\[(\d+)\])?(?: = (.*))?")
PLACE = re.compile(r"\.loc (\d+) (\d+) \d+(?:, ?function_name [^,]*, ?inlined_at (\d+) (\d+))?")
# directives end with their line
DIRECTIVE = re.compile(r"\.(loc|file|version|target|address_size|pragma|section)\b")
LABEL = re.compile(r"\$?[\w$]+:")
GUARD = re.compile(r"@(!?%\w+)\s+")
# operands are separated by commas outside of braces and brackets
OPERAND = re.compile(r"(?:\{[^}]*\}|\[[^\]]*\]|[^,\s])+")

# classes of instructions by name or by name and address space; see `class_of`
MEMORY = {
    "ld.global": "load_global",
    "st.global": "store_global",
    "ld.shared": "load_shared",
    "st.shared": "store_shared",
    "ld.local": "load_local",
    "st.local": "store_local",
    "ld.param": "move",
}
CLASSES = {
    "move": "mov cvta",
    "branch": "bra brx ret",
    "barrier": "bar",
    "fence": "membar fence",
    "special": "rcp sqrt rsqrt ex2 lg2 sin cos tanh",
}
CLASS_OF = {name: kind for kind, names in CLASSES.items() for name in names.split()}
FLOAT_CLASSES = {"divide": "div", "float": "fma add sub mul mad", "compare": "min max abs neg setp selp"}
FLOAT_CLASS_OF = {name: kind for kind, names in FLOAT_CLASSES.items() for name in names.split()}


@dataclass
class Instruction:
    """`@%p1 ld.global.f32 %f3, [%rd2+4];`"""

    guard: str
    name: str
    operands: list[str]
    line: int
    """Line of the source text, 0 where it is not known."""
    call: int
    """Line that the function of `line` was called from, 0 for none."""

    @property
    def parts(self):
        return self.name.split(".")


@dataclass
class Variable:
    """Shared or local memory, or a constant."""

    space: str
    align: int
    kind: str
    name: str
    count: int
    value: str | None

    @property
    def bytes(self):
        return BYTES[self.kind.lstrip("bsuf")] * self.count


@dataclass
class Program:
    """A kernel. Items are labels (`str`) and instructions, in the order of the text."""

    banks: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Type and number of registers by what their names begin with: `%f`."""
    parameters: list[str] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)
    targets: dict[str, list[str]] = field(default_factory=dict)
    """Labels of each table that `brx` jumps by."""
    items: list = field(default_factory=list)

    def kind(self, register):
        """Type of a register."""
        return self.banks[split(register)[0]][0]


def split(register):
    """`%f12` as `%f` and 12; registers without a number are banks of one."""
    prefix, number = re.fullmatch(r"(%[A-Za-z_]+)(\d*)", register).groups()
    return prefix, int(number or 0)


def class_of(instruction):
    """What an instruction counts as."""
    name, *rest = instruction.parts
    if memory := MEMORY.get(".".join(instruction.parts[:2])):
        return memory
    if name in CLASS_OF:
        return CLASS_OF[name]
    if rest and rest[-1] == "f32" and name in FLOAT_CLASS_OF:
        return FLOAT_CLASS_OF[name]
    return "integer"


def parse(text):
    """The kernel of a module that has one."""
    program, place = Program(), (0, 0)
    head, body = re.sub(r"//.*", "", text).split(".visible .entry ", 1)
    signature, body = body.split("{", 1)
    body = body[: re.search(r"^\}", body, re.M).start()]
    program.parameters = re.findall(r"\.param [^,)]*?(\w+)(?:\[\d+\])?\s*[,)]", signature)
    for statement in statements(head):
        variable(program, statement)
    for statement in statements(body):
        if found := PLACE.match(statement):
            # lines of other files have no function of the kernel: those of the header
            place = (int(found[2]) if found[1] == "1" else 0, int(found[4] or 0) if found[3] == "1" else 0)
        elif LABEL.fullmatch(statement):
            program.items.append(statement[:-1])
        elif ".branchtargets" in statement:
            label, labels = statement.split(".branchtargets")
            program.targets[label.strip(" :")] = [name.strip() for name in labels.split(",")]
        elif found := REGISTERS.match(statement):
            declare(program, found[1], found[2])
        elif not variable(program, statement) and not statement.startswith("."):
            program.items.append(instruction(statement, place))
    return program


def statements(text):
    """Statements without their semicolons, labels with their colons."""
    parts = []
    for line in text.split("\n"):
        line = line.strip()
        if not line or line in ("{", "}"):
            continue
        if DIRECTIVE.match(line):
            yield " ".join(line.rstrip(";").split())
            continue
        if not parts and LABEL.fullmatch(line):
            yield line
            continue
        parts.append(line)
        if line.endswith(";"):
            yield " ".join(" ".join(parts)[:-1].split())
            parts = []


def variable(program, statement):
    found = VARIABLE.match(statement.removeprefix(".visible ").removeprefix(".extern "))
    if found:
        space, align, kind, name, count, value = found.groups()
        program.variables[name] = Variable(space, int(align or 1), kind, name, int(count or 1), value)
    return found is not None


def declare(program, kind, names):
    """`%f<12>`: %f1 to %f11; otherwise names."""
    for name in names.split(","):
        prefix, count = re.fullmatch(r"(%\w+)(?:<(\d+)>)?", name.strip()).groups()
        program.banks[prefix] = (kind, int(count or 1))


def instruction(statement, place):
    guard = ""
    if found := GUARD.match(statement):
        guard, statement = found[1], statement[found.end() :]
    name, _, rest = statement.partition(" ")
    return Instruction(guard, name, OPERAND.findall(rest), *place)
