//! Model sizes and options.

use crate::spec::{Actuator, Joint, Kind, Opt};
use manyworlds_model::model::formula::law_states;
use manyworlds_model::model::{MAX_ITERATIONS, Model};
use manyworlds_model::schema::Sizes;
use manyworlds_model::schema::enums::disable;

use super::Build;

/// Upper bound on degrees of freedom, and on bodies because of the 16-bit halves of a signature.
const MAX_BODIES: usize = 65_535;

/// Options that bound the iterations of a step.
const LIMITED: [&str; 5] =
    ["iterations", "ls_iterations", "noslip_iterations", "sdf_iterations", "sdf_initpoints"];

/// Upper bound on the total length of all keyframes.
const MAX_KEY_NUMBERS: usize = 1 << 28;

impl Build<'_> {
    /// Computes the sizes and allocates an empty model.
    pub(super) fn sizes(&mut self) {
        let spec = self.spec;
        let mut n = Sizes {
            nq: spec.joints.iter().map(Joint::nq).sum(),
            nv: spec.joints.iter().map(Joint::nv).sum(),
            nu: spec.actuators.iter().map(Actuator::nctrl).sum(),
            nactuator: spec.actuators.len(),
            nout: spec.actuators.iter().map(Actuator::nout).sum(),
            na: spec.actuators.iter().map(Actuator::na).sum::<usize>() + self.law_states(),
            nbody: spec.bodies.len(),
            njnt: spec.joints.len(),
            ngeom: spec.geoms.len(),
            nsite: spec.sites.len(),
            ncam: spec.cameras.len(),
            nlight: spec.lights.len(),
            ntendon: spec.tendons.len(),
            nwrap: spec.tendons.iter().map(|t| t.path.len()).sum(),
            npair: spec.pairs.len(),
            nexclude: spec.excludes.len(),
            nmocap: spec.bodies.iter().filter(|b| b.mocap).count(),
            nkey: spec.keys.len().max(spec.size.count("nkey").max(0) as usize),
            ntex: spec.textures.len(),
            nmat: spec.materials.len(),
            nskin: spec.skins.len(),
            neq: spec.equalities.len(),
            nsensor: spec.sensors.len(),
            nuser_sensor: spec
                .sensors
                .iter()
                .map(|s| s.userdata.len())
                .max()
                .unwrap_or(0)
                .max(spec.size.count("nuser_sensor").max(0) as usize),
            ntext: spec.texts.len(),
            ntextdata: spec.texts.iter().map(|t| t.data.len() + 1).sum(),
            ntuple: spec.tuples.len(),
            ntupledata: spec.tuples.iter().map(|t| t.objects.len()).sum(),
            nnumeric: spec.numerics.len(),
            nnumericdata: spec.numerics.iter().map(|n| n.data.len()).sum(),
            ..Sizes::default()
        };
        self.flex_sizes(&mut n);
        self.mesh_sizes(&mut n);
        self.hfield_sizes(&mut n);
        let world = spec.bodies[0].base.at.element;
        if n.nbody > MAX_BODIES {
            self.wrong(world, format!("the model has {} bodies, more than {MAX_BODIES}", n.nbody), "");
            return;
        }
        if n.nkey.saturating_mul(n.nq + n.nv + n.nu + n.na + 7 * n.nmocap) > MAX_KEY_NUMBERS {
            self.wrong(world, "the keyframes take too much memory", "lower nkey");
            return;
        }
        // a body precedes its children
        let mut level = vec![0; n.nbody];
        for (b, body) in spec.bodies.iter().enumerate().skip(1) {
            level[b] = level[body.parent] + 1;
        }
        n.nH = n.nv * (n.nv + 1) / 2;
        n.nlevel = level.iter().max().map_or(1, |l| l + 1);
        self.tree_sizes(&mut n);
        self.model = Model { names: std::mem::take(&mut self.model.names), ..Model::zeroed(n) };
        // keyframes that only the size counts have no names
        self.model.names.key.resize(n.nkey, String::new());
    }

    /// Numbers of the states of laws.
    fn law_states(&self) -> usize {
        let texts = self.model.names.text.iter().map(String::as_str);
        let lengths = self.spec.numerics.iter().map(|numeric| numeric.data.len());
        law_states(texts, self.model.names.numeric.iter().map(String::as_str).zip(lengths))
    }

    /// Number of trees and total length of all dof chains.
    fn tree_sizes(&self, n: &mut Sizes) {
        let spec = self.spec;
        let mut own = vec![0; n.nbody];
        for joint in &spec.joints {
            own[joint.body] += joint.nv();
        }
        // dofs on the path to the root, own dofs included
        let mut chain = own.clone();
        for (b, body) in spec.bodies.iter().enumerate().skip(1) {
            chain[b] = own[b] + chain[body.parent];
            n.ntree += usize::from(own[b] > 0 && chain[body.parent] == 0);
            n.nC += (0..own[b]).map(|k| chain[b] - k).sum::<usize>();
        }
    }

    /// Checks that the lengths of user data match the declared sizes.
    pub(super) fn check_userdata(&self) {
        let spec = self.spec;
        macro_rules! fit {
            ($($list:ident $name:literal)*) => {
                $(let most = spec.size.count($name);
                for element in spec.$list.iter().filter(|e| most >= 0 && e.userdata.len() as i32 > most) {
                    let message = format!("{} numbers, but {} is {most}", element.userdata.len(), $name);
                    self.wrong(element.base.at.of("user"), message, "raise it in <size>, or remove it there");
                })*
            };
        }
        fit! {
            bodies "nuser_body"
            joints "nuser_jnt"
            geoms "nuser_geom"
            sites "nuser_site"
            cameras "nuser_cam"
            sensors "nuser_sensor"
        }
    }

    /// Warns of options that compile, but that a batch takes otherwise than they are written.
    fn check_options(&self) {
        let opt = &self.spec.option;
        for &(name, value) in &opt.int {
            if value > MAX_ITERATIONS && LIMITED.contains(&name) {
                let message = format!("{name} {value}: a step stops after {MAX_ITERATIONS}");
                let help = if name.starts_with("sdf") {
                    "some ten steps and some hundred starts find the contacts of a field"
                } else {
                    "its tolerance stops a solver long before"
                };
                self.log.warn(opt.at.of(name), message, help);
            }
        }
        if opt.disable & disable::NATIVECCD != 0 {
            let message = "nativeccd is disabled, but there is no other collision of convex shapes here: depths, normals \
                           and numbers of contacts are those of the native one";
            self.log.warn(opt.at.of("flag nativeccd"), message, "it is used all the same; remove the flag");
        }
        self.check_convex_options();
    }

    /// Warns where the reference's collision of convex shapes is rougher than by default: here it is exact.
    fn check_convex_options(&self) {
        let (opt, usual) = (&self.spec.option, Opt::default());
        let few = opt.int("ccd_iterations") < usual.int("ccd_iterations");
        let coarse = opt.reals("ccd_tolerance").first() > usual.reals("ccd_tolerance").first();
        for name in [("ccd_iterations", few), ("ccd_tolerance", coarse)].iter().filter(|o| o.1).map(|o| o.0) {
            let message =
                format!("{name} makes convex collision rough, but here it is exact whatever the option");
            self.log.warn(opt.at.of(name), message, "it has no effect; remove it");
        }
    }

    /// Copies the options.
    pub(super) fn options(&mut self) {
        self.check_options();
        let (opt, m) = (&self.spec.option, &mut self.model);
        for (name, value) in &opt.real {
            if let Some(manyworlds_model::schema::ValuesMut::Real(to)) = m.get_mut(&format!("opt_{name}")) {
                to.copy_from_slice(value);
            }
        }
        for &(name, value) in &opt.int {
            if let Some(manyworlds_model::schema::ValuesMut::Int(to)) = m.get_mut(&format!("opt_{name}")) {
                to[0] = value;
            }
        }
        for (name, value) in &self.spec.visual.real {
            if let Some(manyworlds_model::schema::ValuesMut::Real(to)) = m.get_mut(&format!("vis_{name}")) {
                to.iter_mut().zip(value).for_each(|(to, &x)| *to = f64::from(x as f32));
            }
        }
        for &(name, value) in &self.spec.visual.int {
            if let Some(manyworlds_model::schema::ValuesMut::Int(to)) = m.get_mut(&format!("vis_{name}")) {
                to[0] = value;
            }
        }
        m.opt_disableflags[0] = opt.disable;
        m.opt_enableflags[0] = opt.enable;
        m.opt_disableactuator[0] = opt.disableactuator;
    }

    /// Model id of the referenced element.
    pub(super) fn id_of(&self, kind: Kind, target: &crate::spec::Ref, scope: usize) -> Option<usize> {
        let i = self.resolve(kind, target, scope)?;
        Some(match kind {
            Kind::Joint => self.joint_id[i],
            Kind::Geom => self.geom_id[i],
            Kind::Site => self.site_id[i],
            Kind::Camera => self.camera_id[i],
            Kind::Light => self.light_id[i],
            _ => i,
        })
    }
}
