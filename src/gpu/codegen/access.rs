//! WGSL accessors: the functions by which kernels read and write fields without knowing where they live.
//!
//! For a field `f` the kernels may call `f(i)` and `set_f(i, x)` for element i, and for rows of 3, 4, 9, 6
//! or 10 elements `f_vec3(i)`, `f_vec4(i)`, `f_mat3(i)`, `f_spatial(i)`, `f_inertia(i)` and their setters.
//! Sizes (`nv`) are constants. Everything is made on demand from the table of fields.

use std::fmt::Write as _;

use super::layout::{Layout, Place, Slot};
use crate::model::Model;
use crate::model::data::Data;
use crate::schema::enums;
use crate::schema::{Elem, Field, Size};

/// Which accessor a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The field.
    pub field: &'static Field,
    /// Whether it writes.
    pub set: bool,
    /// Row type.
    pub row: Row,
}

/// Rows that accessors read and write as one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// One element.
    Scalar,
    /// Three elements.
    Vec3,
    /// Four elements.
    Vec4,
    /// Nine elements, row-major.
    Mat3,
    /// Six elements, rotation first.
    Spatial,
    /// Ten elements.
    Inertia,
}

const ROWS: [(&str, Row); 5] = [
    ("_vec3", Row::Vec3),
    ("_vec4", Row::Vec4),
    ("_mat3", Row::Mat3),
    ("_spatial", Row::Spatial),
    ("_inertia", Row::Inertia),
];

impl Row {
    fn wgsl_type(self) -> &'static str {
        match self {
            Row::Scalar => "f32",
            Row::Vec3 => "vec3f",
            Row::Vec4 => "vec4f",
            Row::Mat3 => "mat3x3f",
            Row::Spatial => "Spatial",
            Row::Inertia => "Inertia",
        }
    }

    /// The value `v` element by element, in the order of storage.
    fn parts(self) -> &'static [&'static str] {
        match self {
            Row::Scalar => &["v"],
            Row::Vec3 => &["v.x", "v.y", "v.z"],
            Row::Vec4 => &["v.x", "v.y", "v.z", "v.w"],
            Row::Mat3 => {
                &["v[0].x", "v[1].x", "v[2].x", "v[0].y", "v[1].y", "v[2].y", "v[0].z", "v[1].z", "v[2].z"]
            }
            Row::Spatial => &["v.ang.x", "v.ang.y", "v.ang.z", "v.lin.x", "v.lin.y", "v.lin.z"],
            Row::Inertia => &[
                "v.diag.x",
                "v.diag.y",
                "v.diag.z",
                "v.off.x",
                "v.off.y",
                "v.off.z",
                "v.moment.x",
                "v.moment.y",
                "v.moment.z",
                "v.mass",
            ],
        }
    }

    /// The value made of its elements.
    fn join(self, e: &[String]) -> String {
        match self {
            Row::Scalar => e[0].clone(),
            Row::Vec3 => format!("vec3f({})", e.join(", ")),
            Row::Vec4 => format!("vec4f({})", e.join(", ")),
            Row::Mat3 => format!("mat3x3f({})", [0, 3, 6, 1, 4, 7, 2, 5, 8].map(|k| e[k].clone()).join(", ")),
            Row::Spatial => format!("Spatial(vec3f({}), vec3f({}))", e[..3].join(", "), e[3..].join(", ")),
            Row::Inertia => format!(
                "Inertia(vec3f({}), vec3f({}), vec3f({}), {})",
                e[..3].join(", "),
                e[3..6].join(", "),
                e[6..9].join(", "),
                e[9]
            ),
        }
    }
}

/// The accessor that a name stands for, if any.
pub fn parse(name: &str) -> Option<Access> {
    let (set, base) = name.strip_prefix("set_").map_or((false, name), |b| (true, b));
    let whole = find(base).map(|field| Access { field, set, row: Row::Scalar });
    whole.or_else(|| {
        let (suffix, row) = ROWS.iter().find(|(s, _)| base.ends_with(s))?;
        find(base.strip_suffix(suffix)?).map(|field| Access { field, set, row: *row })
    })
}

fn find(name: &str) -> Option<&'static Field> {
    Data::<f64>::FIELDS.iter().chain(Model::<f64>::FIELDS).find(|f| f.name == name)
}

/// Name of the variable that holds an element of a field in registers.
pub fn register(field: &str, index: usize) -> String {
    format!("register_{field}_{index}")
}

/// Declaration of the variable that such a name, or that of a field in workgroup memory, stands for.
pub fn local(layout: &Layout, name: &str) -> Option<String> {
    let of =
        |field: &str| layout.slot(field).map(|s| (s, if s.field.elem == Elem::Int { "i32" } else { "f32" }));
    if let Some(rest) = name.strip_prefix("register_") {
        let (field, index) = rest.rsplit_once('_')?;
        let (slot, scalar) = of(field).filter(|(s, _)| s.place == Place::Register)?;
        index.parse::<usize>().ok().filter(|i| *i < slot.len)?;
        return Some(format!("var<private> {name}: {scalar};"));
    }
    let (slot, scalar) = of(name.strip_prefix("group_")?).filter(|(s, _)| s.place == Place::Workgroup)?;
    Some(format!("var<workgroup> {name}: array<{scalar}, {}>;", (slot.len * layout.tile).max(1)))
}

