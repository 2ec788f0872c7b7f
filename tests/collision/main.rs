//! Collision of random and degenerate poses of shape pairs on both backends: contacts are finite, symmetric under
//! exchange, invariant under rigid motion, and as deep as an independent search finds.
//!
//! The environment sets the number of pairs; on the CPU the shapes change every few thousand:
//!
//!     MANYWORLDS_PAIRS=10000000 cargo test --test collision -- --nocapture
//!
//! Two more tests, meant for millions of pairs, check only that contacts are finite, with orthonormal frames, within
//! the margin:
//!
//!     MANYWORLDS_PAIRS=10000000 cargo test --release --test collision finite -- --ignored --nocapture
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "tests")]
#![cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "kernels are what it is for"))]

mod depth;
mod scene;
mod shapes;
mod tally;

use std::time::Instant;

use manyworlds::batch::Backend;
use manyworlds::cpu::math::length;

use depth::Pair;
use scene::{Contact, Group, MARGIN, Placed, Scene, several};
use shapes::{Kind, Pose, Random, V};
use tally::{Property, Tally};

/// Pairs on each backend, unless the environment sets another number.
const PAIRS: usize = 20_000;

/// Worlds of a batch; half of them are the others after a rigid motion.
const WORLDS: usize = 64;

/// Directions tried for a smaller overlap.
const DIRECTIONS: usize = 60;

fn pairs() -> usize {
    std::env::var("MANYWORLDS_PAIRS").ok().and_then(|v| v.parse().ok()).unwrap_or(PAIRS)
}

/// Tolerances relative to the size of a pair.
#[derive(Clone, Copy)]
struct Precision {
    frame: f64,
    depth: f64,
    contact: f64,
}

const DOUBLE: Precision = Precision { frame: 1e-12, depth: 1e-8, contact: 1e-5 };
const SINGLE: Precision = Precision { frame: 1e-5, depth: 1e-4, contact: 3e-3 };

/// Poses of one round: each odd world is the even one before it after a rigid motion.
struct Round {
    placed: Vec<Placed>,
    motions: Vec<Pose>,
    poses: Vec<[Pose; 2]>,
}

impl Round {
    fn random(scene: &Scene, random: &mut Random) -> Self {
        let mut round = Self { placed: Vec::new(), motions: Vec::new(), poses: Vec::new() };
        for _ in 0..WORLDS / 2 {
            let motion = Pose { pos: random.vector(), quat: random.quat() };
            let here: Vec<Placed> = (0..scene.base()).map(|p| scene.place(p, random)).collect();
            round.poses.extend(here.iter().map(|placed| placed.poses));
            round.poses.extend(here.iter().map(|placed| placed.poses.map(|pose| pose.moved(&motion))));
            round.placed.extend(here);
            round.motions.push(motion);
        }
        round
    }
}

/// Deepest contact.
fn deepest(contacts: &[Contact]) -> Option<&Contact> {
    contacts.iter().min_by(|a, b| a.dist.total_cmp(&b.dist))
}

/// Difference of the two largest depths; a contact on one side only must be at the margin.
fn depths_apart(one: &[Contact], two: &[Contact]) -> f64 {
    let dist = |contacts| deepest(contacts).map_or(MARGIN, |contact| contact.dist);
    (dist(one) - dist(two)).abs()
}

/// True if every contact has a counterpart on the other side.
fn same(one: &[Contact], two: &[Contact], size: f64, precision: Precision) -> bool {
    let like = |a: &Contact, b: &Contact| {
        (a.dist - b.dist).abs() < precision.depth * size
            && length(a.pos - b.pos) < precision.contact * size
            && length(a.normal() - b.normal()) < precision.contact
    };
    one.len() == two.len() && one.iter().all(|a| two.iter().any(|b| like(a, b)))
}

/// Checks a single contact.
fn check_contact(contact: &Contact, precision: Precision) -> Result<(), String> {
    let f = contact.frame;
    let all = [contact.dist].into_iter().chain(contact.pos.0).chain(f.0);
    if !all.into_iter().all(f64::is_finite) {
        return Err("not finite".to_owned());
    }
    for i in 0..3 {
        for j in i..3 {
            let product: f64 = (0..3).map(|k| f[3 * i + k] * f[3 * j + k]).sum();
            if (product - if i == j { 1.0 } else { 0.0 }).abs() > precision.frame {
                return Err(format!("axes {i} and {j} of the frame have a product of {product}"));
            }
        }
    }
    if contact.dist > MARGIN * (1.0 + precision.frame) {
        return Err("beyond the margin".to_owned());
    }
    Ok(())
}

