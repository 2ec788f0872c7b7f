//! Contacts of deformable bodies with geoms, with each other and with themselves.
//!
//! Planes touch vertices, as spheres; everything else touches elements: lines as capsules, triangles and tetrahedra with a
//! radius around them. Contacts stand behind those of geoms with the same first body, flexes count behind all bodies
//! (MuJoCo documentation, Computation, "Collision detection").

use super::contact_parameters::{ContactParameters, Surface, surface_parameters};
use super::contacts::{ContactParties, store_contact_of};
use super::convex::convex_convex;
use super::field_contacts::triangle_field;
use super::flex_tree::{elements_near, pairs_between, pairs_within, take_tree};
use super::height_field::{MAX_PRISMS, prisms_under};
use super::pair::{Obb, closed_form, convex_shape, shape};
use super::polytope::Hull;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS, Shape};
use super::spread::keep_spread;
use super::support_map::ConvexShape;
use super::triangle::{Triangle, box_triangle, capsule_triangle, sphere_triangle};
use crate::math::{
    Mat3, Vec3, cross, dot, length, make_frame, mat_column, mat_row, mat3, normalize3, transpose, vec3,
};
use crate::sleep::asleep::pair_sleeps;
use crate::smooth::flex_mesh::{bodies_of, element_vertices, vertices_of};
use crate::smooth::jacobian::last_dof;
use crate::smooth::nodes::NodeGrid;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::flex_tree::FlexTree;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{enable, geom, selfcollide};
use manyworlds_model::schema::shape_pairs::{Method, shape_pair};

/// Contacts of the geoms of a body with all flexes; returns their number, slots or not.
pub(super) fn collide_body<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) -> usize {
    let Ok(first) = usize::try_from(m.body_geomadr[body]) else { return 0 };
    let mut wanted = 0;
    for f in 0..m.sizes.nflex {
        // planes come first
        let geoms = first..first + m.body_geomnum[body] as usize;
        let planes = geoms.clone().filter(|&g| m.geom_type[g] == geom::PLANE);
        for g in planes.chain(geoms.filter(|&g| m.geom_type[g] != geom::PLANE)) {
            let may =
                (m.geom_contype[g] & m.flex_conaffinity[f]) | (m.flex_contype[f] & m.geom_conaffinity[g]);
            if may == 0 {
                continue;
            }
            let mut pair = Pairing::of_geom(m, d, g, f);
            if m.geom_type[g] == geom::PLANE {
                pair.collide_vertices(g);
            } else {
                pair.collide_elements(g);
            }
            wanted += pair.finish();
        }
    }
    wanted
}

/// Contacts of flexes with each other, and then with themselves; returns their number, slots or not.
pub(super) fn collide_flexes<T: Real>(m: &Model<T>, d: &mut Data<T>) -> usize {
    let mut wanted = 0;
    for one in 0..m.sizes.nflex {
        for two in one + 1..m.sizes.nflex {
            let may = (m.flex_contype[one] & m.flex_conaffinity[two])
                | (m.flex_contype[two] & m.flex_conaffinity[one]);
            if may != 0 {
                let mut pair = Pairing::of_flexes(m, d, one, two);
                pair.collide_pairs(one, false);
                wanted += pair.finish();
            }
        }
    }
    for f in 0..m.sizes.nflex {
        let may = m.flex_contype[f] & m.flex_conaffinity[f] != 0 && m.flex_rigid[f] == 0;
        if may && m.flex_selfcollide[f] != selfcollide::NONE {
            let mut pair = Pairing::of_flexes(m, d, f, f);
            let swept = pair.is_swept();
            pair.collide_pairs(f, swept);
            wanted += pair.finish();
        }
    }
    wanted
}

/// Most contacts of a rigid or interpolated flex with a geom or with another such flex.
const MOST_CONTACTS: usize = 50;

/// What collides with a flex, and the parameters of its contacts.
struct Pairing<'a, T: Real> {
    m: &'a Model<T>,
    d: &'a mut Data<T>,
    /// The flex, the second of the two.
    f: usize,
    parties: ContactParties,
    parameters: ContactParameters<T>,
    /// Distance up to which contacts exert force, and up to which they are listed.
    margin: T,
    listed: T,
    /// Contacts, slots or not.
    wanted: usize,
    /// Slot of the first.
    first: usize,
}

