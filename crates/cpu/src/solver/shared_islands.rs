//! Islands of a large world on several threads: each thread takes the next one that nobody has, in vectors and a Hessian of
//! its own. An island sees nothing of others, so that all bits are those of one thread.

use std::sync::atomic::{AtomicI32, Ordering};

use rayon::prelude::*;
use web_time::Instant;

use super::hessian_pattern::set_pattern;
use super::rows::{island_ranges, range_at, rows};
use crate::threads::pays;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::{Descent, Effort, Helper};
use manyworlds_model::model::hessian::Hessian;
use manyworlds_model::real::Real;

/// Threads that solve the islands of a world: several where that pays.
pub(super) fn solvers<T: Real>(d: &Data<T>) -> usize {
    if pays(d.helpers.effort.shareable()) { d.threads.min(d.nisland[0] as usize).max(1) } else { 1 }
}

/// Solves all islands on several threads; returns the iterations of the island that took most. `solve` solves an island of
/// the world with the given number, in the given vectors and Hessian, and returns its iterations.
pub(super) fn solve_islands<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    mut h: Option<&mut Hessian<T>>,
    threads: usize,
    solve: impl Fn(&Data<T>, &mut Descent<T>, Option<&mut Hessian<T>>, i32) -> i32 + Sync,
) -> i32 {
    if let Some(h) = &mut h {
        set_pattern(m, d, h);
    }
    let mut helpers = std::mem::take(&mut d.helpers);
    helpers.all.resize_with(threads.max(helpers.all.len()), Helper::default);
    let mut s = d.take_descent();
    let next = AtomicI32::new(0);
    // the world, and where each island begins, nobody changes meanwhile
    let (world, begin, pattern) = (&*d, &s, h.as_deref());
    let solve_next = |helper: &mut Helper<T>| {
        let island = next.fetch_add(1, Ordering::Relaxed);
        if island >= world.nisland[0] {
            return false;
        }
        let start = Instant::now();
        copy_island(world, begin, &mut helper.descent, island);
        let own = pattern.is_some().then_some(&mut helper.hessian);
        let iterations = solve(world, &mut helper.descent, own, island);
        helper.iterations = helper.iterations.max(iterations);
        helper.solved.push(island);
        helper.effort.add(start.elapsed());
        true
    };
    // one share for each helper, so that as many threads as there are take part
    helpers.all[..threads].par_iter_mut().with_max_len(1).for_each(|helper| {
        set_out(helper, begin, pattern);
        while solve_next(helper) {}
    });
    let mut iterations = 0;
    for helper in &helpers.all[..threads] {
        iterations = iterations.max(helper.iterations);
        for &island in &helper.solved {
            copy_island(d, &helper.descent, &mut s, island);
            if let Some(h) = &mut h {
                h.take_entries(&helper.hessian, island as usize);
            }
        }
    }
    d.put_descent(s);
    helpers.effort = Effort::default();
    helpers.all[..threads].iter().for_each(|helper| helpers.effort.join(helper.effort));
    d.helpers = helpers;
    iterations
}

/// Copies the elements of an island.
fn copy_island<T: Real>(d: &Data<T>, from: &Descent<T>, to: &mut Descent<T>, island: i32) {
    let dofs = island_ranges(d, island).flat_map(|k| range_at(d, k));
    let rows = d.efc_order[rows(d, island)].iter().map(|r| *r as usize);
    to.take_elements(from, dofs, rows);
}

/// Memory for what a helper solves, of which nothing is solved yet.
fn set_out<T: Real>(helper: &mut Helper<T>, begin: &Descent<T>, pattern: Option<&Hessian<T>>) {
    helper.solved.clear();
    helper.iterations = 0;
    helper.effort = Effort::default();
    helper.descent.resize_as(begin);
    if let Some(pattern) = pattern {
        helper.hessian.take_pattern(pattern);
    }
}
