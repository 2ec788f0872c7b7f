//! Index checks of a model from a file: every id is in range and every traversed structure is in order, so that a
//! damaged or forged file is refused instead of stopping a simulation.

use crate::model::Model;
use crate::schema::enums::{geom, joint, object};
use crate::schema::kinds::Kind;
use crate::schema::{Ids, Size, Values};

use super::ReadResult;

/// First entries and counts of contiguous ranges: `(first, count, size)`.
const RANGES: &[(&str, &str, Size)] = &[
    ("body_jntadr", "body_jntnum", Size::njnt),
    ("body_dofadr", "body_dofnum", Size::nv),
    ("body_geomadr", "body_geomnum", Size::ngeom),
    ("body_childadr", "body_childnum", Size::nbody),
    ("level_adr", "level_num", Size::nbody),
    ("bodypair_adr", "bodypair_num", Size::ncandidate),
    ("sap_adr", "sap_num", Size::nsappair),
    ("sapgroup_adr", "sapgroup_num", Size::ncandidate),
    ("tree_bodyadr", "tree_bodynum", Size::nbody),
    ("tree_dofadr", "tree_dofnum", Size::nv),
    ("M_rowadr", "M_rownnz", Size::nC),
    ("F_rowadr", "F_rownnz", Size::nF),
    ("D_rowadr", "D_rownnz", Size::nD),
    ("tendon_adr", "tendon_num", Size::nwrap),
    ("ten_J_rowadr", "ten_J_rownnz", Size::nJten),
    ("moment_rowadr", "moment_rownnz", Size::nJmom),
    ("actuator_ctrladr", "actuator_ctrlnum", Size::nu),
    ("actuator_outadr", "actuator_outnum", Size::nout),
    ("actuator_actadr", "actuator_actnum", Size::na),
    ("numeric_adr", "numeric_size", Size::nnumericdata),
];

/// Number of objects of a kind, by `mjtObj`; none for unknown numbers.
fn count(model: &Model, kind: i32) -> i64 {
    // degrees of freedom have no names, and are not a kind
    let size = if kind == object::DOF { Some(Size::nv) } else { Kind::of_number(kind).and_then(Kind::size) };
    size.map_or(0, |s| model.sizes.get(s) as i64)
}

/// Values of an integer field.
fn ints<'a>(model: &'a Model, name: &str) -> &'a [i32] {
    match model.get(name) {
        Some(Values::Int(v)) => v,
        _ => &[],
    }
}

/// Checks all ids, ranges and orders.
pub(crate) fn check(model: &Model) -> ReadResult<()> {
    if model.sizes.nbody == 0 {
        return Err("has no world".to_owned());
    }
    for field in Model::<f64>::FIELDS {
        let Some(Ids { of: Some(size), nullable, first }) = field.ids else { continue };
        let most = model.sizes.get(size) as i64 + i64::from(first);
        let least = -i32::from(nullable);
        let wrong = |&&id: &&i32| id < least || i64::from(id) >= most;
        if let Some(bad) = ints(model, field.name).iter().find(wrong) {
            return Err(format!("has {bad} in {}, which is not in range", field.name));
        }
    }
    for &(first, count, size) in RANGES {
        let most = model.sizes.get(size) as i64;
        for (&adr, &num) in ints(model, first).iter().zip(ints(model, count)) {
            let end = i64::from(adr) + i64::from(num);
            if num < 0 || num > 0 && (adr < 0 || end > most) {
                return Err(format!("has entries {adr} to {end} in {first}, of {most}"));
            }
        }
    }
    typed(model)?;
    order(model)?;
    derivatives(model)?;
    joints(model)?;
    names(model)
}

/// Kind of a geom's or site's data, by its type.
fn data(kind: i32) -> i32 {
    // primitives can be fitted to meshes
    if kind == geom::HFIELD { 12 } else { 10 }
}

/// Kind of a tendon path element, by `wrap_type`.
fn wrap(kind: i32) -> i32 {
    [0, 3, 0, 6, 5, 5].get(kind as usize).copied().unwrap_or(0)
}

/// Kind of an actuator's target, by `actuator_trntype`.
fn transmission(kind: i32) -> i32 {
    [3, 3, 6, 18, 6, 1].get(kind as usize).copied().unwrap_or(0)
}

/// Kind of the objects of an equality constraint, by `eq_type`; 0 where `eq_objtype` decides.
fn tied(kind: i32) -> i32 {
    [0, 0, 3, 18, 9, 9, 9].get(kind as usize).copied().unwrap_or(0)
}

