#!/usr/bin/env python3
"""Small models at the edges of what MJCF and URDF allow, against the installed reference release.

    tests/parity/edges.py --bin target/debug/manyworlds

What the reference loads, we load, with the same numbers in every array that both have; what it refuses, we refuse, or
warn of where we take it on purpose. Exit status 0 when every model agrees, 1 otherwise.
"""
import argparse
import itertools
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np

from parity import REFERENCE, compare_model, over_of

# lengths at and beside the least that has a direction, 1e-7, and the least moment of inertia, 1e-14
SHORT = ("1e-300", "1e-15", "1e-9", "9.9999e-8", "1e-7", "1.0001e-7", "1e-6", "1e-3", "2", "1e3")
AXES = ["0 0 %s", "0 0 -%s", "%s 0 0", "0 %s 0", "%s 0 1", "%s 0 -1", "-%s 0 -1", "0 %s -1", "0 -%s 1", "%s %s -1"]

# snippets that are taken otherwise, and the reason
OTHERWISE = {
    "short quaternion": "it is normalized: the reference keeps one shorter than 1e-7, with which it scales",
}


def world(body, rest=""):
    return "<mujoco><worldbody>%s</worldbody>%s</mujoco>" % (body, rest)


def body(inside):
    return world("<body>%s</body>" % inside)


def rotations():
    """Every way to say a rotation, of every element that has one."""
    places = {
        "geom": '<body><geom size="1" %s/></body>', "site": '<site %s/>', "camera": '<camera %s/>',
        "body": '<body %s><geom size="1"/></body>', "frame": '<frame %s><geom size="1"/></frame>',
        "inertial": '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1.5 2" %s/></body>',
    }
    forms = ['zaxis="%s"' % axis.replace("%s", s) for axis in AXES for s in SHORT]
    forms += ['axisangle="%s 40"' % axis.replace("%s", s) for axis in AXES[:4] for s in SHORT]
    forms += ['xyaxes="1 0 0 1 %s 0"' % s for s in SHORT] + ['xyaxes="%s 0 0 0 1 0"' % s for s in SHORT]
    forms += ['xyaxes="1 0 0 0 %s 0"' % s for s in SHORT] + ['xyaxes="1 2 3 2 4 6"', 'xyaxes="1 2 3 -4 5 6"']
    forms += ['euler="%s"' % e for e in ("0 0 0", "180 0 180", "1e-20 0 0", "1e6 0 0", "90 90 90", "10 -20 30")]
    forms += ['quat="%s"' % q for q in ("0 0 0 0", "2 0 0 0", "-1 0 0 0", "1 1e-9 0 0", "1.0001e-7 0 0 0", "0 3 4 0")]
    forms += ['quat="1 0 0 0" euler="0 0 1"', 'zaxis="0 0 1" axisangle="0 0 1 2"']
    # geoms take all of them, the other places one in seven
    for k, (place, text) in enumerate(places.items()):
        for form in forms if place == "geom" else forms[k::7]:
            yield "%s %s" % (place, form), world(text % form)
    for s in SHORT[:5]:
        yield "short quaternion %s" % s, body('<geom size="1" quat="%s 0 0 0"/>' % s)
    for sequence in ("xyz", "XYZ", "xYz", "zxz", "abc", "xy", "xyzx"):
        yield "eulerseq %s" % sequence, body('<geom size="1" euler="10 20 30"/>').replace(
            "<mujoco>", '<mujoco><compiler eulerseq="%s"/>' % sequence)


def axes():
    """Axes of joints and lights, ends of shapes, tensors, of elements that have no rotation."""
    for (kind, axis), s in itertools.product([("hinge", a) for a in AXES[:6]] + [(k, "0 0 %s") for k in ("slide", "ball", "free")], SHORT):
        yield "%s %s %s" % (kind, axis, s), body('<joint type="%s" axis="%s"/><geom size="1"/>' % (kind, axis.replace("%s", s)))
    for axis, s in itertools.product(AXES[:6], SHORT):
        axis = axis.replace("%s", s)
        yield "light " + axis, world('<light dir="%s"/>' % axis)
        for shape in ("capsule", "box", "cylinder", "ellipsoid", "sphere")[:5 if axis[:3] == "0 0" else 1]:
            yield "%s to %s" % (shape, axis), body('<geom type="%s" size=".1" fromto="0 0 0 %s"/>' % (shape, axis))
        yield "site to " + axis, world('<geom size="1"/><site type="capsule" size=".1" fromto="0 0 0 %s"/>' % axis)
    moments = ("1 1 2", "1 1 2.0000001", "1 2 0.9", "0 0 0", "1e-15 1e-15 1e-15", "1e-16 1e-15 1e-15")
    tensors = ("1 1 2 0 0 0", "1 1 1 0.9 0 0", "1 1 1 1 0 0", "1 2.5 2 .1 .05 -.02", "2 1 1.5 0 0 0", "0 0 0 0 0 0",
               "1e-15 1e-15 1e-15 0 0 0", "9.9e-15 9.9e-15 9.9e-15 0 0 0", "1.1e-14 1.1e-14 1.1e-14 0 0 0",
               "5e-15 1 1 0 0 0", "1e-12 2e-12 2.5e-12 1e-13 0 0", "1 2 2.5 1e-7 0 0", "1 2 2.5 1e-12 0 0")
    for name, list_ in (("diaginertia", moments), ("fullinertia", tensors)):
        for numbers in list_:
            yield "%s %s" % (name, numbers), body('<joint/><inertial pos="0 0 0" mass="1" %s="%s"/>' % (name, numbers))


