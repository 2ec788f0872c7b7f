//! Checks of flexes that depend on options and constraints.

use crate::compile::Build;
use crate::spec::Flex;
use manyworlds_model::schema::enums::{SolverType, integrator, joint};

use super::jacobian::moved_by;
use super::{BEND, EDGES, VERTICES};

/// Integrators without implicit flex stiffness.
const IMPLICIT: [i32; 2] = [integrator::IMPLICIT, integrator::IMPLICITFAST];

/// Axes of the joints of a vertex that moves freely.
const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Build<'_> {
    /// Checks every flex that is not rigid.
    pub(super) fn check_flex_options(&self) {
        let method = self.spec.option.int("integrator");
        for (f, flex) in self.spec.flexes.iter().enumerate().filter(|(f, _)| !self.compiled_flexes[*f].rigid)
        {
            let (e, name) = (&flex.elasticity, self.flex_name(flex));
            let passive = flex.contact.passive && flex.dim > 1 && !flex.interpolated();
            if passive && method != integrator::DISCRETE {
                let message = format!("{name} has passive contacts, which this integrator does not have");
                self.bad(flex, "name", message, "set integrator=\"discrete\" in <option>");
            }
            let stiff = flex.dim == 3 || flex.interpolated() || (flex.dim == 2 && e.elastic2d != 0);
            if e.young > 0.0 && stiff && IMPLICIT.contains(&method) {
                let message = format!("{name} is elastic, which the implicit integrators do not support");
                self.bad(flex, "name", message, "set integrator=\"discrete\" or \"Euler\" in <option>");
            }
            let tied = self.compiled_flexes[f].tied;
            if tied != 0 && flex.dim > 1 && e.young > 0.0 && e.elastic2d != BEND {
                let message = format!("{name} is both elastic and constrained");
                self.bad(flex, "name", message, "remove young=\"…\", or the constraint");
            }
            self.check_constraint(flex, tied);
            // rods count with all others
            let elastic = e.young > 0.0 && (stiff || flex.dim == 1);
            if method == integrator::DISCRETE && (elastic || passive) {
                self.check_discrete(f, flex, elastic);
            }
        }
    }

    /// Warns of a constraint and of passive contacts that have no effect.
    fn check_constraint(&self, flex: &Flex, tied: i32) {
        let name = self.flex_name(flex);
        if tied == EDGES && flex.interpolated() || tied == VERTICES && (flex.dim != 2 || flex.interpolated())
        {
            let message = format!("the equality constraint of {name} has no effect");
            let help = if flex.interpolated() {
                "of an interpolated flex, constrain the strain"
            } else {
                "only triangles have constraints of vertices; constrain the edges"
            };
            self.log.warn(flex.base.at.of("name"), message, help);
        }
        if flex.contact.passive && (flex.dim == 1 || flex.interpolated()) {
            let message = format!("{name} has no passive contacts: it has lines, or is interpolated");
            self.log.warn(flex.base.at.of("name"), message, "remove passive=\"true\"");
        }
    }

    /// Checks what integrator `discrete` does not solve with flexes.
    fn check_discrete(&self, f: usize, flex: &Flex, elastic: bool) {
        let (option, name) = (&self.spec.option, self.flex_name(flex));
        let solver = SolverType::of(option.int("solver"));
        if solver == Some(SolverType::PGS) || option.int("noslip_iterations") > 0 {
            let message = format!(
                "{name} is elastic or has passive contacts, which solver PGS and noslip do not support with integrator \
                 discrete"
            );
            self.bad(
                flex,
                "name",
                message,
                "set solver=\"CG\" or \"Newton\" and noslip_iterations=\"0\" in <option>",
            );
        }
        let compiled_flex = &self.compiled_flexes[f];
        let bodies = if flex.interpolated() { &compiled_flex.node_body } else { &compiled_flex.vert_body };
        if elastic
            && solver == Some(SolverType::NEWTON)
            && let Some(&b) = bodies.iter().find(|b| !self.moves_freely(**b))
        {
            let body = self.called("body", &self.spec.bodies[b].base);
            let message = format!(
                "{name} is elastic, but {body} has not just slide joints along x, y and z: solver Newton does not \
                 support it with integrator discrete"
            );
            self.bad(flex, "name", message, "set solver=\"CG\" in <option>");
        }
    }

    /// True if a body does not move, or only by slide joints of its own along its three axes.
    fn moves_freely(&self, body: usize) -> bool {
        let m = &self.model;
        let dofs: Vec<usize> = moved_by(m, body).collect();
        let slides = |(k, &d): (usize, &usize)| {
            let j = m.dof_jntid[d] as usize;
            m.jnt_type[j] == joint::SLIDE && m.jnt_axis[3 * j..3 * j + 3] == AXES[2 - k]
        };
        dofs.is_empty() || dofs.len() == 3 && m.body_dofnum[body] == 3 && dofs.iter().enumerate().all(slides)
    }
}

#[cfg(test)]
mod tests {
    use crate::load_str;

    fn refused(option: &str, world: &str) -> bool {
        let text = format!(
            "<mujoco><option integrator='discrete' {option}/><worldbody>{world}</worldbody></mujoco>"
        );
        load_str(&text).is_err()
    }

    #[test]
    fn discrete_refuses_what_it_does_not_solve() {
        let cloth = |inner: &str| {
            format!(
                "<flexcomp name='c' type='grid' dim='2' count='3 3 1' spacing='.1 .1 .1' {inner}><contact
                    selfcollide='none'/><elasticity young='1e3' thickness='.01' elastic2d='both'/></flexcomp>"
            )
        };
        let arm =
            |inner: &str| format!("<body name='a'><joint type='hinge'/><geom size='.1'/>{inner}</body>");
        assert!(!refused("solver='CG'", &cloth("")) && !refused("solver='Newton'", &cloth("")));
        assert!(refused("solver='PGS'", &cloth("")));
        assert!(refused("solver='CG' noslip_iterations='2'", &cloth("")));
        assert!(
            refused("solver='Newton'", &cloth("dof='2d'")) && !refused("solver='CG'", &cloth("dof='2d'"))
        );
        assert!(refused("solver='Newton'", &arm(&cloth(""))) && !refused("solver='CG'", &arm(&cloth(""))));
        let plain = "<flexcomp name='c' type='grid' dim='2' count='3 3 1' spacing='.1 .1 .1'/>";
        assert!(!refused("solver='PGS'", &arm(plain)));
    }

    #[test]
    fn damped_rods_and_all_other_elastic_flexes_keep_off_mocap_bodies() {
        let mocap = |inner: &str| format!("<body name='a' mocap='true'>{inner}</body>");
        let rod = |damping: &str| {
            format!(
                "<flexcomp name='r' type='grid' dim='1' count='3 1 1' spacing='.1 .1 .1'>
                    <elasticity young='1e3' damping='{damping}'/></flexcomp>"
            )
        };
        assert!(refused("solver='CG'", &mocap(&rod(".1"))) && !refused("solver='CG'", &mocap(&rod("0"))));
    }
}
