//! Plugins: instances, configuration and the elements that use them. None is simulated yet.

use crate::schema::enums::dynamics;
use crate::spec::{Actuator, Base, Kind, Plugin, PluginUse, Ref, Sensor, did_you_mean};

use super::Build;

/// Kind of element that a plugin attaches to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum User {
    /// An actuator.
    Actuator,
    /// A body.
    Body,
    /// A sensor.
    Sensor,
    /// A geom or mesh.
    Shape,
}

/// Plugins shipped with MuJoCo: name, element kind, attributes.
const PLUGINS: &[(&str, User, &[&str])] = &[
    ("mujoco.pid", User::Actuator, &["kp", "ki", "kd", "imax", "slewmax"]),
    ("mujoco.elasticity.cable", User::Body, &["twist", "bend", "flat", "vmax"]),
    ("mujoco.sensor.touch_grid", User::Sensor, &["nchannel", "size", "fov", "gamma"]),
    ("mujoco.sdf.bolt", User::Shape, &["radius"]),
    ("mujoco.sdf.bowl", User::Shape, &["height", "radius", "thickness"]),
    ("mujoco.sdf.gear", User::Shape, &["alpha", "diameter", "teeth", "thickness", "innerdiameter"]),
    ("mujoco.sdf.nut", User::Shape, &["radius"]),
    ("mujoco.sdf.torus", User::Shape, &["radius1", "radius2"]),
];

/// Upper bound on the cells of a touch grid along an axis.
const MAX_CELLS: f64 = 10_000.0;

/// An element with a plugin.
struct Usage<'a> {
    base: &'a Base,
    plugin: &'a PluginUse,
    user: User,
    /// Index within its kind.
    index: usize,
}

impl<'a> Build<'a> {
    /// Fills instances: explicit ones first, then the implicit ones of single elements.
    pub(super) fn plugins(&mut self) {
        let spec = self.spec;
        self.model.body_plugin.fill(-1);
        self.model.geom_plugin.fill(-1);
        self.model.sensor_plugin.fill(-1);
        for declared in &spec.extensions {
            self.slot(declared);
        }
        for instance in &spec.plugins {
            self.instance(instance, instance.base.at.element);
        }
        let mut used = vec![false; spec.plugins.len()];
        for usage in self.usages() {
            let Some(id) = self.usage(&usage) else {
                continue;
            };
            if let Some(used) = used.get_mut(id) {
                *used = true;
            }
            let m = &mut self.model;
            match usage.user {
                User::Actuator => m.actuator_plugin[usage.index] = id as i32,
                User::Body => m.body_plugin[usage.index] = id as i32,
                User::Shape => m.geom_plugin[self.geom_id[usage.index]] = id as i32,
                User::Sensor => m.sensor_plugin[usage.index] = id as i32,
            }
            if usage.user == User::Actuator {
                self.check_activations(&spec.actuators[usage.index], id);
            }
        }
        // only bodies and geoms may leave an instance unused
        for (instance, used) in spec.plugins.iter().zip(used) {
            let needed = self.slot(&instance.plugin).is_some_and(|s| PLUGINS[s].1 == User::Actuator);
            if needed && !used {
                let message = format!("{} is not used", self.called("plugin instance", &instance.base));
                self.wrong(instance.base.at.element, message, "remove it, or use it in an actuator");
            }
        }
        let m = &mut self.model;
        (m.sizes.nplugin, m.sizes.npluginattr) = (m.plugin.len(), m.plugin_attr.len());
        m.names.plugin.resize(m.sizes.nplugin, String::new());
    }

