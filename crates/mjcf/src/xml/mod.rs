//! XML text -> a flat tree of elements, with a span for every name and value.

mod attrs;

pub(crate) use attrs::{AttrWriter, El, MAX_LIST, words};

use std::path::{Path, PathBuf};

use crate::spec::{Log, Span};
use manyworlds_model::assets::{Assets, Unreadable};

/// Deepest element nesting; MuJoCo rejects about 498 levels.
pub(crate) const MAX_DEPTH: usize = 490;

/// Upper bound on attributes of an element: the duplicate check is quadratic.
const MAX_ATTRIBUTES: usize = 1000;

/// Largest accepted file, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 256 << 20;

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attr {
    /// Name.
    pub name: String,
    /// Value, with entities resolved.
    pub value: String,
    /// Source location of the value.
    pub span: Span,
    /// Source location of the name.
    pub name_span: Span,
}

/// An element.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// Tag.
    pub tag: String,
    /// Attributes in document order.
    pub attrs: Vec<Attr>,
    /// Children, as tree indices.
    pub children: Vec<usize>,
    /// Source location of the tag.
    pub span: Span,
}

impl Node {
    /// The attribute with a name.
    pub(crate) fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs.iter().find(|a| a.name == name)
    }
}

/// All elements of a model: the first is the root. A flat list, to avoid recursion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// Elements.
    pub nodes: Vec<Node>,
}

/// Reads a file as text; a problem is reported at `from`, or at the file itself.
pub(crate) fn read_text(log: &Log, assets: &Assets, path: &Path, from: Option<Span>) -> Option<u32> {
    let complain = |message: String, help: &str| {
        let span = from.unwrap_or_else(|| Span {
            file: log.add_source(path.to_owned(), String::new()),
            start: 0,
            end: 0,
        });
        log.add(span, message, help);
    };
    // without `from`, the location in the message already names the file
    let shown = if from.is_some() { format!("'{}'", path.display()) } else { "the file".to_owned() };
    let bytes = match assets.read(path, MAX_FILE_BYTES) {
        Ok(bytes) => bytes.into_owned(),
        Err(Unreadable::System(e)) => {
            complain(format!("cannot read {shown}: {e}"), "check the path");
            return None;
        }
        Err(e) => {
            complain(format!("{shown} {e}"), "");
            return None;
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => Some(log.add_source(path.to_owned(), text)),
        Err(e) => {
            // report the location but never the bytes
            let at = e.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&e.as_bytes()[..at]).into_owned();
            let line = before.matches('\n').count() + 1;
            let message = format!("{shown} is not UTF-8 text (line {line}, byte {at})");
            // comments in another encoding are common and may lose those letters
            let text = String::from_utf8_lossy(e.as_bytes()).into_owned();
            if text.contains('\0') || !text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
                complain(message, "save the file as UTF-8");
                return None;
            }
            let file = log.add_source(path.to_owned(), text);
            log.warn(Span { file, start: at as u32, end: at as u32 }, message, "save the file as UTF-8");
            Some(file)
        }
    }
}

/// Parses one file into the tree; returns the index of its root.
pub(crate) fn parse(log: &Log, tree: &mut Tree, file: u32) -> Option<usize> {
    let text = log.text(file);
    let span = |start: usize, end: usize| Span { file, start: start as u32, end: end as u32 };
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        log.add(span(0, 0), "the file is empty", "a model starts with <mujoco>");
        return None;
    }
    if let Err((at, message, help)) = scan(&text) {
        log.add(span(at, at + 1), message, help);
        return None;
    }
    let plain = match plain(log, file, &text) {
        Ok(plain) => plain,
        Err((at, message, help)) => {
            log.add(span(at, at + 1), message, help);
            return None;
        }
    };
    let broken = |at: usize, e: &roxmltree::Error| {
        let at = plain.origin(at).min(text.len());
        log.add(span(at, at + 1), format!("broken XML: {}", without_position(e)), "");
    };
    let (root, rest) = plain.text.split_at(plain.root_end.unwrap_or(plain.text.len()));
    let document = match roxmltree::Document::parse(root) {
        Ok(document) => document,
        Err(e) => {
            broken(byte_of(root, e.pos()), &e);
            return None;
        }
    };
    // what follows is not read, but has to be well-formed
    if !rest.is_empty() {
        let wrapped = format!("<r>{rest}</r>");
        if let Err(e) = roxmltree::Document::parse(&wrapped) {
            broken((root.len() + byte_of(&wrapped, e.pos())).saturating_sub("<r>".len()), &e);
            return None;
        }
    }
    // copy elements in document order; parents precede children
    let base = tree.nodes.len();
    let mut index = std::collections::HashMap::new();
    for node in document.descendants().filter(|n| n.is_element()) {
        let start = plain.origin(node.range().start + 1);
        let tag = text[start..start + node.tag_name().name().len()].to_owned();
        let tag_span = span(start, start + tag.len());
        // namespace declarations of other formats are allowed and ignored
        let place = |range: std::ops::Range<usize>| plain.origin(range.start)..plain.origin(range.end);
        let known = node.attributes().filter(|a| !text[place(a.range_qname())].starts_with("xmlns"));
        let attrs = known.map(|a| {
            let (name, value) = (place(a.range_qname()), place(a.range_value()));
            Attr {
                name: text[name.clone()].to_owned(),
                value: a.value().to_owned(),
                span: span(value.start, value.end),
                name_span: span(name.start, name.end),
            }
        });
        let id = tree.nodes.len();
        tree.nodes.push(Node { tag, attrs: attrs.collect(), children: Vec::new(), span: tag_span });
        index.insert(node.id(), id);
        if let Some(&parent) = node.parent_element().and_then(|p| index.get(&p.id())) {
            tree.nodes[parent].children.push(id);
        }
    }
    (tree.nodes.len() > base).then_some(base)
}

