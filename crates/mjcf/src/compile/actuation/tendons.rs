//! Tendons: path validation and Jacobian sparsity.

use crate::spec::{Kind, Ref, Tendon, Wrap, WrapKind};
use manyworlds_model::schema::enums::{geom, wrap};

use crate::compile::Build;

impl Build<'_> {
    /// Fills tendons, their paths and their Jacobian sparsity.
    pub(crate) fn tendons(&mut self) {
        let mut adr = 0;
        self.model.ten_J_colind.clear();
        for t in 0..self.spec.tendons.len() {
            let tendon = &self.spec.tendons[t];
            self.check_tendon(tendon);
            self.check_path(tendon);
            self.tendon(t, tendon, adr);
            for (i, element) in tendon.path.iter().enumerate() {
                self.element(adr + i, element, tendon);
            }
            self.dofs_along(t);
            adr += tendon.path.len();
        }
        self.model.sizes.nJten = self.model.ten_J_colind.len();
    }

    fn check_tendon(&self, tendon: &Tendon) {
        let (at, name) = (&tendon.base.at, self.called("tendon", &tendon.base));
        let [low, high] = tendon.springlength;
        if low > high {
            let message = format!("springlength {low} {high} of {name} is not a range");
            self.wrong(at.of("springlength"), message, "smaller length first");
        }
        if tendon.width <= 0.0 {
            self.wrong(at.of("width"), format!("the width of {name} is not positive"), "for example 0.003");
        }
    }

    /// Checks the sequence of sites, geoms and pulleys.
    fn check_path(&self, tendon: &Tendon) {
        let (at, path) = (&tendon.base.at, &tendon.path);
        let name = self.called("tendon", &tendon.base);
        let Some(last) = path.last() else {
            let help = if tendon.spatial { "add sites" } else { "add <joint joint=… coef=…/>" };
            self.wrong(at.element, format!("the path of {name} is empty"), help);
            return;
        };
        if !tendon.spatial {
            return;
        }
        if path.len() < 2 {
            self.wrong(at.element, format!("the path of {name} has one element"), "it needs two sites");
        }
        if matches!(last.kind, WrapKind::Pulley(_)) {
            self.wrong(last.span, format!("the path of {name} ends with a pulley"), "add the branch's sites");
        }
        let bent = path.iter().find(|w| matches!(w.kind, WrapKind::Geom(..)));
        if let Some(geom) = bent.filter(|_| tendon.armature > 0.0) {
            let message = format!("{name} has armature and wraps around a geom");
            self.wrong(geom.span, message, "armature is only for paths without geoms");
        }
        for i in 0..path.len() {
            let before = i.checked_sub(1).and_then(|k| path.get(k));
            self.check_place(&name, before, &path[i], path.get(i + 1));
        }
    }

    /// Checks one element of a spatial path against its neighbours.
    fn check_place(&self, tendon: &str, before: Option<&Wrap>, at: &Wrap, after: Option<&Wrap>) {
        let is_site = |w: Option<&Wrap>| w.is_some_and(|w| matches!(w.kind, WrapKind::Site(_)));
        let is_pulley = |w: Option<&Wrap>| w.is_none_or(|w| matches!(w.kind, WrapKind::Pulley(_)));
        match &at.kind {
            WrapKind::Geom(geom, _) if !is_site(before) || !is_site(after) => {
                let message = format!("geom '{}' in {tendon} is not between two sites", geom.name);
                self.wrong(at.span, message, "put a site before and behind it");
            }
            WrapKind::Site(site) => {
                if is_pulley(before) && is_pulley(after) {
                    let message = format!("site '{}' is alone in its branch of {tendon}", site.name);
                    self.wrong(at.span, message, "a branch needs two sites");
                }
                let twice = |w: Option<&Wrap>| matches!(w.map(|w| &w.kind), Some(WrapKind::Site(other)) if other.name == site.name);
                if twice(before) {
                    let message = format!("site '{}' is twice in a row in {tendon}", site.name);
                    self.wrong(at.span, message, "remove one of them");
                }
            }
            WrapKind::Pulley(divisor) => {
                let message = format!("the divisor of a pulley of {tendon} is {divisor}");
                if *divisor < 0.0 {
                    self.wrong(at.span, message, "it must be positive");
                } else if *divisor == 0.0 {
                    self.log.warn(at.span, message, "it must be positive: the branch is infinitely long");
                }
                if before.is_some() && is_pulley(before) {
                    self.wrong(at.span, format!("two pulleys in a row in {tendon}"), "remove one of them");
                }
            }
            _ => {}
        }
    }

    /// Fills one path element.
    fn element(&mut self, w: usize, element: &Wrap, tendon: &Tendon) {
        let scope = tendon.base.scope;
        let id = |kind, target| self.id_of(kind, target, scope).map_or(-1, |i| i as i32);
        let (kind, object, number) = match &element.kind {
            WrapKind::Joint(joint, coef) => (wrap::JOINT, id(Kind::Joint, joint), *coef),
            WrapKind::Site(site) => (wrap::SITE, id(Kind::Site, site), 0.0),
            WrapKind::Pulley(divisor) => (wrap::PULLEY, -1, *divisor),
            WrapKind::Geom(target, side) => {
                let object = id(Kind::Geom, target);
                let side = if side.name.is_empty() { -1 } else { id(Kind::Site, side) };
                (self.wrap_of(object, target, tendon), object, f64::from(side))
            }
        };
        let m = &mut self.model;
        (m.wrap_type[w], m.wrap_objid[w], m.wrap_prm[w]) = (kind, object, number);
    }

    /// Wrap type of a geom.
    fn wrap_of(&self, g: i32, target: &Ref, tendon: &Tendon) -> i32 {
        let kind = usize::try_from(g).map_or(geom::SPHERE, |g| self.model.geom_type[g]);
        if kind != geom::SPHERE && kind != geom::CYLINDER {
            let name = self.called("tendon", &tendon.base);
            let message = format!("{name} cannot wrap around geom '{}'", target.name);
            self.wrong(target.span, message, "only around spheres and cylinders");
        }
        if kind == geom::CYLINDER { wrap::CYLINDER } else { wrap::SPHERE }
    }

    /// Jacobian columns and kinematic trees.
    fn dofs_along(&mut self, t: usize) {
        let m = &mut self.model;
        let columns = m.tendon_columns(t);
        let (count, trees) = m.tendon_trees(t);
        m.tendon_treenum[t] = count;
        m.tendon_treeid[2 * t..2 * t + 2].copy_from_slice(&trees);
        m.ten_J_rownnz[t] = columns.len() as i32;
        m.ten_J_rowadr[t] = m.ten_J_colind.len() as i32;
        m.ten_J_colind.extend(columns);
    }

    fn tendon(&mut self, t: usize, tendon: &Tendon, adr: usize) {
        let limited = self.limited(&tendon.base, tendon.limited, tendon.range, ("range", "limited"));
        let actfrclimited = self.limited(
            &tendon.base,
            tendon.actfrclimited,
            tendon.actfrcrange,
            ("actuatorfrcrange", "actuatorfrclimited"),
        );
        if actfrclimited && (tendon.actfrcrange[0] > 0.0 || tendon.actfrcrange[1] < 0.0) {
            let message =
                format!("actuatorfrcrange of {} leaves out zero", self.called("tendon", &tendon.base));
            self.wrong(tendon.base.at.of("actuatorfrcrange"), message, "for example -1 1");
        }
        let material = self.material(&tendon.material, &tendon.base);
        let m = &mut self.model;
        m.tendon_adr[t] = adr as i32;
        m.tendon_num[t] = tendon.path.len() as i32;
        m.tendon_actuatorid[t] = -1;
        m.tendon_group[t] = tendon.group;
        m.tendon_limited[t] = i32::from(limited);
        m.tendon_actfrclimited[t] = i32::from(actfrclimited);
        m.tendon_matid[t] = material;
        m.tendon_width[t] = tendon.width;
        m.tendon_solref_lim[2 * t..2 * t + 2].copy_from_slice(&tendon.solref_limit);
        m.tendon_solimp_lim[5 * t..5 * t + 5].copy_from_slice(&tendon.solimp_limit);
        m.tendon_solref_fri[2 * t..2 * t + 2].copy_from_slice(&tendon.solref_friction);
        m.tendon_solimp_fri[5 * t..5 * t + 5].copy_from_slice(&tendon.solimp_friction);
        m.tendon_range[2 * t..2 * t + 2].copy_from_slice(&tendon.range);
        m.tendon_actfrcrange[2 * t..2 * t + 2].copy_from_slice(&tendon.actfrcrange);
        m.tendon_margin[t] = tendon.margin;
        m.tendon_stiffness[t] = tendon.stiffness[0];
        m.tendon_stiffnesspoly[2 * t..2 * t + 2].copy_from_slice(&tendon.stiffness[1..]);
        m.tendon_damping[t] = tendon.damping[0];
        m.tendon_dampingpoly[2 * t..2 * t + 2].copy_from_slice(&tendon.damping[1..]);
        m.tendon_armature[t] = tendon.armature;
        m.tendon_frictionloss[t] = tendon.frictionloss;
        m.tendon_lengthspring[2 * t..2 * t + 2].copy_from_slice(&tendon.springlength);
        m.tendon_rgba[4 * t..4 * t + 4].copy_from_slice(&tendon.rgba.map(|x| f64::from(x as f32)));
    }
}
