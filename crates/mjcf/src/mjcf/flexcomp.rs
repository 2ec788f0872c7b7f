//! `<flexcomp>`: a deformable body with the bodies that carry it, from a shape, a file or inline data.

mod file;
mod gmsh;
mod nodes;
mod pins;
mod shapes;
mod surface;
mod vertices;

use glam::{DQuat, DVec3};

use super::Reader;
use super::context::Context;
use super::flex::{DOFS, MAX_LIST, common, order_of};
use super::joint::{SOLIMP, SOLREF};
use super::pose::orientation;
use crate::spec::rotation::quat_of;
use crate::spec::{At, Base, Body, Equality, Flex, Inertial, Joint, Pose, Ref};
use crate::xml::El;
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::enums::{EqualityType, JointType};

/// Upper bound on points of a flex.
const MAX_POINTS: usize = 1 << 20;

/// Parametrizations, as in the list of keywords.
const RADIAL: i32 = 1;
const PLANAR: i32 = 4;

/// Source of points and elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FlexcompShape {
    #[default]
    Grid,
    Box,
    Cylinder,
    Ellipsoid,
    Square,
    Disc,
    Circle,
    Mesh,
    Gmsh,
    Direct,
}

const SHAPES: &[(&str, FlexcompShape)] = &[
    ("grid", FlexcompShape::Grid),
    ("box", FlexcompShape::Box),
    ("cylinder", FlexcompShape::Cylinder),
    ("ellipsoid", FlexcompShape::Ellipsoid),
    ("square", FlexcompShape::Square),
    ("disc", FlexcompShape::Disc),
    ("circle", FlexcompShape::Circle),
    ("mesh", FlexcompShape::Mesh),
    ("gmsh", FlexcompShape::Gmsh),
    ("direct", FlexcompShape::Direct),
];

impl FlexcompShape {
    /// True if points are given rather than generated from count and spacing.
    fn is_given(self) -> bool {
        matches!(self, FlexcompShape::Mesh | FlexcompShape::Gmsh | FlexcompShape::Direct)
    }
}

/// A flexcomp under construction.
struct Comp<'a> {
    el: El<'a>,
    context: Context,
    shape: FlexcompShape,
    count: [usize; 3],
    spacing: DVec3,
    scale: DVec3,
    origin: DVec3,
    pose: Pose,
    mass: f64,
    inertiabox: f64,
    rigid: bool,
    dof: i32,
    /// Kind of its equality constraints; none without.
    equality: Option<EqualityType>,
    solref: [f64; 2],
    solimp: [f64; 5],
    points: Vec<DVec3>,
    /// Pinned vertices, then nodes: they belong to the parent body.
    pinned: Vec<bool>,
    /// Bounding box of all points.
    bounds: (DVec3, DVec3),
    /// Empty cells.
    empty: Vec<bool>,
    equalities: Vec<Equality>,
    flex: Flex,
}

/// Reads a flexcomp and creates its bodies, flex and constraints.
pub(super) fn flexcomp(reader: &mut Reader<'_>, el: El<'_>, context: Context) {
    if !has_place(reader, el, context) {
        return;
    }
    let Some(mut comp) = read(reader, el, context) else {
        return;
    };
    // errors are in the log
    if comp.layout(reader).is_some() && comp.check().is_some() {
        comp.place();
        if comp.pin().is_some() {
            comp.drop_unused();
            comp.build(reader);
        }
    }
}

/// Checks that a flexcomp is allowed here and can be created: vertices refer to bodies by name.
fn has_place(reader: &Reader<'_>, el: El<'_>, context: Context) -> bool {
    if let Some(plugin) = el.children().find(|c| c.tag() == "plugin") {
        let message = "plugins of flexcomps are not supported";
        reader.log.add(plugin.span(), message, "give stiffness and damping in <elasticity> and <edge>");
        return false;
    }
    if reader.spec.bodies[context.body].base.name.is_empty() {
        let message = "the body around a flexcomp has no name";
        reader.log.add(el.span(), message, "add name=\"…\" to the body: vertices refer to it");
        return false;
    }
    let mut at = Some(context.scope);
    while let Some(scope) = at.and_then(|s| reader.spec.scopes.get(s)) {
        if !scope.suffix.is_empty() {
            let message = "a flexcomp cannot be replicated";
            reader.log.add(el.span(), message, "write it once for each copy, outside of <replicate>");
            return false;
        }
        at = scope.parent;
    }
    el.required("name").is_some()
}

