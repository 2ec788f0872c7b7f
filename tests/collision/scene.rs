//! A model of shape pairs in prescribed poses, and the contacts of a batch of it.

use std::fmt::Write;

use manyworlds::batch::{Backend, Batch, BatchOptions, max_capacity};
use manyworlds::cpu::math::{Mat3, Quat, Vec3, mat_row, mat3, quat_normalize, vec3};
use manyworlds::load_str;
use manyworlds::model::Model;

use crate::depth::Pair;
use crate::shapes::{Kind, Pose, Random, SOLID, Shape};

/// Distance up to which contacts are reported.
pub(crate) const MARGIN: f64 = 0.02;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub(crate) dist: f64,
    pub(crate) pos: Vec3<f64>,
    pub(crate) frame: Mat3<f64>,
}

impl Contact {
    pub(crate) fn normal(&self) -> Vec3<f64> {
        mat_row(self.frame, 0)
    }

    /// The contact with the two shapes exchanged.
    pub(crate) fn exchanged(mut self) -> Self {
        self.frame.0[..3].iter_mut().for_each(|x| *x = -*x);
        self
    }

    pub(crate) fn moved(mut self, by: &Pose) -> Self {
        self.pos = by.point(self.pos);
        let normal = by.turn(self.normal());
        self.frame.0[..3].copy_from_slice(&normal.0);
        self
    }
}

/// Poses of a pair, and whether they are random.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) poses: [Pose; 2],
    pub(crate) by_chance: bool,
}

/// A model whose pairs cover all kinds, then those of one kind again with the shapes exchanged.
pub(crate) struct Scene {
    pub(crate) shapes: Vec<[Shape; 2]>,
    /// Original pair of each exchanged one.
    pub(crate) mirrored: Vec<usize>,
    /// True if pairs solved by support functions have a single contact.
    pub(crate) single: bool,
    pub(crate) model: Model,
}

/// Groups of shape pairs by narrow-phase method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Closed forms and special routines.
    Closed,
    /// Support functions of curved shapes.
    Curved,
    /// Support functions with polytopes.
    Meshes,
    /// Prisms of a height field.
    Fields,
}

impl Group {
    pub(crate) const ALL: [Self; 4] = [Self::Closed, Self::Curved, Self::Meshes, Self::Fields];

    fn of([one, two]: [Kind; 2]) -> Self {
        if one == Kind::Hfield {
            Self::Fields
        } else if two == Kind::Mesh {
            Self::Meshes
        } else if one == Kind::Plane || !by_support([one, two]) {
            Self::Closed
        } else {
            Self::Curved
        }
    }
}

/// True for pairs solved by support functions.
fn by_support([one, two]: [Kind; 2]) -> bool {
    let curved = |kind| [Kind::Ellipsoid, Kind::Cylinder, Kind::Mesh].contains(&kind);
    one != Kind::Plane && (curved(one) || curved(two)) && [one, two] != [Kind::Sphere, Kind::Cylinder]
}

/// True if a manifold is built around the contact of the support functions.
pub(crate) fn several(kinds: [Kind; 2]) -> bool {
    by_support(kinds) && kinds.iter().all(|kind| ![Kind::Sphere, Kind::Ellipsoid].contains(kind))
}

/// All colliding pairs of kinds in these groups.
fn kinds(groups: &[Group]) -> Vec<[Kind; 2]> {
    let on = |one: Kind| SOLID.into_iter().map(move |two| [one, two]);
    let solid = SOLID.into_iter().flat_map(on).filter(|[one, two]| one <= two);
    let all = on(Kind::Plane).chain(on(Kind::Hfield)).chain(solid);
    all.filter(|pair| groups.contains(&Group::of(*pair))).collect()
}

impl Scene {
    pub(crate) fn random(groups: &[Group], single: bool, random: &mut Random) -> Self {
        Self::of(Self::shapes(groups, random), single)
    }

