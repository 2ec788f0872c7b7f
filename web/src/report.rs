//! Problems as JSON for the page.

use manyworlds::error::{Error, Problem};
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

/// Problems with their places.
pub(crate) fn problems(list: &[Problem]) -> Value {
    let one = |p: &Problem| {
        json!({
            "file": p.file.display().to_string(), "line": p.line, "column": p.column, "length": p.length,
            "text": p.text, "message": p.message, "help": p.help,
        })
    };
    list.iter().map(one).collect()
}

/// An error as the text of a list of problems; one without a place has only a message.
pub(crate) fn describe(error: &Error) -> String {
    let list = match error {
        Error::Model(list) => problems(list),
        other => json!([{ "message": other.to_string() }]),
    };
    list.to_string()
}

/// An error that JavaScript catches.
pub(crate) fn thrown(error: Error) -> JsValue {
    JsValue::from_str(&describe(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_model_is_described_with_line_and_column() {
        let error =
            manyworlds::load_str("<mujoco>\n  <worldbody><geom sice='1'/></worldbody>\n</mujoco>").err();
        let text = error.as_ref().map(describe).unwrap_or_default();
        let list: Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(list[0]["line"], 2, "{text}");
        assert_eq!(list[0]["column"], 20, "{text}");
    }
}
