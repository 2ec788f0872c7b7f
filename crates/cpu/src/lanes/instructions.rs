//! Sets of instructions, chosen when the program runs.

use super::run::Job;

/// A set of instructions for lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// What every machine of the target has: SSE2, NEON.
    Common,
    /// Registers of four doubles.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Instructions {
    /// What this machine has, the fastest last.
    pub fn available() -> Vec<Self> {
        let all = [
            Some(Self::Common),
            #[cfg(target_arch = "x86_64")]
            std::arch::is_x86_feature_detected!("avx2").then_some(Self::Avx2),
        ];
        all.into_iter().flatten().collect()
    }

    /// Runs stages side by side.
    pub(super) fn work(self, job: Job<'_>) -> bool {
        match self {
            Self::Common => job.work(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if std::arch::is_x86_feature_detected!("avx2") => {
                // SAFETY: the machine has these instructions
                #[allow(unsafe_code)]
                unsafe {
                    with_avx2(job)
                }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => job.work(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(job: Job<'_>) -> bool {
    job.work()
}
