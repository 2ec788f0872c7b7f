"""Models that are built, edited and attached."""

from pathlib import Path

import numpy as np
import pytest

import manyworlds as mw

HAND = """<mujoco><worldbody><body name='palm'><joint name='wrist'/><geom name='skin' size='.1'/></body></worldbody>
<actuator><motor name='turn' joint='wrist'/></actuator></mujoco>"""


def arm() -> mw.Spec:
    spec = mw.Spec()
    spec.add("geom", type="plane", size=[0, 0, 1])
    body = spec.add("body", name="arm", pos=[0, 0, 1])
    body.add("joint", name="elbow", axis=[0, 1, 0], range=[-1, 1])
    body.add("geom", name="ball", size=[0.1], friction=(0.7, 0.1, 0.1))
    spec.add("motor", name="m", joint="elbow", gear=3)
    return spec


def test_build_edit_compile() -> None:
    spec = arm()
    model = spec.compile()
    assert (model.nbody, model.nv, model.nu) == (2, 1, 1)
    np.testing.assert_array_equal(model.joint("elbow").range, [-1, 1])
    ball = spec.geom("ball")
    np.testing.assert_array_equal(ball.friction, [0.7, 0.1, 0.1])
    ball.size = [0.2]
    ball.set(mass=2.0, name="big")
    spec.body("arm").pos = [0, 0, 2]
    spec.set("option", timestep=0.01, integrator="implicitfast").set("option/flag", gravity="disable")
    changed = spec.compile()
    assert changed.opt.timestep == 0.01 and changed.geom("big").size[0] == 0.2
    assert changed.body("arm").mass == 2.0 and changed.body("arm").pos[2] == 2.0
    assert spec.actuator("m").gear[0] == 3 and model.geom("ball").size[0] == 0.1


def test_sections_tendons_and_nesting() -> None:
    spec = arm()
    spec.add("fixed", name="t", content="<joint joint='elbow' coef='2'/>")
    spec.add("equality/joint", joint1="elbow")
    spec.add("jointpos", name="angle", joint=spec.joint("elbow"))
    spec.add("key", name="up", qpos=[0.5])
    spec.add("body", spec.body("arm"), "<geom size='0.1'/><body name='tip'><site name='s'/></body>", name="hand")
    spec.add("geom", spec.site("s"), name="nail", size=[0.01], pos=[0, 0, 1])
    model = spec.compile()
    assert (model.ntendon, model.neq, model.nsensor, model.nkey, model.nbody) == (1, 1, 1, 1, 4)
    assert model.geom("nail").bodyid == model.body("tip").id
    assert [one.name for one in spec.bodies("*")] == ["world", "arm", "hand", "tip"]


def test_attach_copies_what_belongs_to_a_body() -> None:
    hand, robot = mw.Spec.from_xml_string(HAND), arm()
    for side in ("left_", "right_"):
        copy = robot.attach(hand, hand.body("palm"), "arm", prefix=side)
        assert copy.name == f"{side}palm"
    model = robot.compile()
    assert model.names("actuator") == ["m", "left_turn", "right_turn"]
    assert model.body("left_palm").parentid == model.body("arm").id


def test_remove() -> None:
    spec = arm()
    ball = spec.geom("ball")
    with pytest.raises(ValueError, match="actuator 'm' would refer to nothing"):
        spec.joint("elbow").remove()
    spec.joint("elbow").remove(referrers=True)
    with pytest.raises(RuntimeError, match="look it up again"):
        ball.size
    assert spec.compile().nu == 0 and spec.geom("ball").size[0] == 0.1


def test_xml_and_back(tmp_path: Path) -> None:
    spec = arm()
    assert mw.Model.from_xml_string(spec.to_xml()) == spec.compile()
    spec.save(tmp_path / "arm.xml")
    assert mw.Spec.from_xml_path(tmp_path / "arm.xml").compile() == spec.compile()
    with pytest.raises(ValueError, match="saved as .xml"):
        spec.save(tmp_path / "arm.mwb")