/// Checks the properties required of both backends.
fn judge(scene: &Scene, round: &Round, found: &[Vec<Contact>], precision: Precision, tally: &mut Tally) {
    let (base, count) = (scene.base(), scene.shapes.len());
    let mut random = Random(0x9E37_79B9);
    let directions: Vec<V> = (0..40).map(|_| random.direction()).collect();
    tally.over_worlds(WORLDS, |w, tally| {
        let motion = &round.motions[w / 2];
        for p in 0..count {
            let origin = if p < base { p } else { scene.mirrored[p - base] };
            let placed = &round.placed[w / 2 * base + origin];
            let mut poses = round.poses[w * base + origin];
            if p >= base {
                poses.reverse();
            }
            let [a, b] = &scene.shapes[p];
            let pair = Pair { shapes: [a, b], poses };
            let size = a.reach() + b.reach();
            let contacts = &found[w * count + p];
            let describe = || format!("{}# {contacts:?}", scene.describe(p, &poses));
            let entry = tally.of([a.kind, b.kind]);
            entry.pairs += 1;
            entry.touching += usize::from(!contacts.is_empty());
            // each contact alone
            for contact in contacts {
                if let Err(what) = check_contact(contact, precision) {
                    panic!("{what}: {contact:?} of {}", describe());
                }
                let outside = pair.outside(contact.pos, &directions) - 0.5 * contact.dist.abs();
                entry.note(
                    Property::Outside,
                    placed.by_chance,
                    outside / size,
                    outside > precision.contact * size,
                    describe,
                );
            }
            // against the exchanged pair
            if p >= base {
                let other: Vec<Contact> =
                    found[w * count + origin].iter().map(|contact| contact.exchanged()).collect();
                let apart = depths_apart(contacts, &other) / size;
                entry.note(
                    Property::ExchangedDepth,
                    placed.by_chance,
                    apart,
                    apart > precision.depth,
                    describe,
                );
                if placed.by_chance {
                    let differ = !same(contacts, &other, size, precision);
                    entry.note(Property::Exchanged, placed.by_chance, 0.0, differ, describe);
                }
            }
            // against the pair before the rigid motion
            if w % 2 == 1 {
                let other: Vec<Contact> =
                    found[(w - 1) * count + p].iter().map(|contact| contact.moved(motion)).collect();
                let apart = depths_apart(contacts, &other) / size;
                entry.note(
                    Property::ShiftedDepth,
                    placed.by_chance,
                    apart,
                    apart > precision.depth,
                    describe,
                );
                if placed.by_chance {
                    let differ = !same(contacts, &other, size, precision);
                    entry.note(Property::Shifted, placed.by_chance, 0.0, differ, describe);
                }
            }
        }
    });
}

/// Checks depths against a search.
fn judge_depth(scene: &Scene, round: &Round, found: &[Vec<Contact>], tally: &mut Tally) {
    let (base, count) = (scene.base(), scene.shapes.len());
    tally.over_worlds(WORLDS / 2, |k, tally| {
        let mut random = Random(0x1234_5678_9ABC_DEF1 + k as u64);
        for p in 0..base {
            let [a, b] = &scene.shapes[p];
            if a.kind == Kind::Hfield {
                continue;
            }
            let (placed, poses) = (round.placed[k * base + p], round.poses[2 * k * base + p]);
            let pair = Pair { shapes: [a, b], poses };
            let size = a.reach() + b.reach();
            let contacts = &found[2 * k * count + p];
            let describe = || format!("{}# {contacts:?}", scene.describe(p, &poses));
            let entry = tally.of([a.kind, b.kind]);
            let Some(contact) = deepest(contacts) else {
                // some direction separates them
                let (_, least) = pair.least(&[], 0, -MARGIN, &mut random);
                let missed = (least + MARGIN) / size;
                entry.note(Property::Missed, placed.by_chance, missed, missed > 2e-7, describe);
                continue;
            };
            if !scene.single && several([a.kind, b.kind]) {
                continue;
            }
            // mesh vertices are stored in single precision
            let rounded = a.kind == Kind::Mesh || b.kind == Kind::Mesh;
            let precision = if rounded { 2e-7 } else { DOUBLE.depth };
            let along = (pair.overlap(contact.normal()) + contact.dist).abs() / size;
            entry.note(Property::Along, placed.by_chance, along, along > precision, describe);
            let (_, least) = pair.least(&[contact.normal()], DIRECTIONS, -1.0, &mut random);
            let deeper = (-contact.dist - least) / size;
            entry.note(Property::Least, placed.by_chance, deeper, deeper > DOUBLE.contact, describe);
        }
    });
}

/// Checks the kernels against the CPU.
fn judge_kernels(
    scene: &Scene,
    round: &Round,
    gpu: &[Vec<Contact>],
    cpu: &[Vec<Contact>],
    tally: &mut Tally,
) {
    let (base, count) = (scene.base(), scene.shapes.len());
    for w in 0..WORLDS {
        for p in 0..base {
            let [a, b] = &scene.shapes[p];
            let size = a.reach() + b.reach();
            let (here, there) = (&gpu[w * count + p], &cpu[w * count + p]);
            let poses = &round.poses[w * base + p];
            let placed = &round.placed[w / 2 * base + p];
            let entry = tally.of([a.kind, b.kind]);
            let apart = depths_apart(here, there) / size;
            entry.note(Property::KernelDepth, placed.by_chance, apart, apart > SINGLE.depth, || {
                scene.describe(p, poses)
            });
            if placed.by_chance {
                let sorted = |contacts: &[Contact]| {
                    let mut all: Vec<f64> = contacts.iter().map(|contact| contact.dist).collect();
                    all.sort_by(f64::total_cmp);
                    all
                };
                let (one, two) = (sorted(here), sorted(there));
                let near = |(x, y): (&f64, &f64)| (x - y).abs() < SINGLE.depth * size;
                let differ = one.len() != two.len() || !one.iter().zip(&two).all(near);
                entry.note(Property::Kernel, placed.by_chance, 0.0, differ, || scene.describe(p, poses));
            }
        }
    }
}

