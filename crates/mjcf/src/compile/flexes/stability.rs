//! The largest time step that a flex's stiffness allows: the fastest motion about the rest shape, by Lanczos iterations.

use glam::{DMat3, DVec3};

use crate::compile::Build;
use crate::spec::Flex;
use manyworlds_model::model::Model;
use manyworlds_model::schema::enums::{disable, integrator, joint};

use super::elastic::{BEND as BENDING, TETRAHEDRON, TRIANGLE};
use super::jacobian::moved_by;
use super::mesh::EDGES as CORNERS;
use super::modes::modes;
use super::{CompiledFlex, STRAIN, Setting};

/// Lanczos iterations: the largest eigenvalue is then good to a few percent, from below.
const ITERATIONS: usize = 40;

/// Relative size of a residual that ends the iterations.
const ENDED: f64 = 1e-12;

/// Halvings of the interval that holds the largest stable stiffness of `RK4`.
const HALVINGS: usize = 60;

/// Square of the largest step of `RK4`, times frequency, that any damping allows; and the largest one times rate of decay.
const RK4_FREQUENCY: f64 = 16.0;
const RK4_DECAY: f64 = 2.785_293_563_405_282;

/// A stiffness matrix between points, dense and row by row.
struct Term {
    points: Vec<usize>,
    matrix: Vec<f64>,
}

/// Forces that scale together: a stiffness matrix, and a damping matrix that is a multiple of it.
struct Spring {
    terms: Vec<Term>,
    /// Factors of stiffness and damping.
    stiffness: f64,
    damping: f64,
    /// Name and value of the attribute that scales them.
    attribute: (&'static str, f64),
}

/// Directions in which a point moves, each a degree of freedom with inverse mass 1.
type Columns = Vec<(usize, DVec3)>;

impl Build<'_> {
    /// Warns of every flex whose stiffness an explicit integrator cannot hold, with the largest stiffness and the largest
    /// time step that it holds.
    pub(in crate::compile) fn check_stability(&self) {
        if self.compiled_flexes.iter().all(|c| c.rigid) || self.integrator() == integrator::DISCRETE {
            return;
        }
        let (step, setting) = (self.model.opt_timestep[0], Setting::new(self.spec));
        for (f, flex) in self.spec.flexes.iter().enumerate().filter(|(f, _)| !self.compiled_flexes[*f].rigid)
        {
            let compiled = &self.compiled_flexes[f];
            let (columns, dofs) = self.columns(flex, compiled, &setting);
            for spring in self.springs(f, flex, compiled) {
                let fastest = largest(&spring.terms, &columns, dofs);
                let holds = |step: f64| {
                    fastest <= stable(self.integrator(), step, [spring.stiffness, spring.damping])
                };
                if !holds(step) {
                    self.warn_of_step(flex, &spring, step, fastest, holds);
                }
            }
        }
    }

    fn integrator(&self) -> i32 {
        self.spec.option.int("integrator")
    }

    /// Says what a time step cannot hold, and two ways out.
    fn warn_of_step(
        &self,
        flex: &Flex,
        spring: &Spring,
        step: f64,
        fastest: f64,
        holds: impl Fn(f64) -> bool,
    ) {
        // the largest step by halving: zero holds, this one does not
        let mut range = [0.0, step];
        for _ in 0..HALVINGS {
            let middle = (range[0] + range[1]) / 2.0;
            range[usize::from(!holds(middle))] = middle;
        }
        let (name, value) = spring.attribute;
        let largest = value * stable(self.integrator(), step, [spring.stiffness, spring.damping]) / fastest;
        let message = format!(
            "the time step of {step} s is too long for the stiffness of {}: it will blow up, unless contacts or joints \
             hold it",
            self.flex_name(flex)
        );
        let help = format!(
            "set {name} to at most {largest:.2e}, timestep to at most {:.2e}, or integrator=\"discrete\"",
            range[0]
        );
        self.log.warn(flex.base.at.of("name"), message, help);
    }

