//! What meets at the edges, vertices and bodies of deformable bodies, and what they may touch: lists in which kernels find what
//! the CPU meets on its way through elements, bodies and geoms.

use super::Model;
use super::patches::{MOST_NODES, patches};
use crate::schema::Sizes;
use crate::schema::enums::{geom, selfcollide};

/// Slots of an edge in `flexedge_side`: the edges of a tetrahedron.
const SIDES: i32 = 6;
/// Slots of a hinge in `flexvert_hinge`: its vertices.
const SLOTS: i32 = 4;
/// Numbers of an inner vertex of a rod in `flex_bending`.
const BEND: usize = 4;
/// Numbers of an edge of a shell between nodes in `flex_bending`.
const FOLD: usize = 10;
/// Edges of an element, by its dimension.
const EDGES: [usize; 3] = [1, 3, 6];

/// Entries in groups: the first of each group, their number, and all of them.
#[derive(Debug, PartialEq, Eq)]
pub struct Grouped {
    /// First entry of each group.
    pub adr: Vec<i32>,
    /// Entries of each group.
    pub num: Vec<i32>,
    /// All entries, those of a group in the order in which they came.
    pub list: Vec<i32>,
}

impl Grouped {
    fn new(groups: usize, entries: &[(usize, i32)]) -> Self {
        let mut num = vec![0; groups];
        entries.iter().for_each(|(group, _)| num[*group] += 1);
        let ends = num.iter().scan(0, |end, n| {
            *end += n;
            Some(*end)
        });
        let adr: Vec<i32> = ends.zip(&num).map(|(end, n)| end - n).collect();
        let (mut next, mut list) = (adr.clone(), vec![0; entries.len()]);
        for (group, entry) in entries {
            list[next[*group] as usize] = *entry;
            next[*group] += 1;
        }
        Self { adr, num, list }
    }
}

/// Cells and faces of flexes between nodes, and what meets there.
#[derive(Debug, PartialEq, Eq)]
pub struct Patches {
    /// Those of each flex: the first of them, and their number.
    pub of_flex: (Vec<i32>, Vec<i32>),
    /// Axis of the normal of each face; -1 of a cell.
    pub normal: Vec<i32>,
    /// Nodes of each.
    pub nodes: Grouped,
    /// Those at each node, with the place of the node in them.
    pub around: Grouped,
    /// Edges about which the faces of each flex bend: the first of them, and their number.
    pub folds_of_flex: (Vec<i32>, Vec<i32>),
    /// Edges about which each face bends, and which of the two faces it is.
    pub folds: Grouped,
    /// Nodes on each body.
    pub on_body: Grouped,
}

impl Patches {
    /// The lists of a model whose flexes are sound.
    fn of(m: &Model) -> Self {
        let n: &Sizes = &m.sizes;
        let (mut of_flex, mut folds_of_flex) = (Vec::new(), Vec::new());
        let [mut nodes, mut around, mut folds] = [const { Vec::new() }; 3];
        let (mut normal, mut count, mut fold) = (Vec::new(), 0, 0);
        for f in 0..n.nflex {
            let (first, first_fold) = (count, fold);
            for patch in if m.flex_interp[f] == 0 { Vec::new() } else { patches(m, f) } {
                normal.push(patch.normal);
                for (place, node) in patch.nodes.into_iter().enumerate() {
                    nodes.push((count, node));
                    around.push((node as usize, (MOST_NODES * count + place) as i32));
                }
                count += 1;
            }
            let bending = usize::try_from(m.flex_bendingadr[f]).ok().filter(|_| m.flex_interp[f] < 0);
            for k in 0..bending.map_or(0, |adr| m.flex_bending[adr] as usize) {
                let record = &m.flex_bending[bending.unwrap_or(0) + 1 + FOLD * k..];
                for side in 0..2 {
                    folds.push((first + record[side] as usize, (2 * fold + side) as i32));
                }
                fold += 1;
            }
            of_flex.push((first as i32, (count - first) as i32));
            folds_of_flex.push((first_fold as i32, (fold - first_fold) as i32));
        }
        let bodies = m.flex_nodebodyid.iter().zip(0..).map(|(body, node)| (*body as usize, node));
        Self {
            of_flex: of_flex.into_iter().unzip(),
            normal,
            nodes: Grouped::new(count, &nodes),
            around: Grouped::new(n.nflexnode, &around),
            folds_of_flex: folds_of_flex.into_iter().unzip(),
            folds: Grouped::new(count, &folds),
            on_body: Grouped::new(n.nbody, &bodies.collect::<Vec<_>>()),
        }
    }
}

