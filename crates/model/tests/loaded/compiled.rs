//! Compiled models in files: what holds together is read, and one wrong number is refused.

use manyworlds_model::model::Model;
use manyworlds_model::model::structure::{MATRICES, TREE};
use manyworlds_model::model::texture::Source;
use manyworlds_model::schema::enums::{gain, joint, object, transmission};
use manyworlds_model::schema::sensors::sensor;
use manyworlds_model::schema::{Kind, ValuesMut};

#[test]
fn actuators_of_models_are_sound_and_wrong_ones_are_not() {
    for name in ["servos", "delays", "plugins"] {
        let path = format!("{}/../../tests/parity/models/{name}.xml", env!("CARGO_MANIFEST_DIR"));
        let model = manyworlds_mjcf::load(&path).unwrap();
        assert!(Model::from_mwb(&model.to_mwb()).is_ok(), "{name}");
        for a in 0..model.sizes.nactuator {
            let mut wrong = model.clone();
            wrong.actuator_gaintype[a] =
                if model.actuator_gaintype[a] == gain::SO3 { gain::FIXED } else { gain::SO3 };
            assert!(Model::from_mwb(&wrong.to_mwb()).is_err(), "{name} {a}");
            // the other laws have one output, an orientation three
            if model.actuator_gaintype[a] != gain::SO3 {
                let mut wrong = model.clone();
                wrong.actuator_trntype[a] = transmission::SO3;
                assert!(Model::from_mwb(&wrong.to_mwb()).is_err(), "{name} {a}");
            }
            if model.actuator_historyadr[a] >= 0 {
                let mut wrong = model.clone();
                wrong.actuator_history[2 * a] = i32::MAX;
                assert!(Model::from_mwb(&wrong.to_mwb()).is_err(), "{name} {a}");
            }
        }
    }
}

#[test]
fn cables_bend_at_ball_joints_each_at_its_own() {
    let path = format!("{}/../../tests/parity/models/cable.xml", env!("CARGO_MANIFEST_DIR"));
    let m = manyworlds_mjcf::load(&path).unwrap();
    assert_eq!((m.sizes.ncable, m.cable_rest.len()), (14, 42));
    assert_eq!(Model::from_mwb(&m.to_mwb()).unwrap(), m);
    let hinge = m.jnt_type.iter().position(|kind| *kind == joint::HINGE).unwrap();
    for jnt in [m.cable_jntid[1], hinge as i32, -1, m.sizes.njnt as i32] {
        let mut wrong = m.clone();
        wrong.cable_jntid[0] = jnt;
        assert!(Model::from_mwb(&wrong.to_mwb()).is_err(), "{jnt}");
    }
}

#[test]
fn several_actuators_may_add_to_one_joint() {
    let m = manyworlds_mjcf::load_str(
        "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody><actuator>
        <motor joint='j' armature='1'/><motor joint='j' armature='2'/></actuator></mujoco>",
    )
    .unwrap();
    assert_eq!(m.jnt_actuatorid, [-2]);
    assert_eq!(Model::from_mwb(&m.to_mwb()).unwrap(), m);
}

#[test]
fn one_other_number_in_a_table_of_candidates_is_noticed() {
    let bodies: String = (0..40)
        .map(|k| {
            format!("<body pos='{k} 0 1'><freejoint/><geom size='.1'/><geom size='.1' pos='.2 0 0'/></body>")
        })
        .collect();
    let m = manyworlds_mjcf::load_str(&format!(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/>{bodies}</worldbody></mujoco>"
    ))
    .unwrap();
    assert!(m.sizes.nsap > 0, "no sweep and prune");
    assert!(Model::from_mwb(&m.to_mwb()).is_ok());
    for name in [
        "candidate_geom1",
        "candidate_geom2",
        "candidate_treeend",
        "bodypair_num",
        "bodypair_geom",
        "bodypair_body",
        "sap_geom",
        "sap_rest",
        "geom_condim",
    ] {
        let mut wrong = m.clone();
        let Some(ValuesMut::Int(values)) = wrong.get_mut(name) else { panic!("{name}") };
        let last = values.last_mut().unwrap();
        *last = if *last == 0 { 1 } else { 0 };
        assert!(Model::from_mwb(&wrong.to_mwb()).is_err(), "{name}");
    }
}

#[test]
fn models_of_explicit_pairs_alone_come_back() {
    for name in ["convex", "convex_round", "convex_distance"] {
        let path = format!("{}/../../tests/parity/models/{name}.xml", env!("CARGO_MANIFEST_DIR"));
        let m = manyworlds_mjcf::load(&path).unwrap();
        assert_eq!(Model::from_mwb(&m.to_mwb()).unwrap(), m, "{name}");
    }
}