/// Constant of a size.
pub fn size(layout: &Layout, name: &str) -> Option<String> {
    let size = Size::ALL.iter().find(|s| s.name() == name)?;
    Some(format!("const {name}: u32 = {}u;", layout.sizes.get(*size)))
}

/// Constant of a value of an enumeration.
pub fn enumeration(name: &str) -> Option<String> {
    enums::constant(name).map(|value| format!("const {name}: i32 = {value}i;"))
}

/// Text of an accessor for a field at its place.
pub fn text(access: Access, name: &str, layout: &Layout) -> Option<String> {
    let slot = layout.slot(access.field.name)?;
    // no accessor: the kernel's text names an element that is not known when it is made, and naga says which
    if slot.place == Place::Register {
        return None;
    }
    let (elem, row) = (access.field.elem, access.row);
    let scalar = if elem == Elem::Int { "i32" } else { "f32" };
    let value = if row == Row::Scalar { scalar } else { row.wgsl_type() };
    let n = row.parts().len();
    let index = |k: usize| {
        if n == 1 { "i".to_string() } else { format!("{n}u * i + {k}u") }
    };
    let mut out = String::new();
    if access.set {
        let _ = writeln!(out, "fn {name}(i: u32, v: {value}) {{");
        for (k, part) in row.parts().iter().enumerate() {
            let _ = writeln!(out, "    {} = {part};", element(slot, elem, layout.tile, &index(k)));
        }
    } else if let Place::Literal(values) = &slot.place {
        return Some(literal(name, elem, row, values));
    } else {
        let elements: Vec<String> = (0..n).map(|k| element(slot, elem, layout.tile, &index(k))).collect();
        let _ = writeln!(out, "fn {name}(i: u32) -> {value} {{");
        let _ = writeln!(out, "    return {};", row.join(&elements));
    }
    out.push('}');
    Some(out)
}

/// The lvalue of one element.
fn element(slot: &Slot, elem: Elem, tile: usize, index: &str) -> String {
    let t = if elem == Elem::Int { "i" } else { "f" };
    let offset = slot.offset;
    match slot.place {
        Place::World if tile == 1 => format!("data_{t}[base_{t} + {offset}u + {index}]"),
        Place::World => format!("data_{t}[base_{t} + ({offset}u + {index}) * {tile}u]"),
        Place::Workgroup if tile == 1 => format!("group_{}[{index}]", slot.field.name),
        Place::Workgroup => format!("group_{}[({index}) * {tile}u + slot]", slot.field.name),
        _ => format!("model_{t}[{offset}u + {index}]"),
    }
}

/// A field whose values stand in the text.
fn literal(name: &str, elem: Elem, row: Row, values: &[f64]) -> String {
    let number = |x: &f64| {
        if elem == Elem::Int { format!("{x}i") } else { real(*x) }
    };
    if row == Row::Scalar && values.len() == 1 {
        let value = if elem == Elem::Int { "i32" } else { "f32" };
        return format!("fn {name}(i: u32) -> {value} {{\n    return {};\n}}", number(&values[0]));
    }
    let value = if elem == Elem::Int { "i32" } else { "f32" };
    if row == Row::Scalar {
        let mut out = format!("fn {name}(i: u32) -> {value} {{\n    var v = {};\n", number(&values[0]));
        for (k, x) in values.iter().enumerate().skip(1) {
            let _ = writeln!(out, "    v = select(v, {}, i == {k}u);", number(x));
        }
        out.push_str("    return v;\n}");
        return out;
    }
    let elements: Vec<String> = values.iter().map(number).collect();
    format!("fn {name}(i: u32) -> {} {{\n    return {};\n}}", row.wgsl_type(), row.join(&elements))
}

/// A single-precision literal that WGSL reads back to the same bits.
#[allow(clippy::cast_possible_truncation)]
pub fn real(x: f64) -> String {
    let x = (x as f32).clamp(f32::MIN, f32::MAX);
    format!("{x:?}f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_accessors() {
        let a = parse("set_xpos_vec3").map(|a| (a.field.name, a.set, a.row));
        assert_eq!(a, Some(("xpos", true, Row::Vec3)));
        let b = parse("body_mass").map(|a| (a.field.name, a.set, a.row));
        assert_eq!(b, Some(("body_mass", false, Row::Scalar)));
        assert_eq!(parse("xposs"), None);
    }

    #[test]
    fn literals_keep_their_bits() {
        for x in [0.1, 1e-6, -9.81, 1e10, 3.0] {
            let text = real(x);
            #[allow(clippy::cast_possible_truncation)]
            let want = x as f32;
            assert_eq!(text.trim_end_matches('f').parse::<f32>(), Ok(want));
        }
    }
}
