//! The kernel of each stage, in the order of the table of stages: entry points in WGSL.

use manyworlds_model::schema::stages::stage_table;
use manyworlds_shaders::{Source, source};

macro_rules! kernels {
    ($($name:ident $room:ident $doc:literal { $($contract:tt)* })*) => {
        /// `<stage>.wgsl` is `package::kernels::<stage>`.
        pub const KERNELS: &[Source] = &[$(source!(
            concat!("package::kernels::", stringify!($name)),
            concat!(stringify!($name), ".wgsl")
        ),)*];
    };
}
stage_table!(kernels);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn every_file_is_the_kernel_of_a_stage() {
        let files = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap().map(|f| f.unwrap().path());
        let wgsl = files.filter(|f| f.extension().is_some_and(|e| e == "wgsl"));
        assert_eq!(wgsl.count(), KERNELS.len());
        assert!(KERNELS.iter().all(|s| s.text().unwrap().contains("fn ")));
    }
}