impl<'a, T: Real> Pairing<'a, T> {
    /// A geom and a flex.
    fn of_geom(m: &'a Model<T>, d: &'a mut Data<T>, g: usize, f: usize) -> Self {
        let parameters = surface_parameters(m, &Surface::of_geom(m, g), &Surface::of_flex(m, f));
        let margin =
            if m.enabled(enable::OVERRIDE) { m.opt_o_margin[0] } else { m.geom_margin[g] + m.flex_margin[f] };
        let listed = margin + m.geom_gap[g] + m.flex_gap[f];
        let parties = ContactParties { geom: [g as i32, -1], flex: [-1, f as i32], ..ContactParties::NONE };
        let first = d.ncon[0] as usize;
        Self { m, d, f, parties, parameters, margin, listed, wanted: 0, first }
    }

    /// Two flexes, or one with itself.
    fn of_flexes(m: &'a Model<T>, d: &'a mut Data<T>, one: usize, two: usize) -> Self {
        let parameters = surface_parameters(m, &Surface::of_flex(m, one), &Surface::of_flex(m, two));
        let margin = if m.enabled(enable::OVERRIDE) {
            m.opt_o_margin[0]
        } else {
            m.flex_margin[one] + m.flex_margin[two]
        };
        let listed = margin + m.flex_gap[one] + m.flex_gap[two];
        let parties = ContactParties { flex: [one as i32, two as i32], ..ContactParties::NONE };
        let first = d.ncon[0] as usize;
        Self { m, d, f: two, parties, parameters, margin, listed, wanted: 0, first }
    }

    /// Leaves out contacts where there are too many; returns the number of those found, slots or not.
    fn finish(self) -> usize {
        if self.is_limited() {
            keep_spread(self.d, self.first, MOST_CONTACTS);
        }
        self.wanted
    }

    /// True if all flexes are rigid or between nodes.
    fn is_limited(&self) -> bool {
        let mut flexes = self.parties.flex.iter().filter_map(|f| usize::try_from(*f).ok());
        flexes.all(|f| self.m.flex_rigid[f] != 0 || self.m.flex_interp[f] != 0)
    }

    /// True if a flex meets itself by a sweep along an axis.
    fn is_swept(&self) -> bool {
        let (mode, dim) = (self.m.flex_selfcollide[self.f], self.m.flex_dim[self.f]);
        mode == selfcollide::SAP || (mode == selfcollide::AUTO && dim < 3)
    }

    /// Contacts of the elements of flex `one` with those of the flex, or of these with each other: in the order of their numbers
    /// or, as those of a sweep, in the order in which their bounding boxes begin along the axis along which their centres vary
    /// most (Baraff, *Dynamic simulation of nonpenetrating rigid bodies*, 1992: sweep and prune).
    fn collide_pairs(&mut self, one: usize, swept: bool) {
        let (m, f) = (self.m, self.f);
        let mut tree = take_tree(m, self.d, f);
        let other = (one != f).then(|| take_tree(m, self.d, one));
        let mut near = std::mem::take(&mut tree.near);
        near.clear();
        if let Some(other) = other {
            let boxes = [one, f].map(|f| bounds_of(m, self.d, f));
            pairs_between(&other, &tree, self.listed, &mut |a, b| {
                if !is_apart(&boxes[0][a as usize], &boxes[1][b as usize], self.listed) {
                    near.push([a, b]);
                }
            });
            near.retain(|pair| {
                let [a, b] =
                    [(one, pair[0]), (f, pair[1])].map(|(f, elem)| Element::new(m, self.d, f, elem as usize));
                !is_behind(a.corners(), b.corners(), a.radius + b.radius + self.listed)
            });
            self.d.flex_trees[one] = other;
        } else {
            match m.flex_dim[f] {
                1 => self.list_pairs::<2>(&tree, &mut near),
                2 => self.list_pairs::<3>(&tree, &mut near),
                _ => self.list_pairs::<4>(&tree, &mut near),
            }
        }
        near.retain(|pair| self.may_touch(one, pair[0] as usize, pair[1] as usize));
        if swept && !near.is_empty() {
            let (boxes, axis) = (bounds_of(m, self.d, f), self.widest_axis());
            let begin = |elem: u32| (boxes[elem as usize][axis] - boxes[elem as usize][3 + axis]).f64();
            let order = |a: u32, b: u32| begin(a).total_cmp(&begin(b)).then(a.cmp(&b));
            near.iter_mut().filter(|pair| order(pair[0], pair[1]).is_gt()).for_each(|pair| pair.reverse());
            near.sort_unstable_by(|a, b| order(a[1], b[1]).then(order(a[0], b[0])));
        } else {
            if one == f {
                near.iter_mut().for_each(|pair| pair.sort_unstable());
            }
            near.sort_unstable();
        }
        for pair in &near {
            self.collide_pair(one, pair[0] as usize, pair[1] as usize);
        }
        tree.near = near;
        self.d.flex_trees[f] = tree;
    }