    /// A random pair of shapes of each kind in some groups.
    pub(crate) fn shapes(groups: &[Group], random: &mut Random) -> Vec<[Shape; 2]> {
        kinds(groups).into_iter().map(|pair| pair.map(|kind| Shape::random(kind, random))).collect()
    }

    /// Pairs of shapes, and those of the same kind once more exchanged.
    pub(crate) fn of(mut shapes: Vec<[Shape; 2]>, single: bool) -> Self {
        let mirrored: Vec<usize> =
            (0..shapes.len()).filter(|&p| shapes[p][0].kind == shapes[p][1].kind).collect();
        shapes.extend(
            mirrored.iter().map(|&p| [shapes[p][1].clone(), shapes[p][0].clone()]).collect::<Vec<_>>(),
        );
        let (mut assets, mut bodies, mut pairs) = (String::new(), String::new(), String::new());
        for (p, pair) in shapes.iter().enumerate() {
            for (shape, letter) in pair.iter().zip(["a", "b"]) {
                let name = format!("{letter}{p}");
                assets += &shape.asset(&name);
                let geom = shape.geom(&name);
                write!(
                    bodies,
                    "<body mocap='true'><geom name='{name}' {geom} contype='0' conaffinity='0'/></body>"
                )
                .unwrap();
            }
            // the order in the file does not matter if the kinds differ
            let turned = p % 2 == 1 && pair[0].kind != pair[1].kind;
            let (one, two) = if turned { ("b", "a") } else { ("a", "b") };
            write!(pairs, "<pair geom1='{one}{p}' geom2='{two}{p}' margin='{MARGIN}' condim='1'/>").unwrap();
        }
        let flag = if single { "disable" } else { "enable" };
        let text = format!(
            "<mujoco><option><flag multiccd='{flag}'/></option><asset>{assets}</asset><worldbody>{bodies}</worldbody><contact>{pairs}</contact></mujoco>"
        );
        Self { shapes, mirrored, single, model: load_str(&text).unwrap() }
    }

    /// Number of pairs that are not exchanges of another.
    pub(crate) fn base(&self) -> usize {
        self.shapes.len() - self.mirrored.len()
    }

    pub(crate) fn open(&self, worlds: usize, backend: Backend) -> Batch {
        let capacity = Some(max_capacity(&self.model));
        #[cfg_attr(not(feature = "gpu"), expect(unused_mut, reason = "kernels have the only options"))]
        let mut options = BatchOptions { capacity, ..BatchOptions::on(backend) };
        // a kernel of collision alone is compiled in less time
        #[cfg(feature = "gpu")]
        {
            options.gpu.partition = manyworlds::gpu::Partition::Split;
        }
        Batch::new(&self.model, worlds, &options)
            .expect("both backends have to work; software Vulkan is enough")
    }

    /// Poses of a pair: half random, the others degenerate in some way.
    pub(crate) fn place(&self, p: usize, random: &mut Random) -> Placed {
        let [a, b] = &self.shapes[p];
        let first = Pose { pos: random.vector(), quat: random.quat() };
        let reach = a.reach() + b.reach();
        let mut second = Pose {
            pos: first.pos + random.direction() * (reach * random.between(0.0, 1.05)),
            quat: random.quat(),
        };
        let one = |pos, quat| [first, Pose { pos, quat }];
        let way = random.below(16);
        // on a grid of the first shape's axes
        let mut grid = || {
            let step = reach * [0.0, 0.25, 0.5, 1.0][random.below(4)];
            let axis = Vec3::unit(random.below(3));
            first.pos + first.turn(axis) * step
        };
        let poses = match way {
            // same position
            0 => one(first.pos, second.quat),
            // same orientation
            1 => one(second.pos, first.quat),
            2 => one(first.pos, first.quat),
            // aligned, upright in the world
            3 => {
                let pos = grid();
                one(pos, first.quat)
            }
            4 => {
                let at = |quat, pos| Pose { pos, quat };
                let (one, two) = (random.quarter_turns(), random.quarter_turns());
                let mut apart = Vec3::ZERO;
                apart[random.below(3)] = reach * [0.0, 0.25, 0.5, 1.0][random.below(4)];
                [at(one, Vec3::ZERO), at(two, apart)]
            }
            // nearly aligned
            5 => {
                let pos = grid() + random.direction() * 1e-9;
                let quat = normalized(first.quat, random.quat(), 1e-9);
                one(pos, quat)
            }
            // one just inside the surface of the other, just touching it, or just outside
            6 | 7 => {
                let deep = [1e-3, 1e-6, 1e-12, 0.0, -1e-12, -1e-6, -1e-3][random.below(7)];
                if way == 7 {
                    second.quat = first.quat;
                }
                let pair = Pair { shapes: [a, b], poses: [first, second] };
                let n = if way == 6 { random.direction() } else { first.turn(Vec3::Z) };
                pair.touching(n, deep)
            }
            _ => [first, second],
        };
        Placed { poses, by_chance: way > 7 }
    }

