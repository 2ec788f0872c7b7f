//! Geoms and sites.

use glam::{DQuat, DVec3};

use super::factors::{Factors, TOLERANCE, mean, scale_all};
use super::work::Work;
use crate::mesh::Inertia;
use crate::spec::rotation::MIN_LENGTH;
use crate::spec::{Geom, Kind, Pose, Spec, between};
use manyworlds_model::schema::enums::GeomType;

/// What a shape would have to be stretched to, and the remedy.
type Misfit = (&'static str, &'static str);

const SPHERE: Misfit = ("is a sphere, which has one radius", "use an ellipsoid, or a scale of one number");
const ACROSS: Misfit = (
    "is round or has end points, and would be stretched across its axis",
    "use equal factors across the axis, or a box or ellipsoid with pos and size",
);
const OBLIQUE: Misfit = (
    "is not along the axes of the frame's scale",
    "turn the shape or the frame, or write a scale of one number",
);

/// Scales geoms, and notes their factors.
pub(super) fn geoms(work: &mut Work<'_>, spec: &mut Spec) {
    for geom in &mut spec.geoms {
        let (pose, outer) = (geom.pose, geom.outer);
        let (body, frame) = (geom.body, geom.frame);
        let shape = Shape { kind: geom.kind, size: geom.size, ends: geom.fromto, pose, outer, body, frame };
        let placed = shape.placed(work);
        let factors = placed.factors;
        work.geoms.push(factors);
        if factors.frame.is_none() {
            continue;
        }
        let misfit = if geom.mesh.name.is_empty() { misfit(geom, &factors) } else { None };
        if let Some((message, help)) = misfit {
            let name = work.called("geom", &geom.base);
            work.wrong(&geom.base.at, "type", format!("{name} {message}"), help);
        }
        placed.put((&mut geom.pose, &mut geom.outer), &mut geom.fromto, &mut geom.size);
        scale_geom(work, geom, &factors);
    }
}

/// Scales masses, contacts and surface of a geom.
fn scale_geom(work: &Work<'_>, geom: &mut Geom, factors: &Factors) {
    let length = factors.length();
    let volume = if is_shell(work, geom) { length * length } else { factors.volume() };
    geom.mass = geom.mass.map(|mass| mass * factors.mass);
    geom.density *= factors.mass / volume;
    geom.margin *= length;
    geom.gap *= length;
    geom.solimp[2] *= length;
    // torsional and rolling friction are lengths
    scale_all(&mut geom.friction[1..], length);
    let [x, y, z, ..] = geom.surfacevel;
    let linear = factors.linear * DVec3::new(x, y, z);
    geom.surfacevel[..3].copy_from_slice(&linear.to_array());
    geom.adhesion *= factors.force();
}

/// True if the mass of a geom is on its surface.
fn is_shell(work: &Work<'_>, geom: &Geom) -> bool {
    if !matches!(geom.kind, GeomType::MESH | GeomType::SDF) {
        return geom.shell;
    }
    let mesh = work.find(Kind::Mesh, &geom.mesh, geom.base.scope).and_then(|m| work.old.meshes.get(m));
    mesh.is_some_and(|mesh| mesh.settings.inertia == Inertia::Shell)
}

/// Why a geom cannot have the factors along its axes; `None` if it can.
fn misfit(geom: &Geom, factors: &Factors) -> Option<Misfit> {
    if factors.uniform().is_some() {
        return None;
    }
    let is_along = |axis: DVec3| factors.along(axis).is_some();
    let [x, y, _] = factors.stretches();
    let is_equal = (x - y).abs() <= TOLERANCE * x.max(y) && is_along(DVec3::X);
    match geom.kind {
        GeomType::SPHERE => Some(SPHERE),
        GeomType::MESH | GeomType::SDF => None,
        _ if !is_along(DVec3::Z) => Some(OBLIQUE),
        GeomType::CAPSULE | GeomType::CYLINDER if !is_equal => Some(ACROSS),
        _ if geom.fromto.is_some() && !is_equal => Some(ACROSS),
        GeomType::CAPSULE | GeomType::CYLINDER => None,
        _ if !(is_along(DVec3::X) && is_along(DVec3::Y)) => Some(OBLIQUE),
        _ => None,
    }
}