#[test]
fn sensors_of_models_are_sound_and_wrong_ones_are_not() {
    for name in ["sensors", "rays", "contact_sensors", "distance", "enclosed"] {
        let path = format!("{}/../../tests/parity/models/{name}.xml", env!("CARGO_MANIFEST_DIR"));
        let m = manyworlds_mjcf::load(&path).unwrap();
        assert!(Model::from_mwb(&m.to_mwb()).is_ok(), "{name}");
        for s in 0..m.sizes.nsensor {
            for field in ["dim", "adr", "type", "obj"] {
                let mut wrong = m.clone();
                match field {
                    "dim" => wrong.sensor_dim[s] += 1,
                    "adr" => wrong.sensor_adr[s] = m.sizes.nsensordata as i32,
                    "type" => wrong.sensor_type[s] = 49,
                    _ if m.sensor_objid[s] < 0 || m.sensor_type[s] == sensor::CONTACT => continue,
                    _ => wrong.sensor_objid[s] = -1,
                }
                let user = m.sensor_type[s] == sensor::USER && field == "dim" && s + 1 < m.sizes.nsensor;
                assert!(user || Model::from_mwb(&wrong.to_mwb()).is_err(), "{name} {s} {field}");
            }
        }
    }
}

#[test]
fn what_a_site_encloses_and_what_a_tactile_sensor_feels_has_a_shape() {
    let m = manyworlds_mjcf::load_str(
        "<mujoco><asset><mesh name='pad' builtin='plate' params='3 2' scale='.1 .2 .1'/></asset><worldbody>
        <geom name='floor' type='plane' size='1 1 1'/><camera name='eye'/><site name='s'/>
        <body name='b'><freejoint/><geom name='g' size='.1'/></body></worldbody><sensor>
        <tactile geom='g' mesh='pad'/><insidesite site='s' objtype='geom' objname='g' enclosed='true'/>
        </sensor></mujoco>",
    )
    .unwrap();
    assert_eq!((&m.sensor_dim[..], m.mesh_normalnum[0]), (&[18, 1][..], 18));
    assert_eq!(Model::from_mwb(&m.to_mwb()).unwrap(), m);
    let wrong: [fn(&mut Model); 7] = [
        |m| m.sensor_objtype[0] = object::GEOM,
        |m| m.sensor_refid[0] = -1,
        |m| m.sensor_dim[0] -= 3,
        |m| m.mesh_normaladr[0] = 1,
        // a plane; a camera; the world and its plane
        |m| m.sensor_objid[1] = 0,
        |m| (m.sensor_objtype[1], m.sensor_objid[1]) = (object::CAMERA, 0),
        |m| (m.sensor_objtype[1], m.sensor_objid[1]) = (object::XBODY, 0),
    ];
    for (k, change) in wrong.iter().enumerate() {
        let mut broken = m.clone();
        change(&mut broken);
        assert!(Model::from_mwb(&broken.to_mwb()).is_err(), "{k}");
    }
}

#[test]
fn contact_sensors_name_what_they_say_they_name() {
    let path = format!("{}/../../tests/parity/models/contact_sensors.xml", env!("CARGO_MANIFEST_DIR"));
    let m = manyworlds_mjcf::load(&path).unwrap();
    let named =
        |kinds: &[i32]| (0..m.sizes.nsensor).filter(|s| kinds[*s] != object::NONE).collect::<Vec<_>>();
    // an object that is not there was once looked for without end
    for s in named(&m.sensor_reftype) {
        let mut wrong = m.clone();
        wrong.sensor_refid[s] = -1;
        assert!(Model::from_mwb(&wrong.to_mwb()).is_err(), "{s}");
    }
    for s in named(&m.sensor_objtype) {
        let mut wrong = m.clone();
        wrong.sensor_objid[s] = -1;
        assert!(Model::from_mwb(&wrong.to_mwb()).is_err(), "{s}");
    }
    assert!(!named(&m.sensor_reftype).is_empty());
}

#[test]
fn one_other_number_in_a_table_of_the_tree_is_noticed() {
    let path = format!("{}/../../models/humanoid.xml", env!("CARGO_MANIFEST_DIR"));
    let m = manyworlds_mjcf::load(&path).unwrap();
    assert!(Model::from_mwb(&m.to_mwb()).is_ok());
    let tables = ["ten_J_colind", "moment_colind", "moment_rowind", "dof_simplenum", "body_geomadr"];
    for name in TREE.iter().chain(MATRICES).chain(&tables) {
        let mut wrong = m.clone();
        let Some(ValuesMut::Int(values)) = wrong.get_mut(name) else { panic!("{name}") };
        let Some(last) = values.last_mut() else { continue };
        *last = if *last > 0 { 0 } else { 1 };
        assert!(Model::from_mwb(&wrong.to_mwb()).is_err(), "{name}");
    }
}

#[test]
fn a_compiled_model_keeps_its_textures() {
    let text = "<mujoco><asset><texture name='t' type='2d' builtin='checker' width='4' height='4'/></asset></mujoco>";
    let model = Model::from_mwb(&manyworlds_mjcf::load_str(text).unwrap().to_mwb()).unwrap();
    assert!(matches!(model.textures[0].source, Source::Pattern(_)));
    assert_eq!(model, manyworlds_mjcf::load_str(text).unwrap());
}

#[test]
fn frames_have_names_and_no_size() {
    let text = "<mujoco><worldbody><frame name='f'><body><joint/><geom size='0.1'/></body></frame></worldbody></mujoco>";
    let model = manyworlds_mjcf::load_str(text).expect("a good model");
    assert!(!model.names.of(Kind::Frame).is_empty());
    assert!(Model::from_mwb(&model.to_mwb()).is_ok());
}