    /// Contacts of all pairs in all worlds, `[world * pairs + pair]`; the poses are `[world * base pairs + pair]`.
    pub(crate) fn contacts(&self, batch: &mut Batch, placed: &[[Pose; 2]]) -> Vec<Vec<Contact>> {
        let (base, count, worlds) = (self.base(), self.shapes.len(), batch.worlds());
        let (mut pos, mut quat) = (Vec::new(), Vec::new());
        for w in 0..worlds {
            for p in 0..count {
                let mut poses = placed[w * base + if p < base { p } else { self.mirrored[p - base] }];
                if p >= base {
                    poses.reverse();
                }
                poses.iter().for_each(|pose| {
                    pos.extend(pose.pos.0);
                    quat.extend(pose.quat.0);
                });
            }
        }
        batch.set("mocap_pos", .., &pos).unwrap();
        batch.set("mocap_quat", .., &quat).unwrap();
        batch.forward().unwrap();
        assert!(batch.status().unwrap().iter().all(|bits| *bits == 0), "{:?}", batch.status_counts());
        let [dist, pos, frame, geoms, ncon] =
            ["contact_dist", "contact_pos", "contact_frame", "contact_geom", "ncon"]
                .map(|field| batch.get(field, ..).unwrap().data.to_f64());
        let slots = dist.len() / worlds;
        let mut contacts = vec![Vec::new(); worlds * count];
        for w in 0..worlds {
            for c in w * slots..w * slots + ncon[w] as usize {
                let (one, two) = (geoms[2 * c] as usize, geoms[2 * c + 1] as usize);
                assert!(one % 2 == 0 && two == one + 1, "geoms {one} and {two}");
                contacts[w * count + one / 2].push(Contact {
                    dist: dist[c],
                    pos: vec3(&pos, c),
                    frame: mat3(&frame, c),
                });
            }
        }
        contacts
    }

    /// MJCF elements of a single pair, for messages.
    pub(crate) fn describe(&self, p: usize, poses: &[Pose; 2]) -> String {
        let mut text = String::new();
        for ((shape, pose), name) in self.shapes[p].iter().zip(poses).zip(["a", "b"]) {
            let list = |values: &[f64]| values.iter().map(|x| format!("{x:?} ")).collect::<String>();
            let (pos, quat) = (list(&pose.pos.0), list(&pose.quat.0));
            let (asset, geom) = (shape.asset(name), shape.geom(name));
            write!(text, "{asset}<body mocap='true' pos='{pos}' quat='{quat}'><geom {geom}/></body>")
                .unwrap();
        }
        text
    }
}

fn normalized(quat: Quat<f64>, other: Quat<f64>, share: f64) -> Quat<f64> {
    quat_normalize(Quat([0, 1, 2, 3].map(|k| quat[k] + share * other[k])))
}
