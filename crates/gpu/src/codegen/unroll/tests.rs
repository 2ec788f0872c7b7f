//! Tests of loop unrolling.

use super::*;

struct Two;

impl Known for Two {
    fn integer(&self, name: &str, arguments: &[i64]) -> Option<ConstInt> {
        let table = [4, 7];
        match (name, arguments) {
            ("n", []) => Some(ConstInt { value: 2, signed: false }),
            ("table", [i]) => Some(ConstInt { value: *table.get(usize::try_from(*i).ok()?)?, signed: true }),
            _ => None,
        }
    }
    fn element(&self, name: &str, index: i64) -> Option<Element> {
        match name {
            "x" | "set_x" => Some(Element::Register(format!("x_{index}"))),
            "mass" => Some(Element::Value("-1.5f".into())),
            _ => None,
        }
    }
    fn accesses(&self, name: &str) -> bool {
        name == "outside"
    }
}

/// Body of an unrolled function, on one line.
fn body(text: &str) -> Result<String> {
    let written = unroll(
        &format!("fn main(p: u32) {{\n//#unroll\nfor (var zero = 0u; zero < 0u; zero++) {{}}\n{text}\n}}"),
        &Two,
    )?;
    let words = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let inside = words.strip_prefix("fn main(p: u32) {").and_then(|w| w.strip_suffix('}'));
    Ok(inside.expect("a function").trim().to_string())
}

fn joined(text: &str) -> String {
    body(text).expect("a good text")
}

#[test]
fn known_loops_are_written_out() {
    let text = "//#unroll\nfor (var i = 0u; i < n; i++) {\n    let j = u32(table(i)) + 1u;\n    set_x(i, x(i) + far(r * n + i) * y(j));\n}\nreturn;";
    assert_eq!(
        joined(text),
        "let x_0_v1 = x_0; let x_0_v2 = x_0_v1 + far(r * n + 0u) * y(5u); \
         let x_1_v3 = x_1; let x_1_v4 = x_1_v3 + far(r * n + 1u) * y(8u); \
         x_0 = x_0_v2; x_1 = x_1_v4; return;"
    );
}

#[test]
fn statements_may_take_several_lines() {
    let text =
        "//#unroll\nfor (var i = 0u;\n    i < n;\n    i++)\n{\n    let a = t(i)\n        - y; f(a);\n}";
    assert_eq!(joined(text), "let a_v1 = t(0u) - y; f(a_v1); let a_v2 = t(1u) - y; f(a_v2);");
}

#[test]
fn unknown_loops_stay() {
    let text = "//#unroll\nfor (var i = lane; i < n; i += lanes) {\n    let j = i;\n    set_y(i, x(1u));\n}";
    assert_eq!(
        joined(text),
        "for (var i = lane; i < n; i += lanes) { let j_v1 = i; let x_1_v2 = x_1; set_y(i, x_1_v2); }"
    );
}

#[test]
fn bounds_may_depend_on_outer_loops() {
    let text = "//#unroll\nfor (var i = 0u; i <= 1u; i++) {\n//#unroll\nfor (var j = 0u; j <= i; j++) {\nf(i, j);\n}\n}";
    assert_eq!(joined(text), "f(0u, 0u); f(1u, 0u); f(1u, 1u);");
}

#[test]
fn names_of_copies_are_their_own_and_known_conditions_vanish() {
    let text = "//#unroll\nfor (var i = 0u; i < n; i++) {\nlet f = t(i);\nif (i == 1u) {\nset_y(i, f.x + f);\n} else if (p == 1u) {\nz(f);\n}\n}\nlet f = 1.0;";
    assert_eq!(
        joined(text),
        "let f_v1 = t(0u); if (p == 1u) { z(f_v1); } let f_v2 = t(1u); set_y(1u, f_v2.x + f_v2); let f_v3 = 1.0;"
    );
}

#[test]
fn values_are_settled_where_control_flow_changes() {
    let text = "var a = 1.0;\nset_x(0u, 2.0);\na += x(0u) - b;\nfor (var k = 0u; k < m; k++) {\na += x(0u);\nset_x(0u, a);\n}\noutside();\n//#unroll\nfor (var i = 0u; i < 1u; i++) {\nset_x(i, x(0u) + a);\n}\nreturn a;";
    assert_eq!(
        joined(text),
        "let a_v1 = 1.0; let x_0_v2 = 2.0; let a_v3 = a_v1 + (x_0_v2 - b); \
         x_0 = x_0_v2; var a_v1_var = a_v3; for (var k = 0u; k < m; k++) { \
         let x_0_v4 = x_0; a_v1_var += x_0_v4; let x_0_v5 = a_v1_var; x_0 = x_0_v5; } \
         outside(); let x_0_v6 = x_0; let x_0_v7 = x_0_v6 + a_v1_var; x_0 = x_0_v7; return a_v1_var;"
    );
}

#[test]
fn heads_of_loops_see_variables() {
    let text = "var n = 3u;\nfor (var i = 0u; i < n + x(0u); i++) {\nn -= 1u;\n}\nset_x(0u, 1u);\nwhile (x(0u) > 0u) {\nset_x(0u, x(0u) - 1u);\n}";
    assert_eq!(
        joined(text),
        "let n_v1 = 3u; var n_v1_var = n_v1; for (var i = 0u; i < n_v1_var + x_0; i++) { n_v1_var -= 1u; } \
         let x_0_v2 = 1u; x_0 = x_0_v2; while (x_0 > 0u) { let x_0_v3 = x_0; let x_0_v4 = x_0_v3 - 1u; x_0 = x_0_v4; }"
    );
}

#[test]
fn only_exits_of_the_loop_itself_are_refused() {
    let looped = |inside: &str| body(&format!("//#unroll\nfor (var i = 0u; i < 1u; i++) {{\n{inside}\n}}"));
    assert!(looped("if (a) { break; }").is_err() && looped("if (a) { b(); } else { continue; }").is_err());
    let inner = "for (var k = 0u; k < p; k++) { if (k == 3u) { break; } }";
    assert_eq!(
        looped(inner).ok().as_deref(),
        Some("for (var k = 0u; k < p; k++) { if (k == 3u) { break; } }")
    );
}

#[test]
fn variables_keep_their_types_and_parts_need_them() {
    let text = "var a: f32 = 0;\na = 1;\nvar c: array<f32, 2>;\nc[0] = a * mass(0u);\nvar v = w;\nv.x = 1.0 - mass(1u);\nvar k = 1u;\nk++;\nf(&k, -mass(0u));";
    assert_eq!(
        joined(text),
        "let a_v1: f32 = 0; let a_v2: f32 = 1; var c_v3: array<f32, 2>; c_v3[0] = a_v2 * -1.5f; let v_v4 = w; \
         var a_v1_var = a_v2; var v_v4_var = v_v4; v_v4_var.x = 1.0 - -1.5f; let k_v5 = 1u; let k_v6 = k_v5 + 1; \
         var k_v5_var = k_v6; f(&k_v5_var, -(-1.5f));"
    );
}

#[test]
fn parameters_hide_constants() {
    let text = "fn f(n: u32) {\n//#unroll\nfor (var i = 0u; i < n; i++) {\ng(i);\n}\n}";
    assert!(unroll(text, &Two).is_ok_and(|t| t.contains("i < n")));
}

#[test]
fn a_mark_without_a_loop_is_an_error() {
    let message = |text| body(text).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message("//#unroll\nlet x = 1;").contains("line 5: //#unroll is not followed by a for loop"));
    assert!(message("//#unroll\nfor (var i = 0u; i > 0u; i--) {}").contains("that can be read"));
}
