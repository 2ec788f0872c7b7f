//! Plugins: instances, configuration and the elements that use them.

use crate::spec::{Actuator, Base, Kind, Plugin, PluginUse, Ref, Sensor, did_you_mean};
use manyworlds_model::model::formula::{FIELD_SETTINGS, FieldFormula};
use manyworlds_model::schema::enums::{DynamicsType, plugin};

use super::Build;
use super::distance_fields;

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

/// A limit that is not set.
const NONE: f64 = -1.0;

/// Element kind and attributes of the plugins shipped with MuJoCo, in the order of `plugin::WORDS`; the attributes of signed
/// distance fields are in [`distance_fields`].
const PLUGINS: &[(User, &[&str])] = &[
    (User::Actuator, &["kp", "ki", "kd", "imax", "slewmax"]),
    (User::Body, &["twist", "bend", "flat", "vmax"]),
    (User::Sensor, &["nchannel", "size", "fov", "gamma"]),
    (User::Shape, &[]),
    (User::Shape, &[]),
    (User::Shape, &[]),
    (User::Shape, &[]),
    (User::Shape, &[]),
    // and parameters by the names that its formula has for them
    (User::Shape, &FIELD_SETTINGS),
];

/// Name of a plugin.
fn plugin_name(slot: usize) -> &'static str {
    plugin::WORDS.get(slot).map_or("", |word| word.0)
}

/// Attributes of a plugin, in MuJoCo's order.
fn attributes(slot: usize) -> Vec<&'static str> {
    let own = PLUGINS[slot].1.iter().copied();
    own.chain(distance_fields::attribute_names(slot as i32)).collect()
}

/// Upper bound on the cells of a touch grid along an axis.
const MAX_CELLS: f64 = 10_000.0;

