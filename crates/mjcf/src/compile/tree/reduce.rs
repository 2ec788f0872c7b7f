//! Reductions requested by the compiler settings: discard visual geoms, fuse static bodies, align free bodies with
//! their inertial frames. Each one edits the [`Spec`].

use std::collections::HashSet;

use glam::DQuat;

use crate::spec::rotation::quat_of;
use crate::spec::{Body, Inertial, Kind, Log, Pose, Ref, Refers, Spec};
use manyworlds_model::error::Result;
use manyworlds_model::schema::enums::JointType;
use manyworlds_model::schema::sensors::SensorType;

use super::bodies::Mass;
use crate::compile::Build;

/// The reduced model; `None` if the settings change nothing.
pub(crate) fn reduce(spec: &Spec) -> Result<Option<Spec>> {
    let settings = spec.compilers.first();
    let discards = settings.is_some_and(|c| c.discardvisual);
    let fuses = settings.is_some_and(|c| c.fusestatic) && fusible(spec).iter().any(|&f| f);
    let mut reduced = None;
    if discards || fuses {
        let masses = Build::masses_of(spec)?;
        let mut new = spec.clone();
        if discards {
            discard(&mut new, &masses)?;
        }
        if fuses {
            fuse(&mut new, masses);
        }
        reduced = Some(new);
    }
    if (0..spec.bodies.len()).any(|b| is_aligned(reduced.as_ref().unwrap_or(spec), b)) {
        let mut new = reduced.unwrap_or_else(|| spec.clone());
        let masses = Build::masses_of(&new)?;
        align(&mut new, &masses);
        reduced = Some(new);
    }
    Ok(reduced)
}

/// References from the elements of all sections.
fn references(spec: &Spec) -> Vec<(Kind, &Ref, usize)> {
    let mut all = Vec::new();
    macro_rules! section {
        ($($list:ident)*) => {
            $(for item in &spec.$list {
                all.extend(item.refs().into_iter().map(|(kind, target)| (kind, target, item.base().scope)));
            })*
        };
    }
    section!(flexes pairs excludes equalities tendons actuators sensors tuples);
    for camera in &spec.cameras {
        all.push((Kind::Body, &camera.target, camera.base.scope));
    }
    for light in &spec.lights {
        all.push((Kind::Body, &light.target, light.base.scope));
    }
    for skin in &spec.skins {
        all.extend(skin.bones.iter().map(|b| (Kind::Body, &b.body, skin.base.scope)));
    }
    all.retain(|r| !r.1.name.is_empty());
    all
}

/// Referenced elements of one kind.
fn referenced(spec: &Spec, kind: Kind) -> HashSet<usize> {
    let index = crate::spec::Index::new(spec);
    let of_kind = references(spec).into_iter().filter(|r| r.0 == kind);
    of_kind.filter_map(|(kind, target, scope)| index.resolve(spec, kind, &target.name, scope)).collect()
}

/// Discards geoms that neither collide nor are referenced, with their visual assets.
fn discard(spec: &mut Spec, masses: &[Mass]) -> Result<()> {
    let needed = referenced(spec, Kind::Geom);
    let keeps = |i: usize, spec: &Spec| {
        let geom = &spec.geoms[i];
        geom.contype != 0 || geom.conaffinity != 0 || geom.fluid || needed.contains(&i)
    };
    let keep: Vec<bool> = (0..spec.geoms.len()).map(|i| keeps(i, spec)).collect();
    // bodies that lose geoms keep their inertia
    let losers: HashSet<usize> =
        (0..keep.len()).filter(|&i| !keep[i]).map(|i| spec.geoms[i].body).filter(|&b| b > 0).collect();
    let log = Log::of(&spec.sources);
    for b in losers {
        let compiler = &spec.compilers[spec.bodies[b].compiler];
        let from_geoms = compiler.inertiafromgeom;
        let groups = compiler.inertiagrouprange[0]..=compiler.inertiagrouprange[1];
        let counts = |i: usize| {
            let geom = &spec.geoms[i];
            let massive = geom.mass.map_or(geom.density > 0.0, |m| m > 0.0);
            !keep[i] && geom.body == b && massive && groups.contains(&geom.group)
        };
        if from_geoms == Some(true) && (0..keep.len()).any(counts) {
            let message = "discardvisual drops geoms that the inertia of the body is inferred from";
            let help =
                "set inertiafromgeom=\"auto\" to keep that inertia, or the mass of these geoms to zero";
            log.add(spec.bodies[b].base.at.element, message, help);
        }
        if from_geoms.is_none() && spec.bodies[b].inertial.is_none() {
            write_mass(spec, b, &masses[b]);
        }
    }
    let mut at = 0;
    spec.geoms.retain(|_| {
        at += 1;
        keep[at - 1]
    });
    drop_looks(spec);
    log.check()
}