    /// Directions in which points move, scaled by the square root of their inverse mass, and their number.
    fn columns(&self, flex: &Flex, compiled: &CompiledFlex, setting: &Setting) -> (Vec<Columns>, usize) {
        let bodies = if flex.interpolated() { &compiled.node_body } else { &compiled.vert_body };
        let turn = if flex.interpolated() { compiled.turn.conjugate() } else { glam::DQuat::IDENTITY };
        let (m, mut dofs) = (&self.model, 0);
        let columns = bodies.iter().map(|&b| {
            let moving: Vec<usize> = moved_by(m, b).collect();
            let own = moving.len() == m.body_dofnum[b] as usize;
            let slides = |&d: &usize| m.jnt_type[m.dof_jntid[d] as usize] == joint::SLIDE;
            let moves: Vec<(f64, DVec3)> = if own && moving.iter().all(slides) {
                // slides of its own: along their axes
                let along = |&d: &usize| {
                    let j = m.dof_jntid[d] as usize;
                    let axis = setting.poses[b].1 * DVec3::from_slice(&m.jnt_axis[3 * j..3 * j + 3]);
                    (m.dof_invweight0[d], turn * axis)
                };
                moving.iter().map(along).collect()
            } else {
                // anything else: with the mean inverse mass of the body
                DVec3::AXES.iter().map(|&axis| (m.body_invweight0[2 * b], axis)).collect()
            };
            let first = dofs;
            dofs += moves.len();
            moves.iter().enumerate().map(|(k, (weight, axis))| (first + k, *axis * weight.sqrt())).collect()
        });
        (columns.collect(), dofs)
    }

    /// What pulls a flex back to its rest shape.
    fn springs(&self, f: usize, flex: &Flex, compiled: &CompiledFlex) -> Vec<Spring> {
        let part = |bit: i32| f64::from(u8::from(!self.model.disabled(bit)));
        let (spring, damper) = (part(disable::SPRING), part(disable::DAMPER));
        let (e, mut all) = (&flex.elasticity, Vec::new());
        if e.young > 0.0 && compiled.tied != STRAIN {
            let terms = if flex.interpolated() { cells(&self.model, f) } else { compiled.elements() };
            let attribute = ("young", e.young);
            all.push(Spring { terms, stiffness: spring, damping: damper * e.damping.max(0.0), attribute });
        }
        if flex.dim == 1 && !flex.interpolated() {
            // damping along edges is implicit in the implicit integrators
            let implicit = matches!(self.integrator(), integrator::IMPLICIT | integrator::IMPLICITFAST);
            let damping = if implicit { 0.0 } else { damper * flex.edge_damping.max(0.0) };
            let stiffness = spring * flex.edge_stiffness.max(0.0);
            let attribute = if stiffness > 0.0 {
                ("edge stiffness", flex.edge_stiffness)
            } else {
                ("edge damping", flex.edge_damping)
            };
            all.push(Spring { terms: compiled.edges(), stiffness, damping, attribute });
        }
        all.retain(|s| !s.terms.is_empty() && (s.stiffness > 0.0 || s.damping > 0.0));
        all
    }
}

impl CompiledFlex {
    /// Unit springs along edges.
    fn edges(&self) -> Vec<Term> {
        let ends = self.mesh.edge.iter().map(|e| e.map(|v| v as usize));
        let term = |points: [usize; 2]| {
            let along = (self.vert[points[1]] - self.vert[points[0]]).normalize_or_zero();
            Term::new(&points, |i, j| outer(along, along) * sign(i == j))
        };
        ends.map(term).collect()
    }

    /// Stretching of triangles and tetrahedra, bending of shells and rods.
    fn elements(&self) -> Vec<Term> {
        let (mesh, at) = (&self.mesh, |v: usize| self.vert[v]);
        if mesh.dim == 1 {
            let hinges = self.bending.get(1..).unwrap_or_default().chunks_exact(4);
            return hinges.map(|h| hinge([h[0], h[1], h[2]].map(|v| v as usize), &self.vert, h[3])).collect();
        }
        let stride = if mesh.dim == 3 { TETRAHEDRON } else { TRIANGLE };
        let elements = mesh.elem.chunks_exact(mesh.dim + 1).zip(self.stiffness.chunks_exact(stride));
        let mut all: Vec<Term> = elements
            .map(|(element, form)| {
                let points: Vec<usize> = element.iter().map(|&v| v as usize).collect();
                stretch(
                    &points,
                    CORNERS[mesh.dim - 1],
                    &points.iter().map(|&v| at(v)).collect::<Vec<_>>(),
                    form,
                )
            })
            .collect();
        let bent = self.bending.chunks_exact(BENDING).enumerate().filter(|(e, _)| mesh.flap[*e][1] >= 0);
        all.extend(bent.map(|(e, form)| {
            let ([a, b], [c, d]) = (mesh.edge[e], mesh.flap[e]);
            Term::new(&[a, b, c, d].map(|v| v as usize), |i, j| DMat3::IDENTITY * form[4 * i + j])
        }));
        all
    }
}

