//! Kinds: every number of a spec that stands for a kind is one of its enumeration. Text has none but those; code may.

use crate::spec::Base;
use manyworlds_model::schema::enums;
use manyworlds_model::schema::sensors;

use super::Build;

/// Names and values of an enumeration.
type Known = &'static [(&'static str, i32)];

impl Build<'_> {
    /// Reports kinds that do not exist.
    pub(super) fn check_kinds(&self) {
        let spec = self.spec;
        for e in &spec.bodies {
            self.known(&e.base, ("sleep", e.sleep), enums::sleep::ALL, Some(0));
        }
        for e in &spec.joints {
            self.known(&e.base, ("type", e.kind), enums::joint::ALL, None);
        }
        for e in &spec.geoms {
            self.known(&e.base, ("type", e.kind), enums::geom::ALL, None);
        }
        for e in &spec.sites {
            self.known(&e.base, ("type", e.kind), enums::geom::ALL, None);
        }
        for e in &spec.cameras {
            self.known(&e.base, ("mode", e.mode), enums::camera::ALL, None);
            self.known(&e.base, ("projection", e.projection), enums::projection::ALL, None);
        }
        for e in &spec.lights {
            self.known(&e.base, ("mode", e.mode), enums::camera::ALL, None);
            self.known(&e.base, ("type", e.kind), enums::light::ALL, None);
        }
        self.check_kinds_of_sections();
    }

    fn check_kinds_of_sections(&self) {
        let spec = self.spec;
        for e in &spec.textures {
            self.known(&e.base, ("type", e.kind), enums::texture::ALL, None);
            self.known(&e.base, ("colorspace", e.colorspace), enums::colorspace::ALL, None);
            self.known(&e.base, ("builtin", e.builtin), enums::builtin::ALL, None);
            self.known(&e.base, ("mark", e.mark), enums::mark::ALL, None);
        }
        for e in &spec.equalities {
            self.known(&e.base, ("type", e.kind), enums::equality::ALL, None);
        }
        for e in &spec.actuators {
            self.known(&e.base, ("dyntype", e.law.dyntype), enums::dynamics::ALL, None);
            self.known(&e.base, ("gaintype", e.law.gaintype), enums::gain::ALL, None);
            self.known(&e.base, ("biastype", e.law.biastype), enums::bias::ALL, None);
        }
        for e in &spec.sensors {
            self.known(&e.base, ("type", e.kind), sensors::ALL, None);
        }
    }

    /// Reports a number that is neither of an enumeration nor the one that stands for none.
    fn known(&self, base: &Base, (name, number): (&str, i32), all: Known, none: Option<i32>) {
        if none == Some(number) || all.iter().any(|(_, value)| *value == number) {
            return;
        }
        let names: Vec<String> = all.iter().map(|(name, value)| format!("{value} {name}")).collect();
        let message = format!("{name} {number} of '{}' is no kind", self.full(base));
        self.wrong(base.at.of(name), message, format!("valid: {}", names.join(", ").to_lowercase()));
    }
}
