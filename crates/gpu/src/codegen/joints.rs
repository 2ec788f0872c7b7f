//! Widths of joints for kernels, from the table beside the types of joints.

use manyworlds_model::schema::enums::{JointType, joint_widths};

/// Text of a function that gives the numbers of a type of joint; `None` for other names.
pub(crate) fn function(name: &str) -> Option<String> {
    let width = |kind: &JointType| {
        let (nq, nv) = joint_widths(*kind as i32);
        if name == "joint_qposnum" { nq } else { nv }
    };
    if !["joint_qposnum", "joint_dofnum"].contains(&name) {
        return None;
    }
    // the width of hinges, unless it is another type
    let usual = width(&JointType::HINGE);
    let others = JointType::ALL.iter().rev().filter(|kind| width(kind) != usual);
    let value = others.fold(format!("{usual}u"), |value, kind| {
        format!("select({value}, {}u, kind == JOINT_{kind:?})", width(kind))
    });
    Some(format!("fn {name}(kind: i32) -> u32 {{\n    return {value};\n}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_have_the_widths_of_the_table() {
        let text = function("joint_dofnum").unwrap_or_default();
        let want = "fn joint_dofnum(kind: i32) -> u32 {\n    return select(select(1u, 3u, kind == JOINT_BALL), 6u, \
                    kind == JOINT_FREE);\n}";
        assert_eq!(text, want);
        assert!(function("joint_qposnum").is_some_and(|text| text.contains("7u, kind == JOINT_FREE")));
        assert_eq!(function("joint_kind"), None);
    }
}
