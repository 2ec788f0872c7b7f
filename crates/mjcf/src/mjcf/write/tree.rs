//! Bodies and their contents.

use super::{Attrs, Writer, put};
use crate::mjcf::body::attributes as body_attributes;
use crate::mjcf::{camera, geom, joint};
use crate::spec::rotation::quat_array;
use crate::spec::{Body, Camera, Geom, InBody, Inertial, Joint, Light, Pose, Site, between};
use crate::xml::words;
use manyworlds_model::schema::enums::GeomType;

/// Elements of one kind by body.
type ByBody = Vec<Vec<usize>>;

fn by_body<E: InBody>(list: &[E], bodies: usize) -> ByBody {
    let mut lists = vec![Vec::new(); bodies];
    for (i, element) in list.iter().enumerate() {
        lists[element.place().0].push(i);
    }
    lists
}

/// Adds a pose unless it is the identity.
fn place(attrs: &mut Attrs, pose: &Pose) {
    if pose.pos != glam::DVec3::ZERO {
        put(attrs, "pos", words(&pose.pos.to_array()));
    }
    if pose.quat != glam::DQuat::IDENTITY {
        put(attrs, "quat", words(&quat_array(pose.quat)));
    }
}

/// Keywords of the set bits.
pub(super) fn listed(words: &[(&str, i32)], bits: i32) -> String {
    let set: Vec<&str> = words.iter().filter(|w| bits & w.1 != 0).map(|w| w.0).collect();
    set.join(" ")
}

/// Size and pose in the body.
fn placed(
    kind: GeomType,
    size: [f64; 3],
    ends: Option<[f64; 6]>,
    own: Pose,
    outer: Pose,
) -> ([f64; 3], Pose) {
    let (size, own) = ends.map_or((size, own), |ends| between(kind, size, ends));
    let pose = outer.then(&own);
    let turned = pose.quat != glam::DQuat::IDENTITY;
    (size, Pose { quat: if turned { pose.quat.normalize() } else { pose.quat }, ..pose })
}