/// An element with a plugin.
struct Usage<'a> {
    base: &'a Base,
    plugin: &'a PluginUse,
    user: User,
    /// Index within its kind.
    index: usize,
    /// True for a mesh, which is a shape without being a geom.
    is_mesh: bool,
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
                User::Shape if usage.is_mesh => (),
                User::Shape => m.geom_plugin[self.geom_id[usage.index]] = id as i32,
                User::Sensor => m.sensor_plugin[usage.index] = id as i32,
            }
            if usage.user == User::Actuator {
                self.check_activations(&spec.actuators[usage.index], id);
            }
        }
        // only bodies and geoms may leave an instance unused
        for (instance, used) in spec.plugins.iter().zip(used) {
            let needed = self.slot(&instance.plugin).is_some_and(|s| PLUGINS[s].0 == User::Actuator);
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
            Some(Usage { base: &a.base, plugin, user: User::Actuator, index, is_mesh: false })
        });
        let sensors = spec.sensors.iter().enumerate().filter_map(|(index, s)| {
            let plugin = s.plugin.as_ref()?;
            Some(Usage { base: &s.base, plugin, user: User::Sensor, index, is_mesh: false })
        });
        let bodies = spec.bodies.iter().enumerate().filter_map(|(index, b)| {
            let plugin = b.plugin.as_ref()?;
            Some(Usage { base: &b.base, plugin, user: User::Body, index, is_mesh: false })
        });
        let geoms = spec.geoms.iter().enumerate().filter_map(|(index, g)| {
            let plugin = g.plugin.as_ref()?;
            Some(Usage { base: &g.base, plugin, user: User::Shape, index, is_mesh: false })
        });
        let meshes = spec.meshes.iter().enumerate().filter_map(|(index, m)| {
            let plugin = m.plugin.as_ref()?;
            Some(Usage { base: &m.base, plugin, user: User::Shape, index, is_mesh: true })
        });
        // tree elements come in document order
        let mut tree: Vec<Usage<'a>> = bodies.chain(geoms).collect();
        tree.sort_by_key(|u| (u.plugin.plugin.span.file, u.plugin.span.start));
        meshes.chain(actuators).chain(sensors).chain(tree).collect()
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
        let (name, user) = (plugin_name(slot), PLUGINS[slot].0);
        if user != usage.user {
            let message = format!("plugin '{name}' is not for this element");
            self.wrong(at.span, message, format!("it is for: {user:?}").to_lowercase());
        }
    }

    /// Slot of a plugin; a name unknown to MuJoCo is reported.
    fn slot(&self, target: &Ref) -> Option<usize> {
        let found = plugin::WORDS.iter().position(|word| word.0 == target.name);
        if found.is_none() {
            let all = plugin::WORDS.iter().map(|word| word.0);
            let list = || format!("known: {}", all.clone().collect::<Vec<_>>().join(", "));
            let help = did_you_mean(&target.name, all.clone()).unwrap_or_else(list);
            self.wrong(target.span, format!("unknown plugin '{}'", super::crop(&target.name)), help);
        }
        found
    }

    /// Appends an instance.
    fn instance(&mut self, instance: &Plugin, span: crate::spec::Span) {
        let slot = self.slot(&instance.plugin);
        let known = slot.map_or_else(Vec::new, attributes);
        let parameters = if slot == Some(plugin::FORMULA as usize) {
            FieldFormula::parameters(&instance.config)
        } else {
            Vec::new()
        };
        for (key, _) in &instance.config {
            if slot.is_some() && !known.contains(&key.as_str()) && !parameters.contains(key) {
                let help = distance_fields::hint(key, &known);
                let message =
                    format!("plugin '{}' has no setting '{}'", instance.plugin.name, super::crop(key));
                self.wrong(span, message, help);
            }
        }
        let kind = slot.map_or(-1, |s| s as i32);
        let numbers = if distance_fields::is_field(kind) {
            distance_fields::numbers(kind, &instance.config).unwrap_or_else(|fault| {
                let message = format!("plugin '{}': {}", instance.plugin.name, fault.message);
                self.wrong(span, message, fault.help);
                [0.0; distance_fields::NUMBERS]
            })
        } else {
            numbers(kind, &instance.config)
        };
        match kind {
            plugin::PID => self.check_limits(instance, span, &numbers),
            plugin::CABLE => self.check_cable(instance, span),
            _ => {}
        }
        let m = &mut self.model;
        m.plugin.push(kind);
        m.plugin_stateadr.push(0);
        m.plugin_statenum.push(0);
        m.plugin_attradr.push(m.plugin_attr.len() as i32);
        m.plugin_prm.extend(numbers);
        let value = |key: &str| instance.config.iter().find(|c| c.0 == key).map_or("", |c| c.1.as_str());
        let texts = known.iter().map(|key| value(key));
        for text in texts.chain(parameters.iter().flat_map(|key| [key.as_str(), value(key)])) {
            m.plugin_attr.extend(text.bytes().map(i32::from));
            m.plugin_attr.push(0);
        }
    }

    /// The cable of a body: its plugin instance, if the plugin is that of cables.
    pub(super) fn cable_of(&self, body: usize) -> Option<usize> {
        let id = usize::try_from(self.model.body_plugin[body]).ok()?;
        (*self.model.plugin.get(id)? == plugin::CABLE).then_some(id)
    }

    /// Checks the moduli of a cable, of which one that is not given is zero, and whether it is flat.
    fn check_cable(&self, instance: &Plugin, span: crate::spec::Span) {
        let given = |key: &str| instance.config.iter().find(|c| c.0 == key).map(|c| c.1.as_str());
        let cable = plugin_name(plugin::CABLE as usize);
        for key in ["twist", "bend"] {
            let text = given(key).unwrap_or_default().trim();
            let sound = text.parse::<f64>().is_ok_and(|modulus| (0.0..=f64::MAX).contains(&modulus));
            if !sound && !text.is_empty() {
                let message = format!("{key} '{}' of {cable} is no modulus", super::crop(text));
                self.wrong(span, message, "one number in Pa, zero or greater");
            }
        }
        if let Some(text) = given("flat").filter(|text| !["true", "false", ""].contains(text)) {
            let message = format!("flat '{}' of {cable} counts as false", super::crop(text));
            self.log.warn(span, message, "write true or false");
        }
    }

    /// Checks the limits of a controller.
    fn check_limits(&self, instance: &Plugin, span: crate::spec::Span, numbers: &[f64; 6]) {
        let given = |key: &str| instance.config.iter().any(|c| c.0 == key);
        let pid = plugin_name(plugin::PID as usize);
        for (key, limit) in [("imax", numbers[3]), ("slewmax", numbers[4])] {
            // the largest integral does not count without an integral
            let counts = given(key) && (key != "imax" || numbers[1] != 0.0);
            if counts && limit < 0.0 {
                self.wrong(span, format!("{key} of {pid} is negative"), "a positive number, or none");
            }
        }
    }

    /// Number of outputs of a plugin sensor: those of a touch grid, channels by cells.
    pub(crate) fn touch_outputs(&self, sensor: &Sensor) -> i64 {
        let Some(usage) = &sensor.plugin else {
            return 0;
        };
        let instance = &usage.instance;
        let named = (!instance.name.is_empty())
            .then(|| self.index.resolve(self.spec, Kind::Plugin, &instance.name, sensor.base.scope))
            .flatten()
            .and_then(|i| self.spec.plugins.get(i));
        let config = named.map_or(&usage.config, |named| &named.config);
        let [channels, columns, rows, width, height, fovea] = numbers(plugin::TOUCH_GRID, config);
        let span = usage.span;
        if [columns, rows].iter().any(|n| !(1.0..=MAX_CELLS).contains(n)) {
            let help = format!("<config key=\"size\" value=\"horizontal vertical\"/>, from 1 to {MAX_CELLS}");
            self.wrong(span, "the touch grid has no size", help);
            return 0;
        }
        let within = |x: f64, most: f64| x > 0.0 && x <= most.to_radians();
        if !within(width, 180.0) || !within(height, 90.0) {
            let help = "<config key=\"fov\" value=\"horizontal vertical\"/>, up to 180 and 90 degrees";
            self.wrong(span, "the touch grid has no field of view", help);
        }
        if !(1.0..=6.0).contains(&channels) {
            self.wrong(span, format!("a touch grid has no {channels} channels"), "nchannel from 1 to 6");
            return 0;
        }
        if !(0.0..=1.0).contains(&fovea) {
            self.wrong(span, format!("the foveation of a touch grid is {fovea}"), "gamma from 0 to 1");
        }
        let site = sensor.object.as_ref().is_some_and(|o| o.kind == Kind::Site.number());
        if !site {
            self.wrong(span, "a touch grid is at a site", "write objtype=\"site\" objname=\"…\"");
        }
        channels as i64 * columns as i64 * rows as i64
    }

    /// The number of activations of a controller follows from its configuration.
    fn check_activations(&self, actuator: &Actuator, id: usize) {
        let m = &self.model;
        if m.plugin.get(id) != Some(&plugin::PID) {
            return;
        }
        let prm = &m.plugin_prm[6 * id..6 * id + 6];
        let native = actuator.law.dyntype != DynamicsType::NONE;
        let wanted = usize::from(prm[1] != 0.0) + usize::from(prm[4] >= 0.0) + usize::from(native);
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

/// Numbers of a configuration, for `plugin_prm`; zero where nothing is to be computed.
fn numbers(kind: i32, config: &[(String, String)]) -> [f64; distance_fields::NUMBERS] {
    let text = |key: &str| config.iter().find(|c| c.0 == key).map_or("", |c| c.1.as_str());
    let all = |key: &str| -> Vec<f64> {
        text(key).split_ascii_whitespace().map(|word| word.parse().unwrap_or(0.0)).collect()
    };
    let one = |key: &str| all(key).first().copied();
    match kind {
        plugin::PID => {
            // the largest integral is given by its force
            let integral_gain = one("ki").unwrap_or(0.0);
            let most =
                one("imax").filter(|_| integral_gain != 0.0).map_or(NONE, |force| force / integral_gain);
            let gains = ["kp", "kd"].map(|key| one(key).unwrap_or(0.0));
            [gains[0], integral_gain, gains[1], most, one("slewmax").unwrap_or(NONE), 0.0]
        }
        plugin::CABLE => {
            let moduli = ["twist", "bend"].map(|key| one(key).unwrap_or(0.0));
            [moduli[0], moduli[1], f64::from(text("flat") == "true"), 0.0, 0.0, 0.0]
        }
        plugin::TOUCH_GRID => {
            let channels = one("nchannel").map_or(0.0, f64::trunc);
            let pair = |key: &str| <[f64; 2]>::try_from(all(key)).unwrap_or([0.0; 2]);
            let (size, view) = (pair("size").map(f64::trunc), pair("fov").map(f64::to_radians));
            let channels = if channels == 0.0 { 1.0 } else { channels };
            [channels, size[0], size[1], view[0], view[1], one("gamma").unwrap_or(0.0)]
        }
        _ => [0.0; 6],
    }
}