/// Cells of a solid, or the faces of a shell, whose bending is soft beside its stretching and not counted.
fn cells(m: &Model, f: usize) -> Vec<Term> {
    let (Ok(mut at), first) = (usize::try_from(m.flex_stiffnessadr[f]), m.flex_nodeadr[f]) else {
        return Vec::new();
    };
    let patches = m.flex_patchadr[f] as usize..(m.flex_patchadr[f] + m.flex_patchnum[f]) as usize;
    let term = |patch: usize| {
        let list = m.flexpatch_nodeadr[patch] as usize;
        let nodes = &m.flexpatch_node[list..list + m.flexpatch_nodenum[patch] as usize];
        let block = at..at + 9 * nodes.len() * nodes.len();
        at = block.end;
        // stored with negative sign
        let matrix = m.flex_stiffness[block].iter().map(|x| -x).collect();
        Term { points: nodes.iter().map(|node| (node - first) as usize).collect(), matrix }
    };
    patches.map(term).collect()
}

impl Term {
    /// A term of 3x3 blocks.
    fn new(points: &[usize], block: impl Fn(usize, usize) -> DMat3) -> Self {
        let n = 3 * points.len();
        let mut matrix = vec![0.0; n * n];
        for i in 0..points.len() {
            for j in 0..points.len() {
                let block = block(i, j);
                for row in 0..3 {
                    for col in 0..3 {
                        matrix[(3 * i + row) * n + 3 * j + col] = block.col(col)[row];
                    }
                }
            }
        }
        Self { points: points.to_vec(), matrix }
    }
}

/// Stretching of an element at rest, from its form in squared lengths of edges: 2 Σ G_ab e_a e_b'.
fn stretch(points: &[usize], edges: &[[usize; 2]], at: &[DVec3], form: &[f64]) -> Term {
    let n = edges.len();
    let entry = |a: usize, b: usize| {
        let (a, b) = (a.min(b), a.max(b));
        form[a * n - a * (a + 1) / 2 + b]
    };
    let touches =
        |edge: [usize; 2], i: usize| f64::from(u8::from(edge[0] == i)) - f64::from(u8::from(edge[1] == i));
    Term::new(points, |i, j| {
        let mut block = DMat3::ZERO;
        for (a, &p) in edges.iter().enumerate().filter(|(_, e)| e.contains(&i)) {
            for (b, &q) in edges.iter().enumerate().filter(|(_, e)| e.contains(&j)) {
                let (e, f) = (at[p[0]] - at[p[1]], at[q[0]] - at[q[1]]);
                block += outer(e, f) * (2.0 * entry(a, b) * touches(p, i) * touches(q, j));
            }
        }
        block
    })
}

