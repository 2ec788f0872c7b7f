//! Sets of instructions, chosen when the program runs.

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

    /// Does what is to be done side by side.
    pub(super) fn work(self, job: impl Work) -> bool {
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

/// What is done side by side. It is inlined, with all that it calls for numbers in lanes, into whoever has the instructions.
pub(super) trait Work {
    /// Does it; false if worlds take different ways in what has one for all of them, and then no world has changed.
    fn work(self) -> bool;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(job: impl Work) -> bool {
    job.work()
}
