//! Newton's method for worlds side by side. Each world has rows, zones and step lengths of its own, and works on these by itself.
//! Factors of the Hessian, directions and their products with the inertia are long chains in which one number waits for another:
//! worlds that are as far share them, in lanes. A world has the iterations, and the bits, that it has alone.

use super::instructions::{Instructions, Work};
use super::number::{Lanes, WIDTH};
use super::run::gather_slices;
use crate::smooth::factor_m::mul_m_within;
use crate::solver::factors::{factor_columns, solve_triangle};
use crate::solver::hessian::{factor_hessian, solve_hessian};
use crate::solver::nearby::applies;
use crate::solver::rows::rows;
use crate::solver::solve::{IslandSearch, begin, mul_inertia, solve, take_hessian};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::Descent;
use manyworlds_model::model::hessian::{Hessian, Node};
use manyworlds_model::real::Real;

/// Degrees of freedom up to which a Hessian is in lanes: those of four worlds have room in a second-level cache.
const MOST_DOFS: usize = 96;

/// True if worlds of a model that [has lanes](super::run::fits) may be solved side by side.
pub(super) fn fits(m: &Model) -> bool {
    applies(m) && m.sizes.nv <= MOST_DOFS
}

/// What worlds share: a Hessian or its factors, and vectors over degrees of freedom.
#[derive(Debug, Default)]
pub(super) struct Memory {
    entries: Vec<Lanes>,
    search: Vec<Lanes>,
    product: Vec<Lanes>,
}

impl Memory {
    pub(super) fn new(nv: usize) -> Self {
        let zeros = |n: usize| vec![Lanes::ZERO; n];
        Self { entries: zeros(nv * (nv + 1) / 2), search: zeros(nv), product: zeros(nv) }
    }
}

/// A world that is solved.
struct Solving<'a> {
    m: &'a Model,
    s: Descent<f64>,
    h: Box<Hessian<f64>>,
    /// Of the island whose turn it is, if it has rows.
    search: Option<IslandSearch<f64>>,
    /// True if the Hessian is built and not yet factored.
    is_built: bool,
}

/// The inertia of all worlds, in lanes.
pub(super) struct Inertia<'a> {
    pub(super) m: &'a Model<Lanes>,
    pub(super) d: &'a Data<Lanes>,
}

/// Acceleration and constraint forces of all worlds.
pub(super) fn solve_beside(
    models: [&Model; WIDTH],
    worlds: &mut [Data; WIDTH],
    inertia: &Inertia<'_>,
    memory: &mut Memory,
    instructions: Instructions,
) {
    // threads that share the islands of a world measure them
    if worlds.iter().any(|d| d.threads > 1) {
        return worlds.iter_mut().zip(models).for_each(|(d, m)| solve(m, d));
    }
    let mut all = [0, 1, 2, 3].map(|k| Solving::set_out(models[k], &mut worlds[k]));
    let islands = worlds.iter().zip(&all).filter(|(_, one)| one.is_some()).map(|(d, _)| d.nisland[0]).max();
    for island in 0..islands.unwrap_or(0) {
        for (d, one) in worlds.iter().zip(&mut all) {
            if let Some(one) = one {
                let has_rows = island < d.nisland[0] && !rows(d, island).is_empty();
                one.search = has_rows.then(|| IslandSearch::begin(one.m, d, &mut one.s, island));
            }
        }
        while all.iter().flatten().any(Solving::goes_on) {
            search_on(worlds, &mut all, island, inertia, memory, instructions);
        }
        for (d, one) in worlds.iter_mut().zip(all.iter_mut()) {
            if let Some((search, s)) = one.as_mut().and_then(|one| Some((one.search.take()?, &mut one.s))) {
                d.solver_niter[0] = d.solver_niter[0].max(search.finish(d, s));
            }
        }
    }
    for (d, one) in worlds.iter_mut().zip(all) {
        if let Some(Solving { s, h, .. }) = one {
            d.put_descent(s);
            d.hessian = Some(h);
        }
    }
}