/// Reads the attributes.
fn read<'a>(reader: &Reader<'_>, el: El<'a>, context: Context) -> Option<Comp<'a>> {
    let words: Vec<(&str, i32)> = SHAPES.iter().enumerate().map(|(i, s)| (s.0, i as i32)).collect();
    let written = el.keyword("type", &words).map(|i| SHAPES[i as usize].1);
    let from_asset = el.attr("mesh").is_some();
    let mut shape = written.unwrap_or(if from_asset { FlexcompShape::Mesh } else { FlexcompShape::Grid });
    // an asset is read as a mesh whatever its file
    if from_asset && shape == FlexcompShape::Gmsh {
        shape = FlexcompShape::Mesh;
    }
    if from_asset && shape != FlexcompShape::Mesh {
        el.wrong("mesh", "only a flexcomp of type mesh has a mesh", "write type=\"mesh\", or remove it");
        return None;
    }
    let vec = |name: &str, default: f64| el.fixed(name).map_or(DVec3::splat(default), DVec3::from_array);
    let mut comp = Comp {
        el,
        context,
        shape,
        count: count(el)?,
        spacing: vec("spacing", 0.02),
        scale: vec("scale", 1.0),
        origin: vec("origin", 0.0),
        pose: Pose::default(),
        mass: el.real("mass").unwrap_or(1.0),
        inertiabox: el.real("inertiabox").unwrap_or(0.005),
        rigid: false,
        dof: el.keyword("dof", DOFS).unwrap_or(0),
        equality: None,
        solref: SOLREF,
        solimp: SOLIMP,
        points: Vec::new(),
        pinned: Vec::new(),
        bounds: Default::default(),
        empty: Vec::new(),
        equalities: Vec::new(),
        flex: Flex::default(),
    };
    common(el, &mut comp.flex);
    comp.flex.base.scope = context.scope;
    el.set_flag("rigid", &mut comp.rigid);
    comp.pose.pos = vec("pos", 0.0);
    comp.pose.quat = turn(reader, el);
    // the first element decides whether cells are given
    if let Some(cells) = el.ints("cellcount", 3, 3)
        && cells[0] >= 0
    {
        comp.flex.cellcount = [cells[0], cells[1], cells[2]];
    }
    comp.numbers()?;
    if let Some(edge) = el.children().find(|c| c.tag() == "edge") {
        let kinds = [EqualityType::FLEX, EqualityType::FLEXVERT, EqualityType::FLEXSTRAIN].map(|k| k as i32);
        let words = [("true", kinds[0]), ("false", -1), ("vert", kinds[1]), ("strain", kinds[2])];
        comp.equality = edge.keyword("equality", &words).and_then(EqualityType::of);
        edge.set_partial("solref", &mut comp.solref);
        edge.set_partial("solimp", &mut comp.solimp);
    }
    Some(comp)
}

/// The rotation; quaternions are not normalised.
fn turn(reader: &Reader<'_>, el: El<'_>) -> DQuat {
    let others = ["axisangle", "euler", "xyaxes", "zaxis"];
    if others.iter().any(|a| el.attr(a).is_some()) {
        return orientation(el, &reader.compiler).unwrap_or(DQuat::IDENTITY);
    }
    el.fixed("quat").map_or(DQuat::IDENTITY, quat_of)
}

/// Point counts along each axis.
fn count(el: El<'_>) -> Option<[usize; 3]> {
    if el.attr("count").is_none() {
        return Some([10; 3]);
    }
    let count = el.ints("count", 3, 3)?;
    if let Some(n) = count.iter().find(|n| **n < 1) {
        el.wrong("count", format!("count has {n} points"), "at least 1 along each axis");
        return None;
    }
    Some([count[0] as usize, count[1] as usize, count[2] as usize])
}

