//! Contacts of deformable bodies with geoms, with each other and with themselves.
//!
//! Planes touch vertices, as spheres; everything else touches elements: lines as capsules, triangles and tetrahedra with a
//! radius around them. Contacts stand behind those of geoms with the same first body, flexes count behind all bodies
//! (MuJoCo documentation, Computation, "Collision detection").

use super::contact_parameters::{ContactParameters, Surface, surface_parameters};
use super::contacts::{ContactParties, store_contact_of};
use super::convex::convex_convex;
use super::height_field::{MAX_PRISMS, prisms_under};
use super::pair::{Obb, closed_form, convex_shape, shape};
use super::polytope::Hull;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS, Shape};
use super::support_map::ConvexShape;
use super::triangle::{Triangle, box_triangle, capsule_triangle, sphere_triangle};
use crate::math::{
    Mat3, Vec3, dot, length, make_frame, mat_column, mat_row, mat3, normalize3, transpose, vec3,
};
use crate::sleep::asleep::pair_sleeps;
use crate::smooth::flex::{element_vertices, vertices_of};
use crate::smooth::jacobian::last_dof;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{enable, geom};
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
            wanted += pair.wanted;
        }
    }
    wanted
}

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
}

impl<'a, T: Real> Pairing<'a, T> {
    /// A geom and a flex.
    fn of_geom(m: &'a Model<T>, d: &'a mut Data<T>, g: usize, f: usize) -> Self {
        let parameters = surface_parameters(m, &Surface::of_geom(m, g), &Surface::of_flex(m, f));
        let margin =
            if m.enabled(enable::OVERRIDE) { m.opt_o_margin[0] } else { m.geom_margin[g] + m.flex_margin[f] };
        let listed = margin + m.geom_gap[g] + m.flex_gap[f];
        let parties = ContactParties { geom: [g as i32, -1], flex: [-1, f as i32], ..ContactParties::NONE };
        Self { m, d, f, parties, parameters, margin, listed, wanted: 0 }
    }

    /// Stores a contact of the parties.
    fn store(&mut self, contact: &ContactPoint<T>) {
        store_contact_of(self.d, &self.parties, self.margin, &self.parameters, contact);
        self.wanted += 1;
    }

    /// Contacts of a plane with the vertices.
    fn collide_vertices(&mut self, g: usize) {
        let (m, f) = (self.m, self.f);
        let (pos, normal) = (vec3(&self.d.geom_xpos, g), mat_column(mat3(&self.d.geom_xmat, g), 2));
        for (k, vert) in vertices_of(m, f).enumerate() {
            let body = m.flex_vertbodyid[vert] as usize;
            if self.rests(m.geom_bodyid[g] as usize, std::iter::once(body)) {
                continue;
            }
            let point = vec3(&self.d.flexvert_xpos, vert);
            let dist = dot(point - pos, normal) - m.flex_radius[f];
            if dist < self.listed {
                let pos = point - normal * (m.flex_radius[f] + T::of(0.5) * dist);
                self.parties.vert[1] = k as i32;
                self.store(&ContactPoint { dist, pos, normal, tangent: Vec3::ZERO });
            }
        }
    }

    /// Contacts of a geom with the elements.
    fn collide_elements(&mut self, g: usize) {
        let (m, f) = (self.m, self.f);
        let bounds = Obb::new(
            (vec3(&self.d.geom_xpos, g), mat3(&self.d.geom_xmat, g)),
            &m.geom_aabb[6 * g..6 * g + 6],
        );
        let field = m.geom_type[g] == geom::HFIELD;
        for elem in 0..m.flex_elemnum[f] as usize {
            if !is_active(m, f, elem) || (!field && self.is_far(&bounds, elem)) {
                continue;
            }
            let bodies = element_vertices(m, f, elem).map(|v| m.flex_vertbodyid[v] as usize);
            if self.rests(m.geom_bodyid[g] as usize, bodies) {
                continue;
            }
            self.parties.elem[1] = elem as i32;
            self.collide_element(g, elem);
        }
    }

    /// True if the bounding box of an element is farther from another than contacts are listed.
    fn is_far(&self, bounds: &Obb<T>, elem: usize) -> bool {
        let adr = 6 * (self.m.flex_elemadr[self.f] as usize + elem);
        let own = Obb::new((Vec3::ZERO, Mat3::IDENTITY), &self.d.flexelem_aabb[adr..adr + 6]);
        bounds.boxes_apart(&own, self.listed)
    }

    /// True if no motion changes the distance: both are of one body, or nothing moves, or all that moves sleeps.
    fn rests(&self, body: usize, others: impl Iterator<Item = usize> + Clone) -> bool {
        let (m, d) = (self.m, &*self.d);
        let shared = others.clone().any(|b| b == body);
        let fixed = last_dof(m, body) < 0 && others.clone().all(|b| last_dof(m, b) < 0);
        let asleep = || others.clone().all(|b| pair_sleeps(m, d, [body, b]));
        shared || fixed || (!d.tree_asleep.is_empty() && asleep())
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
            if closed && turned {
                contact.normal = -contact.normal;
                contact.tangent = Vec3::ZERO;
            }
            self.store(contact);
        }
    }
}

/// True if an element collides: all but those of tetrahedra too deep below the surface.
fn is_active<T: Real>(m: &Model<T>, f: usize, elem: usize) -> bool {
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
        let mut element = Self { corners: [Vec3::ZERO; 4], count: 0, radius: m.flex_radius[f] };
        for vert in element_vertices(m, f, elem) {
            element.corners[element.count] = vec3(&d.flexvert_xpos, vert);
            element.count += 1;
        }
        element
    }

    /// The same as a convex shape; a line as a capsule.
    fn convex(&self) -> ConvexShape<'static, T> {
        let mut centre = Vec3::ZERO;
        for corner in &self.corners[..self.count] {
            centre += *corner * (T::ONE / T::of(self.count as f64));
        }
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