/// Checks ids whose kind is given by another field.
fn typed(m: &Model) -> ReadResult<()> {
    let same = |kind: i32| kind;
    type Of = fn(i32) -> i32;
    let lists: [(&str, &str, Of); 9] = [
        ("geom_dataid", "geom_type", data),
        ("site_dataid", "site_type", data),
        ("wrap_objid", "wrap_type", wrap),
        ("actuator_trnid", "actuator_trntype", transmission),
        ("eq_obj1id", "eq_type", tied),
        ("eq_obj2id", "eq_type", tied),
        ("sensor_objid", "sensor_objtype", same),
        ("sensor_refid", "sensor_reftype", same),
        ("tuple_objid", "tuple_objtype", same),
    ];
    for (name, by, of) in lists {
        let (ids, kinds) = (ints(m, name), ints(m, by));
        let width = ids.len() / kinds.len().max(1);
        for (i, &id) in ids.iter().enumerate() {
            let Some(&by) = kinds.get(i / width.max(1)) else { continue };
            let mut kind = of(by);
            if kind == 0 && name.starts_with("eq_") {
                kind = ints(m, "eq_objtype").get(i).copied().unwrap_or(0);
            }
            // an orientation belongs to a joint, or to a site relative to another
            if kind == 0 && name == "actuator_trnid" {
                kind = if ids[i | 1] >= 0 { 6 } else { 3 };
            }
            if id < -1 || i64::from(id) >= count(m, kind).max(0) {
                return Err(format!("has {id} in {name}, which is not in range"));
            }
        }
    }
    Ok(())
}

/// Checks that parents precede their children, and that joints are contiguous.
fn order(m: &Model) -> ReadResult<()> {
    let late = |(b, &p): (usize, &i32)| if b == 0 { p != 0 } else { p < 0 || p as usize >= b };
    if m.body_parentid.iter().enumerate().any(late) {
        return Err("has a body before its parent".to_owned());
    }
    if m.dof_parentid.iter().enumerate().any(|(d, &p)| p >= d as i32) {
        return Err("has a degree of freedom before its parent".to_owned());
    }
    Ok(())
}

/// Checks that the rows of derivatives follow the tree: ancestors, the diagonal, then descendants in order.
fn derivatives(m: &Model) -> ReadResult<()> {
    let row = |i: usize| {
        let first = m.D_rowadr[i] as usize;
        (&m.D_colind[first..first + m.D_rownnz[i] as usize], m.D_diag[i])
    };
    for i in 0..m.sizes.nv {
        let (columns, diagonal) = row(i);
        let (mut place, mut at) = (diagonal, i as i32);
        // up the tree: the row of each ancestor must include this one
        while place >= 0 && at >= 0 && columns.get(place as usize) == Some(&at) {
            let (above, start) = row(at as usize);
            if above.get((start + i as i32 - at).max(0) as usize) != Some(&(i as i32)) {
                break;
            }
            (place, at) = (place - 1, m.dof_parentid[at as usize]);
        }
        let after = columns.get(diagonal.max(0) as usize..).unwrap_or_default();
        let whole = after.iter().enumerate().all(|(k, &j)| j == i as i32 + k as i32);
        if place != -1 || at != -1 || !whole {
            return Err(format!("has row {i} of D_colind, which is not that of the tree"));
        }
    }
    Ok(())
}

/// Checks that every joint has its coordinates and degrees of freedom.
fn joints(m: &Model) -> ReadResult<()> {
    let (mut q, mut v) = (0, 0);
    for j in 0..m.sizes.njnt {
        if m.jnt_qposadr[j] != q || m.jnt_dofadr[j] != v || m.jnt_bodyid[j] < 0 {
            return Err(format!("has joint {j} in the wrong place"));
        }
        let (nq, nv) = match m.jnt_type[j] {
            joint::FREE => (7, 6),
            joint::BALL => (4, 3),
            joint::SLIDE | joint::HINGE => (1, 1),
            kind => return Err(format!("has a joint of unknown type {kind}")),
        };
        (q, v) = (q + nq, v + nv);
    }
    if (q as usize, v as usize) != (m.sizes.nq, m.sizes.nv) {
        return Err("has coordinates without joints".to_owned());
    }
    Ok(())
}

/// Checks that there are as many names as objects of each kind.
fn names(m: &Model) -> ReadResult<()> {
    // frames have names, but are dissolved: a model has none
    for (kind, size) in Kind::ALL.iter().filter_map(|&kind| Some((kind, kind.size()?))) {
        let (n, count) = (m.names.of(kind).len(), m.sizes.get(size));
        if n != count {
            return Err(format!("has {n} names of {count} objects: {}", kind.word()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Field;

    #[test]
    fn every_id_says_what_it_is_an_id_of() {
        let ids = |f: &&Field| f.unit == "id";
        let missing: Vec<&str> =
            Model::<f64>::FIELDS.iter().filter(ids).filter(|f| f.ids.is_none()).map(|f| f.name).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn frames_have_names_and_no_size() {
        let text = "<mujoco><worldbody><frame name='f'><body><joint/><geom size='0.1'/></body></frame></worldbody></mujoco>";
        let model = crate::load_str(text).expect("a good model");
        assert!(!model.names.of(Kind::Frame).is_empty());
        assert_eq!(check(&model), Ok(()));
    }

    #[test]
    fn none_is_said_where_the_table_says_it() {
        for field in Model::<f64>::FIELDS.iter().filter(|f| f.ids.is_some()) {
            assert_eq!(field.ids.is_some_and(|ids| ids.nullable), field.doc.contains("-1"), "{}", field.name);
        }
    }
}