/// The lists of a model, which follow from its flexes.
#[derive(Debug, PartialEq, Eq)]
pub struct Incidence {
    /// Sides of elements at each edge.
    pub sides: Grouped,
    /// Ends of edges at each vertex.
    pub ends: Grouped,
    /// Vertices of hinges at each vertex.
    pub hinges: Grouped,
    /// Vertices on each body.
    pub verts: Grouped,
    /// Edges between vertices of different bodies, flex by flex, and their number in each flex.
    pub tied: (Vec<i32>, Vec<i32>),
    /// Vertices whose strain something changes, flex by flex, and their number in each flex.
    pub tied_verts: (Vec<i32>, Vec<i32>),
    /// Cells and faces.
    pub patches: Patches,
}

impl Incidence {
    /// The lists of a model whose flexes are sound.
    pub fn of(m: &Model) -> Self {
        let n: &Sizes = &m.sizes;
        let [mut sides, mut ends, mut hinges, mut verts] = [const { Vec::new() }; 4];
        for f in 0..n.nflex {
            let (first_edge, first_vert) = (m.flex_edgeadr[f] as usize, m.flex_vertadr[f] as usize);
            let count = EDGES[m.flex_dim[f] as usize - 1];
            for k in 0..m.flex_elemnum[f] as usize * count {
                let edge = first_edge + m.flex_elemedge[m.flex_elemedgeadr[f] as usize + k] as usize;
                sides.push((edge, SIDES * (k / count) as i32 + (k % count) as i32));
            }
            for edge in first_edge..first_edge + m.flex_edgenum[f] as usize {
                for end in 0..2 {
                    ends.push((first_vert + m.flex_edge[2 * edge + end] as usize, (2 * edge + end) as i32));
                }
            }
            if m.flex_interp[f] == 0 && m.flex_bendingadr[f] >= 0 {
                bends(m, f, &mut hinges);
            }
            for vert in first_vert..first_vert + m.flex_vertnum[f] as usize {
                if let Ok(body) = usize::try_from(m.flex_vertbodyid[vert]) {
                    verts.push((body, vert as i32));
                }
            }
        }
        let tied = chosen(n.nflexedge, (&m.flex_edgeadr, &m.flex_edgenum), |f, edge| {
            m.flex_interp[f] == 0 && m.flexedge_rigid[edge] == 0
        });
        let tied_verts = chosen(n.nflexvert, (&m.flex_vertadr, &m.flex_vertnum), |_, vert| {
            m.flexvert_J_rownnz[2 * vert] > 0
        });
        let mut verts = Grouped::new(n.nbody, &verts);
        // vertices between nodes are on no body
        verts.list.resize(n.nflexvert, 0);
        Self {
            sides: Grouped::new(n.nflexedge, &sides),
            ends: Grouped::new(n.nflexvert, &ends),
            hinges: Grouped::new(n.nflexvert, &hinges),
            verts,
            tied,
            tied_verts,
            patches: Patches::of(m),
        }
    }
}

/// Those of each flex that are chosen, with -1 behind them, and their number; all are counted over all flexes.
fn chosen(
    count: usize,
    (adr, num): (&[i32], &[i32]),
    is_chosen: impl Fn(usize, usize) -> bool,
) -> (Vec<i32>, Vec<i32>) {
    let (mut list, mut numbers) = (vec![-1; count], vec![0; adr.len()]);
    for f in 0..adr.len() {
        let (first, end) = (adr[f] as usize, (adr[f] + num[f]) as usize);
        for (k, id) in (first..end).filter(|id| is_chosen(f, *id)).enumerate() {
            list[first + k] = id as i32;
            numbers[f] += 1;
        }
    }
    (list, numbers)
}