def test_what_is_wrong_changes_nothing() -> None:
    spec = arm()
    before = spec.compile()
    with pytest.raises(mw.ModelError, match="unknown attribute 'sise'.*did you mean 'size'"):
        spec.geom("ball").sise = 1
    with pytest.raises(mw.ModelError, match="size"):
        spec.geom("ball").size = "big"
    with pytest.raises(TypeError, match="'size'"):
        spec.geom("ball").size = object()
    with pytest.raises(ValueError, match="no element <goem>.*did you mean 'geom'"):
        spec.add("goem", size=[1])
    with pytest.raises(KeyError, match="no body 'rm'; did you mean 'arm'"):
        spec.add("geom", "rm", size=[1])
    with pytest.raises(KeyError, match="no geom 'bal'; did you mean 'ball'"):
        spec.geom("bal")
    with pytest.raises(ValueError, match="no settings 'optoin'"):
        spec.set("optoin", timestep=1)
    with pytest.raises(NotImplementedError, match="'class' of a geom"):
        spec.geom("ball").class_ = "x"
    with pytest.raises(AttributeError, match="attribute of a geom 'sise'; did you mean 'size'"):
        spec.geom("ball").sise
    with pytest.raises(ValueError, match="of another Spec"):
        spec.add("geom", mw.Spec().world, size=[1])
    with pytest.raises(FileNotFoundError):
        mw.Spec.from_xml_path("nothing.xml")
    assert spec.compile() == before


PARENT = """<mujoco><worldbody><body name='m0' mocap='true' pos='1 0 0'><geom size='.1'/></body>
<body name='a'><freejoint name='ja'/><geom size='.1'/>
<body name='a2' pos='0 0 1'><joint name='ja2' type='ball'/><geom size='.1'/></body></body>
<body name='m1' mocap='true' pos='2 0 0'><geom size='.1'/></body>
<body name='b' pos='3 0 0'><joint name='jb' type='slide'/><joint name='jb2'/><geom size='.1'/></body></worldbody>
<actuator><general joint='jb' dyntype='integrator'/><motor joint='jb2'/>
<general joint='jb2' dyntype='user' actdim='2'/></actuator>
<keyframe><key name='k' qpos='1 2 3 1 0 0 0 .5 .5 .5 .5 8 9' qvel='1 2 3 4 5 6 7 8 9 10 11' act='1 2 3' ctrl='1 2 3'
 mpos='1 2 3 4 5 6' mquat='0 1 0 0 0 0 1 0'/><key name='l' qpos='1 2' mpos='1 2 3 4' act='1 2'/></keyframe></mujoco>"""
CHILD = """<mujoco><worldbody><body name='mc' mocap='true' pos='5 0 0' quat='0 0 0 1'><geom size='.1'/></body>
<body name='x' pos='0 1 0'><freejoint name='jx'/><geom size='.1'/></body>
<body name='y' pos='0 2 0'><joint name='jy' type='ball'/><geom size='.1'/>
<body name='z'><joint name='jz' type='slide' ref='.3'/>
<geom size='.1'/></body></body></worldbody>
<actuator><general joint='jz' dyntype='filter' dynprm='1'/><motor joint='jy' gear='1 0 0 0 0 0'/></actuator>
<keyframe><key name='kc' qpos='1 1 1 0 1 0 0 0 0 1 0 .7' act='.9'
 ctrl='.7 .8' mpos='9 9 9' mquat='1 1 0 0'/><key/></keyframe></mujoco>"""


@pytest.mark.filterwarnings("ignore::manyworlds.ModelWarning")
@pytest.mark.parametrize("place", ["world", "a", "a2", "b"])
@pytest.mark.parametrize("part", ["x", "y", "z", "mc", "world"])
@pytest.mark.parametrize("removed", ["", "a", "b", "m0"])
def test_keyframes_follow_as_in_mujoco(place: str, part: str, removed: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    theirs, their_child = mujoco.MjSpec.from_string(PARENT), mujoco.MjSpec.from_string(CHILD)
    ours, our_child = mw.Spec.from_xml_string(PARENT), mw.Spec.from_xml_string(CHILD)
    frame = theirs.body(place).add_frame(pos=[0, 0, 1])
    if part == "world":
        theirs.attach(their_child, frame=frame, prefix="p_")
    else:
        frame.attach_body(their_child.body(part), "p_", "")
    to = ours.add("frame", ours.body(place), pos=[0, 0, 1])
    ours.attach(our_child, None if part == "world" else our_child.body(part), to, prefix="p_")
    if removed:
        theirs.delete(theirs.body(removed))
        ours.body(removed).remove(referrers=True)
    try:
        want = theirs.compile()
    except ValueError:
        # a mocap body or free joint that is not on top level
        with pytest.raises(mw.ModelError):
            ours.compile()
        return
    got = ours.compile()
    names = [want.key(k).name for k in range(want.nkey)]
    assert sorted(got.names("key")) == sorted(names)
    for name in ("time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat"):
        expected = getattr(want, f"key_{name}")
        # after a removal theirs come in another order
        order = [names.index(key) for key in got.names("key")]
        np.testing.assert_allclose(got[f"key_{name}"], expected[order], atol=1e-12, err_msg=name)