impl Comp<'_> {
    /// Reads inline points, elements and texture coordinates.
    fn numbers(&mut self) -> Option<()> {
        let el = self.el;
        let points = el.list("point").unwrap_or_default();
        if !points.len().is_multiple_of(3) {
            let message = format!("'point' has {} numbers", points.len());
            el.wrong("point", message, "expected three for each point");
            return None;
        }
        self.points = points.chunks_exact(3).map(DVec3::from_slice).collect();
        self.flex.elem = el.ints("element", 0, MAX_LIST).unwrap_or_default();
        self.flex.texcoord = el.list("texcoord").unwrap_or_default();
        let sized = [("mass", self.mass), ("inertiabox", self.inertiabox)];
        for (name, value) in sized.into_iter().filter(|(_, v)| *v < MINVAL) {
            el.wrong(name, format!("'{name}' is {value}"), "it must be positive");
        }
        if self.scale.min_element() < MINVAL {
            el.wrong("scale", "'scale' is not positive", "write positive factors");
        }
        if !(1..=3).contains(&self.flex.dim) {
            let message = format!("'dim' is {}", self.flex.dim);
            el.wrong("dim", message, "1 for lines, 2 for triangles, 3 for tetrahedra");
            return None;
        }
        let space = 2.0 * self.flex.radius + self.flex.contact.margin;
        if !self.shape.is_given() && self.spacing.min_element() < space {
            let message = format!("'spacing' is smaller than two radii and the margin, {space}");
            el.wrong("spacing", message, "raise it along every axis, or lower the radius");
        }
        let thin = self.dof == RADIAL && self.flex.dim == 3 && self.count.contains(&1);
        if thin {
            el.wrong("count", "a radial flex needs more points", "at least 2 along each axis");
        }
        Some(())
    }

    /// Validates points and elements.
    fn check(&mut self) -> Option<()> {
        let (el, n, dim) = (self.el, self.points.len(), self.flex.dim as usize);
        if matches!(self.shape, FlexcompShape::Box | FlexcompShape::Cylinder)
            || (self.shape == FlexcompShape::Grid && dim == 3)
        {
            self.flex.flatskin = true;
        }
        if n == 0 || self.flex.elem.is_empty() {
            let message = "the flexcomp has no elements";
            el.log.add(el.span(), message, "give points and elements, or a larger count");
            return None;
        }
        if !self.flex.elem.len().is_multiple_of(dim + 1) {
            let message = format!("the elements have {} vertices", self.flex.elem.len());
            el.wrong("element", message, format!("expected {} for each element", dim + 1));
            return None;
        }
        if let Some(e) = self.flex.elem.iter().find(|e| usize::try_from(**e).map_or(true, |e| e >= n)) {
            let message = format!("an element has the vertex {e}, but there are {n} points");
            el.wrong("element", message, "vertices are counted from 0");
            return None;
        }
        Some(())
    }

    /// Scales given points, and transforms all points to the frame of the parent body.
    fn place(&mut self) {
        let scale = if self.shape.is_given() { self.scale } else { DVec3::ONE };
        let Pose { pos, quat } = self.pose;
        for point in &mut self.points {
            // also correct for quaternions that are not normalised
            let (axis, at) = (quat.xyz(), *point * scale);
            *point = pos + at + 2.0 * axis.cross(quat.w * at + axis.cross(at));
        }
    }

    /// Cell counts along each axis.
    fn cells(&self) -> [usize; 3] {
        self.flex.cellcount.map(|c| c.max(0) as usize)
    }

    /// Interpolation order; 0 if bodies carry the vertices directly.
    fn order(&self) -> usize {
        order_of(self.dof) as usize
    }

    fn full_base(&self, name: String) -> Base {
        let mut at = At::default();
        at.element = self.el.span();
        Base { name, scope: self.context.scope, at }
    }

    fn parent(&self, reader: &Reader<'_>) -> Ref {
        Ref { name: reader.spec.bodies[self.context.body].base.name.clone(), span: self.el.span() }
    }

    /// Adds a body with slide joints along the given axes.
    fn add_body(&self, reader: &mut Reader<'_>, name: &str, pos: DVec3, mass: f64, axes: &[DVec3]) -> Ref {
        let base = self.full_base(name.to_owned());
        let inertia = vec![mass * (2.0 * self.inertiabox * self.inertiabox) / 3.0; 3];
        let pose = Pose { pos, ..Pose::default() };
        let inertial = Inertial { pose: Pose::default(), mass, inertia, at: base.at.clone() };
        let parent = self.context.body;
        let body = Body { base, parent, pose, own: pose, inertial: Some(inertial), ..Body::default() };
        reader.spec.bodies.push(body);
        let class = &reader.classes.0[self.context.body_class];
        for &axis in axes {
            let mut joint = Joint { body: reader.spec.bodies.len() - 1, ..class.joint.clone() };
            (joint.kind, joint.pos, joint.axis) = (JointType::SLIDE, DVec3::ZERO, axis);
            joint.base.scope = self.context.scope;
            reader.spec.joints.push(joint);
        }
        Ref { name: name.to_owned(), span: self.el.span() }
    }
}