/// Bending of two edges in line: curvature is the difference of their directions.
fn hinge(points: [usize; 3], vert: &[DVec3], stiffness: f64) -> Term {
    let (before, after) = (vert[points[1]] - vert[points[0]], vert[points[2]] - vert[points[1]]);
    let (l, r) = (1.0 / before.length(), 1.0 / after.length());
    let (weight, along) = ([l, -l - r, r], before * l);
    let across = DMat3::IDENTITY - outer(along, along);
    Term::new(&points, |i, j| across * (2.0 * stiffness * weight[i] * weight[j]))
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn sign(positive: bool) -> f64 {
    if positive { 1.0 } else { -1.0 }
}

/// Largest eigenvalue of the stiffness of terms in the degrees of freedom of their points, by Lanczos iterations from a
/// start that no mode is orthogonal to; from below.
fn largest(terms: &[Term], columns: &[Columns], dofs: usize) -> f64 {
    let mut now: Vec<f64> =
        (0..dofs).map(|d| 1.0 + (0.7 * d as f64 + 0.3 * (d * d % 17) as f64).sin()).collect();
    let (mut before, mut next) = (vec![0.0; dofs], vec![0.0; dofs]);
    let length = norm(&now);
    now.iter_mut().for_each(|x| *x /= length);
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..ITERATIONS.min(dofs) {
        multiply(terms, columns, &now, &mut next);
        let along = dot(&next, &now);
        let last = beside.last().copied().unwrap_or(0.0);
        for ((x, now), before) in next.iter_mut().zip(&now).zip(&before) {
            *x -= along * now + last * before;
        }
        diagonal.push(along);
        let length = norm(&next);
        // a subspace that the stiffness maps into itself
        if !(length > ENDED * along.abs()) {
            break;
        }
        beside.push(length);
        next.iter_mut().for_each(|x| *x /= length);
        std::mem::swap(&mut before, &mut now);
        std::mem::swap(&mut now, &mut next);
    }
    // eigenvalues of the tridiagonal matrix
    let n = diagonal.len();
    let mut matrix = vec![0.0; n * n];
    for (i, &value) in diagonal.iter().enumerate() {
        matrix[i * n + i] = value;
        if i + 1 < n {
            (matrix[i * n + i + 1], matrix[(i + 1) * n + i]) = (beside[i], beside[i]);
        }
    }
    modes(matrix, n, 1).first().map_or(0.0, |mode| mode.0)
}

/// Product of the stiffness, in degrees of freedom, and a vector.
fn multiply(terms: &[Term], columns: &[Columns], x: &[f64], to: &mut [f64]) {
    to.fill(0.0);
    let (mut moved, mut force) = (Vec::new(), Vec::new());
    for term in terms {
        moved.clear();
        for &p in &term.points {
            let place: DVec3 = columns[p].iter().map(|&(d, axis)| axis * x[d]).sum();
            moved.extend(place.to_array());
        }
        force.clear();
        force.extend(term.matrix.chunks_exact(moved.len()).map(|row| dot(row, &moved)));
        for (&p, force) in term.points.iter().zip(force.chunks_exact(3)) {
            let force = DVec3::from_slice(force);
            columns[p].iter().for_each(|&(d, axis)| to[d] += axis.dot(force));
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Largest eigenvalue s for which steps of a motion x'' = -s (stiffness x + damping x') stay bounded.
fn stable(method: i32, step: f64, [stiffness, damping]: [f64; 2]) -> f64 {
    let (spring, damper) = (step * step * stiffness, step * damping);
    // velocity first, then position with it: z² - (2 - a - b) z + (1 - b) has roots within the circle for a + 2 b < 4
    if method != integrator::RK4 {
        return 4.0 / (spring + 2.0 * damper);
    }
    // the interval that holds the largest one
    let high = if spring > 0.0 { RK4_FREQUENCY / spring } else { RK4_DECAY / damper };
    let mut range = [0.0, high];
    for _ in 0..HALVINGS {
        let middle = (range[0] + range[1]) / 2.0;
        range[usize::from(growth(spring * middle, damper * middle) > 1.0)] = middle;
    }
    range[0]
}

/// Factor by which a step of `RK4` lets the faster root of z² + damper z + spring grow.
fn growth(spring: f64, damper: f64) -> f64 {
    let half = -damper / 2.0;
    let square = half * half - spring;
    let (re, im) = if square > 0.0 { (half - square.sqrt(), 0.0) } else { (half, (-square).sqrt()) };
    // 1 + z (1 + z/2 (1 + z/3 (1 + z/4)))
    let (mut x, mut y) = (1.0, 0.0);
    for n in [4.0, 3.0, 2.0, 1.0] {
        (x, y) = (1.0 + (re * x - im * y) / n, (re * y + im * x) / n);
    }
    x.hypot(y)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// Warnings of a model about time steps.
    fn warnings(option: &str, flex: &str) -> Vec<String> {
        let text = format!("<mujoco><option {option}/><worldbody>{flex}</worldbody></mujoco>");
        let model = crate::load_str(&text).unwrap();
        let about = |w: &String| w.contains("time step");
        model.warnings.iter().map(ToString::to_string).filter(about).collect()
    }

    #[test]
    fn a_hanging_chain_has_the_frequency_of_its_closed_form() {
        // n masses of m in a row, the first one fixed: s_k = 2 - 2 cos((2 k - 1) pi / (2 n + 1)), the largest of k = n
        let rope = |stiffness: f64| {
            format!(
                "<flexcomp name='r' type='grid' dim='1' count='21 1 1' spacing='.1 .1 .1' mass='2.1'><pin id='0'/><edge
                    stiffness='{stiffness}'/><contact selfcollide='none'/></flexcomp>"
            )
        };
        let s = 2.0 + 2.0 * (2.0 * std::f64::consts::PI / 41.0).cos();
        let (step, mass) = (0.01, 0.1);
        let largest = 4.0 * mass / (step * step) / s;
        assert!(warnings("timestep='.01'", &rope(0.98 * largest)).is_empty());
        let found = warnings("timestep='.01'", &rope(1.05 * largest));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("edge stiffness"), "{found:?}");
        // Runge-Kutta: twice that, as 2.828 is to 2
        let largest = 2.0 * largest;
        assert!(warnings("timestep='.01' integrator='RK4'", &rope(0.98 * largest)).is_empty());
        assert_eq!(warnings("timestep='.01' integrator='RK4'", &rope(1.05 * largest)).len(), 1);
        assert!(
            warnings("timestep='.01' integrator='discrete' solver='CG'", &rope(5.0 * largest)).is_empty()
        );
    }

    #[test]
    fn steps_are_bounded_just_below_the_largest_stiffness() {
        let run = |stiffness: f64, damping: f64, scale: f64| {
            let s = scale * stable(integrator::EULER, 0.01, [stiffness, damping]);
            let (mut x, mut v) = (1.0_f64, 1.0_f64);
            for _ in 0..2000 {
                v -= 0.01 * s * (stiffness * x + damping * v);
                x += 0.01 * v;
            }
            x.abs().max(0.01 * v.abs())
        };
        for (stiffness, damping) in [(1.0, 0.0), (1.0, 0.02), (3.0, 0.1), (0.0, 1.0)] {
            assert!(run(stiffness, damping, 0.99) < 100.0, "{stiffness} {damping}");
            assert!(!(run(stiffness, damping, 1.02) < 1e6), "{stiffness} {damping}");
        }
    }

    #[test]
    fn elastic_flexes_of_all_kinds_are_judged() {
        // the stiffness that the warning names is where it ends
        let kinds = [
            "type='grid' dim='2' count='5 5 1' spacing='.1 .1 .1'|thickness='.02' elastic2d='both'",
            "type='grid' dim='2' count='5 5 1' spacing='.1 .1 .1'|thickness='.02' elastic2d='bend'",
            "type='grid' dim='2' count='5 5 1' spacing='.1 .1 .1' dof='2d'|thickness='.02' elastic2d='stretch'",
            "type='grid' dim='3' count='3 3 3' spacing='.1 .1 .1'|",
            "type='grid' dim='3' count='4 3 3' spacing='.1 .1 .1' dof='trilinear'|",
            "type='grid' dim='3' count='4 3 3' spacing='.1 .1 .1' dof='quadratic'|damping='.001'",
            "type='grid' dim='1' count='6 1 1' spacing='.1 .1 .1' radius='.01'|damping='.001'",
        ];
        for kind in kinds {
            let (comp, elasticity) = kind.split_once('|').unwrap();
            let flex = |young: f64| {
                format!(
                    "<flexcomp name='r' {comp} mass='1'><contact selfcollide='none'/><elasticity young='{young}'
                        poisson='.2' {elasticity}/></flexcomp>"
                )
            };
            let stiff = warnings("timestep='.01'", &flex(1e14));
            assert_eq!(stiff.len(), 1, "{kind} {stiff:?}");
            let named = stiff[0].split("young to at most ").nth(1).unwrap();
            let young: f64 = named.split(',').next().unwrap().parse().unwrap();
            assert!(warnings("timestep='.01'", &flex(0.9 * young)).is_empty(), "{kind} {young}");
            assert_eq!(warnings("timestep='.01'", &flex(1.1 * young)).len(), 1, "{kind} {young}");
        }
    }
}
