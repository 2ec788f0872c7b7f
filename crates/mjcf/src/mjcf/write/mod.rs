//! [`Spec`] -> MJCF: one file without frames, includes or attached models, and with classes of defaults only for what an
//! element has no attribute for. Angles are radians, orientations quaternions, numbers the shortest that parse back to the
//! same value; scales of frames are in the numbers. Attributes equal to the format's defaults are omitted.

mod actuators;
mod document;
mod flexes;
mod looks;
mod meshes;
mod sections;
mod tree;

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::Path;

use super::schema;
use crate::spec::{Base, Index, Kind, Log, Ref, Spec, base_of};
use crate::xml::{AttrWriter, El};
use crate::xml::{Node, Tree};
use manyworlds_model::model::Model;

/// Writes a model. `model` is the compiled model, and `folder` that of the output file: asset paths below it are
/// relative.
pub fn write(spec: &Spec, model: &Model, folder: &Path) -> String {
    let mut tree = Tree::default();
    tree.nodes.push(Node::default());
    let ordered = spec.ordered();
    let plain: &Spec = &ordered;
    // a compiled model has no frame that cannot be scaled
    let spec = plain.scaled().unwrap_or(Cow::Borrowed(plain));
    let mut writer = Writer {
        index: Index::new(&spec),
        spec: spec.clone(),
        model,
        folder,
        log: Log::default(),
        tree,
        text: String::new(),
        open: Vec::new(),
        classes: Vec::new(),
        classes_at: 0,
    };
    writer.document();
    writer.text
}

/// Attributes of an element, in order.
type Attrs = Vec<(String, String)>;

/// Output text with its context.
struct Writer<'a> {
    spec: Cow<'a, Spec>,
    model: &'a Model,
    folder: &'a Path,
    index: Index,
    /// Log for the reader's functions.
    log: Log,
    tree: Tree,
    text: String,
    /// Stack of open elements.
    open: Vec<&'static str>,
    /// Classes: the element of defaults, and its attributes.
    classes: Vec<(&'static str, Attrs)>,
    /// Where their section begins in the text.
    classes_at: usize,
}

impl Writer<'_> {
    /// Writes a start tag.
    fn begin(&mut self, tag: &'static str, attrs: Attrs) {
        self.tag(tag, attrs, ">\n");
        self.open.push(tag);
    }

    /// Writes the end of the innermost element; self-closing if it has no children.
    fn end(&mut self) {
        if let Some(tag) = self.open.pop() {
            let start = format!("<{tag}");
            let line = self.text.trim_end_matches('\n').rfind('\n').map_or(0, |i| i + 1);
            let last = &self.text[line..];
            if last.trim_start().starts_with(&start) && last.ends_with(">\n") && !last.ends_with("/>\n") {
                self.text.truncate(self.text.len() - 2);
                self.text.push_str("/>\n");
                return;
            }
            self.indent();
            self.text.push_str(&format!("</{tag}>\n"));
        }
    }

    /// Writes an element without children.
    fn leaf(&mut self, tag: &str, attrs: Attrs) {
        self.tag(tag, attrs, "/>\n");
    }

    /// Attributes that elements of a tag may have. Others, that only `of` in defaults has, go into a class.
    fn fitting(&mut self, section: &str, tag: &str, of: &'static str, attrs: Attrs) -> Attrs {
        let (mut own, mut other): (Attrs, Attrs) =
            attrs.into_iter().partition(|a| schema::has_attribute(section, tag, &a.0));
        other.retain(|a| schema::has_attribute("default", of, &a.0));
        if other.is_empty() {
            return own;
        }
        let class = (of, other);
        let place = self.classes.iter().position(|known| *known == class).unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        });
        put(&mut own, "class", format!("saved{place}"));
        own
    }

    /// Writes the section of classes before those that refer to it.
    fn default_classes(&mut self) {
        let after = self.text.split_off(self.classes_at);
        let classes = std::mem::take(&mut self.classes);
        self.section("default", |writer| {
            for (place, (of, attrs)) in classes.into_iter().enumerate() {
                let mut named = Attrs::new();
                put(&mut named, "class", format!("saved{place}"));
                writer.begin("default", named);
                writer.leaf(of, attrs);
                writer.end();
            }
        });
        self.text.push_str(&after);
    }

    /// Writes a section unless it is empty.
    fn section(&mut self, tag: &'static str, fill: impl FnOnce(&mut Self)) {
        let before = self.text.len();
        self.begin(tag, Vec::new());
        let started = self.text.len();
        fill(self);
        if self.text.len() == started {
            self.text.truncate(before);
            self.open.pop();
        } else {
            self.end();
        }
    }

    fn indent(&mut self) {
        self.text.push_str(&"  ".repeat(self.open.len().min(40)));
    }

    fn tag(&mut self, tag: &str, attrs: Attrs, end: &str) {
        self.indent();
        self.text.push('<');
        self.text.push_str(tag);
        for (name, value) in attrs {
            self.text.push_str(&format!(" {name}=\""));
            escape(&mut self.text, &value);
            self.text.push('"');
        }
        self.text.push_str(end);
    }

    /// Attributes written by one of the reader's functions that differ from `fresh`.
    fn attrs<E: Clone>(&self, scope: usize, fresh: &E, value: &E, read: impl Fn(El<'_>, &mut E)) -> Attrs {
        let record = |value: &E| {
            let full = |attr: &str, target: &Ref| self.full_by_attr(attr, target, scope);
            let pen = AttrWriter { attrs: RefCell::default(), full: &full };
            read(El { log: &self.log, tree: &self.tree, id: 0, pen: Some(&pen) }, &mut value.clone());
            pen.attrs.into_inner()
        };
        let usual = record(fresh);
        let mut attrs = record(value);
        attrs.retain(|a| !usual.contains(a) && !a.1.is_empty());
        attrs
    }

    /// The `name` attribute of an element.
    fn named(&self, base: &Base) -> Attrs {
        let full = self.spec.full_name(&base.name, base.scope);
        if full.is_empty() { Vec::new() } else { vec![("name".to_owned(), full)] }
    }

    /// Full name of a reference.
    fn full(&self, kind: Kind, target: &Ref, scope: usize) -> String {
        let found = self.index.resolve(&self.spec, kind, &target.name, scope);
        let base = found.and_then(|i| base_of(&self.spec, kind, i));
        base.map_or_else(|| target.name.clone(), |b| self.spec.full_name(&b.name, b.scope))
    }

    fn full_by_attr(&self, attr: &str, target: &Ref, scope: usize) -> String {
        if target.name.is_empty() {
            return String::new();
        }
        match kind_of(attr) {
            Some(kind) => self.full(kind, target, scope),
            None => target.name.clone(),
        }
    }
}

/// Kind of an attribute's target.
fn kind_of(attr: &str) -> Option<Kind> {
    let word = attr.trim_end_matches(['1', '2']);
    Some(match word {
        "target" => Kind::Body,
        "jointinparent" => Kind::Joint,
        "cranksite" | "slidersite" | "refsite" | "sidesite" => Kind::Site,
        _ => *Kind::ALL.iter().find(|k| k.word() == word)?,
    })
}

/// Adds an attribute.
fn put(attrs: &mut Attrs, name: &str, value: impl ToString) {
    attrs.push((name.to_owned(), value.to_string()));
}

/// Escapes a value.
pub(super) fn escape(to: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '&' => to.push_str("&amp;"),
            '<' => to.push_str("&lt;"),
            '"' => to.push_str("&quot;"),
            '\n' | '\t' | '\r' => to.push_str(&format!("&#{};", c as u32)),
            c => to.push(c),
        }
    }
}