def robots():
    """Axes and angles of URDF."""
    link = ('<link name="%s"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
            "</inertial></link>")
    robot = ('<robot name="r">' + link % "a" + link % "b" + '<joint name="j" type="%s"><parent link="a"/>'
             '<child link="b"/><origin rpy="%s" xyz="0 0 0"/><axis xyz="%s"/></joint></robot>')
    for kind in ("revolute", "prismatic", "continuous", "planar", "floating", "fixed", "spherical"):
        for axis in ("1 0 0", "0 0 0", "0 0 1e-9", "0 0 1e-7", "0 0 1.1e-7", "8e-8 0 -1", "2e-7 0 -1", "0 0 -1"):
            yield "%s %s" % (kind, axis), robot % (kind, "0 0 0", axis)
    for angles in ("1 2 3", "3.14159265 0 0", "1e-20 0 0", "1e3 0 0"):
        yield "rpy " + angles, robot % ("revolute", angles, "0 0 1")


TREES = """<mujoco><option><flag sleep="enable"/></option><worldbody><site name="w" pos="0 .1 .2"/>
<body name="A"><freejoint/><geom size=".1"/><site name="a"/></body>
<body name="B" pos="1 0 0"><joint name="hb"/><geom size=".1"/><site name="b" pos=".1 .2 0"/>
 <body name="B2"><joint name="hb2"/><geom size=".1"/><site name="b2"/></body></body>
<body name="C" pos="2 0 0"><joint name="ball" type="ball"/><geom size=".1"/><site name="c"/></body>
<body name="D" pos="3 0 0"><joint name="sl" type="slide"/><geom name="gd" size=".1"/><site name="d" pos="0 .1 .1"/></body>
<body name="E" pos="4 0 0"><joint name="he"/><geom size=".1"/><site name="e" pos=".1 .1 .1"/></body>
</worldbody><tendon><spatial name="bd"><site site="b"/><site site="d"/></spatial>
<fixed name="f"><joint joint="hb" coef="1"/></fixed>
<spatial name="wd"><site site="w"/><geom geom="gd"/><site site="e"/></spatial></tendon><actuator>%s</actuator></mujoco>"""


def actuators():
    """Every transmission, and what follows from it: policies of sleep, reflected inertia, activations."""
    targets = ['joint="hb2"', 'joint="ball" gear="1 0 0"', 'jointinparent="ball"', 'jointinparent="hb"', 'tendon="bd"',
               'tendon="f"', 'tendon="wd"', 'site="a"', 'site="a" refsite="d"', 'site="a" refsite="w"', 'site="w"',
               'cranksite="b" slidersite="e" cranklength="1"', 'cranksite="w" slidersite="e" cranklength="1"']
    for target in targets:
        yield target, TREES % ("<general %s/>" % target)
        yield "armature " + target, TREES % ('<general %s armature="1" damping="1 2 3"/>' % target)
    for target in ('joint="ball"', 'site="c" refsite="d"', 'site="c" refsite="w"', 'site="b2" refsite="b"', 'site="c"', 'joint="hb"'):
        yield "orientation " + target, TREES % ('<orientation %s kp="4" kv="0.5"/>' % target)
        law = '<general %s gaintype="so3" biastype="so3" gainprm="4" biasprm="0 -4" %%s/>' % target
        for more in ("", 'armature="1"', 'damping="1"', 'dyntype="integrator"', 'dyntype="integrator" actdim="3"'):
            yield "so3 %s %s" % (target, more), TREES % (law % more)
    for name in ("A", "B2"):
        yield "adhesion " + name, TREES % ('<adhesion body="%s" ctrlrange="0 1"/>' % name)
    motor = ('<general joint="sl" dyntype="dcmotor" gaintype="dcmotor" biastype="dcmotor" actearly="true" input="voltage" '
             'gainprm="1 .1" dynprm="%s" %s/>')
    for states, more in itertools.product(("0", "0.01", "0 0 1 2", "0.01 0 1 2"), ("", 'actdim="0"', 'actdim="1"', 'actdim="2"')):
        yield "motor %s %s" % (states, more), TREES % (motor % (states, more))
    pid = '<general joint="sl" dyntype="pid" gaintype="pid" biastype="affine" input="pos vel" dynprm="%s" gainprm="%s" biasprm="0 -1 -1" %s/>'
    for (d, g), more in itertools.product((("1 0", "1"), ("0 0", "0"), ("1 1", "1")), ("", 'actdim="0"', 'actdim="1"', 'actdim="2"')):
        yield "pid %s %s %s" % (d, g, more), TREES % (pid % (d, g, more))
    for dynamics, more in itertools.product(("none", "integrator", "filter", "user"), ("", 'actdim="0"', 'actdim="1"', 'actdim="3"')):
        yield "dyntype %s %s" % (dynamics, more), TREES % ('<general joint="sl" dyntype="%s" %s/>' % (dynamics, more))