    /// Lists the pairs of elements of the flex, of `N` vertices each, that may be near each other and have no vertex in common.
    fn list_pairs<const N: usize>(&self, tree: &FlexTree<T>, near: &mut Vec<[u32; 2]>) {
        let (m, d, f, distance) = (self.m, &*self.d, self.f, self.listed);
        let elements = m.flex_elem[m.flex_elemdataadr[f] as usize..].as_chunks::<N>().0;
        let places = d.flexvert_xpos[3 * m.flex_vertadr[f] as usize..].as_chunks::<3>().0;
        let (boxes, radii) = (bounds_of(m, d, f), T::of(2.0) * m.flex_radius[f]);
        pairs_within(tree, distance, &mut |a, b| {
            let [k, l] = [a, b].map(|elem| elem as usize);
            if is_apart(&boxes[k], &boxes[l], distance) || shares_vertex(&elements[k], &elements[l]) {
                return;
            }
            let [one, two] = [k, l].map(|k| elements[k].map(|vert| Vec3(places[vert as usize])));
            let reach = radii + distance;
            let is_beside = |one: &[Vec3<T>], two: &[Vec3<T>]| N == 3 && is_beyond_edge(one, two, reach);
            if !is_behind(&one, &two, reach) && !is_beside(&one, &two) && !is_beside(&two, &one) {
                near.push([a, b]);
            }
        });
    }

    /// Axis along which the centres of the elements' bounding boxes vary most.
    fn widest_axis(&self) -> usize {
        let (m, f) = (self.m, self.f);
        let (first, count) = (m.flex_elemadr[f] as usize, m.flex_elemnum[f] as usize);
        let centres = || (first..first + count).map(|elem| vec3(&self.d.flexelem_aabb, 2 * elem));
        let share = T::ONE / T::of(count as f64);
        let mean = centres().fold(Vec3::ZERO, |sum, centre| sum + centre * share);
        let spread = centres().fold(Vec3::ZERO, |sum, c| sum + (c - mean) * (c - mean));
        (1..3).fold(0, |axis, k| if spread[k] > spread[axis] { k } else { axis })
    }

    /// True if an element of flex `one` and an element of the flex may have contacts where they are near each other.
    fn may_touch(&self, one: usize, k: usize, l: usize) -> bool {
        let (m, f) = (self.m, self.f);
        is_element_active(m, one, k)
            && is_element_active(m, f, l)
            && !self.are_neighbours(one, k, l)
            && !self.pair_rests(one, k, l)
    }

    /// Contacts of an element of flex `one` with an element of the flex.
    fn collide_pair(&mut self, one: usize, k: usize, l: usize) {
        let (a, b) = (Element::new(self.m, self.d, one, k), Element::new(self.m, self.d, self.f, l));
        self.parties.elem = [k as i32, l as i32];
        let (a, b) = (a.convex(), b.convex());
        let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
        let count = if a.kind == geom::CAPSULE && b.kind == geom::CAPSULE {
            closed_form((geom::CAPSULE, geom::CAPSULE), &a.shape, &b.shape, self.listed, &mut found)
                .unwrap_or(0)
        } else {
            convex_convex(&a, &b, self.listed, false, &mut found)
        };
        found[..count].iter().for_each(|contact| self.store(contact));
    }

    /// Stores a contact of the parties.
    fn store(&mut self, contact: &ContactPoint<T>) {
        store_contact_of(self.d, &self.parties, self.margin, &self.parameters, contact);
        self.wanted += 1;
    }

    /// Contacts of a plane with the vertices.
    fn collide_vertices(&mut self, g: usize) {
        let vertices = vertices_of(self.m, self.f);
        (0..vertices.len()).for_each(|k| self.collide_vertex(g, k, vertices.start + k));
    }

