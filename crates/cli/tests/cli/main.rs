//! The command line from outside: exit status, messages, files.

#![allow(clippy::unwrap_used, reason = "tests")]

mod bench;
mod eval;
mod helpers;
mod kernels;
mod models;
mod rollout;
mod streams;
