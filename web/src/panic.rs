//! Panics, which end the module: their text reaches the page first.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The page's own function for it.
    #[wasm_bindgen(js_namespace = globalThis, js_name = manyworldsPanicked)]
    fn panicked(text: &str);
}

/// Runs when the module is loaded.
#[wasm_bindgen(start)]
pub(crate) fn start() {
    std::panic::set_hook(Box::new(|info| panicked(&info.to_string())));
}