/// The text reduced to tags. Comments and text between tags are meaningless, so invalid content in them is harmless, as
/// are undeclared namespace prefixes, blanks missing between attributes, `<` and `&` in values, declarations, and what
/// follows the first element: whole elements, and anything behind an end tag. Entities are never expanded.
fn plain(log: &Log, file: u32, text: &str) -> Result<Plain, (usize, String, &'static str)> {
    let warn = |at: usize, message: &str, help: &str| {
        log.warn(Span { file, start: at as u32, end: at as u32 + 1 }, message, help);
    };
    let mut plain = Plain::default();
    let (mut at, mut depth, mut done, mut declared) = (0, 0_usize, false, false);
    while at < text.len() {
        let next = text[at..].find('<').map_or(text.len(), |step| at + step);
        if depth > 0 || declared && !done {
            plain.blank(&text[at..next])
        } else {
            plain.copy(&text[at..next])
        }
        if let (true, Some((place, message))) = (done, misplaced(text, at, next, depth)) {
            return Err((place, message.to_owned(), "remove what follows the first element"));
        }
        at = next;
        let comment = skip(text, at, "<!--", "-->").or_else(|| skip(text, at, "<![CDATA[", "]]>"));
        if let Some(end) = comment.or_else(|| skip(text, at, "<?", "?>")) {
            plain.blank(&text[at..end]);
            at = end;
        } else if let Some(end) = skip(text, at, "<!", ">") {
            warn(at, "a declaration has no effect; entities are never expanded", "remove it");
            plain.blank(&text[at..end]);
            (at, declared) = (end, true);
        } else if at < text.len() {
            let (end, closed, _) = end_of_tag(text.as_bytes(), at);
            let closes = text[at..].starts_with("</");
            if done && depth == 0 && is_end_tag(&text[at..end]) {
                warn(at, "an end tag without its element ends the file", "remove it and what follows it");
                return Ok(plain);
            }
            if done && plain.root_end.is_none() {
                warn(at, "only the first element of a file is read", "remove what follows it");
                plain.root_end = Some(plain.text.len());
            }
            plain.tag(&text[at..end], |i, message, help| warn(at + i, message, help));
            depth = if closes { depth.saturating_sub(1) } else { depth + usize::from(!closed) };
            done |= depth == 0;
            at = end;
        }
    }
    Ok(plain)
}

/// What may not follow the first element, and its place: text from `at` to `next` outside of elements, or what starts
/// at `next` and is a processing instruction or never closed.
fn misplaced(text: &str, at: usize, next: usize, depth: usize) -> Option<(usize, &'static str)> {
    let between = &text[at..next];
    if depth == 0 && !between.trim().is_empty() {
        return Some((next - between.trim_start().len(), "text behind the first element"));
    }
    let rest = &text[next..];
    if rest.starts_with("<?") {
        return Some((next, "a processing instruction behind the first element"));
    }
    let kinds = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">")];
    let (open, close) = kinds.into_iter().find(|(open, _)| rest.starts_with(open))?;
    (!rest[open.len()..].contains(close)).then_some((next, "a comment or declaration is not closed"))
}

/// True for a whole end tag with a name.
fn is_end_tag(tag: &str) -> bool {
    let named = tag.strip_prefix("</").and_then(|name| name.chars().next());
    tag.ends_with('>') && named.is_some_and(|c| c.is_alphabetic() || c == '_' || c == ':')
}

/// Text for the parser, with the places of bytes that the file does not have.
#[derive(Default)]
struct Plain {
    text: String,
    /// Places in the text, ascending.
    added: Vec<usize>,
    /// End of the first element, if others follow.
    root_end: Option<usize>,
}

impl Plain {
    /// Byte of the file that is at a place of the text.
    fn origin(&self, at: usize) -> usize {
        at - self.added.partition_point(|&added| added < at)
    }

