//! `bind IN.wasm FOLDER`: the module for browsers and the JavaScript that loads it. The lock file of the workspace keeps
//! this generator and the macros of the page at one version, as they have to be.

#![allow(clippy::print_stderr, reason = "a program that a script calls")]

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, folder] = arguments.as_slice() else {
        eprintln!("usage: bind IN.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).typescript(false).remove_name_section(true).remove_producers_section(true);
    let done = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{input}: {e:#}");
            ExitCode::FAILURE
        }
    }
}