/// Scales sites, and notes their factors. Sites are marks: any factors have a size.
pub(super) fn sites(work: &mut Work<'_>, spec: &mut Spec) {
    for site in &mut spec.sites {
        let (pose, outer) = (site.pose, site.outer);
        let (body, frame) = (site.body, site.frame);
        let shape = Shape { kind: site.kind, size: site.size, ends: site.fromto, pose, outer, body, frame };
        let placed = shape.placed(work);
        work.sites.push(placed.factors);
        if placed.factors.frame.is_none() {
            continue;
        }
        placed.put((&mut site.pose, &mut site.outer), &mut site.fromto, &mut site.size);
    }
}

/// Size and place of a geom or site.
struct Shape {
    kind: GeomType,
    size: [f64; 3],
    ends: Option<[f64; 6]>,
    pose: Pose,
    outer: Pose,
    body: usize,
    frame: Option<usize>,
}

/// The same in the coordinates of the body, with the factors in those of the shape.
struct Placed {
    size: [f64; 3],
    ends: Option<[f64; 6]>,
    pose: Pose,
    factors: Factors,
}

impl Placed {
    /// Replaces size and place. A pose beside end points has no meaning, and stays.
    fn put(&self, (pose, outer): (&mut Pose, &mut Pose), ends: &mut Option<[f64; 6]>, size: &mut [f64; 3]) {
        if self.ends.is_none() {
            *pose = self.pose;
        }
        (*outer, *ends, *size) = (Pose::default(), self.ends, self.size);
    }
}

impl Shape {
    fn placed(&self, work: &Work<'_>) -> Placed {
        let unscaled = self.outer.then(&self.own());
        let (pose, factors) = work.places.place(self.body, self.frame, unscaled);
        let mut size = self.size;
        let by = self.size_factors(&factors);
        size.iter_mut().zip(by).for_each(|(size, factor)| *size *= factor);
        let ends = self.ends.map(|ends| self.moved(work, ends));
        Placed { size, ends, pose, factors }
    }

    /// Pose in the frame around the shape.
    fn own(&self) -> Pose {
        let Some(ends) = self.ends else {
            return self.pose;
        };
        let along = DVec3::new(ends[0] - ends[3], ends[1] - ends[4], ends[2] - ends[5]);
        // ends that are one point are reported by the compiler
        if along.length() > MIN_LENGTH { between(self.kind, self.size, ends).1 } else { self.pose }
    }

    /// End points with scales, in the coordinates of the body.
    fn moved(&self, work: &Work<'_>, ends: [f64; 6]) -> [f64; 6] {
        let [a, b, c, d, e, f] = ends;
        let end = |pos: DVec3| {
            let at = self.outer.then(&Pose { pos, quat: DQuat::IDENTITY });
            work.places.place(self.body, self.frame, at).0.pos.to_array()
        };
        let ([a, b, c], [d, e, f]) = (end(DVec3::new(a, b, c)), end(DVec3::new(d, e, f)));
        [a, b, c, d, e, f]
    }

    /// Factors of the sizes; of a shape with end points, those of the radius alone are used.
    fn size_factors(&self, factors: &Factors) -> [f64; 3] {
        let [x, y, z] = factors.stretches();
        let across = mean(x, y);
        match self.kind {
            GeomType::SPHERE => [factors.length(), 1.0, 1.0],
            GeomType::CAPSULE | GeomType::CYLINDER => [across, z, 1.0],
            GeomType::BOX | GeomType::ELLIPSOID if self.ends.is_some() => [across, 1.0, 1.0],
            GeomType::BOX | GeomType::ELLIPSOID => [x, y, z],
            GeomType::PLANE => [x, y, factors.length()],
            // those of assets are scaled there
            GeomType::HFIELD | GeomType::MESH | GeomType::SDF => [1.0; 3],
        }
    }
}
