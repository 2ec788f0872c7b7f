//! WGSL accessors: functions by which kernels read and write fields in any address space.
//!
//! For a field `f`, kernels may call `f(i)` and `set_f(i, x)` for element i, and for rows of 3, 4, 9, 6 or 10
//! elements `f_vec3(i)`, `f_vec4(i)`, `f_mat3(i)`, `f_spatial(i)`, `f_inertia(i)` and their setters. Sizes (`nv`) are
//! constants. All are generated on demand from the field table.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::layout::{AddressSpace, Layout, Slot};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::state::DIVERGED;
use manyworlds_model::schema::enums::ENUMS;
use manyworlds_model::schema::sensors;
use manyworlds_model::schema::{Elem, Field, Size};

/// The accessor denoted by a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Access {
    /// The field.
    pub field: &'static Field,
    /// True for a setter.
    pub set: bool,
    /// Type of the value.
    pub row: ValueType,
}

/// Value types: rows that accessors read and write as one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
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

const VALUE_SUFFIXES: [(&str, ValueType); 5] = [
    ("_vec3", ValueType::Vec3),
    ("_vec4", ValueType::Vec4),
    ("_mat3", ValueType::Mat3),
    ("_spatial", ValueType::Spatial),
    ("_inertia", ValueType::Inertia),
];

