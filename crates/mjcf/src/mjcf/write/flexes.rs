//! Deformable bodies.

use super::looks::ints;
use super::{Attrs, Writer, put};
use crate::mjcf::flex;
use crate::spec::{Elasticity, Flex, FlexContact, Kind, Ref};
use crate::xml::words;

impl Writer<'_> {
    pub(super) fn flex(&mut self, value: &Flex) {
        let scope = value.base.scope;
        let mut attrs = self.named(&value.base);
        attrs.extend(self.attrs(scope, &Flex::default(), value, flex::common));
        for (name, list) in [("body", &value.vert_body), ("node", &value.node_body)] {
            self.bodies(&mut attrs, name, list, scope);
        }
        let lists = [("vertex", &value.vert), ("nodecoord", &value.node), ("texcoord", &value.texcoord)];
        for (name, list) in lists.into_iter().filter(|l| !l.1.is_empty()) {
            put(&mut attrs, name, words(list));
        }
        for (name, list) in [("element", &value.elem), ("elemtexcoord", &value.elemtexcoord)] {
            if !list.is_empty() {
                put(&mut attrs, name, ints(list));
            }
        }
        if let Some(word) = flex::DOFS.iter().find(|d| value.order > 0 && flex::order_of(d.1) == value.order)
        {
            put(&mut attrs, "dof", word.0);
        }
        if value.cellcount != [1; 3] {
            put(&mut attrs, "cellcount", ints(&value.cellcount));
        }
        self.begin("flex", attrs);
        let contact = self.attrs(scope, &FlexContact::default(), &value.contact, flex::contact);
        let elasticity = self.attrs(scope, &Elasticity::default(), &value.elasticity, flex::elasticity);
        let mut edge = Attrs::new();
        for (name, number) in [("stiffness", value.edge_stiffness), ("damping", value.edge_damping)] {
            if number != 0.0 {
                put(&mut edge, name, words(&[number]));
            }
        }
        for (tag, attrs) in [("contact", contact), ("elasticity", elasticity), ("edge", edge)] {
            if !attrs.is_empty() {
                self.leaf(tag, attrs);
            }
        }
        self.end();
    }

    fn bodies(&self, attrs: &mut Attrs, name: &str, list: &[Ref], scope: usize) {
        if !list.is_empty() {
            let names: Vec<String> = list.iter().map(|b| self.full(Kind::Body, b, scope)).collect();
            put(attrs, name, names.join(" "));
        }
    }
}
