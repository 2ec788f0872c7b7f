//! Flexes in the model.

use glam::DVec3;

use crate::compile::Build;
use crate::spec::{Flex, Kind};
use manyworlds_model::model::Model;
use manyworlds_model::model::incidence::{Incidence, Patches};
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::Sizes;

use super::CompiledFlex;
use super::jacobian::{constrains_vertices, jacobians};
use super::plane::vertex_metrics;

impl Build<'_> {
    /// Adds the sizes of all flexes.
    pub(in crate::compile) fn flex_sizes(&self, n: &mut Sizes) {
        n.nflex = self.compiled_flexes.len();
        for (compiled_flex, flex) in self.compiled_flexes.iter().zip(&self.spec.flexes) {
            n.nflexvert += compiled_flex.vert.len();
            n.nflexnode += compiled_flex.node.len();
            n.nflexedge += compiled_flex.mesh.edge.len();
            n.nflexelem += compiled_flex.mesh.layer.len();
            n.nflexelemdata += compiled_flex.mesh.elem.len();
            n.nflexelemedge += compiled_flex.mesh.elem_edge.len();
            n.nflexshelldata += compiled_flex.mesh.shell.len();
            n.nflextexcoord += flex.texcoord.len() / 2;
            n.nflexstiffness += compiled_flex.stiffness.len();
            n.nflexbending += compiled_flex.bending.len();
        }
    }

    /// Fills the flex fields.
    pub(in crate::compile) fn flexes(&mut self) {
        let compiled_flexes = std::mem::take(&mut self.compiled_flexes);
        let mut adr = Sizes::default();
        for (f, compiled_flex) in compiled_flexes.iter().enumerate() {
            let flex = &self.spec.flexes[f];
            self.flex_numbers(f, flex, compiled_flex.tied);
            self.flex_addresses(f, flex, compiled_flex, &adr);
            self.flex_vertices(f, flex, compiled_flex, &adr);
            self.flex_elements(flex, compiled_flex, &adr);
            self.flex_textures(flex, compiled_flex, &adr);
            adr.nflexvert += compiled_flex.vert.len();
            adr.nflexnode += compiled_flex.node.len();
            adr.nflexedge += compiled_flex.mesh.edge.len();
            adr.nflexelem += compiled_flex.mesh.layer.len();
            adr.nflexelemdata += compiled_flex.mesh.elem.len();
            adr.nflexelemedge += compiled_flex.mesh.elem_edge.len();
            adr.nflexshelldata += compiled_flex.mesh.shell.len();
            adr.nflextexcoord += flex.texcoord.len() / 2;
            adr.nflexstiffness += compiled_flex.stiffness.len();
            adr.nflexbending += compiled_flex.bending.len();
        }
        self.compiled_flexes = compiled_flexes;
        self.check_flex_options();
        self.vertex_constraints();
        jacobians(&mut self.model);
        incidence(&mut self.model);
    }

    /// Fills what constraints of vertices need.
    fn vertex_constraints(&mut self) {
        vertex_edges(&mut self.model);
        for (f, compiled_flex) in self.compiled_flexes.iter().enumerate() {
            if constrains_vertices(&self.model, f) {
                let turn = compiled_flex.turn.conjugate();
                let places: Vec<DVec3> = compiled_flex.vert.iter().map(|&v| turn * v).collect();
                vertex_metrics(&mut self.model, f, &places);
            }
        }
    }

    fn flex_numbers(&mut self, f: usize, flex: &Flex, tied: i32) {
        let material = (!flex.material.name.is_empty())
            .then(|| self.resolve(Kind::Material, &flex.material, flex.base.scope))
            .flatten();
        let (m, c, e) = (&mut self.model, &flex.contact, &flex.elasticity);
        m.flex_contype[f] = c.contype;
        m.flex_conaffinity[f] = c.conaffinity;
        m.flex_condim[f] = c.condim;
        m.flex_priority[f] = c.priority;
        m.flex_solmix[f] = c.solmix;
        m.flex_solref[2 * f..2 * f + 2].copy_from_slice(&c.solref);
        m.flex_solimp[5 * f..5 * f + 5].copy_from_slice(&c.solimp);
        m.flex_friction[3 * f..3 * f + 3].copy_from_slice(&c.friction);
        m.flex_margin[f] = c.margin;
        m.flex_gap[f] = c.gap;
        m.flex_selfcollide[f] = c.selfcollide;
        m.flex_activelayers[f] = c.activelayers;
        m.flex_passive[f] = i32::from(c.passive);
        m.flex_dim[f] = flex.dim;
        m.flex_matid[f] = material.map_or(-1, |i| i as i32);
        m.flex_group[f] = flex.group;
        m.flex_interp[f] = if flex.is_shell() { -flex.order } else { flex.order };
        m.flex_cellnum[3 * f..3 * f + 3].copy_from_slice(&flex.cellcount);
        m.flex_radius[f] = flex.radius;
        m.flex_damping[f] = e.damping;
        m.flex_edgestiffness[f] = flex.edge_stiffness;
        m.flex_edgedamping[f] = flex.edge_damping;
        m.flex_edgeequality[f] = tied;
        m.flex_flatskin[f] = i32::from(flex.flatskin);
        m.flex_rgba[4 * f..4 * f + 4].copy_from_slice(&flex.rgba.map(|x| f64::from(x as f32)));
    }

    fn flex_addresses(&mut self, f: usize, flex: &Flex, compiled_flex: &CompiledFlex, adr: &Sizes) {
        let m = &mut self.model;
        m.flex_rigid[f] = i32::from(compiled_flex.rigid);
        m.flex_centered[f] = i32::from(compiled_flex.centered);
        m.flex_vertadr[f] = adr.nflexvert as i32;
        m.flex_vertnum[f] = compiled_flex.vert.len() as i32;
        m.flex_nodeadr[f] = adr.nflexnode as i32;
        m.flex_nodenum[f] = compiled_flex.node.len() as i32;
        m.flex_edgeadr[f] = adr.nflexedge as i32;
        m.flex_edgenum[f] = compiled_flex.mesh.edge.len() as i32;
        m.flex_elemadr[f] = adr.nflexelem as i32;
        m.flex_elemnum[f] = compiled_flex.mesh.layer.len() as i32;
        m.flex_elemdataadr[f] = adr.nflexelemdata as i32;
        m.flex_elemedgeadr[f] = adr.nflexelemedge as i32;
        m.flex_shelldataadr[f] =
            if compiled_flex.mesh.shell.is_empty() { -1 } else { adr.nflexshelldata as i32 };
        m.flex_shellnum[f] = (compiled_flex.mesh.shell.len() / compiled_flex.mesh.dim.max(1)) as i32;
        let from = |list: &[f64], adr: usize| if list.is_empty() { -1 } else { adr as i32 };
        m.flex_stiffnessadr[f] = from(&compiled_flex.stiffness, adr.nflexstiffness);
        m.flex_bendingadr[f] = from(&compiled_flex.bending, adr.nflexbending);
        let copy = |to: &mut [f64], at: usize, list: &[f64]| to[at..at + list.len()].copy_from_slice(list);
        copy(&mut m.flex_stiffness, adr.nflexstiffness, &compiled_flex.stiffness);
        copy(&mut m.flex_bending, adr.nflexbending, &compiled_flex.bending);
        m.flex_texcoordadr[f] = if flex.texcoord.is_empty() { -1 } else { adr.nflextexcoord as i32 };
    }

    fn flex_vertices(&mut self, f: usize, flex: &Flex, compiled_flex: &CompiledFlex, adr: &Sizes) {
        let m = &mut self.model;
        let (vert, node) = (adr.nflexvert, adr.nflexnode);
        for (i, &b) in compiled_flex.vert_body.iter().enumerate() {
            m.flex_vertbodyid[vert + i] = if flex.interpolated() { -1 } else { b as i32 };
        }
        for (i, &b) in compiled_flex.node_body.iter().enumerate() {
            m.flex_nodebodyid[node + i] = b as i32;
            m.flex_node0[3 * (node + i)..3 * (node + i) + 3]
                .copy_from_slice(&compiled_flex.node[i].to_array());
        }
        m.flex_vert[3 * vert..3 * vert + flex.vert.len()].copy_from_slice(&flex.vert);
        m.flex_node[3 * node..3 * node + flex.node.len()].copy_from_slice(&flex.node);
        // normalised coordinates in the bounding box
        let (center, half) = compiled_flex.extent(flex.contact.activelayers);
        m.flex_size[3 * f..3 * f + 3].copy_from_slice(&half.to_array());
        let turn = compiled_flex.turn.conjugate();
        for (i, &v) in compiled_flex.vert.iter().enumerate() {
            let at = turn * v;
            for k in 0..3 {
                let inside = half[k] > MINVAL;
                let place = if inside { (at[k] - center[k]) / (2.0 * half[k]) + 0.5 } else { 0.5 };
                m.flex_vert0[3 * (vert + i) + k] = place;
            }
        }
    }

    fn flex_elements(&mut self, flex: &Flex, compiled_flex: &CompiledFlex, adr: &Sizes) {
        let (m, mesh) = (&mut self.model, &compiled_flex.mesh);
        let edge = adr.nflexedge;
        let copy = |to: &mut [i32], at: usize, from: &[i32]| to[at..at + from.len()].copy_from_slice(from);
        copy(&mut m.flex_elem, adr.nflexelemdata, &mesh.elem);
        copy(&mut m.flex_elemedge, adr.nflexelemedge, &mesh.elem_edge);
        copy(&mut m.flex_elemlayer, adr.nflexelem, &mesh.layer);
        copy(&mut m.flex_shell, adr.nflexshelldata, &mesh.shell);
        copy(&mut m.flex_edge, 2 * edge, mesh.edge.as_flattened());
        copy(&mut m.flex_edgeflap, 2 * edge, mesh.flap.as_flattened());
        for (i, ends) in mesh.edge.iter().enumerate() {
            let [a, b] = ends.map(|v| v as usize);
            let same = !flex.interpolated() && compiled_flex.vert_body[a] == compiled_flex.vert_body[b];
            // edges between nodes have no rest length
            if !flex.interpolated() {
                m.flexedge_length0[edge + i] = (compiled_flex.vert[a] - compiled_flex.vert[b]).length();
            }
            m.flexedge_rigid[edge + i] = i32::from(same);
        }
    }

    fn flex_textures(&mut self, flex: &Flex, compiled_flex: &CompiledFlex, adr: &Sizes) {
        let m = &mut self.model;
        let (at, texture) = (adr.nflexelemdata, 2 * adr.nflextexcoord);
        let count = compiled_flex.mesh.elem.len();
        let written = match (flex.elemtexcoord.is_empty(), flex.texcoord.is_empty()) {
            (false, _) => &flex.elemtexcoord,
            (true, false) => &flex.elem,
            (true, true) => &compiled_flex.mesh.elem,
        };
        let to = m.flex_elemtexcoord[at..at + count].iter_mut();
        to.zip(written).for_each(|(to, &from)| *to = from);
        for (i, &x) in flex.texcoord.iter().enumerate().take(flex.texcoord.len() / 2 * 2) {
            m.flex_texcoord[texture + i] = f64::from(x as f32);
        }
    }
}

