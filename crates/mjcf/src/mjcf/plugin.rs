//! Plugins: `<extension>`, and plugin children of elements.

use super::geom::reference;
use crate::spec::{Plugin, PluginUse, Ref, Spec};
use crate::xml::El;
use crate::xml::short;

/// Reads a plugin of the extension section with its instances.
pub(super) fn extension(el: El<'_>, spec: &mut Spec) {
    let mut plugin = Ref { span: el.span(), ..Ref::default() };
    el.required("plugin");
    reference(el, "plugin", &mut plugin);
    for child in el.children() {
        let mut instance = Plugin { plugin: plugin.clone(), config: config(child), ..Plugin::default() };
        instance.base.at.note(child);
        instance.base.name = child.required("name").unwrap_or_default();
        spec.plugins.push(instance);
    }
    spec.extensions.push(plugin);
}

/// Reads the plugin child of an element.
pub(super) fn usage(el: El<'_>) -> PluginUse {
    let mut usage = PluginUse { config: config(el), span: el.span(), ..PluginUse::default() };
    usage.plugin.span = el.span();
    reference(el, "plugin", &mut usage.plugin);
    reference(el, "instance", &mut usage.instance);
    usage
}

/// Configuration by key.
fn config(el: El<'_>) -> Vec<(String, String)> {
    let mut config: Vec<(String, String)> = Vec::new();
    for child in el.children().filter(|c| c.tag() == "config") {
        let (Some(key), Some(value)) = (child.required("key"), child.required("value")) else {
            continue;
        };
        if config.iter().any(|c| c.0 == key) {
            child.wrong("key", format!("the setting '{}' is given twice", short(&key)), "remove one of them");
        }
        config.push((key, value));
    }
    config
}