impl ValueType {
    fn wgsl_type(self) -> &'static str {
        match self {
            ValueType::Scalar => "f32",
            ValueType::Vec3 => "vec3f",
            ValueType::Vec4 => "vec4f",
            ValueType::Mat3 => "mat3x3f",
            ValueType::Spatial => "Spatial",
            ValueType::Inertia => "Inertia",
        }
    }

    /// Expressions for the elements of the value `v`, in storage order.
    fn parts(self) -> &'static [&'static str] {
        match self {
            ValueType::Scalar => &["v"],
            ValueType::Vec3 => &["v.x", "v.y", "v.z"],
            ValueType::Vec4 => &["v.x", "v.y", "v.z", "v.w"],
            ValueType::Mat3 => {
                &["v[0].x", "v[1].x", "v[2].x", "v[0].y", "v[1].y", "v[2].y", "v[0].z", "v[1].z", "v[2].z"]
            }
            ValueType::Spatial => &["v.ang.x", "v.ang.y", "v.ang.z", "v.lin.x", "v.lin.y", "v.lin.z"],
            ValueType::Inertia => &[
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

    /// Expression for the value with the given elements.
    fn join(self, e: &[String]) -> String {
        match self {
            ValueType::Scalar => e[0].clone(),
            ValueType::Vec3 => format!("vec3f({})", e.join(", ")),
            ValueType::Vec4 => format!("vec4f({})", e.join(", ")),
            ValueType::Mat3 => {
                format!("mat3x3f({})", [0, 3, 6, 1, 4, 7, 2, 5, 8].map(|k| e[k].clone()).join(", "))
            }
            ValueType::Spatial => {
                format!("Spatial(vec3f({}), vec3f({}))", e[..3].join(", "), e[3..].join(", "))
            }
            ValueType::Inertia => format!(
                "Inertia(vec3f({}), vec3f({}), vec3f({}), {})",
                e[..3].join(", "),
                e[3..6].join(", "),
                e[6..9].join(", "),
                e[9]
            ),
        }
    }
}

/// Parses the name of an accessor, if it is one.
pub fn parse(name: &str) -> Option<Access> {
    let (set, base) = name.strip_prefix("set_").map_or((false, name), |b| (true, b));
    let whole = find(base).map(|field| Access { field, set, row: ValueType::Scalar });
    whole.or_else(|| {
        let (suffix, row) = VALUE_SUFFIXES.iter().find(|(s, _)| base.ends_with(s))?;
        find(base.strip_suffix(suffix)?).map(|field| Access { field, set, row: *row })
    })
}

/// A field by its name; of a name that data and model share, that of the data.
fn find(name: &str) -> Option<&'static Field> {
    // every word of every kernel is looked up
    static BY_NAME: LazyLock<HashMap<&str, &Field>> = LazyLock::new(|| {
        let all = Model::<f64>::FIELDS.iter().chain(Data::<f64>::FIELDS);
        all.map(|field| (field.name, field)).collect()
    });
    BY_NAME.get(name).copied()
}

/// Name of the variable that holds one element of a field in registers.
pub fn register(field: &str, index: usize) -> String {
    format!("register_{field}_{index}")
}

/// Declaration of a register variable or of a workgroup array, by name.
pub fn working_set(layout: &Layout, name: &str) -> Option<String> {
    let of =
        |field: &str| layout.slot(field).map(|s| (s, if s.field.elem == Elem::Int { "i32" } else { "f32" }));
    if let Some(rest) = name.strip_prefix("register_") {
        let (field, index) = rest.rsplit_once('_')?;
        let (slot, scalar) = of(field).filter(|(s, _)| s.space == AddressSpace::Register)?;
        index.parse::<usize>().ok().filter(|i| *i < slot.len)?;
        return Some(format!("var<private> {name}: {scalar};"));
    }
    let (scalar, elem) = match name {
        "group_f" => ("f32", Elem::Real),
        "group_i" => ("i32", Elem::Int),
        _ => return None,
    };
    let len = layout.group_stride(elem) * layout.worlds_per_group;
    Some(format!("var<workgroup> {name}: array<{scalar}, {}>;", len.max(1)))
}

/// Constant of a size.
pub fn size(layout: &Layout, name: &str) -> Option<String> {
    let size = Size::ALL.iter().find(|s| s.name() == name)?;
    Some(format!("const {name}: u32 = {}u;", layout.sizes.get(*size)))
}

/// Enumeration value by its name in the kernels: the enumeration in capitals, an underscore, the value.
pub fn enumeration_value(name: &str) -> Option<i32> {
    static BY_NAME: LazyLock<HashMap<String, i32>> = LazyLock::new(|| {
        let lists = ENUMS.iter().copied().chain([("sensor", sensors::ALL)]);
        let named = |(module, values): (&str, &'static [(&str, i32)])| {
            let prefix = module.to_uppercase();
            values.iter().map(move |(value, number)| (format!("{prefix}_{value}"), *number))
        };
        lists.flat_map(named).collect()
    });
    BY_NAME.get(name).copied()
}

/// Constant of an enumeration value, or of the bits of a world that has diverged.
pub fn enumeration(name: &str) -> Option<String> {
    let value = if name == "DIVERGED" { Some(DIVERGED) } else { enumeration_value(name) };
    value.map(|value| format!("const {name}: i32 = {value}i;"))
}

/// Text of an accessor for a field in its address space.
pub fn text(access: Access, name: &str, layout: &Layout) -> Option<String> {
    let slot = layout.slot(access.field.name)?;
    // no accessor: the kernel uses an element unknown at generation time, and naga reports which
    if slot.space == AddressSpace::Register || (slot.space == AddressSpace::Discarded && !access.set) {
        return None;
    }
    let (elem, row) = (access.field.elem, access.row);
    let scalar = if elem == Elem::Int { "i32" } else { "f32" };
    let value = if row == ValueType::Scalar { scalar } else { row.wgsl_type() };
    let n = row.parts().len();
    let index = |k: usize| {
        if n == 1 { "i".to_string() } else { format!("{n}u * i + {k}u") }
    };
    let mut out = String::new();
    if slot.space == AddressSpace::Discarded {
        let _ = writeln!(out, "fn {name}(i: u32, v: {value}) {{");
    } else if access.set {
        let _ = writeln!(out, "fn {name}(i: u32, v: {value}) {{");
        for (k, part) in row.parts().iter().enumerate() {
            let _ = writeln!(out, "    {} = {part};", element(slot, elem, layout, &index(k)));
        }
    } else if let AddressSpace::Literal(values) = &slot.space {
        return Some(literal(name, elem, row, values));
    } else {
        let elements: Vec<String> = (0..n).map(|k| element(slot, elem, layout, &index(k))).collect();
        let _ = writeln!(out, "fn {name}(i: u32) -> {value} {{");
        let _ = writeln!(out, "    return {};", row.join(&elements));
    }
    out.push('}');
    Some(out)
}

/// The lvalue of one element.
fn element(slot: &Slot, elem: Elem, layout: &Layout, index: &str) -> String {
    let t = if elem == Elem::Int { "i" } else { "f" };
    let (offset, tile) = (slot.offset, layout.tile);
    match slot.space {
        AddressSpace::World if tile == 1 => format!("data_{t}[base_{t} + {offset}u + {index}]"),
        AddressSpace::World => format!("data_{t}[base_{t} + ({offset}u + {index}) * {tile}u]"),
        AddressSpace::Workgroup if layout.worlds_per_group == 1 => format!("group_{t}[{offset}u + {index}]"),
        AddressSpace::Workgroup => {
            format!("group_{t}[slot * {}u + {offset}u + {index}]", layout.group_stride(elem))
        }
        _ => format!("model_{t}[{offset}u + {index}]"),
    }
}

/// Accessor of a field whose values are literals in the text.
fn literal(name: &str, elem: Elem, row: ValueType, values: &[f64]) -> String {
    let number = |x: &f64| {
        if elem == Elem::Int { format!("{x}i") } else { real(*x) }
    };
    if row == ValueType::Scalar && values.len() == 1 {
        let value = if elem == Elem::Int { "i32" } else { "f32" };
        return format!("fn {name}(i: u32) -> {value} {{\n    return {};\n}}", number(&values[0]));
    }
    let value = if elem == Elem::Int { "i32" } else { "f32" };
    if row == ValueType::Scalar {
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

/// Single-precision literal that WGSL reads back to the same bits.
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
        assert_eq!(a, Some(("xpos", true, ValueType::Vec3)));
        let b = parse("body_mass").map(|a| (a.field.name, a.set, a.row));
        assert_eq!(b, Some(("body_mass", false, ValueType::Scalar)));
        assert_eq!(parse("xposs"), None);
    }

    #[test]
    fn kernels_name_the_same_values() {
        use manyworlds_model::schema::enums::{disable, joint};
        assert_eq!(enumeration_value("JOINT_HINGE"), Some(joint::HINGE));
        assert_eq!(enumeration_value("DISABLE_CONTACT"), Some(disable::CONTACT));
        assert_eq!(enumeration_value("SENSOR_GYRO"), Some(sensors::sensor::GYRO));
        assert_eq!((enumeration_value("JOINT_"), enumeration_value("WHEEL_FREE")), (None, None));
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