/// Lists the vertices of all hinges of a flex: of the inner edges of a shell, or of the inner vertices of a rod.
fn bends(m: &Model, f: usize, hinges: &mut Vec<(usize, i32)>) {
    let first = m.flex_vertadr[f] as usize;
    if m.flex_dim[f] == 2 {
        let edges = m.flex_edgeadr[f]..m.flex_edgeadr[f] + m.flex_edgenum[f];
        for edge in edges {
            let at = 2 * edge as usize;
            let (ends, flaps) = (&m.flex_edge[at..at + 2], &m.flex_edgeflap[at..at + 2]);
            if flaps.iter().all(|flap| *flap >= 0) {
                let verts = ends.iter().chain(flaps);
                hinges.extend(verts.zip(0..).map(|(v, slot)| (first + *v as usize, SLOTS * edge + slot)));
            }
        }
        return;
    }
    let adr = m.flex_bendingadr[f] as usize;
    for k in 0..m.flex_bending[adr] as usize {
        let verts = &m.flex_bending[adr + 1 + BEND * k..adr + BEND * (k + 1)];
        let of_rod = verts.iter().zip(0..);
        hinges.extend(of_rod.map(|(v, slot)| (first + *v as usize, SLOTS * k as i32 + slot)));
    }
}

/// Pairs of geoms and flexes that can collide, and of flexes, in the order of their contacts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FlexPairs {
    /// Geom, or -1 where both are flexes.
    pub geom: Vec<i32>,
    /// Flexes, of which the first is -1 where there is a geom; of one with itself twice the same.
    pub flex: Vec<i32>,
    /// Number of candidates whose contacts come before.
    pub candidate: Vec<i32>,
}

impl FlexPairs {
    /// The pairs of a model whose candidates are known: those of a body's geoms stand behind the candidates of which it is the
    /// lower body, planes first; two flexes stand at the end, and then flexes with themselves.
    pub fn of(m: &Model) -> Self {
        let mut pairs = Self::default();
        let n = &m.sizes;
        if n.nflex == 0 {
            return pairs;
        }
        let body = |g: i32| usize::try_from(g).map_or(0, |g| m.geom_bodyid[g] as usize);
        let lower = |c: usize| body(m.candidate_geom1[c]).min(body(m.candidate_geom2[c]));
        let mut next = 0;
        for b in 0..n.nbody {
            while next < n.ncandidate && lower(next) <= b {
                next += 1;
            }
            let first = m.body_geomadr[b].max(0) as usize;
            let geoms = first..first + m.body_geomnum[b] as usize;
            let is_plane = |g: &usize| m.geom_type[*g] == geom::PLANE;
            let ordered: Vec<usize> =
                geoms.clone().filter(is_plane).chain(geoms.filter(|g| !is_plane(g))).collect();
            for f in 0..n.nflex {
                for &g in &ordered {
                    let types = (m.geom_contype[g] & m.flex_conaffinity[f])
                        | (m.flex_contype[f] & m.geom_conaffinity[g]);
                    if types != 0 {
                        pairs.add(g as i32, [-1, f as i32], next);
                    }
                }
            }
        }
        let meets = |one: usize, two: usize| {
            (m.flex_contype[one] & m.flex_conaffinity[two]) | (m.flex_contype[two] & m.flex_conaffinity[one])
                != 0
        };
        for one in 0..n.nflex {
            for two in (one + 1..n.nflex).filter(|two| meets(one, *two)) {
                pairs.add(-1, [one as i32, two as i32], n.ncandidate);
            }
        }
        for f in 0..n.nflex {
            if meets(f, f) && m.flex_rigid[f] == 0 && m.flex_selfcollide[f] != selfcollide::NONE {
                pairs.add(-1, [f as i32; 2], n.ncandidate);
            }
        }
        pairs
    }

    fn add(&mut self, geom: i32, flex: [i32; 2], candidate: usize) {
        self.geom.push(geom);
        self.flex.extend(flex);
        self.candidate.push(candidate as i32);
    }
}