def keyframes():
    """Numbers of keyframes: too few, just enough, too many; in replicates and attached models."""
    hinge = '<body><joint ref="30"/><geom size=".1"/></body>'
    bodies = {
        "hinges": 3 * hinge, "ball": '<body><joint type="ball"/><geom size=".1"/></body>' + hinge,
        "free": '<body pos="1 2 3"><freejoint/><geom size=".1"/></body>' + hinge,
        "mocap": '<body pos="1 2 3" mocap="true"><geom size=".1"/></body><body pos="4 5 6" mocap="true"><geom size=".1"/></body>',
        "replicate": '<replicate count="3" offset="1 0 0">%s</replicate>' % hinge,
        "nested": '<replicate count="2" offset="1 0 0"><replicate count="2" offset="0 1 0">%s</replicate></replicate>' % hinge,
        "beside": hinge + '<replicate count="2" offset="1 0 0">%s</replicate>' % hinge,
        "mocaps": '<replicate count="2" offset="1 0 0"><body mocap="true"><geom size=".1"/></body></replicate>',
        "driven": '<replicate count="3" offset="1 0 0"><body><joint name="j"/><geom size=".1"/></body></replicate>',
    }
    driver = '<actuator><intvelocity joint="j" kp="1" actrange="-1 1"/></actuator>'
    for (name, text), field, n in itertools.product(bodies.items(), ("qpos", "qvel", "act", "ctrl", "mpos", "mquat"), range(10)):
        # the fields of mocap bodies have widths of their own
        if (n > 5 or n == 0) and (field[0] != "m" or not name.startswith("mocap")) and name != "free":
            continue
        numbers = " ".join(str(k + 1) for k in range(n))
        key = '<keyframe><key %s="%s"/></keyframe>' % (field, numbers)
        yield "key of %s: %s %d" % (name, field, n), world(text, (driver if name == "driven" else "") + key)
    for name, n in itertools.product(("hinges", "ball", "free", "mocap"), range(10)):
        numbers = " ".join(str(k + 1) for k in range(n))
        field = "mpos" if name == "mocap" else "qpos"
        child = world(bodies[name], '<keyframe><key name="k" %s="%s"/></keyframe>' % (field, numbers))
        yield "key of attached %s %d" % (name, n), attached(child.replace("<mujoco>", '<mujoco model="c">'), hinge), child


def attached(_, before="", more=""):
    """A model that attaches the one in child.xml, all of it."""
    return ('<mujoco>%s<asset><model name="c" file="child.xml"/></asset><worldbody>%s<frame>'
            '<attach model="c" prefix="p_"/></frame></worldbody></mujoco>' % (more, before))


def limits():
    """Ranges without a word on whether they limit, in a model and in one that it attaches."""
    on = 'range="-30 60" limited="true"'
    cases = [('range="-30 60"', ""), ('actuatorfrcrange="-1 1"', "")]
    cases += [(on, "<actuator>%s</actuator>" % a) for a in (
        '<motor joint="j" ctrlrange="-1 1"/>', '<motor joint="j" forcerange="-1 1"/>',
        '<general joint="j" dyntype="integrator" actrange="-1 1"/>', '<position joint="j" inheritrange="1" kp="2"/>',
        '<intvelocity joint="j" inheritrange="1" kp="2"/>', '<position joint="j" inheritrange="1" kp="2" ctrllimited="true"/>',
        '<position joint="j" inheritrange="1" kp="2" ctrllimited="false"/>', '<intvelocity joint="j" kp="2" actrange="-1 1"/>',
        '<dcmotor joint="j" motorconst=".1" resistance="1" saturation="1"/>',
        '<pid joint="j" kp="1" posrange="-1 1" velrange="-2 2" input="pos vel"/>', '<pid joint="j" kp="1" velrange="-2 2" input="pos vel"/>')]
    cases += [(on, '<tendon><fixed %s><joint joint="j" coef="1"/></fixed></tendon>' % t) for t in ('range="-1 1"', 'actuatorfrcrange="-1 1"')]
    for (joint, rest), own, outer in itertools.product(cases, ("true", "false"), ("true", "false", None)):
        settings = '<compiler autolimits="%s"/>'
        # a joint of the world's frame belongs to the model that it comes from
        text = world('<frame><body><joint name="j" %s/><geom size=".1"/></body></frame>' % joint, rest)
        text = text.replace("<mujoco>", '<mujoco model="c">' + settings % own)
        name = "limits %s %s %s %s" % (joint, rest, own, outer)
        if outer is None:
            yield name, text
        else:
            yield name, attached(text, more=settings % outer), text


