#!/usr/bin/env python3
"""Writes the seeds of the readers of binary and mesh formats: `seeds.py`, from this folder.

Everything is small: a short input is fuzzed faster, and the formats have no parts that only large files reach. Seeds of
the reader of compiled models are made when it is fuzzed, from those of `mjcf`.
"""
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).parent
VERTICES = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]


def put(reader, name, data):
    folder = HERE / "corpus" / reader
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def stl():
    data = bytes(80) + struct.pack("<I", len(FACES))
    for face in FACES:
        data += struct.pack("<12f", 0, 0, 0, *[x for v in face for x in VERTICES[v]]) + bytes(2)
    put("stl", "binary.stl", data)
    def facet(face):
        corners = "".join("vertex %g %g %g\n" % VERTICES[v] for v in face)
        return "facet normal 0 0 0\nouter loop\n%sendloop\nendfacet\n" % corners

    facets = [facet(face) for face in FACES]
    put("stl_text", "plain.stl", "solid s\n%sendsolid s\n" % "".join(facets))
    halves = ["solid\n%sendsolid\n" % "".join(half) for half in (facets[:3], facets[3:])]
    put("stl_text", "two.stl", "".join(halves).upper().replace("\n", "\r\n"))
    put("stl_text", "cut.stl", "solid s\n%s" % "".join(facets)[:-20])


def obj():
    lines = ["v %g %g %g" % v for v in VERTICES] + ["vt 0 0", "vt 1 0", "vt 0 1", "vn 0 0 1", "vn 1 0 0"]
    put("obj", "plain.obj", "\n".join(lines + ["f %d %d %d" % tuple(i + 1 for i in f) for f in FACES]) + "\n")
    full = ["f " + " ".join("%d/%d/%d" % (i + 1, k + 1, k % 2 + 1) for k, i in enumerate(f)) for f in FACES]
    put("obj", "full.obj", "# comment\nmtllib a.mtl\no thing\ng part\ns 1\n" + "\n".join(lines + full) + "\n")
    negative = ["f %d//-1 %d//-1 %d//-2" % tuple(i - len(VERTICES) for i in f) for f in FACES]
    put("obj", "negative.obj", "\n".join(lines + negative + ["f 1 2 3 4 5"]) + "\n")


def msh():
    flat = lambda rows: [x for row in rows for x in row]
    head = struct.pack("<4i", len(VERTICES), len(VERTICES), len(VERTICES), len(FACES))
    data = head + struct.pack("<15f", *flat(VERTICES)) * 2 + struct.pack("<10f", *range(10))
    put("msh", "full.msh", data + struct.pack("<18i", *flat(FACES)))
    put("msh", "bare.msh", struct.pack("<4i", len(VERTICES), 0, 0, 0) + struct.pack("<15f", *flat(VERTICES)))


def gmsh():
    nodes = "".join("%d %g %g %g\n" % (i + 1, *v) for i, v in enumerate(VERTICES))
    put("gmsh", "2.2.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n%s$EndNodes\n$Elements\n2\n"
        "1 4 2 1 1 1 2 3 4\n2 4 2 1 1 2 3 4 5\n$EndElements\n" % nodes)
    tags, places = "1\n2\n3\n4\n5\n", "".join("%g %g %g\n" % v for v in VERTICES)
    put("gmsh", "4.1.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 5\n3 1 0 5\n%s%s$EndNodes\n$Elements\n"
        "1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n$EndElements\n" % (tags, places))
    head = b"$MeshFormat\n4.1 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n"
    data = struct.pack("<4Q", 1, 5, 1, 5) + struct.pack("<3iQ", 3, 1, 0, 5) + struct.pack("<5Q", 1, 2, 3, 4, 5)
    data += b"".join(struct.pack("<3d", *v) for v in VERTICES)
    cells = struct.pack("<4Q", 1, 2, 1, 2) + struct.pack("<3iQ", 3, 1, 4, 2) + struct.pack("<5Q", 1, 1, 2, 3, 4)
    cells += struct.pack("<5Q", 2, 2, 3, 4, 5)
    put("gmsh", "binary.msh", head + b"$Nodes\n" + data + b"\n$EndNodes\n$Elements\n" + cells + b"\n$EndElements\n")


def png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    for name, depth, color, row in [("gray8", 8, 0, bytes(range(4))), ("gray16", 16, 0, bytes(range(8))),
                                    ("rgb", 8, 2, bytes(range(12))), ("rgba", 8, 6, bytes(range(16))),
                                    ("gray1", 1, 0, b"\xa0"), ("palette", 8, 3, bytes([0, 1, 1, 0]))]:
        data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", 4, 3, depth, color, 0, 0, 0))
        if color == 3:
            data += chunk(b"PLTE", bytes([0, 0, 0, 255, 255, 255]))
        put("png", name + ".png", data + chunk(b"IDAT", zlib.compress((b"\0" + row) * 3)) + chunk(b"IEND", b""))


def field():
    put("field", "small.bin", struct.pack("<2i6f", 2, 3, 0, 0.5, 1, 2, 3, 4))


def skin():
    name = b"bone".ljust(40, b"\0")
    data = struct.pack("<4i", 4, 4, 2, 1) + struct.pack("<12f", *range(12)) + struct.pack("<8f", *range(8))
    data += struct.pack("<6i", 0, 1, 2, 1, 2, 3) + name + struct.pack("<7f", 0, 0, 0, 1, 0, 0, 0)
    put("skin", "small.skn", data + struct.pack("<i4i4f", 4, 0, 1, 2, 3, 1, 1, 1, 1))


for write in (stl, obj, msh, gmsh, png, field, skin):
    write()