    /// Contact of a plane with vertex `k` of the flex.
    fn collide_vertex(&mut self, g: usize, k: usize, vert: usize) {
        let radius = self.m.flex_radius[self.f];
        let (pos, normal) = (vec3(&self.d.geom_xpos, g), mat_column(mat3(&self.d.geom_xmat, g), 2));
        let point = vec3(&self.d.flexvert_xpos, vert);
        let dist = dot(point - pos, normal) - radius;
        if dist < self.listed && !self.rests_on(g, std::iter::once(vert)) {
            let pos = point - normal * (radius + T::of(0.5) * dist);
            self.parties.vert[1] = k as i32;
            self.store(&ContactPoint { dist, pos, normal, tangent: Vec3::ZERO });
        }
    }

    /// Contacts of a geom with the elements.
    fn collide_elements(&mut self, g: usize) {
        let (m, f) = (self.m, self.f);
        let mut tree = take_tree(m, self.d, f);
        let mut near = std::mem::take(&mut tree.near);
        near.clear();
        if m.geom_type[g] == geom::HFIELD {
            near.extend((0..m.flex_elemnum[f] as u32).map(|elem| [elem; 2]));
        } else {
            let bounds = Obb::new(
                (vec3(&self.d.geom_xpos, g), mat3(&self.d.geom_xmat, g)),
                &m.geom_aabb[6 * g..6 * g + 6],
            );
            let around = bounds.aligned();
            let boxes = bounds_of(m, self.d, f);
            elements_near(&tree, &around, self.listed, &mut |elem| {
                let own = &boxes[elem as usize];
                if !is_apart(own, &around, self.listed) && !self.is_far(&bounds, elem as usize) {
                    near.push([elem; 2]);
                }
            });
            near.sort_unstable();
        }
        for elem in near.iter().map(|elem| elem[0] as usize) {
            if is_element_active(m, f, elem) && !self.rests_on(g, element_vertices(m, f, elem)) {
                self.parties.elem[1] = elem as i32;
                self.collide_element(g, elem);
            }
        }
        tree.near = near;
        self.d.flex_trees[f] = tree;
    }

    /// True if the bounding box of an element is farther from another than contacts are listed.
    fn is_far(&self, bounds: &Obb<T>, elem: usize) -> bool {
        let adr = 6 * (self.m.flex_elemadr[self.f] as usize + elem);
        let own = Obb::new((Vec3::ZERO, Mat3::IDENTITY), &self.d.flexelem_aabb[adr..adr + 6]);
        bounds.boxes_apart(&own, self.listed)
    }

    /// True if no motion changes the distance of a geom from vertices of the flex. What is between nodes moves with all of them.
    fn rests_on(&self, g: usize, verts: impl Iterator<Item = usize> + Clone) -> bool {
        let (m, f, body) = (self.m, self.f, self.m.geom_bodyid[g] as usize);
        if m.flex_interp[f] == 0 {
            return self.rests(body, verts.map(|v| m.flex_vertbodyid[v] as usize));
        }
        self.all_rest(body, bodies_of(m, f))
    }

    /// The same of an element of flex `one` and an element of the flex.
    fn pair_rests(&self, one: usize, k: usize, l: usize) -> bool {
        let (m, f) = (self.m, self.f);
        let bodies =
            |f: usize, elem: usize| element_vertices(m, f, elem).map(|v| m.flex_vertbodyid[v] as usize);
        match [one, f].map(|f| m.flex_interp[f] != 0) {
            [false, false] => bodies(one, k).all(|body| self.rests(body, bodies(f, l))),
            [false, true] => bodies(one, k).all(|body| self.all_rest(body, bodies_of(m, f))),
            [true, false] => bodies_of(m, one).all(|body| self.all_rest(body, bodies(f, l))),
            [true, true] => bodies_of(m, one).all(|body| self.all_rest(body, bodies_of(m, f))),
        }
    }

    /// True if two elements of an interpolated flex are in the same or in neighbouring cells, which move together.
    fn are_neighbours(&self, one: usize, k: usize, l: usize) -> bool {
        let (m, f) = (self.m, self.f);
        let Some(grid) = NodeGrid::of(m, f).filter(|_| one == f) else { return false };
        let [a, b] = [k, l].map(|elem| cells_touched(m, &grid, f, elem));
        (0..3).all(|axis| a[axis].0 <= b[axis].1 + 1 && b[axis].0 <= a[axis].1 + 1)
    }

