//! Checks of a model from a file by the columns of the table of fields: every id, address, count and value of an
//! enumeration is in range, so that a damaged or forged file is refused instead of stopping a simulation.

use crate::model::Model;
use crate::schema::enums::{EqualityType, GeomType, WrapType, object};
use crate::schema::kinds::Kind;
use crate::schema::{Field, Ids, Rule, Size, Values};

use super::ReadResult;

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

/// Checks what the table says of each field.
pub(crate) fn check(model: &Model) -> ReadResult<()> {
    if model.sizes.nbody == 0 {
        return Err("has no world".to_owned());
    }
    for field in Model::<f64>::FIELDS {
        let wrong = match model.get(field.name) {
            Some(Values::Int(values)) => whole(model, field, values).map(|x| x.to_string()),
            Some(Values::Real(values)) => real(field, &values).map(|x| x.to_string()),
            None => None,
        };
        if let Some(bad) = wrong {
            return Err(format!("has {bad} in {}, which is not in range", field.name));
        }
        if let Some(first) = field.counts {
            ranges(model, field, first)?;
        }
    }
    typed(model)?;
    names(model)
}

/// The first integer of a field that is out of range.
fn whole(model: &Model, field: &Field, values: &[i32]) -> Option<i32> {
    if let Some(known) = field.values {
        return values.iter().copied().find(|x| known.iter().all(|(_, value)| value != x));
    }
    // counts of the options: iterations
    if field.unit == "1" && field.name.starts_with("opt_") {
        return values.iter().copied().find(|x| *x < 0);
    }
    if field.unit == "flag" {
        return values.iter().copied().find(|x| !(0..=1).contains(x));
    }
    let Some(Ids { of: Some(size), by: _, nullable, several, first }) = field.ids else { return None };
    let most = model.sizes.get(size) as i64 + i64::from(first);
    let least = -i64::from(nullable) - i64::from(several);
    values.iter().copied().find(|&id| !(least..most).contains(&i64::from(id)))
}

/// The first number of a field that its rule excludes; rows of four or three stand for their first number.
fn real(field: &Field, values: &[f64]) -> Option<f64> {
    let zero = |row: &&[f64]| row.iter().all(|x| *x == 0.0);
    let first = |row: &[f64]| row.first().copied();
    match field.traits.varies? {
        Rule::Positive => values.iter().copied().find(|x| *x <= 0.0),
        Rule::Quat => values.chunks(4).find(zero).and_then(first),
        Rule::Axis => values.chunks(3).find(zero).and_then(first),
        _ => None,
    }
}

/// Checks ranges of entries: each follows the one before, and none ends beyond the last entry.
fn ranges(model: &Model, counts: &Field, first: &str) -> ReadResult<()> {
    let field = Model::<f64>::FIELDS.iter().find(|f| f.name == first);
    let Some(size) = field.and_then(|f| f.ids).and_then(|ids| ids.of) else { return Ok(()) };
    let most = model.sizes.get(size) as i64;
    let mut next = 0;
    for (&adr, &num) in ints(model, first).iter().zip(ints(model, counts.name)) {
        let end = i64::from(adr) + i64::from(num);
        if num < 0 || num > 0 && (i64::from(adr) < next || end > most) {
            return Err(format!("has entries {adr} to {end} in {first}, of {next} to {most}"));
        }
        next = if num > 0 { end } else { next };
    }
    Ok(())
}

/// Kind of a geom's or site's data, by its type.
fn data(kind: i32) -> Option<Kind> {
    match GeomType::of(kind)? {
        GeomType::HFIELD => Some(Kind::HField),
        // primitives can be fitted to meshes
        GeomType::PLANE
        | GeomType::SPHERE
        | GeomType::CAPSULE
        | GeomType::ELLIPSOID
        | GeomType::CYLINDER
        | GeomType::BOX
        | GeomType::MESH
        | GeomType::SDF => Some(Kind::Mesh),
    }
}

/// Kind of a tendon path element, by `wrap_type`.
fn wrap(kind: i32) -> Option<Kind> {
    match WrapType::of(kind)? {
        WrapType::JOINT => Some(Kind::Joint),
        WrapType::SITE => Some(Kind::Site),
        WrapType::SPHERE | WrapType::CYLINDER => Some(Kind::Geom),
        WrapType::PULLEY => None,
    }
}

/// Kind of the objects of an equality constraint, by `eq_type`; none where `eq_objtype` decides.
fn tied(kind: i32) -> Option<Kind> {
    match EqualityType::of(kind)? {
        EqualityType::CONNECT | EqualityType::WELD => None,
        EqualityType::JOINT => Some(Kind::Joint),
        EqualityType::TENDON => Some(Kind::Tendon),
        EqualityType::FLEX | EqualityType::FLEXVERT | EqualityType::FLEXSTRAIN => Some(Kind::Flex),
    }
}

/// Kind of the object of an id, by the field that determines it; 0 for none.
fn kind_of(m: &Model, by: &str, i: usize, value: i32) -> i32 {
    match by {
        "geom_type" | "site_type" => data(value).map_or(0, Kind::number),
        "wrap_type" => wrap(value).map_or(0, Kind::number),
        // the second is always a site
        "actuator_trntype" if i % 2 == 1 => object::SITE,
        "actuator_trntype" => m.target_kind(i / 2).map_or(0, Kind::number),
        "eq_type" => tied(value).map_or(m.eq_objtype[i], Kind::number),
        _ => value,
    }
}

/// Checks ids whose kind is given by another field.
fn typed(m: &Model) -> ReadResult<()> {
    for field in Model::<f64>::FIELDS {
        let Some(Ids { by: Some(by), nullable, .. }) = field.ids else { continue };
        let (ids, kinds) = (ints(m, field.name), ints(m, by));
        let width = (ids.len() / kinds.len().max(1)).max(1);
        for (i, &id) in ids.iter().enumerate() {
            let Some(&value) = kinds.get(i / width) else { continue };
            let most = count(m, kind_of(m, by, i, value));
            if id < -i32::from(nullable) || i64::from(id) >= most.max(0) {
                return Err(format!("has {id} in {}, which is not in range", field.name));
            }
        }
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
    use crate::schema::{Elem, Field};

    #[test]
    fn every_id_says_what_it_is_an_id_of() {
        let ids = |f: &&Field| f.unit == "id";
        let missing: Vec<&str> =
            Model::<f64>::FIELDS.iter().filter(ids).filter(|f| f.ids.is_none()).map(|f| f.name).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn counts_and_kinds_name_fields() {
        let known = |name: &str| Model::<f64>::FIELDS.iter().find(|f| f.name == name);
        for field in Model::<f64>::FIELDS {
            if let Some(first) = field.counts {
                let ids = known(first).and_then(|f| f.ids);
                assert!(ids.is_some_and(|ids| ids.first && ids.of.is_some()), "{}", field.name);
                assert_eq!(known(first).map(|f| f.dims), Some(field.dims), "{}", field.name);
            }
            if let Some(by) = field.ids.and_then(|ids| ids.by) {
                assert!(known(by).is_some_and(|f| f.elem == Elem::Int), "{}", field.name);
            }
        }
    }

    #[test]
    fn none_is_said_where_the_table_says_it() {
        for field in Model::<f64>::FIELDS.iter().filter(|f| f.ids.is_some()) {
            assert_eq!(field.ids.is_some_and(|ids| ids.nullable), field.doc.contains("-1"), "{}", field.name);
        }
    }
}