    fn copy(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Keeps only the lines and the length.
    fn blank(&mut self, text: &str) {
        self.text.extend(text.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
    }

    fn add(&mut self, text: &str) {
        self.added.extend(self.text.len()..self.text.len() + text.len());
        self.text.push_str(text);
    }

    /// Copies a tag, mended; says what with its place in the tag.
    fn tag(&mut self, tag: &str, warn: impl Fn(usize, &str, &str)) {
        let (mut quote, mut before) = (None, ' ');
        for (i, c) in tag.char_indices() {
            match (quote, c) {
                (None, ':') => self.copy("_"),
                (None, '"' | '\'') => {
                    quote = Some(c);
                    self.text.push(c);
                }
                (None, _) => {
                    let parted = c.is_whitespace() || matches!(c, '/' | '>' | '?');
                    if matches!(before, '"' | '\'') && !parted {
                        warn(i, "a blank is missing between two attributes", "write it");
                        self.add(" ");
                    }
                    self.text.push(c);
                }
                (Some(_), '<') => {
                    warn(i, "'<' in a value", "write &lt;");
                    self.copy("&");
                    self.add("lt;");
                }
                (Some(_), '&') if !is_entity(&tag[i..]) => {
                    warn(i, "'&' in a value starts no known entity and stands for itself", "write &amp;");
                    self.copy("&");
                    self.add("amp;");
                }
                (Some(open), _) => {
                    self.text.push(c);
                    quote = Some(open).filter(|q| *q != c);
                }
            }
            before = c;
        }
    }
}

/// True if the text starts with an entity that every XML file has, or with a character by its number.
fn is_entity(text: &str) -> bool {
    // no name is longer, and values may be very long
    let head: String = text.chars().skip(1).take(12).collect();
    let Some((name, _)) = head.split_once(';') else {
        return false;
    };
    let is_number = |digits: &str, radix: u32| {
        !digits.is_empty() && digits.len() <= 8 && digits.chars().all(|c| c.is_digit(radix))
    };
    matches!(name, "amp" | "lt" | "gt" | "quot" | "apos")
        || name.strip_prefix("#x").is_some_and(|digits| is_number(digits, 16))
        || name.strip_prefix('#').is_some_and(|digits| is_number(digits, 10))
}

/// Byte offset of a line and column of the XML parser.
fn byte_of(text: &str, pos: roxmltree::TextPos) -> usize {
    let start: usize =
        text.split_inclusive('\n').take(pos.row.saturating_sub(1) as usize).map(str::len).sum();
    let line = &text[start..];
    let within = line.char_indices().nth(pos.col.saturating_sub(1) as usize).map_or(line.len(), |(i, _)| i);
    start + within
}

/// The parser's message without its trailing line and column.
fn without_position(error: &roxmltree::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at ").map_or(text.clone(), |(head, _)| head.to_owned())
}

/// Checks depth and numbers of attributes before parsing.
fn scan(text: &str) -> Result<(), (usize, String, &'static str)> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(step) = bytes[at..].iter().position(|&b| b == b'<') {
        at += step;
        let rest = &bytes[at..];
        if let Some(end) = skip(text, at, "<!--", "-->").or_else(|| skip(text, at, "<![CDATA[", "]]>")) {
            at = end;
        } else if let Some(end) = skip(text, at, "<!", ">") {
            at = end;
        } else if let Some(end) = skip(text, at, "<?", "?>") {
            at = end;
        } else if rest.starts_with(b"</") {
            depth = depth.saturating_sub(1);
            at += 2;
        } else {
            let (end, closed, attributes) = end_of_tag(bytes, at);
            if attributes > MAX_ATTRIBUTES {
                let message = format!("an element has more than {MAX_ATTRIBUTES} attributes");
                return Err((at, message, ""));
            }
            if depth >= MAX_DEPTH {
                let message = format!("elements are nested more than {MAX_DEPTH} deep");
                return Err((at, message, "flatten the tree, or attach parts of it as models of their own"));
            }
            depth += usize::from(!closed);
            at = end;
        }
    }
    Ok(())
}

/// End of a construct that starts here; `None` if it does not.
fn skip(text: &str, at: usize, open: &str, close: &str) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix(open)?;
    Some(rest.find(close).map_or(text.len(), |i| at + open.len() + i + close.len()))
}

/// End of the tag that starts here, true if it is self-closing, and its number of attributes.
fn end_of_tag(bytes: &[u8], start: usize) -> (usize, bool, usize) {
    let mut quote = None;
    let mut attributes = 0;
    for (i, &b) in bytes.iter().enumerate().skip(start + 1) {
        match quote {
            Some(q) if b == q => {
                quote = None;
                attributes += 1;
            }
            Some(_) => {}
            None if b == b'"' || b == b'\'' => quote = Some(b),
            None if b == b'>' => return (i + 1, bytes[i - 1] == b'/', attributes),
            None => {}
        }
    }
    (bytes.len(), false, attributes)
}

/// Folder of a file, the base of its relative references.
pub(crate) fn folder(path: &Path) -> PathBuf {
    path.parent().map_or_else(PathBuf::new, Path::to_owned)
}

/// A word of a file, truncated to fit a message.
pub(crate) fn short(word: &str) -> String {
    if word.chars().count() <= 60 { word.to_owned() } else { word.chars().take(60).chain(['…']).collect() }
}
