//! Checks of the data that sensors and rays index, in a model from a file.

use crate::model::Model;
use crate::model::features::{has_field, is_enclosable, is_sensed_part};
use crate::model::history::HistoryBuffer;
use crate::schema::CELLS;
use crate::schema::enums::{geom, joint, object};
use crate::schema::kinds::Kind;
use crate::schema::sensors::sensor;
use crate::schema::sensors::{CONTACT_DATA, RAY_DATA};
use crate::schema::sensors::{OBJECT_KINDS, SENSORS};

use super::ReadResult;

/// Checks sensors, meshes and height fields.
pub(crate) fn check(m: &Model) -> ReadResult<()> {
    for s in 0..m.sizes.nsensor {
        if !is_sound(m, s) {
            return Err(format!("has sensor {s} in the wrong place, or of the wrong size or object"));
        }
    }
    histories(m)?;
    meshes(m)
}

/// Checks that the histories of actuators, then of sensors, follow each other, and that only what has samples has one.
fn histories(m: &Model) -> ReadResult<()> {
    let rings = (0..m.sizes.nactuator).map(|a| {
        let samples = m.actuator_history[2 * a] > 0;
        (HistoryBuffer::of_actuator(m, a), m.actuator_historyadr[a], samples, m.actuator_delay[a])
    });
    let rings = rings.chain((0..m.sizes.nsensor).map(|s| {
        let samples = m.sensor_history[2 * s] > 0;
        (HistoryBuffer::of_sensor(m, s), m.sensor_historyadr[s], samples, m.sensor_delay[s])
    }));
    let mut next = 0;
    for (ring, adr, samples, delay) in rings {
        let place = ring.map_or((next, next), |ring| (ring.at, ring.end()));
        if (adr >= 0) != samples || delay > 0.0 && !samples || place.0 < next || place.1 > m.sizes.nhistory {
            return Err(format!("has a history at {adr} that is not there"));
        }
        next = place.1;
    }
    Ok(())
}

/// True if a sensor measures an object that its type allows, and has room for its outputs.
fn is_sound(m: &Model, s: usize) -> bool {
    let kind = m.sensor_type[s];
    let Some(rule) = usize::try_from(kind).ok().and_then(|k| SENSORS.get(k)) else { return false };
    let (of, id) = (m.sensor_objtype[s], m.sensor_objid[s]);
    let (by, reference) = (m.sensor_reftype[s], m.sensor_refid[s]);
    let framed =
        |kind: i32| [object::BODY, object::XBODY, object::GEOM, object::SITE, object::CAMERA].contains(&kind);
    let bits = m.sensor_intprm[3 * s];
    let given = |fields: &[(&str, i32)]| {
        fields
            .iter()
            .enumerate()
            .filter(|(i, _)| bits >> i & 1 != 0)
            .map(|(_, f)| i64::from(f.1))
            .sum::<i64>()
    };
    let mut dim = i64::from(rule.dim);
    let sound = match kind {
        sensor::RANGEFINDER => {
            let mut rays = 1;
            if of == object::CAMERA && id >= 0 {
                let size = &m.cam_resolution[2 * id as usize..2 * id as usize + 2];
                rays = if size[0] < 0 || size[1] < 0 { -1 } else { i64::from(size[0]) * i64::from(size[1]) };
            }
            dim = rays * given(RAY_DATA);
            id >= 0 && (of == object::SITE || of == object::CAMERA)
        }
        sensor::CAMPROJECTION => of == object::SITE && id >= 0 && by == object::CAMERA && reference >= 0,
        sensor::INSIDESITE => {
            let placed = framed(of) && id >= 0 && by == object::SITE && reference >= 0;
            placed && (bits == 0 || can_be_enclosed(m, of, id as usize))
        }
        sensor::FRAMEPOS..=sensor::FRAMEANGACC => framed(of) && id >= 0 && (reference < 0 || framed(by)),
        sensor::DISTANCE | sensor::NORMAL | sensor::FROMTO => {
            let solid = |kind: i32| kind == object::GEOM || kind == object::BODY;
            solid(of) && id >= 0 && solid(by) && reference >= 0
        }
        sensor::CONTACT => {
            let slots = m.sensor_intprm[3 * s + 2];
            dim = given(CONTACT_DATA) * i64::from(slots);
            let solid = |kind: i32| [object::BODY, object::XBODY, object::GEOM].contains(&kind);
            let none = |kind: i32, id: i32| kind == object::NONE && id < 0;
            let first = (solid(of) || of == object::SITE) && id >= 0 || none(of, id);
            slots > 0 && first && (solid(by) && reference >= 0 || none(by, reference))
        }
        sensor::BALLQUAT | sensor::BALLANGVEL => of == 3 && id >= 0 && m.jnt_type[id as usize] == joint::BALL,
        sensor::ACTUATORPOS..=sensor::ACTUATORFRC => {
            let sound = of == Kind::Actuator.number() && id >= 0;
            dim = if sound { i64::from(m.actuator_outnum[id as usize]) } else { -1 };
            sound
        }
        sensor::TACTILE => {
            let sound = of == Kind::Mesh.number() && id >= 0 && by == object::GEOM && reference >= 0;
            dim = if sound { tactile_outputs(m, id as usize) } else { -1 };
            sound
        }
        // sized differently, or refused before anything is measured
        sensor::PLUGIN => {
            let grid =
                usize::try_from(m.sensor_plugin[s]).ok().and_then(|p| m.plugin_prm.get(6 * p..6 * p + 3));
            let counts = grid.filter(|g| g.iter().all(|n| n.fract() == 0.0 && (1.0..=1e4).contains(n)));
            dim = counts.map_or(-1, |g| g[0] as i64 * g[1] as i64 * g[2] as i64);
            of == object::SITE && id >= 0 && counts.is_some_and(|g| g[0] <= 6.0)
        }
        sensor::USER => {
            dim = i64::from(m.sensor_dim[s]);
            true
        }
        _ if rule.attr.is_empty() => true,
        _ => {
            let wanted = OBJECT_KINDS.iter().find(|k| k.0 == rule.attr).map_or(0, |k| k.1);
            // the kind "body" stands for the body frame too
            (of == wanted || (wanted == object::BODY && of == object::XBODY)) && id >= 0
        }
    };
    let adr = i64::from(m.sensor_adr[s]);
    sound
        && dim >= 0
        && dim == i64::from(m.sensor_dim[s])
        && adr >= 0
        && adr + dim <= m.sizes.nsensordata as i64
}