    /// True if no motion changes the distance: both are of one body, or nothing moves, or all that moves sleeps.
    fn rests(&self, body: usize, others: impl Iterator<Item = usize> + Clone) -> bool {
        let shared = others.clone().any(|b| b == body);
        shared || self.all_rest(body, others)
    }

    /// True if nothing moves, or all that moves sleeps.
    fn all_rest(&self, body: usize, others: impl Iterator<Item = usize> + Clone) -> bool {
        let (m, d) = (self.m, &*self.d);
        let fixed = last_dof(m, body) < 0 && others.clone().all(|b| last_dof(m, b) < 0);
        let asleep = || others.clone().all(|b| pair_sleeps(m, d, [body, b]));
        fixed || (!d.tree_asleep.is_empty() && asleep())
    }

    /// Contacts of a geom with an element.
    fn collide_element(&mut self, g: usize, elem: usize) {
        let (m, f) = (self.m, self.f);
        let kind = m.geom_type[g];
        let element = Element::new(m, self.d, f, elem);
        let solid = shape(m, self.d, g);
        let listed = self.listed;
        if m.flex_dim[f] == 2 {
            let triangle =
                Triangle { corners: [0, 1, 2].map(|k| element.corners[k]), radius: element.radius };
            match kind {
                geom::SPHERE => {
                    if let Some(contact) = sphere_triangle(solid.pos, solid.size[0], &triangle, listed) {
                        self.store(&contact);
                    }
                    return;
                }
                geom::CAPSULE => {
                    return capsule_triangle(&solid, &triangle, listed, |contact| self.store(&contact));
                }
                geom::BOX => return box_triangle(&solid, &triangle, listed, |contact| self.store(&contact)),
                _ => {}
            }
        }
        if kind == geom::SDF {
            if m.flex_dim[f] == 2 {
                self.collide_field(g, &solid, &element);
            }
            return;
        }
        if (kind == geom::CYLINDER || kind == geom::CAPSULE) && element.is_beside(&solid, listed) {
            return;
        }
        let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
        let own = element.convex();
        // a height field has a contact with each prism under the element
        if kind == geom::HFIELD {
            let data = m.geom_dataid[g] as usize;
            let Some(prisms) = prisms_under(m, data, solid, &own, listed) else { return };
            let before = self.wanted;
            for k in 0..prisms.count() {
                let Some(prism) = prisms.make_prism(k) else { continue };
                if convex_convex(&prism, &own, listed, false, &mut found) > 0 {
                    self.store(&found[0]);
                }
                if self.wanted == before + MAX_PRISMS {
                    return;
                }
            }
            return;
        }
        // the lower type comes first
        let turned = m.flex_dim[f] == 1 && kind > geom::CAPSULE;
        let types = if turned { (geom::CAPSULE, kind) } else { (kind, geom::CAPSULE) };
        let closed = m.flex_dim[f] == 1
            && shape_pair(types).is_some_and(|pair| matches!(pair.method, Method::ClosedForm));
        let count = if closed {
            let (one, two) = if turned { (&own.shape, &solid) } else { (&solid, &own.shape) };
            closed_form(types, one, two, listed, &mut found).unwrap_or(0)
        } else {
            convex_convex(&convex_shape(m, self.d, g), &own, listed, false, &mut found)
        };
        for contact in &mut found[..count] {
            if kind == geom::CYLINDER && m.flex_dim[f] == 2 {
                contact.normal = cylinder_normal(&solid, contact);
            }
            if closed && turned {
                contact.normal = -contact.normal;
                contact.tangent = Vec3::ZERO;
            }
            self.store(contact);
        }
    }
}

impl<T: Real> Pairing<'_, T> {
    /// Contacts of a signed distance field with a triangle, whose radius does not count: the deepest points, each once.
    fn collide_field(&mut self, g: usize, solid: &Shape<T>, element: &Element<T>) {
        let corners = [0, 1, 2].map(|k| (element.corners[k] - solid.pos) * solid.mat);
        let (mut points, mut count) = ([Vec3::ZERO; 3], 0);
        let m = self.m;
        triangle_field(m, g, corners, |contact| {
            if points[..count].contains(&contact.pos) {
                return;
            }
            // more than three there are only where points are those at which searches begin, of which each is another
            if count < points.len() {
                points[count] = contact.pos;
                count += 1;
            }
            // from the field to the triangle, and on its other side, as in the reference
            let normal = solid.mat * -contact.normal;
            let pos = solid.pos + solid.mat * (contact.pos - contact.normal * contact.dist);
            self.store(&ContactPoint { pos, normal, ..contact });
        });
    }
}

