//! Fields that a world holds only where something needs them.

use std::collections::BTreeSet;
use std::path::Path;

use manyworlds_cpu::{forward, inverse, step};
use manyworlds_model::model::Model;
use manyworlds_model::model::capacity::max_capacity;
use manyworlds_model::model::data::Data;
use manyworlds_model::schema::enums::{enable, integrator, solver};
use manyworlds_model::schema::{Need, Needs, Values};

/// A change of options.
type Change = (&'static str, fn(&mut Model));

const CHANGES: &[Change] = &[
    ("nothing", |_| {}),
    ("implicit", |m| m.opt_integrator[0] = integrator::IMPLICIT),
    ("implicitfast", |m| m.opt_integrator[0] = integrator::IMPLICITFAST),
    ("implicit in a fluid", |m| {
        m.opt_integrator[0] = integrator::IMPLICIT;
        m.opt_density[0] = 1000.0;
    }),
    ("fluid", |m| m.opt_viscosity[0] = 0.1),
    ("RK4", |m| m.opt_integrator[0] = integrator::RK4),
    ("CG", |m| m.opt_solver[0] = solver::CG),
    ("fwdinv", |m| m.opt_enableflags[0] |= enable::FWDINV),
    ("invdiscrete, implicit", |m| {
        m.opt_integrator[0] = integrator::IMPLICIT;
        m.opt_enableflags[0] |= enable::INVDISCRETE;
    }),
];

fn model(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    manyworlds_mjcf::load(&path).unwrap()
}

/// Bits of all fields but those of kernels; of a field that is not held, those of zeros.
fn bits(data: &Data) -> Vec<(&'static str, Vec<u64>)> {
    let of = |values: Values<'_, f64>| match values {
        Values::Real(values) => values.iter().map(|x| x.to_bits()).collect(),
        Values::Int(values) => values.iter().map(|x| *x as u64).collect::<Vec<_>>(),
    };
    let field = |f: &manyworlds_model::schema::Field| {
        let mut bits = of(data.get(f.name).unwrap());
        assert_eq!(bits.len(), if data.holds(f) { f.len(&data.sizes) } else { 0 }, "{}", f.name);
        bits.resize(f.len(&data.sizes), 0);
        (f.name, bits)
    };
    Data::<f64>::FIELDS.iter().filter(|f| f.traits.need != Need::Kernels).map(field).collect()
}

#[test]
fn options_that_change_later_take_the_memory_that_they_need() {
    for name in ["humanoid.xml", "quadruped.xml"] {
        let base = model(name);
        for (what, change) in CHANGES {
            let mut changed = base.clone();
            change(&mut changed);
            // a world of the model before the change, and one of the model after it
            let mut worlds = [&base, &changed].map(|m| Data::new(m, max_capacity(m)));
            assert_eq!(worlds.each_ref().map(|d| d.held), [base.needs(), changed.needs()]);
            for data in &mut worlds {
                data.ctrl.fill(0.3);
                (0..20).for_each(|_| step(&changed, data));
            }
            assert_eq!(worlds[1].held, changed.needs(), "{name}, {what}: steps took memory");
            assert_eq!(bits(&worlds[0]), bits(&worlds[1]), "{name}, {what}");
            for data in &mut worlds {
                forward(&changed, data);
                inverse(&changed, data);
            }
            assert_eq!(bits(&worlds[0]), bits(&worlds[1]), "{name}, {what}: inverse");
            // fields of a world that holds less are zero in a copy
            let (mut more, less) = (worlds[0].clone(), Data::new(&base, max_capacity(&base)));
            more.copy_fields(&less, |_| true);
            assert_eq!(bits(&more), bits(&less), "{name}, {what}: copied");
            let mut grown = less.clone();
            grown.copy_fields(&worlds[0], |_| true);
            assert_eq!(bits(&grown), bits(&worlds[0]), "{name}, {what}: copied");
        }
    }
}

#[test]
fn no_stage_names_fields_of_kernels() {
    fn sources(folder: &Path, text: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.path() {
                path if path.is_dir() => sources(&path, text),
                path => text.push_str(&std::fs::read_to_string(path).unwrap()),
            }
        }
    }
    let mut text = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut text);
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for field in Data::<f64>::FIELDS {
        let (named, of_kernels) = (words.contains(field.name), field.traits.need == Need::Kernels);
        assert_eq!(named, !of_kernels, "{}: named {named}, for kernels alone {of_kernels}", field.name);
    }
}

#[test]
fn every_field_is_in_a_world_of_its_sizes() {
    let m = model("humanoid.xml");
    let all = Data::<f64>::zeroed(max_capacity(&m).sizes(&m));
    assert_eq!(all.held, Needs::ALL);
    assert!(Data::<f64>::FIELDS.iter().all(|f| all.get(f.name).unwrap().to_f64().len() == f.len(&all.sizes)));
}
