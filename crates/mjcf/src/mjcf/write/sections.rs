//! Contacts, equalities, tendons, sensors and custom elements.

use super::tree::listed;
use super::{Attrs, Writer, put};
use crate::mjcf::{equality, sensor, tendon};
use crate::spec::{Equality, Kind, Object, Sensor, Tendon, Wrap, WrapKind};
use crate::xml::words;
use manyworlds_model::schema::enums;
use manyworlds_model::schema::sensors::OBJECT_KINDS;
use manyworlds_model::schema::sensors::{CONTACT_DATA, RAY_DATA};

/// Keyword of a value.
fn word(words: &[(&'static str, i32)], number: i32) -> &'static str {
    words.iter().find(|w| w.1 == number).map_or("", |w| w.0)
}

/// The keywords with the bits of their positions.
fn bits(words: &[(&'static str, i32)]) -> Vec<(&'static str, i32)> {
    words.iter().enumerate().map(|(i, w)| (w.0, 1 << i)).collect()
}

impl Writer<'_> {
    pub(super) fn contacts(&mut self) {
        let spec = self.spec.clone();
        for pair in &spec.pairs {
            let mut attrs = self.named(&pair.base);
            put(&mut attrs, "geom1", self.full(Kind::Geom, &pair.geom1, pair.base.scope));
            put(&mut attrs, "geom2", self.full(Kind::Geom, &pair.geom2, pair.base.scope));
            if let Some(condim) = pair.condim {
                put(&mut attrs, "condim", condim);
            }
            for (name, numbers) in &pair.real {
                put(&mut attrs, name, words(numbers));
            }
            self.leaf("pair", attrs);
        }
        for exclude in &spec.excludes {
            let mut attrs = self.named(&exclude.base);
            put(&mut attrs, "body1", self.full(Kind::Body, &exclude.body1, exclude.base.scope));
            put(&mut attrs, "body2", self.full(Kind::Body, &exclude.body2, exclude.base.scope));
            self.leaf("exclude", attrs);
        }
    }

    pub(super) fn equalities(&mut self) {
        for equality in self.spec.clone().equalities.iter() {
            let mut attrs = self.named(&equality.base);
            let tag = word(enums::equality::WORDS, equality.kind.into());
            for (i, (kind, target)) in equality.targets.iter().enumerate() {
                let number = if tag.starts_with("flex") { String::new() } else { (i + 1).to_string() };
                let full = self.full(*kind, target, equality.base.scope);
                put(&mut attrs, &format!("{}{number}", kind.word()), full);
            }
            let (d, bodies) = (&equality.data, equality.targets.first().is_some_and(|t| t.0 == Kind::Body));
            match tag {
                "connect" if bodies => put(&mut attrs, "anchor", words(&d[..3])),
                "weld" => {
                    put(&mut attrs, "torquescale", words(&d[10..11]));
                    if bodies {
                        put(&mut attrs, "anchor", words(&d[..3]));
                        put(&mut attrs, "relpose", words(&d[3..10]));
                    }
                }
                "joint" | "tendon" => put(&mut attrs, "polycoef", words(&d[..5])),
                "flexstrain" => put(&mut attrs, "cell", words(&d[..3])),
                _ => {}
            }
            let common = |el: super::El<'_>, to: &mut Equality| equality::common(el, to);
            attrs.extend(self.attrs(equality.base.scope, &Equality::default(), equality, common));
            self.leaf(tag, attrs);
        }
    }

    pub(super) fn tendons(&mut self) {
        for tendon in self.spec.clone().tendons.iter() {
            let mut attrs = self.named(&tendon.base);
            let mut plain = tendon.clone();
            plain.limited = Self::plain(tendon.limited, tendon.range);
            plain.actfrclimited = Self::plain(tendon.actfrclimited, tendon.actfrcrange);
            attrs.extend(self.attrs(tendon.base.scope, &Tendon::default(), &plain, tendon::tendon));
            if tendon.springlength != [-1.0; 2] {
                put(&mut attrs, "springlength", words(&tendon.springlength));
            }
            let tag = if tendon.spatial { "spatial" } else { "fixed" };
            let attrs = self.fitting("tendon", tag, "tendon", attrs);
            self.begin(tag, attrs);
            for wrap in &tendon.path {
                self.wrap(wrap, tendon.base.scope);
            }
            self.end();
        }
    }

    /// Writes a tendon path element.
    fn wrap(&mut self, wrap: &Wrap, scope: usize) {
        let mut attrs = Attrs::new();
        let tag = match &wrap.kind {
            WrapKind::Joint(joint, coef) => {
                put(&mut attrs, "joint", self.full(Kind::Joint, joint, scope));
                put(&mut attrs, "coef", words(&[*coef]));
                "joint"
            }
            WrapKind::Site(site) => {
                put(&mut attrs, "site", self.full(Kind::Site, site, scope));
                "site"
            }
            WrapKind::Geom(geom, side) => {
                put(&mut attrs, "geom", self.full(Kind::Geom, geom, scope));
                if !side.name.is_empty() {
                    put(&mut attrs, "sidesite", self.full(Kind::Site, side, scope));
                }
                "geom"
            }
            WrapKind::Pulley(divisor) => {
                put(&mut attrs, "divisor", words(&[*divisor]));
                "pulley"
            }
        };
        self.leaf(tag, attrs);
    }

    pub(super) fn sensors(&mut self) {
        for sensor in self.spec.clone().sensors.iter() {
            let tag = sensor.kind.rule().tag;
            let attrs = self.sensor(tag, sensor);
            match &sensor.plugin {
                None => self.leaf(tag, attrs),
                Some(plugin) => self.plugin(plugin, sensor.base.scope, attrs),
            }
        }
    }

    fn sensor(&self, tag: &str, sensor: &Sensor) -> Attrs {
        let mut attrs = self.named(&sensor.base);
        self.object(&mut attrs, tag, sensor, false);
        self.object(&mut attrs, tag, sensor, true);
        match tag {
            "rangefinder" => put(&mut attrs, "data", listed(&bits(RAY_DATA), sensor.intprm[0])),
            "contact" => {
                put(&mut attrs, "data", listed(&bits(CONTACT_DATA), sensor.intprm[0]));
                put(&mut attrs, "reduce", word(enums::reduce::WORDS, sensor.intprm[1]));
                put(&mut attrs, "num", sensor.intprm[2]);
            }
            "insidesite" if sensor.intprm[0] != 0 => put(&mut attrs, "enclosed", true),
            "user" => {
                put(&mut attrs, "dim", sensor.user[0]);
                put(&mut attrs, "datatype", word(enums::datatype::WORDS, sensor.user[1]));
                put(&mut attrs, "needstage", word(sensor::STAGES, sensor.user[2]));
            }
            _ => {}
        }
        for (name, value) in [("cutoff", sensor.cutoff), ("noise", sensor.noise), ("delay", sensor.delay)] {
            if value != 0.0 {
                put(&mut attrs, name, words(&[value]));
            }
        }
        if sensor.nsample != 0 {
            put(&mut attrs, "nsample", sensor.nsample);
        }
        if sensor.interp != 0 {
            put(&mut attrs, "interp", word(sensor::INTERPOLATIONS, sensor.interp));
        }
        if sensor.interval != [0.0; 2] {
            put(&mut attrs, "interval", words(&sensor.interval));
        }
        if !sensor.userdata.is_empty() {
            put(&mut attrs, "user", words(&sensor.userdata));
        }
        attrs
    }

    /// Writes the object or reference object of a sensor, under the attributes of its type.
    fn object(&self, attrs: &mut Attrs, tag: &str, sensor: &Sensor, second: bool) {
        let Some(object) = (if second { &sensor.reference } else { &sensor.object }) else {
            return;
        };
        let name = self.object_name(object, sensor.base.scope);
        let kind = word(OBJECT_KINDS, object.kind);
        let number = if second { "2" } else { "1" };
        let attr = match tag {
            "distance" | "normal" | "fromto" => format!("{kind}{number}"),
            "contact" if kind == "site" => kind.to_owned(),
            "contact" if kind == "xbody" => format!("subtree{number}"),
            "contact" => format!("{kind}{number}"),
            "insidesite" if second => "site".to_owned(),
            "insidesite" | "user" | "plugin" => String::new(),
            _ if tag.starts_with("frame") => String::new(),
            _ => kind.to_owned(),
        };
        if attr.is_empty() {
            let (of, called) = if second { ("reftype", "refname") } else { ("objtype", "objname") };
            put(attrs, of, kind);
            put(attrs, called, name);
        } else {
            put(attrs, &attr, name);
        }
    }

    /// Full name of an object of any type.
    fn object_name(&self, object: &Object, scope: usize) -> String {
        match Kind::of_number(object.kind) {
            Some(kind) => self.full(kind, &object.name, scope),
            None => object.name.name.clone(),
        }
    }

    pub(super) fn customs(&mut self) {
        let spec = self.spec.clone();
        for numeric in &spec.numerics {
            let mut attrs = self.named(&numeric.base);
            put(&mut attrs, "data", words(&numeric.data));
            self.leaf("numeric", attrs);
        }
        for text in &spec.texts {
            let mut attrs = self.named(&text.base);
            put(&mut attrs, "data", &text.data);
            self.leaf("text", attrs);
        }
        for tuple in &spec.tuples {
            let attrs = self.named(&tuple.base);
            self.begin("tuple", attrs);
            for object in &tuple.objects {
                let mut attrs = Attrs::new();
                put(&mut attrs, "objtype", word(OBJECT_KINDS, object.object.kind));
                put(&mut attrs, "objname", self.object_name(&object.object, tuple.base.scope));
                put(&mut attrs, "prm", words(&[object.prm]));
                self.leaf("element", attrs);
            }
            self.end();
        }
    }
}
