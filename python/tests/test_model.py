"""Models: fields under MuJoCo's names, objects by name, files, errors."""

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import MODELS

import manyworlds as mw
from manyworlds import enums

URDF = """<robot name='arm'><link name='base'/><link name='tip'><inertial><mass value='1'/>
<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
<joint name='hinge' type='continuous'><parent link='base'/><child link='tip'/><axis xyz='0 1 0'/></joint></robot>"""
CUBE = """v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"""


def test_fields_sizes_and_options(humanoid: mw.Model) -> None:
    assert (humanoid.nq, humanoid.nv, humanoid.nu) == (28, 27, 21)
    assert humanoid.body_mass.shape == (humanoid.nbody,) and humanoid.body_mass.dtype == np.float64
    assert humanoid.geom_size.shape == (humanoid.ngeom, 3) and humanoid.jnt_type.dtype == np.int32
    assert humanoid.opt.timestep == humanoid.opt_timestep == humanoid["opt_timestep"] == 0.005
    np.testing.assert_array_equal(humanoid.opt.gravity, [0, 0, -9.81])
    assert humanoid.body_mass is humanoid.body_mass
    assert humanoid.opt.integrator in list(enums.Integrator)
    assert "Shape: [nbody]" in (mw.Model.body_mass.__doc__ or "")


def test_a_model_is_read_only(humanoid: mw.Model) -> None:
    with pytest.raises(ValueError, match="read-only"):
        humanoid.body_mass[0] = 1
    with pytest.raises(AttributeError, match="read-only: set 'body_mass' in a Spec"):
        humanoid.body_mass = 1  # type: ignore[misc]
    with pytest.raises(AttributeError, match="read-only"):
        humanoid.opt.timestep = 1  # type: ignore[misc]
    with pytest.raises(AttributeError, match="read-only"):
        humanoid.joint("knee_left").range = 1  # type: ignore[misc]


def test_objects_by_name_id_and_pattern(humanoid: mw.Model) -> None:
    knee = humanoid.joint("knee_left")
    assert humanoid.names("joint")[knee.id] == knee.name == "knee_left"
    assert knee.qposadr == humanoid.jnt_qposadr[knee.id]
    np.testing.assert_array_equal(knee.range, humanoid.jnt_range[knee.id])
    # elements along another axis: a hinge has one degree of freedom
    np.testing.assert_array_equal(knee.damping, humanoid.dof_damping[knee.dofadr : knee.dofadr + 1])
    assert humanoid.body("head").mass == humanoid.body_mass[humanoid.body("head").id]
    np.testing.assert_array_equal(humanoid.geom(0).pos, humanoid.geom_pos[0])
    # MuJoCo's shorter names of kinds
    assert humanoid.jnt("knee_left").id == knee.id and mw.Batch.cam is not None
    both = humanoid.joints("knee_*")
    assert both.name == ["knee_left", "knee_right"] and both.range.shape == (2, 2)
    assert [one.name for one in both] == both.name and len(humanoid.bodies(["foot_*", "head"])) == 3
    assert humanoid.key(0).qpos.shape == (humanoid.nq,) if humanoid.nkey else True
    assert humanoid.actuator(0).ctrlrange.shape == (1, 2)


def test_unknown_names_have_the_nearest(humanoid: mw.Model) -> None:
    with pytest.raises(KeyError, match="no joint 'knee_lefd'; did you mean 'knee_left'"):
        humanoid.joint("knee_lefd")
    with pytest.raises(KeyError, match="no joint 'nee_\\*'"):
        humanoid.joints("nee_*")
    with pytest.raises(KeyError, match="no body 99"):
        humanoid.body(99)
    with pytest.raises(KeyError, match="did you mean 'body_mass'"):
        humanoid["body_mas"]
    with pytest.raises(KeyError, match="no kind of objects 'bodies'"):
        humanoid.names("bodies")
    with pytest.raises(AttributeError, match="did you mean 'body_mass'"):
        humanoid.body_mas  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="attribute of a joint 'rnge'; did you mean 'range'"):
        humanoid.joint("knee_left").rnge
    with pytest.raises(AttributeError, match="did you mean 'timestep'"):
        humanoid.opt.timestp  # type: ignore[attr-defined]


def test_text_assets_and_urdf() -> None:
    arm = mw.Model.from_urdf(URDF)
    assert arm.njnt == 1 and arm.names("joint") == ["hinge"]
    text = (
        "<mujoco><asset><mesh file='parts/m.obj'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>"
    )
    assert mw.Model.from_xml_string(text, {"parts/m.obj": CUBE}).nmesh == 1
    spec = mw.Spec.from_xml_string(text, {"parts/m.obj": CUBE.encode()})
    assert spec.copy().compile().nmeshvert == 4
    assert mw.Model.from_xml_string(text, {"M.obj": CUBE}).nmesh == 1
    with pytest.raises(mw.ModelError, match="'parts/m.obj' of mesh 'm' was not found"):
        mw.Model.from_xml_string(text, {"parts/n.obj": CUBE})
    # two files of one name stay apart
    larger = mw.Spec.from_xml_string(text, {"parts/m.obj": CUBE.replace("v 0 0 1", "v 0 0 2")})
    spec.attach(larger, prefix="larger_")
    size = np.linalg.norm(spec.compile().mesh_vert, axis=1)
    assert size[4:].max() > 1.5 * size[:4].max()


def test_warnings_of_the_compiler_are_warnings() -> None:
    text = "<mujoco><worldbody><geom size='0.1' mass='-0'/><frame foo='1'/></worldbody></mujoco>"
    with pytest.warns(mw.ModelWarning, match="model.xml:1:.*unknown attribute 'foo'") as told:
        model = mw.Model.from_xml_string(text)
    assert told[0].filename == __file__
    assert any("foo" in one for one in model.warnings)


def test_errors_of_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing.xml"):
        mw.Model.from_xml_path(tmp_path / "nothing.xml")
    with pytest.raises(IsADirectoryError):
        mw.Model.from_xml_path(tmp_path)
    with pytest.raises(mw.ModelError, match="model.xml:1:.*did you mean 'worldbody'"):
        mw.Model.from_xml_string("<mujoco><worldbdy/></mujoco>")
    (tmp_path / "bad.mwb").write_bytes(b"nonsense")
    with pytest.raises(OSError, match="bad.mwb"):
        mw.Model.load(tmp_path / "bad.mwb")
    with pytest.raises(ValueError, match="mwb"):
        mw.Model.from_bytes(b"nonsense")
    with pytest.raises(TypeError):
        mw.Model("humanoid.xml")  # type: ignore[arg-type]


def test_files_and_pickles_give_the_same_model(humanoid: mw.Model, tmp_path: Path) -> None:
    humanoid.save(tmp_path / "m.mwb")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.ModelWarning)
        assert mw.Model.load(tmp_path / "m.mwb") == humanoid == pickle.loads(pickle.dumps(humanoid))
    humanoid.save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as arrays:
        np.testing.assert_array_equal(arrays["body_mass"], humanoid.body_mass)
    with pytest.raises(ValueError, match="saved as .mwb or .npz"):
        humanoid.save(tmp_path / "m.xml")


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.xml")), ids=lambda p: p.stem)
def test_every_field_has_the_shape_of_the_table(path: Path) -> None:
    from manyworlds._tables import MODEL, length

    model = mw.Model.from_xml_path(path)
    for name, field in MODEL.items():
        value = model[name]
        shape = tuple(length(d, lambda size: getattr(model, size)) for d in field.axes)
        assert np.shape(value) == shape, name