def heights():
    """Height fields of one row or column, and with sizes at their limits."""
    for nrow, ncol in itertools.product((-1, 0, 1, 2, 3), repeat=2):
        for more in ("", 'elevation="%s"' % " ".join("%d" % k for k in range(max(nrow * ncol, 0)))):
            yield "hfield %d %d %s" % (nrow, ncol, more), world(
                '<geom type="hfield" hfield="h"/>',
                '<asset><hfield name="h" nrow="%d" ncol="%d" size="1 1 1 1" %s/></asset>' % (nrow, ncol, more))
    for size in ("1 1 0 1", "1 1 1 0", "0 1 1 1", "1 1 1e-16 1", "1 1 -1 1", "1 1 1e-20 1e-20", "1 1 1"):
        yield "hfield size " + size, world('<geom type="hfield" hfield="h"/>', '<asset><hfield name="h" nrow="2" ncol="2" size="%s"/></asset>' % size)


def meshes():
    """Normals of small triangles: those of which twice the area is less than 1e-7 count nothing."""
    corners = ((1, 0, 0), (-0.7, 0.1, 0.2), (0.2, 0.9, 0), (0.1, -1.3, 0.1), (0, 0.2, 1.1), (0.1, 0, -0.4))
    faces = "0 2 4 2 1 4 1 3 4 3 0 4 2 0 5 1 2 5 3 1 5 0 3 5"
    for k, smooth in itertools.product(range(-12, 1), ("true", "false")):
        size = 10 ** (k / 4 - 1)
        numbers = " ".join("%.9g" % (size * x) for corner in corners for x in corner)
        yield "mesh of %.1e, smoothnormal %s" % (size, smooth), world(
            '<geom type="mesh" mesh="m" mass="1"/>', '<asset><mesh name="m" inertia="shell" smoothnormal="%s" vertex="%s" face="%s"/></asset>'
            % (smooth, numbers, faces))


def reference(path):
    try:
        return mujoco.MjModel.from_xml_path(path)
    except ValueError:
        return None


def verdict(case, binary):
    """What is wrong with one model; empty if nothing is."""
    name, text, *child = case
    with tempfile.TemporaryDirectory() as folder:
        path, out = (os.path.join(folder, n) for n in ("model.xml", "model.npz"))
        for file, content in [(path, text)] + [(os.path.join(folder, "child.xml"), c) for c in child]:
            with open(file, "w") as to:
                to.write(content)
        want = reference(path)
        done = subprocess.run([binary, "compile", path, "--out", out], capture_output=True, text=True)
        if done.returncode not in (0, 2):
            return "exit status %d: %s" % (done.returncode, done.stderr)
        if want is None:
            warned = done.returncode or "warning" in done.stderr
            return "" if warned else "taken without a word; the reference refuses it"
        if done.returncode:
            return "refused: " + " ".join(done.stderr.split())
        if any(name.startswith(start) for start in OTHERWISE):
            return "" if "warning" in done.stderr else "taken without a word"
        over = over_of(compare_model(want, np.load(out)))
        return "; ".join("%s %.1e" % (field, e) for e, field in over[:4])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", default="", help="models whose name contains this")
    args = parser.parse_args()
    if mujoco.__version__ != REFERENCE:
        sys.exit("the reference is MuJoCo %s, but %s is installed" % (REFERENCE, mujoco.__version__))
    cases = itertools.chain(rotations(), axes(), robots(), actuators(), keyframes(), limits(), heights(), meshes())
    cases = [case for case in cases if args.only in case[0]]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda case: (case[0], verdict(case, args.bin)), cases))
    for name, wrong in found:
        if wrong:
            print("differs  %s  %s" % (name, wrong[:300]))
    good = sum(not wrong for _, wrong in found)
    print("%d of %d small models agree" % (good, len(cases)))
    return 0 if good == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
