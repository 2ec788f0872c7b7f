//! Custom numerics, texts and tuples.

use manyworlds_model::error::suggest;
use manyworlds_model::model::formula::{LAW_PREFIXES, PREFIX};

use super::{Build, crop};
use crate::spec::Kind;

impl Build<'_> {
    /// Fills custom numerics, texts and tuples.
    pub(super) fn custom(&mut self) {
        self.numerics();
        self.texts();
        self.tuples();
    }

    /// Compiles the formulas of user sensors; the rest of the model is there.
    pub(super) fn formulas(&mut self) {
        if let Err(error) = self.model.compile_formulas() {
            let Some(text) = self.spec.texts.get(error.text) else {
                self.wrong(self.spec.bodies[0].base.at.element, error.message, "");
                return;
            };
            let message = format!("{}: {}", self.called("the formula", &text.base), error.message);
            self.wrong(text.base.at.of("data"), message, "see the documentation of formulas");
        }
        self.states_of_keyframes();
        self.warn_of_idle_texts();
    }

    /// States of laws begin at their numerics in keyframes too, whose `act` is that of actuators.
    fn states_of_keyframes(&mut self) {
        let m = &mut self.model;
        let (na, nkey) = (m.sizes.na, m.sizes.nkey);
        for (state, numeric) in m.formulas.iter().flat_map(|formulas| formulas.states()) {
            for k in 0..nkey {
                m.key_act[k * na + state] = m.numeric_data[*numeric];
            }
        }
    }

    /// Warns of texts that look like laws and do nothing: those of attached models, whose names have a prefix, and those
    /// with a slip in the kind.
    fn warn_of_idle_texts(&self) {
        let kinds = || LAW_PREFIXES.into_iter().chain([PREFIX]).map(|kind| kind.trim_end_matches(':'));
        let kind_of = |name: &str| name.split_once(':').map(|(kind, _)| kind.to_owned());
        let is_known = |name: &str| kind_of(name).is_some_and(|kind| kinds().any(|known| known == kind));
        for text in &self.spec.texts {
            let (own, full) = (&text.base.name, self.full(&text.base));
            if is_known(&full) {
                continue;
            }
            if is_known(own) {
                let message = format!("the formula '{own}' does nothing as '{}'", crop(&full));
                let help = "write the formulas of attached models, with the new names, in the model that attaches them";
                self.log.warn(text.base.at.of("name"), message, help);
                // the others are of the same model, mostly
                return;
            }
            let Some(kind) = kind_of(own) else { continue };
            let is_short = kind.len() < 5 && kinds().all(|known| known != kind.to_lowercase());
            let near = suggest(&kind.to_lowercase(), kinds());
            if !is_short && !near.is_empty() {
                let message = format!("the text '{}' is no law and does nothing{near}", crop(own));
                self.log.warn(text.base.at.of("name"), message, "see the documentation of laws");
            }
        }
    }

    fn numerics(&mut self) {
        let m = &mut self.model;
        let mut adr = 0;
        for (i, numeric) in self.spec.numerics.iter().enumerate() {
            m.numeric_adr[i] = adr as i32;
            m.numeric_size[i] = numeric.data.len() as i32;
            m.numeric_data[adr..adr + numeric.data.len()].copy_from_slice(&numeric.data);
            adr += numeric.data.len();
        }
    }

    /// Texts are stored as zero-terminated bytes.
    fn texts(&mut self) {
        let m = &mut self.model;
        let mut adr = 0;
        for (i, text) in self.spec.texts.iter().enumerate() {
            m.text_adr[i] = adr as i32;
            m.text_size[i] = text.data.len() as i32 + 1;
            for (to, byte) in m.text_data[adr..].iter_mut().zip(text.data.bytes()) {
                *to = i32::from(byte);
            }
            adr += text.data.len() + 1;
        }
    }

    fn tuples(&mut self) {
        let mut adr = 0;
        for (i, tuple) in self.spec.tuples.iter().enumerate() {
            self.model.tuple_adr[i] = adr as i32;
            self.model.tuple_size[i] = tuple.objects.len() as i32;
            for entry in &tuple.objects {
                let (number, name) = (entry.object.kind, &entry.object.name);
                let id = match Kind::of_number(number) {
                    Some(kind) => self.id_of(kind, name, tuple.base.scope),
                    None => {
                        let help = "name an object of another kind";
                        self.wrong(name.span, "objects of this kind have no names", help);
                        None
                    }
                };
                self.model.tuple_objtype[adr] = number;
                self.model.tuple_objid[adr] = id.map_or(-1, |i| i as i32);
                self.model.tuple_objprm[adr] = entry.prm;
                adr += 1;
            }
        }
    }
}
