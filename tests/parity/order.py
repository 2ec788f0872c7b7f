#!/usr/bin/env python3
"""What the reference changes when its meshes are written in another order.

    tests/parity/order.py --folder ../menagerie/pal_talos ../menagerie/pal_talos/talos.xml

Vertices and triangles of STL and OBJ files and in the XML are shuffled in a copy of the folder, STL files as OBJ; the
shapes stay the same. The reference then evaluates the same states with both, by turns from several seeds. Printed: states
whose number of contacts changes, and the largest change of the contacts' positions and of `qacc`. A difference from
the reference of that size says nothing about either engine: the order of a file decides it.
"""
import argparse
import os
import random
import re
import shutil
import sys
import tempfile

import mujoco
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from parity import restore, states_of  # noqa: E402


def obj_of_stl(data):
    """A binary STL as an OBJ: the reference sorts the vertices of an STL, but not those of an OBJ."""
    count = int.from_bytes(data[80:84], "little")
    corners = np.frombuffer(data[84:], dtype=np.dtype([("n", "<3f4"), ("v", "<9f4"), ("a", "<u2")]), count=count)["v"]
    points, place = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    lines = ["v %s %s %s" % tuple(repr(float(x)) for x in p) for p in points]
    faces = place.reshape(-1, 3) + 1
    kept = [f for f in faces if len(set(f)) == 3]
    return "\n".join(lines + ["f %d %d %d" % tuple(f) for f in kept]) + "\n"


def shuffle_obj(text, rng):
    """An OBJ with vertices and faces in another order, each face starting at another corner."""
    lines = text.splitlines()
    vertices = [line for line in lines if line.startswith("v ")]
    faces = [line.split()[1:] for line in lines if line.startswith("f ")]
    order = list(range(len(vertices)))
    rng.shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    rng.shuffle(faces)
    turned = []
    for corners in faces:
        parts = [c.split("/") for c in corners]
        if any(int(p[0]) < 0 for p in parts):
            return text
        corners = ["/".join([str(place[int(p[0]) - 1] + 1)] + p[1:]) for p in parts]
        k = rng.randrange(len(corners))
        turned.append("f " + " ".join(corners[k:] + corners[:k]))
    rest = [line for line in lines if line.startswith(("vt ", "vn "))]
    return "\n".join([vertices[i] for i in order] + rest + turned) + "\n"


def shuffle_xml(text, rng):
    """MJCF whose inline meshes have their vertices in another order."""
    def mesh(found):
        tag = found.group(0)
        vertex, face = re.search(r'\bvertex="([^"]*)"', tag), re.search(r'\bface="([^"]*)"', tag)
        if not vertex or re.search(r'\b(normal|texcoord)="', tag):
            return tag
        rows = np.array(vertex.group(1).split(), dtype=object).reshape(-1, 3)
        order = list(range(len(rows)))
        rng.shuffle(order)
        place = {old: new for new, old in enumerate(order)}
        tag = tag.replace(vertex.group(1), " ".join(" ".join(rows[i]) for i in order))
        if face:
            faces = [[str(place[int(v)]) for v in f] for f in np.array(face.group(1).split()).reshape(-1, 3)]
            rng.shuffle(faces)
            tag = tag.replace(face.group(0), 'face="%s"' % " ".join(" ".join(f) for f in faces))
        return tag
    return re.sub(r"<mesh\b[^>]*>", mesh, text)


def shuffle_folder(folder, seed):
    """Shuffles every mesh below a folder."""
    rng = random.Random(seed)
    for root, _, files in os.walk(folder):
        for name in sorted(files):
            path, kind = os.path.join(root, name), name.lower().rsplit(".", 1)[-1]
            data = open(path, "rb").read()
            if kind == "stl" and len(data) >= 84 and len(data) == 84 + 50 * int.from_bytes(data[80:84], "little"):
                open(path[:-3] + "obj", "w").write(shuffle_obj(obj_of_stl(data), rng))
                os.remove(path)
            elif kind == "obj":
                open(path, "w").write(shuffle_obj(data.decode("utf-8", "replace"), rng))
            elif kind == "xml":
                text = re.sub(r'\.stl"', '.obj"', data.decode("utf-8", "replace"), flags=re.IGNORECASE)
                open(path, "w").write(shuffle_xml(text, rng))


def evaluate(model, state):
    """Contacts and acceleration at a state."""
    data = mujoco.MjData(model)
    restore(model, data, state)
    mujoco.mj_forward(model, data)
    contacts = {}
    for contact in data.contact:
        contacts.setdefault(tuple(contact.geom), []).append(np.array(contact.pos))
    return contacts, np.array(data.qacc)


def moved(one, other):
    """Largest distance of a contact to the nearest one of the same pair; infinite where only one of them touches."""
    worst = 0.0
    for pair in set(one) | set(other):
        a, b = one.get(pair), other.get(pair)
        if a is None or b is None:
            return np.inf
        worst = max(worst, max(min(np.abs(x - y).max() for y in b) for x in a))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", help="what is copied: everything that the model reads (its own folder)")
    parser.add_argument("--states", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    for path in args.models:
        model = mujoco.MjModel.from_xml_path(path)
        states = states_of(model, args.states, 0)
        want = [evaluate(model, s) for s in states]
        counts, place, acceleration = set(), 0.0, 0.0
        for seed in range(args.seeds):
            folder = os.path.abspath(args.folder or os.path.dirname(path) or ".")
            with tempfile.TemporaryDirectory() as into:
                copy = os.path.join(into, os.path.basename(folder))
                shutil.copytree(folder, copy)
                shuffle_folder(copy, seed)
                other = mujoco.MjModel.from_xml_path(os.path.join(copy, os.path.relpath(os.path.abspath(path), folder)))
            for k, (state, (contacts, qacc)) in enumerate(zip(states, want)):
                got, other_qacc = evaluate(other, state)
                if sum(map(len, got.values())) != sum(map(len, contacts.values())):
                    counts.add(k)
                place = max(place, moved(contacts, got))
                if len(qacc):
                    acceleration = max(acceleration, np.abs(qacc - other_qacc).max() / (1 + np.abs(qacc).max()))
        print("%s: %d of %d states with other counts of contacts, positions %.1e, qacc %.1e"
              % (path, len(counts), len(states), place, acceleration), flush=True)


if __name__ == "__main__":
    main()
