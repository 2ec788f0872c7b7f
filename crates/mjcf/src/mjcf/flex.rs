//! `<flex>`, and the attributes it shares with `<flexcomp>`.

use super::geom::reference;
use super::joint::{SOLIMP, SOLREF};
use crate::spec::{Elasticity, Flex, FlexContact, Ref, Span};
use crate::xml::El;
use manyworlds_model::schema::enums::selfcollide;

/// Upper bound on numbers in a list.
pub(super) const MAX_LIST: usize = 10_000_000;

/// Elastic forces of 2D elements.
const ELASTIC: &[(&str, i32)] = &[("none", 0), ("bend", 1), ("stretch", 2), ("both", 3)];

/// Cross sections of 1D elements.
const SECTIONS: &[(&str, i32)] = &[("circle", 0), ("box", 1)];

/// Parametrisation of the vertices.
pub(super) const DOFS: &[(&str, i32)] =
    &[("full", 0), ("radial", 1), ("trilinear", 2), ("quadratic", 3), ("2d", 4)];

impl Default for FlexContact {
    fn default() -> Self {
        Self {
            contype: 1,
            conaffinity: 1,
            condim: 3,
            priority: 0,
            friction: [1.0, 0.005, 0.0001],
            solmix: 1.0,
            solref: SOLREF,
            solimp: SOLIMP,
            margin: 0.0,
            gap: 0.0,
            selfcollide: 4,
            activelayers: 1,
            passive: false,
        }
    }
}

impl Default for Elasticity {
    fn default() -> Self {
        Self {
            young: 0.0,
            poisson: 0.0,
            damping: 0.0,
            thickness: -1.0,
            elastic2d: 0,
            section: 0,
            sectionsize: [0.0; 2],
        }
    }
}

impl Default for Flex {
    fn default() -> Self {
        Self {
            base: Default::default(),
            contact: FlexContact::default(),
            elasticity: Elasticity::default(),
            edge_stiffness: 0.0,
            edge_damping: 0.0,
            dim: 2,
            radius: 0.005,
            group: 0,
            rgba: [0.5, 0.5, 0.5, 1.0],
            material: Ref::default(),
            flatskin: false,
            order: 0,
            cellcount: [1; 3],
            vert_body: Vec::new(),
            node_body: Vec::new(),
            vert: Vec::new(),
            node: Vec::new(),
            elem: Vec::new(),
            texcoord: Vec::new(),
            elemtexcoord: Vec::new(),
        }
    }
}

/// Interpolation order of a parametrisation.
pub(super) fn order_of(dof: i32) -> i32 {
    match dof {
        2 => 1,
        3 => 2,
        _ => 0,
    }
}

/// Reads the attributes and child elements shared by flex and flexcomp.
pub(super) fn common(el: El<'_>, to: &mut Flex) {
    to.base.at.note(el);
    to.base.name = el.text("name").unwrap_or_default();
    el.set_int("dim", &mut to.dim);
    looks(el, to);
    for child in el.children() {
        match child.tag() {
            "contact" => contact(child, &mut to.contact),
            "elasticity" => elasticity(child, &mut to.elasticity),
            "edge" => {
                child.set_real("stiffness", &mut to.edge_stiffness);
                child.set_real("damping", &mut to.edge_damping);
            }
            _ => {}
        }
    }
}

/// Reads the radius and visual attributes.
pub(super) fn looks(el: El<'_>, to: &mut Flex) {
    el.set_real("radius", &mut to.radius);
    el.set_int("group", &mut to.group);
    el.set_fixed("rgba", &mut to.rgba);
    reference(el, "material", &mut to.material);
    el.set_flag("flatskin", &mut to.flatskin);
}

/// Reads contact attributes.
pub(super) fn contact(el: El<'_>, to: &mut FlexContact) {
    el.set_int("contype", &mut to.contype);
    el.set_int("conaffinity", &mut to.conaffinity);
    el.set_int("condim", &mut to.condim);
    el.set_int("priority", &mut to.priority);
    el.set_partial("friction", &mut to.friction);
    el.set_real("solmix", &mut to.solmix);
    el.set_partial("solref", &mut to.solref);
    el.set_partial("solimp", &mut to.solimp);
    el.set_real("margin", &mut to.margin);
    el.set_real("gap", &mut to.gap);
    el.set_keyword("selfcollide", selfcollide::WORDS, &mut to.selfcollide);
    el.set_int("activelayers", &mut to.activelayers);
    el.set_flag("passive", &mut to.passive);
}

pub(super) fn elasticity(el: El<'_>, to: &mut Elasticity) {
    el.set_real("young", &mut to.young);
    el.set_real("poisson", &mut to.poisson);
    el.set_real("damping", &mut to.damping);
    el.set_real("thickness", &mut to.thickness);
    el.set_keyword("elastic2d", ELASTIC, &mut to.elastic2d);
    el.set_keyword("section", SECTIONS, &mut to.section);
    el.set_fixed("sectionsize", &mut to.sectionsize);
}

/// Reads a flex of the deformable section.
pub(super) fn flex(el: El<'_>) -> Flex {
    let mut flex = Flex::default();
    common(el, &mut flex);
    if el.attr("node").is_none() {
        el.required("body");
    }
    el.required("element");
    flex.vert_body = names(el, "body");
    flex.node_body = names(el, "node");
    flex.vert = el.list("vertex").unwrap_or_default();
    flex.node = el.list("nodecoord").unwrap_or_default();
    flex.elem = el.ints("element", 0, MAX_LIST).unwrap_or_default();
    flex.texcoord = el.list("texcoord").unwrap_or_default();
    flex.elemtexcoord = el.ints("elemtexcoord", 0, MAX_LIST).unwrap_or_default();
    flex.order = order_of(el.keyword("dof", DOFS).unwrap_or(0));
    if let Some(cells) = el.ints("cellcount", 3, 3) {
        flex.cellcount = [cells[0], cells[1], cells[2]];
    }
    flex
}

/// A list of names, each located if the text is verbatim.
fn names(el: El<'_>, name: &str) -> Vec<Ref> {
    let Some(attr) = el.attr(name) else {
        return Vec::new();
    };
    let (text, span) = (attr.value.as_str(), attr.span);
    let exact = (span.end - span.start) as usize == text.len();
    let place = |word: &str| {
        let start = span.start + (word.as_ptr() as usize - text.as_ptr() as usize) as u32;
        if exact { Span { start, end: start + word.len() as u32, ..span } } else { span }
    };
    text.split_ascii_whitespace().map(|word| Ref { name: word.to_owned(), span: place(word) }).collect()
}
