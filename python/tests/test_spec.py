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