/// Share of a cylinder's half length within which a contact with a triangle has a normal across the axis.
const SIDE_SHARE: f64 = 0.95;

/// Share of its depth below the side within which such a contact is near a cap, and keeps its normal.
const CAP_SHARE: f64 = 0.25;

/// Normal of a contact of a cylinder with a triangle, which in the reference is across the axis unless the contact is near a cap.
fn cylinder_normal<T: Real>(solid: &Shape<T>, contact: &ContactPoint<T>) -> Vec3<T> {
    let axis = mat_column(solid.mat, 2);
    let offset = contact.pos - solid.pos;
    let along = dot(axis, offset);
    let across = offset - axis * along;
    let (off, [radius, half, _]) = (length(across), solid.size.0);
    let is_beside = along.abs() < T::of(SIDE_SHARE) * half;
    let is_near_cap = half - along.abs() < T::of(CAP_SHARE) * (radius - off);
    if is_beside && !is_near_cap && off > T::MINVAL { across * (T::ONE / off) } else { contact.normal }
}

/// Distance beyond the listed one at which an element counts as beside a cylinder, as a share of the cylinder's radius and half
/// length: more than rounding.
const BESIDE_SLACK: f64 = 1e-4;

/// How near to the side of a cell a vertex is in the cell beyond as well.
const ON_SIDE: f64 = 1e-6;

/// First and last cell that an element of an interpolated flex touches along each axis.
fn cells_touched<T: Real>(m: &Model<T>, grid: &NodeGrid, f: usize, elem: usize) -> [(usize, usize); 3] {
    let places = || element_vertices(m, f, elem).map(|vert| vec3(&m.flex_vert0, vert));
    let low = places().fold(Vec3::from_fn(|_| T::ONE), |low, p| Vec3::from_fn(|k| low[k].min(p[k])));
    let high = places().fold(Vec3::<T>::ZERO, |high, p| Vec3::from_fn(|k| high[k].max(p[k])));
    let margin = Vec3::from_fn(|_| T::of(ON_SIDE));
    let (first, last) = (grid.cell_at(low - margin).0, grid.cell_at(high + margin).0);
    [0, 1, 2].map(|axis| (first[axis], last[axis]))
}

/// Bounding box: its centre and half sizes.
type Bounds<T> = [T; 6];

/// Bounding boxes of the elements of a flex.
fn bounds_of<'a, T: Real>(m: &Model<T>, d: &'a Data<T>, f: usize) -> &'a [Bounds<T>] {
    let (first, count) = (m.flex_elemadr[f] as usize, m.flex_elemnum[f] as usize);
    &d.flexelem_aabb.as_chunks().0[first..first + count]
}

/// True if two boxes are farther from each other than a distance along some axis.
#[inline(always)]
fn is_apart<T: Real>(a: &Bounds<T>, b: &Bounds<T>, distance: T) -> bool {
    let beyond = |k: usize| (a[k] - b[k]).abs() > a[3 + k] + b[3 + k] + distance;
    beyond(0) || beyond(1) || beyond(2)
}

/// True if two elements have a vertex in common.
#[inline(always)]
fn shares_vertex<const N: usize>(a: &[i32; N], b: &[i32; N]) -> bool {
    a.iter().fold(false, |any, v| b.iter().fold(any, |any, w| any | (v == w)))
}

/// Mean of some corners.
#[inline(always)]
fn centre_of<T: Real>(corners: &[Vec3<T>]) -> Vec3<T> {
    let share = T::ONE / T::of(corners.len() as f64);
    corners.iter().fold(Vec3::ZERO, |sum, corner| sum + *corner * share)
}