/// Fills the edges incident to every vertex, for constraints of vertices.
fn vertex_edges(m: &mut Model) {
    let mut next = 0;
    for f in (0..m.sizes.nflex).filter(|&f| constrains_vertices(m, f)).collect::<Vec<_>>() {
        let mut around = vec![Vec::new(); m.flex_vertnum[f] as usize];
        let first = m.flex_edgeadr[f] as usize;
        for e in 0..m.flex_edgenum[f] as usize {
            for vert in [m.flex_edge[2 * (first + e)], m.flex_edge[2 * (first + e) + 1]] {
                around[vert as usize].push(e as i32);
            }
        }
        for (v, edges) in around.iter().enumerate() {
            let vert = m.flex_vertadr[f] as usize + v;
            (m.flex_vertedgeadr[vert], m.flex_vertedgenum[vert]) = (next as i32, edges.len() as i32);
            m.flex_vertedge[next..next + edges.len()].copy_from_slice(edges);
            next += edges.len();
        }
    }
}

/// Fills the lists of what meets at edges, vertices and bodies.
fn incidence(m: &mut Model) {
    let Incidence { sides, ends, hinges, verts, tied, tied_verts, patches } = Incidence::of(m);
    (m.sizes.nflexend, m.sizes.nflexhinge) = (ends.list.len(), hinges.list.len());
    (m.flexedge_sideadr, m.flexedge_sidenum, m.flexedge_side) = (sides.adr, sides.num, sides.list);
    (m.flexvert_endadr, m.flexvert_endnum, m.flexvert_end) = (ends.adr, ends.num, ends.list);
    (m.flexvert_hingeadr, m.flexvert_hingenum, m.flexvert_hinge) = (hinges.adr, hinges.num, hinges.list);
    (m.body_flexvertadr, m.body_flexvertnum, m.body_flexvert) = (verts.adr, verts.num, verts.list);
    (m.flexedge_tied, m.flex_tiednum) = tied;
    (m.flexvert_tied, m.flex_tiedvertnum) = tied_verts;
    let Patches { of_flex, normal, nodes, around, folds_of_flex, folds, on_body } = patches;
    (m.sizes.nflexpatch, m.sizes.nflexpatchnode) = (normal.len(), nodes.list.len());
    m.sizes.nflexfold = folds.list.len() / 2;
    (m.flex_patchadr, m.flex_patchnum) = of_flex;
    m.flexpatch_normal = normal;
    (m.flexpatch_nodeadr, m.flexpatch_nodenum, m.flexpatch_node) = (nodes.adr, nodes.num, nodes.list);
    (m.flexnode_patchadr, m.flexnode_patchnum, m.flexnode_patch) = (around.adr, around.num, around.list);
    (m.flex_foldadr, m.flex_foldnum) = folds_of_flex;
    (m.flexpatch_foldadr, m.flexpatch_foldnum, m.flexpatch_fold) = (folds.adr, folds.num, folds.list);
    (m.body_flexnodeadr, m.body_flexnodenum, m.body_flexnode) = (on_body.adr, on_body.num, on_body.list);
}

impl CompiledFlex {
    /// Centre and half size of the bounding box of all nodes, or of the elements in active layers.
    fn extent(&self, layers: i32) -> (DVec3, DVec3) {
        let corners = self.mesh.dim + 1;
        let active = |(e, _): &(usize, &[i32])| self.mesh.dim < 3 || self.mesh.layer[*e] < layers;
        let elements = self.mesh.elem.chunks_exact(corners).enumerate().filter(active);
        let turn = self.turn.conjugate();
        let vertices = elements.flat_map(|(_, e)| e.iter().map(|&v| turn * self.vert[v as usize]));
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let around = |(low, high): (DVec3, DVec3), p: DVec3| (low.min(p), high.max(p));
        let (low, high) = if self.node.is_empty() {
            vertices.fold(start, around)
        } else {
            self.node.iter().copied().fold(start, around)
        };
        if low.x > high.x { Default::default() } else { ((low + high) / 2.0, (high - low) / 2.0) }
    }
}
