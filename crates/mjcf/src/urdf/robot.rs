//! Links and joints of a robot, and the kinematic trees they form.

use std::collections::HashMap;

use crate::spec::did_you_mean;
use crate::xml::{El, Tree};

use super::{called, required};

/// A link.
pub(super) struct Link<'a> {
    pub(super) el: El<'a>,
    pub(super) name: String,
    /// Its parent joint.
    joint: Option<usize>,
    /// Child links, in joint order.
    children: Vec<usize>,
}

/// A joint with its parent and child links.
pub(super) struct Joint<'a> {
    pub(super) el: El<'a>,
    pub(super) child: usize,
    parent: usize,
}

/// A robot.
pub(super) struct Robot<'a> {
    pub(super) links: Vec<Link<'a>>,
    pub(super) joints: Vec<Joint<'a>>,
}

impl<'a> Robot<'a> {
    /// Reads names and the parent of every link.
    pub(super) fn read(el: El<'a>) -> Option<Self> {
        let mut robot = Self { links: Vec::new(), joints: Vec::new() };
        let mut index = HashMap::new();
        for link in el.children().filter(|c| c.tag() == "link") {
            let Some(name) = link.required("name") else {
                continue;
            };
            if index.insert(name.clone(), robot.links.len()).is_some() {
                link.wrong("name", format!("{} is there twice", called(link)), "rename one of them");
            }
            robot.links.push(Link { el: link, name, joint: None, children: Vec::new() });
        }
        for joint in el.children().filter(|c| c.tag() == "joint") {
            let parent = robot.end(&index, joint, "parent");
            let child = robot.end(&index, joint, "child");
            if let (Some(parent), Some(child)) = (parent, child) {
                robot.connect(joint, parent, child);
            }
        }
        robot.check_loops();
        el.log.is_clean().then_some(robot)
    }

    /// The link at one end of a joint.
    fn end(&self, index: &HashMap<String, usize>, joint: El<'_>, tag: &str) -> Option<usize> {
        let end = required(joint, tag)?;
        let name = end.required("link")?;
        let found = index.get(&name).copied();
        if found.is_none() {
            let help = did_you_mean(&name, self.links.iter().map(|l| l.name.as_str()))
                .unwrap_or_else(|| format!("add <link name=\"…\"/> for the {tag} of {}", called(joint)));
            let shown: String = name.chars().take(60).collect();
            end.wrong("link", format!("unknown link '{shown}'"), help);
        }
        found
    }

    fn connect(&mut self, el: El<'a>, parent: usize, child: usize) {
        if let Some(first) = self.links[child].joint {
            let first = called(self.joints[first].el);
            let message =
                format!("{} has two parents, by {first} and {}", called(self.links[child].el), called(el));
            el.log.add(
                el.span(),
                message,
                "a link has one parent; remove a joint, or close loops with constraints",
            );
            return;
        }
        self.links[child].joint = Some(self.joints.len());
        self.links[parent].children.push(child);
        self.joints.push(Joint { el, child, parent });
    }

    /// Parent link.
    fn parent(&self, link: usize) -> Option<usize> {
        self.links[link].joint.map(|j| self.joints[j].parent)
    }

    /// Reports every kinematic loop with its links.
    fn check_loops(&self) {
        // a walk to the parents that revisits its own link is a loop; each link is visited once
        let mut seen = vec![usize::MAX; self.links.len()];
        for start in 0..self.links.len() {
            let mut at = Some(start);
            while let Some(link) = at.filter(|&l| seen[l] == usize::MAX) {
                seen[link] = start;
                at = self.parent(link);
            }
            let Some(first) = at.filter(|&l| seen[l] == start) else {
                continue;
            };
            let mut names = vec![self.links[first].name.as_str()];
            let mut link = self.parent(first);
            while let Some(l) = link.filter(|&l| l != first) {
                names.push(&self.links[l].name);
                link = self.parent(l);
            }
            names.push(&self.links[first].name);
            names.reverse();
            names.truncate(20);
            let message = format!("links form a loop: {}", names.join(" -> "));
            let el = self.links[first].joint.map_or(self.links[first].el, |j| self.joints[j].el);
            el.log.add(el.span(), message, "remove a joint: links form a tree");
        }
    }

    /// Writes a body for every link, trees in the order of their roots; returns the element of each link.
    pub(super) fn bodies(&self, out: &mut Tree, world: usize) -> Vec<usize> {
        let mut places = vec![world; self.links.len()];
        let roots = (0..self.links.len()).filter(|&l| self.links[l].joint.is_none());
        let mut stack: Vec<usize> = roots.rev().collect();
        while let Some(l) = stack.pop() {
            let link = &self.links[l];
            // a link of this name is the world body itself
            if link.name != "world" {
                let parent = self.parent(l).map_or(world, |p| places[p]);
                places[l] = out.element(Some(parent), "body", link.el.span());
                out.copy(places[l], "name", link.el.attr("name"));
            }
            stack.extend(link.children.iter().rev());
        }
        places
    }
}
