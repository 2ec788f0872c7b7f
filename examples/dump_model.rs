//! Writes every field of a compiled model to an npz file: `dump_model MODEL.xml OUT.npz [MODEL OUT …]`.
#![allow(clippy::print_stderr, reason = "a small tool")]

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut failed = false;
    for pair in args.chunks_exact(2) {
        let done = manyworlds::compile::load(std::path::Path::new(&pair[0]))
            .and_then(|model| manyworlds::npz::write_model(std::path::Path::new(&pair[1]), &model));
        if let Err(error) = done {
            eprintln!("{error}");
            failed = true;
        }
    }
    std::process::ExitCode::from(u8::from(failed))
}