/// A step of all worlds whose search in an island goes on.
fn search_on(
    worlds: &[Data; WIDTH],
    all: &mut [Option<Solving<'_>>; WIDTH],
    island: i32,
    inertia: &Inertia<'_>,
    memory: &mut Memory,
    instructions: Instructions,
) {
    for (d, one) in worlds.iter().zip(all.iter_mut()) {
        if let Some(one) = one.as_mut().filter(|one| one.goes_on()) {
            one.set_up_hessian(d);
        }
    }
    // most of the worlds whose islands are dense over the same degrees of freedom
    let nodes = all.each_ref().map(|one| one.as_ref().and_then(|one| one.node(island)));
    let dofs = |node: &Node| (node.begin, node.end);
    let alike = |node: &Node| nodes.iter().flatten().filter(|other| dofs(other) == dofs(node)).count();
    let most = nodes.iter().flatten().max_by_key(|node| alike(node)).map(dofs);
    let nodes = nodes.map(|node| node.filter(|node| Some(dofs(node)) == most));
    let in_lanes = nodes.iter().flatten().count() > 1;
    if in_lanes {
        factor_where_few(worlds, all, island, &nodes);
        instructions.work(Directions { inertia, memory, all, nodes });
    }
    for (k, (d, one)) in worlds.iter().zip(all.iter_mut()).enumerate() {
        if let Some(one) = one.as_mut().filter(|one| one.goes_on()) {
            let product =
                nodes[k].filter(|_| in_lanes).map(|node| (node, &memory.product[node.begin..node.end]));
            one.step(d, island, product.map(|(node, product)| (node, product, k)));
        }
    }
}

/// Factors the Hessian where a single world of those in lanes has one to factor.
fn factor_where_few(
    worlds: &[Data; WIDTH],
    all: &mut [Option<Solving<'_>>; WIDTH],
    island: i32,
    nodes: &[Option<Node>; WIDTH],
) {
    let is_built = |one: &Option<Solving<'_>>| one.as_ref().is_some_and(|one| one.is_built);
    let mut built = (0..WIDTH).filter(|k| nodes[*k].is_some() && is_built(&all[*k]));
    if let (Some(k), None) = (built.next(), built.next())
        && let Some(one) = &mut all[k]
    {
        factor_hessian(&worlds[k], &mut one.h, island);
        one.is_built = false;
    }
}

impl<'a> Solving<'a> {
    /// The warm start of a world, and what it is solved in; none where nothing is to be solved.
    fn set_out(m: &'a Model, d: &mut Data) -> Option<Self> {
        if !begin(m, d) {
            return None;
        }
        let h = take_hessian(m, d)?;
        Some(Self { m, s: d.take_descent(), h, search: None, is_built: false })
    }

    fn goes_on(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.goes_on(self.m))
    }

    fn set_up_hessian(&mut self, d: &Data) {
        if let Some(search) = &self.search {
            self.is_built = search.set_up_hessian(self.m, d, &mut self.s, &mut self.h);
        }
    }

    /// The node of an island in which a direction is wanted, if it is one.
    fn node(&self, island: i32) -> Option<Node> {
        let (first, end) = self.goes_on().then(|| self.h.islands[island as usize])?;
        (end - first == 1).then(|| self.h.nodes[first])
    }

    /// The factors, or the Hessian, of a node.
    fn entries(&self, node: &Node) -> &[f64] {
        &self.h.entries[node.adr..node.column(node.len())]
    }

    /// A step along the direction: of a node whose direction is known with its product with the inertia, which is in a lane of
    /// the given ones, or of a world that finds both by itself.
    fn step(&mut self, d: &Data, island: i32, known: Option<(Node, &[Lanes], usize)>) {
        let Self { m, s, h, search: Some(search), is_built } = self else { return };
        if known.is_none() {
            if *is_built {
                factor_hessian(d, h, island);
            }
            search.copy_gradient(d, s);
            solve_hessian(s, h, island);
        }
        let Some(decrement) = search.take_direction(m, d, s) else { return };
        match known {
            Some((node, product, k)) => take_lane(product, k, &mut s.solver_Mv[node.begin..node.end]),
            None => mul_inertia(m, d, s, island),
        }
        search.take_step(m, d, s, Some(decrement));
    }
}

/// Directions of worlds whose islands are dense over the same degrees of freedom: those that have a node.
struct Directions<'a, 'm> {
    inertia: &'a Inertia<'a>,
    memory: &'a mut Memory,
    all: &'a mut [Option<Solving<'m>>; WIDTH],
    nodes: [Option<Node>; WIDTH],
}