/// Drops materials and textures that no tuple names, and meshes that no geom uses.
fn drop_looks(spec: &mut Spec) {
    let (materials, textures) = (referenced(spec, Kind::Material), referenced(spec, Kind::Texture));
    let mut at = 0;
    spec.materials.retain(|_| {
        at += 1;
        materials.contains(&(at - 1))
    });
    at = 0;
    spec.textures.retain(|_| {
        at += 1;
        textures.contains(&(at - 1))
    });
    for material in &mut spec.materials {
        material.textures = Default::default();
    }
    spec.geoms.iter_mut().for_each(|g| g.material = Ref::default());
    spec.sites.iter_mut().for_each(|s| s.material = Ref::default());
    spec.tendons.iter_mut().for_each(|t| t.material = Ref::default());
    spec.skins.iter_mut().for_each(|s| s.material = Ref::default());
    spec.flexes.iter_mut().for_each(|f| f.material = Ref::default());
    spec.lights.iter_mut().for_each(|l| l.texture = Ref::default());
}

/// Writes explicit inertia to a body, overriding its geoms.
fn write_mass(spec: &mut Spec, b: usize, mass: &Mass) {
    let body = &mut spec.bodies[b];
    if spec.compilers[body.compiler].inertiafromgeom == Some(true) {
        let mut compiler = spec.compilers[body.compiler].clone();
        compiler.inertiafromgeom = Some(false);
        spec.compilers.push(compiler);
        body.compiler = spec.compilers.len() - 1;
    }
    let at = body.inertial.as_ref().map_or_else(|| body.base.at.clone(), |i| i.at.clone());
    body.inertial = Some(Inertial {
        pose: Pose { pos: mass.pos, quat: quat_of(mass.quat) },
        mass: mass.mass,
        inertia: mass.inertia.to_vec(),
        at,
    });
}

/// Bodies that can be fused with their parents: static and unreferenced, and no part of a cable.
fn fusible(spec: &Spec) -> Vec<bool> {
    let is_plain = |b: &Body| !b.mocap && b.gravcomp == 0.0 && b.sleep == 0 && b.plugin.is_none();
    let mut fused: Vec<bool> = spec.bodies.iter().map(|b| b.fuse && is_plain(b)).collect();
    fused[0] = false;
    spec.joints.iter().for_each(|j| fused[j.body] = false);
    referenced(spec, Kind::Body).into_iter().for_each(|b| fused[b] = false);
    let index = crate::spec::Index::new(spec);
    for sensor in spec.sensors.iter().filter(|s| matches!(s.kind, SensorType::FORCE | SensorType::TORQUE)) {
        let site = sensor.object.as_ref().map(|o| &o.name);
        let site = site.and_then(|s| index.resolve(spec, Kind::Site, &s.name, sensor.base.scope));
        if let Some(site) = site {
            fused[spec.sites[site].body] = false;
        }
    }
    fused
}