    /// Elements with plugins, in instance order.
    fn usages(&self) -> Vec<Usage<'a>> {
        let spec = self.spec;
        let actuators = spec.actuators.iter().enumerate().filter_map(|(index, a)| {
            let plugin = a.plugin.as_ref()?;
            Some(Usage { base: &a.base, plugin, user: User::Actuator, index })
        });
        let sensors = spec.sensors.iter().enumerate().filter_map(|(index, s)| {
            let plugin = s.plugin.as_ref()?;
            Some(Usage { base: &s.base, plugin, user: User::Sensor, index })
        });
        let bodies = spec.bodies.iter().enumerate().filter_map(|(index, b)| {
            let plugin = b.plugin.as_ref()?;
            Some(Usage { base: &b.base, plugin, user: User::Body, index })
        });
        let geoms = spec.geoms.iter().enumerate().filter_map(|(index, g)| {
            let plugin = g.plugin.as_ref()?;
            Some(Usage { base: &g.base, plugin, user: User::Shape, index })
        });
        // tree elements come in document order
        let mut tree: Vec<Usage<'a>> = bodies.chain(geoms).collect();
        tree.sort_by_key(|u| (u.plugin.plugin.span.file, u.plugin.span.start));
        actuators.chain(sensors).chain(tree).collect()
    }

    /// Instance of an element; an implicit one is created if no instance is named.
    fn usage(&mut self, usage: &Usage<'_>) -> Option<usize> {
        let plugin = usage.plugin;
        if !plugin.instance.name.is_empty() {
            let id = self.id_of(Kind::Plugin, &plugin.instance, usage.base.scope)?;
            let slot = self.slot(&self.spec.plugins[id].plugin)?;
            self.fits(slot, usage, &plugin.instance);
            return Some(id);
        }
        if plugin.plugin.name.is_empty() {
            self.wrong(plugin.span, "the plugin has no name", "add plugin=\"…\" or instance=\"…\"");
            return None;
        }
        let declared = &self.spec.extensions;
        if !declared.iter().any(|e| e.name == plugin.plugin.name) {
            let help = did_you_mean(&plugin.plugin.name, declared.iter().map(|e| e.name.as_str()))
                .unwrap_or_else(|| "add <extension><plugin plugin=\"…\"/></extension>".to_owned());
            let message = format!("plugin '{}' is not in the extension section", plugin.plugin.name);
            self.wrong(plugin.plugin.span, message, help);
            return None;
        }
        let slot = self.slot(&plugin.plugin)?;
        self.fits(slot, usage, &plugin.plugin);
        let own =
            Plugin { plugin: plugin.plugin.clone(), config: plugin.config.clone(), ..Plugin::default() };
        self.instance(&own, plugin.span);
        Some(self.model.plugin.len() - 1)
    }

    /// Checks that a plugin supports this kind of element.
    fn fits(&self, slot: usize, usage: &Usage<'_>, at: &Ref) {
        let (name, user, _) = PLUGINS[slot];
        if user != usage.user {
            let message = format!("plugin '{name}' is not for this element");
            self.wrong(at.span, message, format!("it is for: {user:?}").to_lowercase());
        }
    }

    /// Slot of a plugin; a name unknown to MuJoCo is reported.
    fn slot(&self, plugin: &Ref) -> Option<usize> {
        let found = PLUGINS.iter().position(|p| p.0 == plugin.name);
        if found.is_none() {
            let all = PLUGINS.iter().map(|p| p.0);
            let list = || format!("known: {}", all.clone().collect::<Vec<_>>().join(", "));
            let help = did_you_mean(&plugin.name, all.clone()).unwrap_or_else(list);
            self.wrong(plugin.span, format!("unknown plugin '{}'", super::crop(&plugin.name)), help);
        }
        found
    }

    /// Appends an instance.
    fn instance(&mut self, instance: &Plugin, span: crate::spec::Span) {
        let slot = self.slot(&instance.plugin);
        let known = slot.map_or(&[][..], |s| PLUGINS[s].2);
        for (key, _) in &instance.config {
            if slot.is_some() && !known.contains(&key.as_str()) {
                let help = did_you_mean(key, known.iter().copied())
                    .unwrap_or_else(|| format!("known: {}", known.join(", ")));
                let message =
                    format!("plugin '{}' has no setting '{}'", instance.plugin.name, super::crop(key));
                self.wrong(span, message, help);
            }
        }
        let m = &mut self.model;
        m.plugin.push(slot.map_or(-1, |s| s as i32));
        m.plugin_stateadr.push(0);
        m.plugin_statenum.push(0);
        m.plugin_attradr.push(m.plugin_attr.len() as i32);
        for key in known {
            let value = instance.config.iter().find(|c| c.0 == *key).map_or("", |c| c.1.as_str());
            m.plugin_attr.extend(value.bytes().map(i32::from));
            m.plugin_attr.push(0);
        }
    }

    /// Number of outputs of a plugin sensor: those of a touch grid, channels by cells.
    pub(crate) fn touch_outputs(&self, sensor: &Sensor) -> i64 {
        let Some(plugin) = &sensor.plugin else {
            return 0;
        };
        let instance = &plugin.instance;
        let named = (!instance.name.is_empty())
            .then(|| self.index.resolve(self.spec, Kind::Plugin, &instance.name, sensor.base.scope))
            .flatten()
            .and_then(|i| self.spec.plugins.get(i));
        let config = named.map_or(&plugin.config, |named| &named.config);
        let numbers = |key: &str| -> Vec<f64> {
            let text = config.iter().find(|c| c.0 == key).map_or("", |c| c.1.as_str());
            text.split_ascii_whitespace().map(|word| word.parse().unwrap_or(0.0)).collect()
        };
        let channels = numbers("nchannel").first().map_or(0.0, |n| n.trunc());
        let (size, fov) = (numbers("size"), numbers("fov"));
        let span = plugin.span;
        if size.len() != 2 || size.iter().any(|n| !(1.0..=MAX_CELLS).contains(n)) {
            let help = format!("<config key=\"size\" value=\"horizontal vertical\"/>, from 1 to {MAX_CELLS}");
            self.wrong(span, "the touch grid has no size", help);
            return 0;
        }
        if fov.len() != 2 || !(fov[0] > 0.0 && fov[0] <= 180.0 && fov[1] > 0.0 && fov[1] <= 90.0) {
            let help = "<config key=\"fov\" value=\"horizontal vertical\"/>, up to 180 and 90 degrees";
            self.wrong(span, "the touch grid has no field of view", help);
        }
        if !(0.0..=6.0).contains(&channels) {
            self.wrong(span, format!("a touch grid has no {channels} channels"), "nchannel from 1 to 6");
            return 0;
        }
        channels.max(1.0) as i64 * size[0] as i64 * size[1] as i64
    }

    /// The number of activations of a controller follows from its configuration.
    fn check_activations(&self, actuator: &Actuator, id: usize) {
        let m = &self.model;
        if m.plugin.get(id) != Some(&0) {
            return;
        }
        let setting = |key: &str| setting(m, id, key);
        let integral = setting("ki").parse::<f64>().is_ok_and(|x| x != 0.0);
        let native =
            matches!(actuator.law.dyntype, dynamics::INTEGRATOR | dynamics::FILTER | dynamics::FILTEREXACT);
        let wanted =
            usize::from(integral) + usize::from(!setting("slewmax").is_empty()) + usize::from(native);
        if actuator.na() != wanted {
            let message = format!(
                "{} has {} activations, but its plugin {wanted}",
                self.called("actuator", &actuator.base),
                actuator.na()
            );
            self.wrong(actuator.base.at.of("actdim"), message, format!("write actdim=\"{wanted}\""));
        }
    }
}

/// Configuration attribute of an instance.
fn setting(m: &crate::model::Model, id: usize, key: &str) -> String {
    let known = usize::try_from(m.plugin[id]).ok().and_then(|s| PLUGINS.get(s)).map_or(&[][..], |p| p.2);
    let bytes: Vec<u8> = m.plugin_attr[m.plugin_attradr[id] as usize..].iter().map(|&b| b as u8).collect();
    let mut texts = bytes.split(|&b| b == 0);
    let found = known.iter().position(|k| *k == key).and_then(|i| texts.nth(i));
    found.map(|t| String::from_utf8_lossy(t).trim().to_owned()).unwrap_or_default()
}