#[test]
fn pairs_collide_as_they_should_on_the_cpu() {
    let begin = Instant::now();
    let mut tally = Tally::default();
    let mut random = Random(0x5EED_0001);
    let mut scenes = 0;
    while tally.pairs() < pairs() {
        let scene = Scene::random(&Group::ALL, scenes % 2 == 0, &mut random);
        scenes += 1;
        let round = Round::random(&scene, &mut random);
        let found = scene.contacts(&mut scene.open(WORLDS, Backend::Cpu), &round.poses);
        judge(&scene, &round, &found, DOUBLE, &mut tally);
        judge_depth(&scene, &round, &found, &mut tally);
    }
    println!("{} pairs on the CPU in {:.1} s", tally.pairs(), begin.elapsed().as_secs_f64());
    tally.conclude();
}

/// All groups in a single model, as drivers take long to build kernels of collision.
#[test]
#[cfg(feature = "gpu")]
fn pairs_collide_in_kernels_as_on_the_cpu() {
    let begin = Instant::now();
    let mut tally = Tally::default();
    let seed = 0x5EED_0002;
    let shapes = Group::ALL.into_iter().flat_map(|group| Scene::shapes(&[group], &mut Random(seed)));
    let scene = Scene::of(shapes.collect(), false);
    let mut random = Random(seed);
    let (mut gpu, mut cpu) = (scene.open(WORLDS, Backend::Gpu), scene.open(WORLDS, Backend::Cpu));
    while tally.pairs() < pairs() {
        let round = Round::random(&scene, &mut random);
        let found = scene.contacts(&mut gpu, &round.poses);
        judge(&scene, &round, &found, SINGLE, &mut tally);
        judge_kernels(&scene, &round, &found, &scene.contacts(&mut cpu, &round.poses), &mut tally);
    }
    println!("{} pairs in kernels in {:.1} s", tally.pairs(), begin.elapsed().as_secs_f64());
    tally.conclude();
}

/// Rounds with the same shapes in the tests of single contacts.
const ROUNDS: usize = 50;

/// Checks the contacts of random pairs one by one; returns the number of pairs.
fn look(
    groups: &[Group],
    backend: Backend,
    precision: Precision,
    most: usize,
    rounds: usize,
    random: &mut Random,
) -> usize {
    let (mut pairs, mut scenes) = (0, 0);
    while pairs < most {
        let scene = Scene::random(groups, scenes % 2 == 0, random);
        scenes += 1;
        let mut batch = scene.open(WORLDS, backend);
        for _ in 0..rounds {
            let round = Round::random(&scene, random);
            let found = scene.contacts(&mut batch, &round.poses);
            let (base, count) = (scene.base(), scene.shapes.len());
            for (k, contacts) in found.iter().enumerate() {
                for contact in contacts {
                    if let Err(what) = check_contact(contact, precision) {
                        let origin =
                            if k % count < base { k % count } else { scene.mirrored[k % count - base] };
                        let poses = &round.poses[k / count * base + origin];
                        panic!("{what}: {contact:?} of {}", scene.describe(k % count, poses));
                    }
                }
            }
            pairs += found.len();
            if pairs >= most {
                break;
            }
        }
    }
    pairs
}

#[test]
#[ignore = "minutes for millions of pairs: by hand, with --ignored"]
fn contacts_are_finite_on_the_cpu() {
    let (begin, mut random) = (Instant::now(), Random(0x5EED_0003));
    let seen = look(&Group::ALL, Backend::Cpu, DOUBLE, pairs(), ROUNDS, &mut random);
    println!("{seen} pairs on the CPU in {:.1} s", begin.elapsed().as_secs_f64());
}

#[test]
#[ignore = "minutes for millions of pairs: by hand, with --ignored"]
#[cfg(feature = "gpu")]
fn contacts_are_finite_in_kernels() {
    let groups = [Group::Closed, Group::Curved];
    for group in groups {
        let (begin, mut random) = (Instant::now(), Random(0x5EED_0004));
        // a single model, as kernels take long to build
        let seen = look(&[group], Backend::Gpu, SINGLE, pairs() / groups.len(), usize::MAX, &mut random);
        println!("{group:?}: {seen} pairs in kernels in {:.1} s", begin.elapsed().as_secs_f64());
    }
}
