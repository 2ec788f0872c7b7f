//! The document: settings, then sections.

use super::{Attrs, Writer, put};
use crate::mjcf::lengthrange;
use crate::spec::{Compiler, Geom, LengthRange, Opt, key_vectors};
use crate::xml::words;
use manyworlds_model::model::features::has_sizes_of_data;
use manyworlds_model::schema::Values;
use manyworlds_model::schema::enums::{cone, disable, enable, integrator, jacobian, solver};

impl Writer<'_> {
    /// Writes the document.
    pub(super) fn document(&mut self) {
        let mut attrs = Attrs::new();
        put(&mut attrs, "model", &self.spec.name);
        self.begin("mujoco", attrs);
        self.compiler();
        self.option();
        self.size();
        self.statistic();
        self.visual();
        self.classes_at = self.text.len();
        self.section("extension", Self::extensions);
        self.section("asset", Self::assets);
        self.world();
        self.section("contact", Self::contacts);
        self.section("deformable", Self::deformables);
        self.section("equality", Self::equalities);
        self.section("tendon", Self::tendons);
        self.section("actuator", Self::actuators);
        self.section("sensor", Self::sensors);
        self.section("custom", Self::customs);
        self.section("keyframe", Self::keys);
        self.default_classes();
        self.end();
    }

    fn compiler(&mut self) {
        let (c, fresh) = (&self.spec.compilers[0], Compiler::default());
        let mut attrs = Attrs::new();
        put(&mut attrs, "angle", "radian");
        if !self.explicit_inertia() {
            let numbers = [
                ("boundmass", c.boundmass, fresh.boundmass),
                ("boundinertia", c.boundinertia, fresh.boundinertia),
                ("settotalmass", c.settotalmass, fresh.settotalmass),
            ];
            for (name, value, _) in numbers.into_iter().filter(|n| n.1 != n.2) {
                put(&mut attrs, name, words(&[value]));
            }
            if let Some(always) = c.inertiafromgeom {
                put(&mut attrs, "inertiafromgeom", always);
            }
            if c.inertiagrouprange != fresh.inertiagrouprange {
                let [first, last] = c.inertiagrouprange;
                put(&mut attrs, "inertiagrouprange", format!("{first} {last}"));
            }
            if c.balanceinertia {
                put(&mut attrs, "balanceinertia", true);
            }
        }
        // how shapes take the size of a mesh: as in the model that they come from
        let fitted = |g: &&Geom| !g.mesh.name.is_empty() && !has_sizes_of_data(g.kind.into());
        let of_geom = |g: &Geom| &self.spec.compilers[self.spec.bodies[g.body].compiler];
        let fitaabb = self.spec.geoms.iter().find(fitted).map_or(c, of_geom).fitaabb;
        let flags = [("discardvisual", c.discardvisual), ("fusestatic", c.fusestatic), ("fitaabb", fitaabb)];
        for (name, _) in flags.into_iter().filter(|f| f.1) {
            put(&mut attrs, name, true);
        }
        if c.passthrough {
            put(&mut attrs, "passthrough", "textures");
        }
        let ranges = self.attrs(0, &LengthRange::default(), &self.spec.lengthrange, lengthrange::lengthrange);
        self.begin("compiler", attrs);
        if !ranges.is_empty() {
            self.leaf("lengthrange", ranges);
        }
        self.end();
    }

    fn option(&mut self) {
        let (o, fresh) = (&self.spec.option, Opt::default());
        let mut attrs = Attrs::new();
        for (name, value) in o.real.iter().filter(|r| r.1 != fresh.reals(r.0)) {
            put(&mut attrs, name, words(value));
        }
        for &(name, value) in o.int.iter().filter(|i| i.1 != fresh.int(i.0)) {
            let list: &[(&str, i32)] = match name {
                "integrator" => integrator::WORDS,
                "cone" => cone::WORDS,
                "jacobian" => jacobian::WORDS,
                "solver" => solver::WORDS,
                _ => &[],
            };
            match list.iter().find(|w| w.1 == value) {
                Some(word) => put(&mut attrs, name, word.0),
                None => put(&mut attrs, name, value),
            }
        }
        if o.disableactuator != 0 {
            let groups: Vec<String> =
                (0..31).filter(|g| o.disableactuator >> g & 1 != 0).map(|g| g.to_string()).collect();
            put(&mut attrs, "actuatorgroupdisable", groups.join(" "));
        }
        let mut flags = Attrs::new();
        for (list, bits, usual, word) in [
            (disable::WORDS, o.disable, fresh.disable, ["enable", "disable"]),
            (enable::WORDS, o.enable, fresh.enable, ["disable", "enable"]),
        ] {
            for (name, bit) in list.iter().filter(|f| (bits ^ usual) & f.1 != 0) {
                put(&mut flags, name, word[usize::from(bits & bit != 0)]);
            }
        }
        if attrs.is_empty() && flags.is_empty() {
            return;
        }
        self.begin("option", attrs);
        if !flags.is_empty() {
            self.leaf("flag", flags);
        }
        self.end();
    }

    fn size(&mut self) {
        let mut attrs = Attrs::new();
        let size = &self.spec.size;
        for &(name, count) in size.int.iter().filter(|c| size.written.contains(&c.0)) {
            put(&mut attrs, name, count);
        }
        if let Some(memory) = &size.memory {
            put(&mut attrs, "memory", memory);
        }
        if !attrs.is_empty() {
            self.leaf("size", attrs);
        }
    }

    fn statistic(&mut self) {
        let s = &self.spec.stat;
        let mut attrs = Attrs::new();
        let numbers = [
            ("meaninertia", s.meaninertia),
            ("meanmass", s.meanmass),
            ("meansize", s.meansize),
            ("extent", s.extent),
        ];
        for (name, value) in numbers {
            if let Some(value) = value {
                put(&mut attrs, name, words(&[value]));
            }
        }
        if let Some(center) = s.center {
            put(&mut attrs, "center", words(&center));
        }
        if !attrs.is_empty() {
            self.leaf("statistic", attrs);
        }
    }

    /// Writes keyframes as compiled, with complete vectors.
    fn keys(&mut self) {
        let spec = self.spec.clone();
        for (k, key) in spec.keys.iter().enumerate() {
            let mut attrs = self.named(&key.base);
            if key.time != 0.0 {
                put(&mut attrs, "time", words(&[key.time]));
            }
            for (name, _) in key_vectors() {
                let given = key.whole.iter().any(|w| w.0 == name) || key.parts.iter().any(|p| p.0 == name);
                let Some(Values::Real(all)) = self.model.get(&format!("key_{name}")).filter(|_| given) else {
                    continue;
                };
                let width = all.len() / self.model.sizes.nkey.max(1);
                // states of laws, which follow the activations, begin at their numerics
                let states = if name == "act" {
                    self.model.formulas.iter().flat_map(|f| f.states()).count()
                } else {
                    0
                };
                put(&mut attrs, name, words(&all[k * width..(k + 1) * width - states]));
            }
            self.leaf("key", attrs);
        }
    }
}