impl Work for Directions<'_, '_> {
    /// Leaves `H⁻¹ grad` in the worlds, and in lanes the product of its opposite with the inertia.
    #[inline(always)]
    fn work(self) -> bool {
        let Self { inertia, memory, all, nodes } = self;
        let Some(dofs) = nodes.iter().flatten().next().map(|node| node.begin..node.end) else { return true };
        let n = dofs.len();
        let Memory { entries, search, product } = memory;
        let entries = &mut entries[..n * (n + 1) / 2];
        // what is built is factored, in all lanes and back
        let is_built = |k: usize| nodes[k].is_some() && all[k].as_ref().is_some_and(|one| one.is_built);
        let built = [0, 1, 2, 3].map(is_built);
        if built.contains(&true) {
            gather_some(
                built,
                |k| all[k].as_ref().zip(nodes[k]).map(|(one, node)| one.entries(&node)),
                entries,
            );
            let node = Node { begin: dofs.start, end: dofs.end, ..Node::default() };
            factor_columns(entries, &node, &inertia.d.qLDiagInv);
        }
        for k in 0..WIDTH {
            let (Some(one), Some(node)) = (&mut all[k], nodes[k]) else { continue };
            let own = node.adr..node.column(node.len());
            if built[k] {
                take_lane(entries, k, &mut one.h.entries[own]);
            } else {
                put_lane(&one.h.entries[own], k, entries);
            }
        }
        let wanted = nodes.map(|node| node.is_some());
        let gradient = |k: usize| all[k].as_ref().map(|one| &one.s.solver_grad[dofs.clone()]);
        gather_some(wanted, gradient, &mut search[dofs.clone()]);
        solve_triangle(entries, &mut search[dofs.clone()]);
        for k in (0..WIDTH).filter(|k| wanted[*k]) {
            if let Some(one) = &mut all[k] {
                take_lane(&search[dofs.clone()], k, &mut one.s.solver_search[dofs.clone()]);
            }
        }
        search[dofs.clone()].iter_mut().for_each(|x| *x = -*x);
        mul_m_within(inertia.m, &inertia.d.M, search, product, dofs);
        true
    }
}

/// Numbers of some worlds into their lanes; the other lanes repeat the first of them.
#[inline(always)]
fn gather_some<'a>(wanted: [bool; WIDTH], numbers: impl Fn(usize) -> Option<&'a [f64]>, to: &mut [Lanes]) {
    let Some(first) = (0..WIDTH).find(|k| wanted[*k]) else { return };
    let of = |k: usize| numbers(if wanted[k] { k } else { first }).unwrap_or_default();
    gather_slices([0, 1, 2, 3].map(of), to);
}

/// Numbers of a world into its lane.
#[inline(always)]
fn put_lane(from: &[f64], k: usize, to: &mut [Lanes]) {
    to.iter_mut().zip(from).for_each(|(to, x)| to.0[k] = *x);
}

/// Numbers of a lane into their world.
#[inline(always)]
fn take_lane(from: &[Lanes], k: usize, to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, x)| *to = x.0[k]);
}
