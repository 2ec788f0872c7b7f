//! Actuators: all as `<general>`, or `<plugin>`.

use super::{Writer, put};
use crate::mjcf::{actuator, inputs};
use crate::spec::{Actuator, Kind, PluginUse};

impl Writer<'_> {
    /// Writes a plugin element, with the configuration of an implicit instance.
    pub(super) fn plugin(&mut self, plugin: &PluginUse, scope: usize, mut attrs: super::Attrs) {
        if !plugin.plugin.name.is_empty() {
            put(&mut attrs, "plugin", &plugin.plugin.name);
        }
        if !plugin.instance.name.is_empty() {
            put(&mut attrs, "instance", self.full(Kind::Plugin, &plugin.instance, scope));
        }
        self.begin("plugin", attrs);
        self.config(&plugin.config);
        self.end();
    }

    pub(super) fn config(&mut self, config: &[(String, String)]) {
        for (key, value) in config {
            let mut attrs = super::Attrs::new();
            put(&mut attrs, "key", key);
            put(&mut attrs, "value", value);
            self.leaf("config", attrs);
        }
    }

    /// Writes plugins with their instances, one element each.
    pub(super) fn extensions(&mut self) {
        let spec = self.spec.clone();
        for plugin in &spec.extensions {
            let mut attrs = super::Attrs::new();
            put(&mut attrs, "plugin", &plugin.name);
            self.leaf("plugin", attrs);
        }
        for plugin in &spec.plugins {
            let mut attrs = super::Attrs::new();
            put(&mut attrs, "plugin", &plugin.plugin.name);
            self.begin("plugin", attrs);
            let attrs = self.named(&plugin.base);
            self.begin("instance", attrs);
            self.config(&plugin.config);
            self.end();
            self.end();
        }
    }

    pub(super) fn actuators(&mut self) {
        for actuator in self.spec.clone().actuators.iter() {
            let mut attrs = self.named(&actuator.base);
            let read = |el: super::El<'_>, to: &mut Actuator| {
                actuator::common(el, to);
                actuator::general(el, to);
            };
            let target = actuator::TARGETS.iter().find(|t| t.1 == actuator.target_kind);
            if let (Some(&(name, _)), Some(kind)) =
                (target, crate::spec::kind_of_target(actuator.target_kind))
            {
                put(&mut attrs, name, self.full(kind, &actuator.target, actuator.base.scope));
            }
            for (name, site) in [("refsite", &actuator.refsite), ("slidersite", &actuator.slidersite)] {
                if !site.name.is_empty() {
                    put(&mut attrs, name, self.full(Kind::Site, site, actuator.base.scope));
                }
            }
            let mut plain = actuator.clone();
            plain.ctrllimited = Self::plain(actuator.ctrllimited, actuator.ctrlrange);
            plain.forcelimited = Self::plain(actuator.forcelimited, actuator.forcerange);
            plain.actlimited = Self::plain(actuator.actlimited, actuator.actrange);
            attrs.extend(self.attrs(actuator.base.scope, &Actuator::default(), &plain, read));
            if let Some(input) = inputs::input_words(actuator.law.ctrlspec) {
                put(&mut attrs, "input", input);
            }
            match &actuator.plugin {
                None => self.leaf("general", attrs),
                Some(plugin) => {
                    let attrs = self.fitting("actuator", "plugin", "general", attrs);
                    self.plugin(plugin, actuator.base.scope, attrs);
                }
            }
        }
    }
}
