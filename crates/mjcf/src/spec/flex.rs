//! Deformable bodies.

use super::base::{Base, Ref};

/// Contact parameters of a flex.
#[derive(Clone, Debug)]
pub struct FlexContact {
    /// Contact type.
    pub contype: i32,
    /// Contact affinity.
    pub conaffinity: i32,
    /// Contact dimensions.
    pub condim: i32,
    /// Contact priority.
    pub priority: i32,
    /// Friction.
    pub friction: [f64; 3],
    /// Mixing weight.
    pub solmix: f64,
    /// Solver reference of contacts.
    pub solref: [f64; 2],
    /// Solver impedance of contacts.
    pub solimp: [f64; 5],
    /// Margin.
    pub margin: f64,
    /// Gap.
    pub gap: f64,
    /// Self-collision, as `flex_selfcollide`.
    pub selfcollide: i32,
    /// Number of element layers that collide, from the surface; 3D only.
    pub activelayers: i32,
    /// Contacts are passive forces, not constraints.
    pub passive: bool,
}

/// Material of a flex.
#[derive(Clone, Debug)]
pub struct Elasticity {
    /// Young's modulus.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Rayleigh damping.
    pub damping: f64,
    /// Thickness of 2D elements; -1 if unset.
    pub thickness: f64,
    /// Elastic forces of 2D elements: 0 none, 1 bending, 2 stretching, 3 both.
    pub elastic2d: i32,
    /// Cross section of 1D elements: 0 circle, 1 box.
    pub section: i32,
    /// Half sizes of a box section.
    pub sectionsize: [f64; 2],
}

/// A deformable body: vertices attached to bodies, and elements between them.
#[derive(Clone, Debug)]
pub struct Flex {
    /// Name and source location.
    pub base: Base,
    /// Contacts.
    pub contact: FlexContact,
    /// Material.
    pub elasticity: Elasticity,
    /// Edge stiffness.
    pub edge_stiffness: f64,
    /// Edge damping.
    pub edge_damping: f64,
    /// Dimension of elements: 1 lines, 2 triangles, 3 tetrahedra.
    pub dim: i32,
    /// Radius around elements.
    pub radius: f64,
    /// Display group.
    pub group: i32,
    /// Colour.
    pub rgba: [f64; 4],
    /// Material for display.
    pub material: Ref,
    /// Flat shading.
    pub flatskin: bool,
    /// Interpolation between nodes: 0 none, 1 linear, 2 quadratic.
    pub order: i32,
    /// Cells of the node grid along each axis.
    pub cellcount: [i32; 3],
    /// Bodies of the vertices: one for all, or one per vertex.
    pub vert_body: Vec<Ref>,
    /// Bodies of the nodes.
    pub node_body: Vec<Ref>,
    /// Vertex positions in their bodies, three numbers each; empty if all are at the origins.
    pub vert: Vec<f64>,
    /// Node positions in their bodies, three numbers each; empty if all are at the origins.
    pub node: Vec<f64>,
    /// Element vertices, dim + 1 each.
    pub elem: Vec<i32>,
    /// Texture coordinates, two numbers each.
    pub texcoord: Vec<f64>,
    /// Texture coordinate indices of element corners.
    pub elemtexcoord: Vec<i32>,
}

impl Flex {
    /// True if the vertices are interpolated from nodes.
    pub fn interpolated(&self) -> bool {
        !self.node_body.is_empty()
    }
}