impl Writer<'_> {
    /// Writes the world with all bodies, which are depth first.
    pub(super) fn world(&mut self) {
        let spec = self.spec.clone();
        let n = spec.bodies.len();
        let lists = [
            by_body(&spec.joints, n),
            by_body(&spec.geoms, n),
            by_body(&spec.sites, n),
            by_body(&spec.cameras, n),
            by_body(&spec.lights, n),
        ];
        let explicit = self.explicit_inertia();
        let mut stack: Vec<usize> = Vec::new();
        for (b, body) in spec.bodies.iter().enumerate() {
            while stack.last().is_some_and(|&last| b > 0 && last != body.parent) {
                stack.pop();
                self.end();
            }
            stack.push(b);
            if b == 0 {
                self.begin("worldbody", Vec::new());
            } else {
                let attrs = self.body(body);
                self.begin("body", attrs);
                self.inertial(b, body, explicit);
                if let Some(usage) = &body.plugin {
                    self.plugin(usage, body.base.scope, Attrs::new());
                }
            }
            lists[0][b].iter().for_each(|&i| self.joint(&spec.joints[i]));
            lists[1][b].iter().for_each(|&i| self.geom(&spec.geoms[i]));
            lists[2][b].iter().for_each(|&i| self.site(&spec.sites[i]));
            lists[3][b].iter().for_each(|&i| self.camera(&spec.cameras[i]));
            lists[4][b].iter().for_each(|&i| self.light(&spec.lights[i]));
        }
        stack.iter().for_each(|_| self.end());
    }

    fn body(&self, body: &Body) -> Attrs {
        let mut attrs = self.named(&body.base);
        place(&mut attrs, &body.pose);
        attrs.extend(self.attrs(body.base.scope, &Body::default(), body, body_attributes));
        attrs
    }

    /// True if inertias must be explicit: an attached model has other compiler settings.
    pub(super) fn explicit_inertia(&self) -> bool {
        let key = |i: usize| {
            let c = &self.spec.compilers[i];
            (c.boundmass, c.boundinertia, c.balanceinertia, c.inertiafromgeom, c.inertiagrouprange)
        };
        let same = |b: &Body| key(b.compiler) == key(0);
        !self.spec.bodies.iter().skip(1).all(same) && self.model.sizes.nbody == self.spec.bodies.len()
    }

    fn inertial(&mut self, b: usize, body: &Body, explicit: bool) {
        if let Some(inertial) = body.inertial.as_ref().filter(|_| !explicit) {
            self.inertial_as_written(b, inertial);
        } else if explicit {
            self.inertial_as_compiled(b);
        }
    }

    fn inertial_as_written(&mut self, b: usize, inertial: &Inertial) {
        let full = inertial.inertia.len() == 6;
        let compiled = self.model.sizes.nbody == self.spec.bodies.len();
        if full && inertial.pose.quat != glam::DQuat::IDENTITY && compiled {
            // a rotated full tensor has no attribute: write principal axes
            self.inertial_as_compiled(b);
            return;
        }
        let mut attrs = vec![("pos".to_owned(), words(&inertial.pose.pos.to_array()))];
        if inertial.pose.quat != glam::DQuat::IDENTITY {
            put(&mut attrs, "quat", words(&quat_array(inertial.pose.quat)));
        }
        put(&mut attrs, "mass", words(&[inertial.mass]));
        put(&mut attrs, if full { "fullinertia" } else { "diaginertia" }, words(&inertial.inertia));
        self.leaf("inertial", attrs);
    }

    fn inertial_as_compiled(&mut self, b: usize) {
        let m = self.model;
        let mut attrs = Attrs::new();
        put(&mut attrs, "pos", words(&m.body_ipos[3 * b..3 * b + 3]));
        put(&mut attrs, "quat", words(&m.body_iquat[4 * b..4 * b + 4]));
        put(&mut attrs, "mass", words(&m.body_mass[b..=b]));
        put(&mut attrs, "diaginertia", words(&m.body_inertia[3 * b..3 * b + 3]));
        self.leaf("inertial", attrs);
    }

    /// Flag of a range, explicit if it was inferred by the compiler settings.
    pub(super) fn plain(flag: Option<bool>, range: [f64; 2]) -> Option<bool> {
        flag.or(if range[0] < range[1] { Some(true) } else { None })
    }

    fn joint(&mut self, joint: &Joint) {
        let mut attrs = self.named(&joint.base);
        if joint.free {
            if joint.group != 0 {
                put(&mut attrs, "group", joint.group);
            }
            let align =
                joint.align.unwrap_or(self.spec.compilers[self.spec.bodies[joint.body].compiler].alignfree);
            put(&mut attrs, "align", align);
            self.leaf("freejoint", attrs);
            return;
        }
        let mut joint = joint.clone();
        joint.limited = Self::plain(joint.limited, joint.range);
        joint.actfrclimited = Self::plain(joint.actfrclimited, joint.actfrcrange);
        attrs.extend(self.attrs(joint.base.scope, &Joint::default(), &joint, joint::joint));
        self.leaf("joint", attrs);
    }

    fn geom(&mut self, geom: &Geom) {
        let mut attrs = self.named(&geom.base);
        let mut geom = geom.clone();
        (geom.size, geom.pose) = placed(geom.kind, geom.size, geom.fromto, geom.pose, geom.outer);
        let compiler = &self.spec.compilers[0];
        let read = |el: super::El<'_>, to: &mut Geom| geom::geom(el, compiler, to);
        attrs.extend(self.attrs(geom.base.scope, &Geom::default(), &geom, read));
        match &geom.plugin {
            None => self.leaf("geom", attrs),
            Some(usage) => {
                self.begin("geom", attrs);
                self.plugin(usage, geom.base.scope, Attrs::new());
                self.end();
            }
        }
    }

    fn site(&mut self, site: &Site) {
        let mut attrs = self.named(&site.base);
        let mut site = site.clone();
        (site.size, site.pose) = placed(site.kind, site.size, site.fromto, site.pose, site.outer);
        let compiler = &self.spec.compilers[0];
        let read = |el: super::El<'_>, to: &mut Site| geom::site(el, compiler, to);
        attrs.extend(self.attrs(site.base.scope, &Site::default(), &site, read));
        self.leaf("site", attrs);
    }

    fn camera(&mut self, camera: &Camera) {
        let mut attrs = self.named(&camera.base);
        let compiler = &self.spec.compilers[0];
        let read = |el: super::El<'_>, to: &mut Camera| camera::camera(el, compiler, to);
        attrs.extend(self.attrs(camera.base.scope, &Camera::default(), camera, read));
        let whole = |numbers: [i32; 2]| format!("{} {}", numbers[0], numbers[1]);
        if camera.resolution != [1, 1] {
            put(&mut attrs, "resolution", whole(camera.resolution));
        }
        if camera.output != 1 {
            put(&mut attrs, "output", listed(camera::OUTPUTS, camera.output));
        }
        if camera.sensorsize != [0.0; 2] {
            attrs.retain(|a| a.0 != "fovy");
        }
        self.leaf("camera", attrs);
    }

    fn light(&mut self, light: &Light) {
        let mut attrs = self.named(&light.base);
        attrs.extend(self.attrs(light.base.scope, &Light::default(), light, camera::light));
        self.leaf("light", attrs);
    }
}