/// True if all that belongs to an object has a shape that a site can enclose, and something does.
fn can_be_enclosed(m: &Model, kind: i32, id: usize) -> bool {
    if kind == object::SITE {
        return true;
    }
    let mut parts = (0..m.sizes.ngeom).filter(|g| is_sensed_part(m, kind, id, *g)).peekable();
    kind != object::CAMERA && parts.peek().is_some() && parts.all(|g| is_enclosable(m.geom_type[g]))
}

/// Outputs of a tactile sensor of a mesh, three for each vertex; -1 if its normals are not there.
fn tactile_outputs(m: &Model, mesh: usize) -> i64 {
    let (first, normals) = (i64::from(m.mesh_normaladr[mesh]), i64::from(m.mesh_normalnum[mesh]));
    let placed =
        normals >= 0 && (normals == 0 || first >= 0) && first + normals <= m.sizes.nmeshnormal as i64;
    if placed { 3 * i64::from(m.mesh_vertnum[mesh]) } else { -1 }
}

/// Checks that triangles refer to vertices of their mesh, and heights to their field.
fn meshes(m: &Model) -> ReadResult<()> {
    let within = |first: i32, count: i64, most: usize| {
        count >= 0 && (count == 0 || first >= 0) && i64::from(first) + count <= most as i64
    };
    for mesh in 0..m.sizes.nmesh {
        let (face, faces) = (m.mesh_faceadr[mesh], m.mesh_facenum[mesh]);
        let (vert, verts) = (m.mesh_vertadr[mesh], m.mesh_vertnum[mesh]);
        let placed = within(face, i64::from(faces), m.sizes.nmeshface)
            && within(vert, i64::from(verts), m.sizes.nmeshvert);
        let corners = || {
            let first = 3 * face.max(0) as usize;
            m.mesh_face[first..first + 3 * faces as usize].iter().all(|&v| v >= 0 && v < verts)
        };
        if !placed || !corners() || !hull(m, mesh) || !tree(m, mesh) || !octree(m, mesh) {
            return Err(format!("has mesh {mesh} with triangles that are not its own"));
        }
    }
    for field in 0..m.sizes.nhfield {
        let (rows, cols) = (i64::from(m.hfield_nrow[field]), i64::from(m.hfield_ncol[field]));
        if rows < 2 || cols < 2 || !within(m.hfield_adr[field], rows * cols, m.sizes.nhfielddata) {
            return Err(format!("has height field {field} with heights that are not its own"));
        }
    }
    let bare =
        |g: &usize| [geom::MESH, geom::HFIELD, geom::SDF].contains(&m.geom_type[*g]) && m.geom_dataid[*g] < 0;
    if let Some(g) = (0..m.sizes.ngeom).find(bare) {
        return Err(format!("has geom {g} of a mesh or height field that is not there"));
    }
    match (0..m.sizes.ngeom).find(|g| m.geom_type[*g] == geom::SDF && !has_field(m, *g)) {
        Some(g) => Err(format!("has geom {g} of a signed distance field that is not there")),
        None => Ok(()),
    }
}

