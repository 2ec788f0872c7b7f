//! MJCF schema: one table of elements and attributes, and its validation.

use std::sync::OnceLock;

use crate::spec::{Log, did_you_mean};
use crate::xml::Tree;
use crate::xml::short;

/// An element of the schema.
struct Rule {
    name: &'static str,
    once: bool,
    recursive: bool,
    attrs: Vec<&'static str>,
    children: Vec<usize>,
}

/// Removed attributes, with their replacements.
const REMOVED: &[(&str, &str, &str)] =
    &[("option", "apirate", "remove it"), ("option", "collision", "use contact/pair and contact/exclude")];

fn rules() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| load(include_str!("schema.txt")))
}

/// Parses the table: indentation is nesting.
fn load(text: &'static str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let depth = line.len() - line.trim_start().len();
        let Some((head, attrs)) = line.trim_start().split_once(':') else {
            continue;
        };
        let (kind, name) = head.split_once(' ').unwrap_or(("*", head));
        let id = rules.len();
        let attrs = attrs.split_whitespace().collect();
        rules.push(Rule { name, once: kind == "?", recursive: kind == "R", attrs, children: Vec::new() });
        path.truncate(depth);
        if let Some(&parent) = path.last() {
            rules[parent].children.push(id);
        }
        path.push(id);
    }
    rules
}

/// The rule of a child element. Bodies, frames and replicates share the contents of a body.
fn child_rule(parent: usize, tag: &str) -> Option<usize> {
    let rules = rules();
    let rule = &rules[parent];
    let own = |list: &[usize], tag: &str| list.iter().copied().find(|&c| rules[c].name == tag);
    if parent == 0 && tag == "worldbody" {
        return own(&rule.children, "body");
    }
    if rule.recursive && rule.name == tag && rule.name != "frame" && rule.name != "replicate" {
        return Some(parent);
    }
    let holder = body_rule(parent);
    if tag == "body" && holder != parent {
        return Some(holder);
    }
    own(&rules[holder].children, tag)
}

/// The body rule for frames and replicates, else the rule itself.
fn body_rule(rule: usize) -> usize {
    let rules = rules();
    match rules[rule].name {
        "frame" | "replicate" => rules.iter().position(|r| r.name == "body").unwrap_or(rule),
        _ => rule,
    }
}

/// The rule of a section, or of what is in bodies.
fn section_rule(section: &str) -> Option<&'static Rule> {
    let rules = rules();
    rules[0].children.iter().map(|c| &rules[*c]).find(|rule| rule.name == section)
}

/// True if a section, or `body`, may hold elements of a tag.
pub(super) fn has(section: &str, tag: &str) -> bool {
    section == "body" && tag == "body" || children(section).any(|name| name == tag)
}

/// Tags of the elements in a section, or in `body`.
pub(super) fn children(section: &str) -> impl Iterator<Item = &'static str> {
    section_rule(section).into_iter().flat_map(|rule| rule.children.iter().map(|c| rules()[*c].name))
}

/// True if elements of a tag in a section may have an attribute.
pub(super) fn has_attribute(section: &str, tag: &str, attr: &str) -> bool {
    let children = section_rule(section).into_iter().flat_map(|rule| &rule.children);
    children.map(|c| &rules()[*c]).any(|rule| rule.name == tag && rule.attrs.contains(&attr))
}

/// Validates all elements and attributes below a root.
pub(super) fn check(log: &Log, tree: &Tree, root: usize) {
    let mut stack = vec![(root, 0, String::from("mujoco"), false)];
    while let Some((node, rule, path, free)) = stack.pop() {
        if log.is_full() {
            return;
        }
        // MuJoCo ignores unknown attributes of frames and replicates, and files rely on it
        let free = free || matches!(rules()[rule].name, "frame" | "replicate");
        check_attributes(log, tree, node, (rule, &path), free);
        let mut seen: Vec<&str> = Vec::new();
        for &child in &tree.nodes[node].children {
            let tag = tree.nodes[child].tag.as_str();
            if rule == 0 && tag == "body" {
                let help = "put it into <worldbody>; a file that is only included cannot be seen on its own";
                log.warn(tree.nodes[child].span, "a body outside of worldbody is not read", help);
            }
            let Some(next) = child_rule(rule, tag) else {
                unknown_element(log, tree, child, rule, &path);
                continue;
            };
            if rules()[next].once && seen.contains(&tag) {
                log.add(
                    tree.nodes[child].span,
                    format!("element '{tag}' can appear only once in {path}"),
                    "",
                );
            }
            seen.push(tag);
            stack.push((child, next, path_of(&path, tag), free));
        }
    }
}

/// Path of a child in messages; deep paths are shortened to their end.
fn path_of(parent: &str, tag: &str) -> String {
    if parent.len() > 60 { format!("…/{tag}") } else { format!("{parent}/{tag}") }
}

fn unknown_element(log: &Log, tree: &Tree, node: usize, rule: usize, path: &str) {
    let rules = rules();
    let tag = short(&tree.nodes[node].tag);
    let children = &rules[body_rule(rule)].children;
    let mut valid: Vec<&str> = children.iter().map(|&c| rules[c].name).collect();
    if rule == 0 {
        valid.iter_mut().filter(|n| **n == "body").for_each(|n| *n = "worldbody");
    } else if rules[body_rule(rule)].recursive {
        valid.push(rules[body_rule(rule)].name);
    }
    let help = did_you_mean(&tag, valid.iter().copied()).unwrap_or_else(|| {
        let list = if valid.is_empty() { "none".to_owned() } else { valid.join(", ") };
        format!("valid: {list}")
    });
    log.add(tree.nodes[node].span, format!("unknown element '{tag}' in {path}"), help);
}

/// Unknown attributes are only a warning if `free`.
fn check_attributes(log: &Log, tree: &Tree, node: usize, (rule, path): (usize, &str), free: bool) {
    let tell = |span, message: String, help: String| {
        if free { log.warn(span, message, help) } else { log.add(span, message, help) }
    };
    let rule = &rules()[rule];
    let element = &tree.nodes[node];
    let valid: &[&str] = if element.tag == "worldbody" { &[] } else { &rule.attrs };
    for attr in &element.attrs {
        if valid.contains(&attr.name.as_str()) {
            continue;
        }
        let name = short(&attr.name);
        if let Some((.., help)) = REMOVED.iter().find(|r| r.0 == element.tag && r.1 == attr.name) {
            let message = format!("attribute '{name}' of {path} is no longer supported");
            tell(attr.name_span, message, (*help).to_owned());
            continue;
        }
        let help = did_you_mean(&name, valid.iter().copied()).unwrap_or_else(|| {
            if valid.is_empty() {
                format!("{} has no attributes", element.tag)
            } else {
                format!("valid: {}", valid.join(", "))
            }
        });
        tell(attr.name_span, format!("unknown attribute '{name}' in {path}"), help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_a_tree_below_mujoco() {
        let rules = rules();
        assert_eq!(rules[0].name, "mujoco");
        let reached: usize = rules.iter().map(|r| r.children.len()).sum();
        assert_eq!(reached + 1, rules.len());
        assert!(rules.len() > 150);
    }
}