/// True if some corners are farther from others than a distance along the line through their centres.
#[inline(always)]
fn is_behind<T: Real>(one: &[Vec3<T>], two: &[Vec3<T>], distance: T) -> bool {
    let centre = centre_of(one);
    let axis = centre_of(two) - centre;
    let along = |corner: &Vec3<T>| dot(axis, *corner - centre);
    let high = one.iter().map(along).fold(T::ZERO, |high, x| if x > high { x } else { high });
    let infinity = T::of(f64::INFINITY);
    let low = two.iter().map(along).fold(infinity, |low, x| if x < low { x } else { low });
    low - high > distance * length(axis)
}

/// True if some corners are farther than a distance from a triangle, beyond a plane through one of its edges that is upright
/// on it: so are most triangles of a sheet that lie beside each other.
#[inline(always)]
fn is_beyond_edge<T: Real>(triangle: &[Vec3<T>], corners: &[Vec3<T>], distance: T) -> bool {
    let normal = cross(triangle[1] - triangle[0], triangle[2] - triangle[0]);
    (0..3).any(|k| {
        let start = triangle[k];
        let axis = cross(triangle[(k + 1) % 3] - start, normal);
        let along = |corner: &Vec3<T>| dot(axis, *corner - start);
        let infinity = T::of(f64::INFINITY);
        let low = corners.iter().map(along).fold(infinity, |low, x| if x < low { x } else { low });
        low > T::ZERO && low * low > distance * distance * dot(axis, axis)
    })
}

/// True if an element collides: all but those of tetrahedra too deep below the surface.
fn is_element_active<T: Real>(m: &Model<T>, f: usize, elem: usize) -> bool {
    m.flex_dim[f] < 3 || m.flex_elemlayer[m.flex_elemadr[f] as usize + elem] < m.flex_activelayers[f]
}

/// An element of a flex: a line, a triangle or a tetrahedron with a radius around it.
struct Element<T> {
    corners: [Vec3<T>; 4],
    count: usize,
    radius: T,
}

impl<T: Real> Element<T> {
    /// Element of a flex in a world.
    fn new(m: &Model<T>, d: &Data<T>, f: usize, elem: usize) -> Self {
        let (first, count) = (m.flex_vertadr[f] as usize, m.flex_dim[f] as usize + 1);
        let adr = m.flex_elemdataadr[f] as usize + count * elem;
        let verts = &m.flex_elem[adr..adr + count];
        // beyond the last corner, again the last one
        let corner = |k: usize| vec3(&d.flexvert_xpos, first + verts[k.min(count - 1)] as usize);
        Self { corners: [corner(0), corner(1), corner(2), corner(3)], count, radius: m.flex_radius[f] }
    }

    /// Its corners.
    fn corners(&self) -> &[Vec3<T>] {
        &self.corners[..self.count]
    }

    /// True if a plane along the axis of a cylinder or capsule shows that the element is farther from it than a distance, by more
    /// than rounding.
    fn is_beside(&self, solid: &Shape<T>, distance: T) -> bool {
        let axis = mat_column(solid.mat, 2);
        let offset = centre_of(self.corners()) - solid.pos;
        let across = offset - axis * dot(axis, offset);
        let (off, [radius, half, _]) = (length(across), solid.size.0);
        let reach = (radius + self.radius + distance) * off;
        let slack = T::of(BESIDE_SLACK) * (radius + half) * off;
        self.corners().iter().all(|corner| dot(across, *corner - solid.pos) > reach + slack)
    }

    /// The same as a convex shape; a line as a capsule.
    fn convex(&self) -> ConvexShape<'static, T> {
        let centre = centre_of(self.corners());
        if self.count == 2 {
            let along = self.corners[1] - self.corners[0];
            let [axis, one, two] = [0, 1, 2].map(|k| mat_row(make_frame(normalize3(along)), k));
            let mat = transpose(Mat3::from_rows(one, two, axis));
            let size = Vec3([self.radius, T::of(0.5) * length(along), T::ZERO]);
            return ConvexShape::of(geom::CAPSULE, &Shape { pos: centre, mat, size });
        }
        let corners = self.corners.map(|corner| corner - centre);
        let mut half = Vec3::<T>::ZERO;
        for corner in &corners[..self.count] {
            half = Vec3::from_fn(|k| half[k].max(corner[k].abs()));
        }
        let hull = Hull::Simplex { corners, count: self.count, radius: self.radius };
        ConvexShape { kind: geom::MESH, shape: Shape { pos: centre, mat: Mat3::IDENTITY, size: half }, hull }
    }
}