/// True if the hull and the polygons of a mesh refer to its vertices, and all neighbour lists end.
fn hull(m: &Model, mesh: usize) -> bool {
    let id = |x: i32| usize::try_from(x).unwrap_or(usize::MAX);
    let (vert, verts) = (id(m.mesh_vertadr[mesh]), id(m.mesh_vertnum[mesh]));
    let part = |first: i32, count: usize, most: usize| {
        id(first).checked_add(count).filter(|end| *end <= most).map(|end| end - count..end)
    };
    // polygons: at least three vertices of the mesh each
    let (polygon, polygons) = (m.mesh_polyadr[mesh], id(m.mesh_polynum[mesh]));
    let Some(mut own) = part(polygon, polygons, m.sizes.nmeshpoly) else { return false };
    let cornered = own.all(|p| {
        let count = id(m.mesh_polyvertnum[p]);
        let corners = part(m.mesh_polyvertadr[p], count, m.sizes.nmeshpolyvert);
        count >= 3 && corners.is_some_and(|mut c| c.all(|k| id(m.mesh_polyvert[k]) < verts))
    });
    // the polygons at each vertex
    let mapped = (vert..vert + verts).all(|v| {
        let list = part(m.mesh_polymapadr[v], id(m.mesh_polymapnum[v]), m.sizes.nmeshpolymap);
        list.is_some_and(|mut list| list.all(|k| id(m.mesh_polymap[k]) < polygons))
    });
    if m.mesh_graphadr[mesh] < 0 {
        return verts > 0 && cornered && mapped;
    }
    // the graph: counts, starts of lists, vertices, lists that end
    let Some(graph) = m.mesh_graph.get(id(m.mesh_graphadr[mesh])..) else { return false };
    let (Some(&count), Some(&faces)) = (graph.first(), graph.get(1)) else { return false };
    let (count, faces) = (id(count), id(faces));
    if count == 0 || count > graph.len() || faces > graph.len() || graph.len() < 2 + 3 * count + 6 * faces {
        return false;
    }
    let edges = &graph[2 + 2 * count..2 + 3 * count + 3 * faces];
    let joined = graph[2..2 + count].iter().all(|&start| {
        let list = edges.get(id(start)..).unwrap_or_default();
        let end = list.iter().position(|&e| e < 0);
        end.is_some_and(|end| list[..end].iter().all(|&e| id(e) < count))
    });
    let placed = graph[2 + count..2 + 2 * count].iter().all(|&v| id(v) < verts);
    // the support vertices of each cell of directions, or where a search begins
    let Some(supports) = m.mesh_support.get(id(m.mesh_supportadr[mesh])..) else { return false };
    let Some((begins, vertices)) = supports.split_at_checked(CELLS + 1) else { return false };
    let supported =
        begins.windows(2).all(|ends| match vertices.get(id(ends[0])..id(ends[1])).unwrap_or_default() {
            [] => false,
            [start] if *start < 0 => id(-1 - start) < count,
            all => all.iter().all(|&v| id(v) < verts),
        });
    cornered && mapped && joined && placed && supported
}

/// True if the cells of a mesh's octree are there, and every descent ends: children follow their parents.
fn octree(m: &Model, mesh: usize) -> bool {
    let (first, cells) = (i64::from(m.mesh_octadr[mesh]), i64::from(m.mesh_octnum[mesh]));
    if first < 0 {
        return cells == 0;
    }
    let placed = cells > 0 && first + cells <= m.sizes.noct as i64;
    placed
        && (0..cells).all(|k| {
            let at = 8 * (first + k) as usize;
            let children = m.oct_child[at..at + 8].iter().map(|c| i64::from(*c));
            let leaf = m.oct_child[at] < 0;
            children.into_iter().all(|child| if leaf { child == -1 } else { child > k && child < cells })
        })
}

/// True if the bounding volume hierarchy of a mesh refers to its faces, and every traversal ends.
fn tree(m: &Model, mesh: usize) -> bool {
    let (first, nodes) = (i64::from(m.meshbvh_adr[mesh]), i64::from(m.meshbvh_num[mesh]));
    let faces = i64::from(m.mesh_facenum[mesh]);
    if first < 0 || nodes < 0 || first + nodes > m.sizes.nmeshbvh as i64 {
        return false;
    }
    let walked = (0..nodes).all(|k| {
        let n = (first + k) as usize;
        let (adr, count) = (i64::from(m.meshbvh_faceadr[n]), i64::from(m.meshbvh_facenum[n]));
        let skip = i64::from(m.meshbvh_skip[n]);
        skip > k && skip <= nodes && adr >= 0 && count >= 0 && adr + count <= faces
    });
    let face = m.mesh_faceadr[mesh].max(0) as usize;
    walked && m.meshbvh_face[face..face + faces as usize].iter().all(|&f| f >= 0 && i64::from(f) < faces)
}