/// Fuses static bodies with their parents.
fn fuse(spec: &mut Spec, mut masses: Vec<Mass>) {
    let fused = fusible(spec);
    // target body of each body, and the pose of the old body in it
    let mut target: Vec<usize> = (0..fused.len()).collect();
    let mut pose = vec![Pose::default(); fused.len()];
    let mut heavier = HashSet::new();
    for b in 1..fused.len() {
        let (parent, own) = (spec.bodies[b].parent, spec.bodies[b].pose);
        let placed = pose[parent].then(&own);
        if fused[b] {
            target[b] = target[parent];
            pose[b] = placed;
            if target[b] > 0 {
                let (head, tail) = masses.split_at_mut(b);
                if head[target[b]].add(&tail[0], &placed) {
                    heavier.insert(target[b]);
                }
            }
        } else {
            spec.bodies[b].parent = target[parent];
            spec.bodies[b].pose = placed;
        }
    }
    for b in heavier {
        write_mass(spec, b, &masses[b]);
    }
    move_elements(spec, &target, &pose);
    drop_bodies(spec, &fused, &target);
}

/// Moves elements to their target bodies. Own elements precede fused ones.
fn move_elements(spec: &mut Spec, target: &[usize], pose: &[Pose]) {
    spec.geoms.sort_by_key(|e| e.body);
    spec.sites.sort_by_key(|e| e.body);
    spec.cameras.sort_by_key(|e| e.body);
    spec.lights.sort_by_key(|e| e.body);
    for geom in &mut spec.geoms {
        geom.outer = pose[geom.body].then(&geom.outer);
        geom.body = target[geom.body];
    }
    for site in &mut spec.sites {
        site.outer = pose[site.body].then(&site.outer);
        site.body = target[site.body];
    }
    for camera in &mut spec.cameras {
        camera.pose = pose[camera.body].then(&camera.pose);
        camera.body = target[camera.body];
    }
    for light in &mut spec.lights {
        let p = pose[light.body];
        light.pos = p.pos + p.quat * light.pos;
        light.dir = p.quat * light.dir;
        light.body = target[light.body];
    }
    for frame in &mut spec.frames {
        frame.pose = pose[frame.body].then(&frame.pose);
        frame.body = target[frame.body];
    }
}

/// Removes bodies; the remaining indices are compacted.
fn drop_bodies(spec: &mut Spec, fused: &[bool], target: &[usize]) {
    let mut index = vec![0; fused.len()];
    let mut next = 0;
    for b in 0..fused.len() {
        index[b] = next;
        next += usize::from(!fused[b]);
    }
    let new = |b: usize| index[target[b]];
    let mut at = 0;
    spec.bodies.retain(|_| {
        at += 1;
        !fused[at - 1]
    });
    spec.renumber_bodies(new);
}

/// True if a body is aligned with its inertial frame: free joint, no children.
fn is_aligned(spec: &Spec, b: usize) -> bool {
    let mut joints = spec.joints.iter().filter(|j| j.body == b);
    let Some(joint) = joints.next() else {
        return false;
    };
    joint.kind == JointType::FREE
        && joint.align.unwrap_or(spec.compilers[spec.bodies[b].compiler].alignfree)
        && spec.bodies.iter().skip(1).all(|other| other.parent != b)
}

/// Moves the frames of free bodies to their centres of mass and principal axes.
fn align(spec: &mut Spec, masses: &[Mass]) {
    let mut moved = vec![Pose::default(); spec.bodies.len()];
    for b in 1..spec.bodies.len() {
        if !is_aligned(spec, b) {
            continue;
        }
        let frame = Pose { pos: masses[b].pos, quat: quat_of(masses[b].quat).normalize() };
        spec.bodies[b].pose = spec.bodies[b].pose.then(&frame);
        moved[b] = frame.inverse();
        let own = Mass {
            pos: glam::DVec3::ZERO,
            quat: crate::spec::rotation::quat_array(DQuat::IDENTITY),
            ..masses[b]
        };
        write_mass(spec, b, &own);
    }
    let same: Vec<usize> = (0..moved.len()).collect();
    move_elements(spec, &same, &moved);
}
