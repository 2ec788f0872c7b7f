//! Model constants available to loop unrolling.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::access::{self, ValueType};
use super::items::Item;
use super::layout::{AddressSpace, Layout};
use super::link::{Library, identity};
use super::unroll::{ConstInt, Element, Known, evaluate};
use manyworlds_model::model::Model;
use manyworlds_model::schema::{Size, Values};

/// Model fields by name.
#[derive(Debug, Default)]
pub(super) struct Tables {
    integers: BTreeMap<&'static str, Vec<i32>>,
    reals: BTreeMap<&'static str, Vec<f64>>,
}

impl Tables {
    /// Collects every field of a model.
    pub(super) fn new(model: &Model) -> Self {
        let mut tables = Self::default();
        for field in Model::<f64>::FIELDS {
            match model.get(field.name) {
                Some(Values::Int(v)) => drop(tables.integers.insert(field.name, v.to_vec())),
                Some(Values::Real(v)) => drop(tables.reals.insert(field.name, v.to_vec())),
                None => {}
            }
        }
        tables
    }
}

/// Values known at generation time, for unrolling a model's kernels.
pub(super) struct ModelConstants<'a> {
    library: &'a Library,
    tables: &'a Tables,
    layout: &'a Layout,
    /// Tiles of the Hessian of a lane, and rows.
    of_lane: [usize; 2],
    /// Cache: true for functions that access registers.
    register_access: RefCell<BTreeMap<String, bool>>,
}

impl<'a> ModelConstants<'a> {
    pub(super) fn new(
        library: &'a Library,
        tables: &'a Tables,
        layout: &'a Layout,
        of_lane: [usize; 2],
    ) -> Self {
        Self { library, tables, layout, of_lane, register_access: RefCell::default() }
    }
}

impl Known for ModelConstants<'_> {
    fn integer(&self, name: &str, arguments: &[i64]) -> Option<ConstInt> {
        let unsigned =
            |value: usize| i64::try_from(value).ok().map(|value| ConstInt { value, signed: false });
        match arguments {
            [] => {
                let size = Size::ALL.iter().find(|s| s.name() == name);
                match name {
                    "lane" if self.layout.lanes == 1 => unsigned(0),
                    "lanes" => unsigned(self.layout.lanes),
                    "tiles_per_lane" => unsigned(self.of_lane[0]),
                    "rows_per_lane" => unsigned(self.of_lane[1]),
                    _ if size.is_some() => size.and_then(|s| unsigned(self.layout.sizes.get(*s))),
                    _ => {
                        if let Some(value) = access::enumeration_value(name) {
                            return Some(ConstInt { value: i64::from(value), signed: true });
                        }
                        let text = self.library.constant(name)?;
                        let value = text.trim_end_matches(['u', 'i']).parse().ok()?;
                        Some(ConstInt { value, signed: !text.ends_with('u') })
                    }
                }
            }
            [index] => {
                // a model table shared by all worlds
                let shared = self.layout.slot(name).is_some_and(|s| s.space == AddressSpace::Model);
                let entry = self.tables.integers.get(name).filter(|_| shared);
                if let Some(value) = entry.and_then(|t| t.get(usize::try_from(*index).ok()?)) {
                    return Some(ConstInt { value: i64::from(*value), signed: true });
                }
                let (parameter, formula) = self.library.pure_function(name)?;
                evaluate(formula, parameter, *index, self)
            }
            _ => None,
        }
    }

    fn element(&self, name: &str, index: i64) -> Option<Element> {
        let access = access::parse(name).filter(|a| a.row == ValueType::Scalar)?;
        let slot = self.layout.slot(access.field.name)?;
        // a model number shared by all worlds
        if slot.space == AddressSpace::Model && !access.set {
            let value = self.tables.reals.get(access.field.name)?.get(usize::try_from(index).ok()?)?;
            return Some(Element::Value(access::real(*value)));
        }
        let index =
            usize::try_from(index).ok().filter(|i| slot.space == AddressSpace::Register && *i < slot.len)?;
        Some(Element::Register(access::register(access.field.name, index)))
    }

    fn accesses(&self, name: &str) -> bool {
        if let Some(known) = self.register_access.borrow().get(name) {
            return *known;
        }
        let mut found = false;
        let note = |word: &str| {
            let slot = access::parse(word).and_then(|a| self.layout.slot(a.field.name));
            found |= slot.is_some_and(|s| s.space == AddressSpace::Register);
            None
        };
        // accessors are not calls
        if access::parse(name).is_none() {
            let root = Item { name: String::new(), text: format!("{name}()") };
            let Ok(_) = self.library.link(&[root], note, identity);
        }
        self.register_access.borrow_mut().insert(name.to_string(), found);
        found
    }
}
