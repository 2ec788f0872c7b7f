//! Signed distance fields of plugins: their attributes, as numbers for `plugin_prm`, and the surfaces of meshes made of them.

use manyworlds_cpu::collision::field_formula::FormulaField;
use manyworlds_cpu::collision::signed_distance::Formula;
use manyworlds_cpu::math::Vec3;
use manyworlds_cpu::math::graded::Plain;
use manyworlds_model::model::formula::{FIELD_SETTINGS, FieldFormula};
use manyworlds_model::schema::enums::plugin;

use super::Build;
use crate::mesh::{Bounds, Fault, Raw, isosurface};
use crate::spec::{Kind, PluginUse, did_you_mean};

/// Numbers of a plugin in a model.
pub(super) const NUMBERS: usize = 6;

/// Half sizes of the box of bolts and nuts, m.
const BOLT_BOX: [f64; 3] = [0.6, 0.6, 1.0];

/// An attribute of a field: its name, its value if none is given, and what it must be.
struct Attribute {
    name: &'static str,
    default: f64,
    range: Range,
}

/// Values that an attribute may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Range {
    Any,
    NotNegative,
    Positive,
    AtLeastOne,
}

const fn attribute(name: &'static str, default: f64, range: Range) -> Attribute {
    Attribute { name, default, range }
}

const RADIUS: [Attribute; 1] = [attribute("radius", 0.26, Range::NotNegative)];
const BOWL: [Attribute; 3] = [
    attribute("height", 0.4, Range::Any),
    attribute("radius", 1.0, Range::Positive),
    attribute("thickness", 0.02, Range::Positive),
];
const GEAR: [Attribute; 5] = [
    attribute("alpha", 0.0, Range::Any),
    attribute("diameter", 2.8, Range::Positive),
    attribute("teeth", 25.0, Range::AtLeastOne),
    attribute("thickness", 0.2, Range::Positive),
    // negative: it follows from the others
    attribute("innerdiameter", -1.0, Range::Any),
];
const TORUS: [Attribute; 2] =
    [attribute("radius1", 0.35, Range::NotNegative), attribute("radius2", 0.15, Range::Positive)];

/// Attributes of a field, in the order of its numbers; none for other plugins.
fn attributes(kind: i32) -> &'static [Attribute] {
    match kind {
        plugin::BOLT | plugin::NUT => &RADIUS,
        plugin::BOWL => &BOWL,
        plugin::GEAR => &GEAR,
        plugin::TORUS => &TORUS,
        _ => &[],
    }
}

/// Names of the attributes of a field; none for other plugins.
pub(super) fn attribute_names(kind: i32) -> impl Iterator<Item = &'static str> {
    attributes(kind).iter().map(|attribute| attribute.name)
}

/// True for the plugins that are signed distance fields.
pub(super) fn is_field(kind: i32) -> bool {
    (plugin::BOLT..=plugin::FORMULA).contains(&kind)
}

/// Numbers of a field by its configuration; those that are not given have defaults.
///
/// # Errors
/// An attribute that is no number, or out of range.
pub(super) fn numbers(kind: i32, config: &[(String, String)]) -> Result<[f64; NUMBERS], Fault> {
    let mut numbers = [0.0; NUMBERS];
    if kind == plugin::FORMULA {
        formula_field(config)?;
        let given = config.iter().filter(|c| !FIELD_SETTINGS.contains(&c.0.as_str()));
        for (number, (key, text)) in numbers.iter_mut().zip(given) {
            let wrong = || Fault::new(format!("{key} is '{}'", super::crop(text)), "write one finite number");
            *number = text.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(wrong)?;
        }
        return Ok(numbers);
    }
    for (number, attribute) in numbers.iter_mut().zip(attributes(kind)) {
        *number = attribute.number(config)?;
    }
    Ok(numbers)
}

/// The formula of a field of the model's own.
fn formula_field(config: &[(String, String)]) -> Result<FieldFormula, Fault> {
    let text = config.iter().find(|c| c.0 == "formula").map_or("", |c| c.1.as_str());
    let help = "write a distance of x, y, z and parameters, negative inside, such as 'norm(p) - radius'";
    if text.trim().is_empty() {
        return Err(Fault::new("it has no formula", help));
    }
    FieldFormula::parse(text, &FieldFormula::parameters(config))
        .map_err(|why| Fault::new(format!("its formula '{}': {why}", super::crop(text)), help))
}

/// Half sizes of the box in which the surface of such a field lies, m.
fn formula_box(config: &[(String, String)]) -> Result<[f64; 3], Fault> {
    let text = config.iter().find(|c| c.0 == "box").map_or("", |c| c.1.as_str());
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let sound = numbers.iter().all(|x| x.is_finite() && *x > 0.0);
    let half = <[f64; 3]>::try_from(numbers).ok().filter(|_| sound);
    let wrong = || format!("box is '{}'", super::crop(text));
    half.ok_or_else(|| {
        Fault::new(wrong(), "write half the size of the box in which its surface lies: three lengths")
    })
}

impl Attribute {
    fn number(&self, config: &[(String, String)]) -> Result<f64, Fault> {
        let text = config.iter().find(|c| c.0 == self.name).map_or("", |c| c.1.trim());
        if text.is_empty() {
            return Ok(self.default);
        }
        let number = text.parse::<f64>().ok().filter(|x| x.is_finite());
        let wrong = |help| Fault::new(format!("{} is '{}'", self.name, super::crop(text)), help);
        let number = number.ok_or_else(|| wrong("write one finite number"))?;
        let (fits, help) = match self.range {
            Range::Any => (true, ""),
            Range::NotNegative => (number >= 0.0, "write a number that is not negative"),
            Range::Positive => (number > 0.0, "write a positive number"),
            Range::AtLeastOne => (number >= 1.0, "write 1 or more"),
        };
        if fits { Ok(number) } else { Err(wrong(help)) }
    }
}

/// Box of a field, m.
fn bounds(kind: i32, prm: &[f64; NUMBERS], config: &[(String, String)]) -> Result<Bounds, Fault> {
    let half = match kind {
        plugin::BOWL => [prm[1] + prm[2]; 3],
        plugin::GEAR => [prm[1] * 0.625, prm[1] * 0.625, prm[3] * 0.55],
        plugin::TORUS => [prm[0] + prm[1], prm[0] + prm[1], prm[1]],
        plugin::FORMULA => formula_box(config)?,
        _ => BOLT_BOX,
    };
    Ok(Bounds { center: [0.0; 3], half })
}

impl Build<'_> {
    /// Surface of the field that a mesh is made of.
    ///
    /// # Errors
    /// An unknown plugin or instance, one that is no field, a wrong attribute, a field without a surface.
    pub(super) fn surface(&self, usage: &PluginUse, scope: usize) -> Result<Raw, Fault> {
        let named = (!usage.instance.name.is_empty()).then(|| {
            let id = self.index.resolve(self.spec, Kind::Plugin, &usage.instance.name, scope);
            id.and_then(|id| self.spec.plugins.get(id))
        });
        let (name, config) = match &named {
            Some(Some(instance)) => (&instance.plugin.name, &instance.config),
            Some(None) => {
                let name = super::crop(&usage.instance.name);
                return Err(Fault::new(
                    format!("unknown plugin instance '{name}'"),
                    "declare it in <extension>",
                ));
            }
            None => (&usage.plugin.name, &usage.config),
        };
        let kind = plugin::WORDS.iter().find(|word| word.0 == name.as_str()).map(|word| word.1);
        let Some(kind) = kind.filter(|kind| is_field(*kind)) else {
            let message = format!("plugin '{}' is no signed distance field", super::crop(name));
            return Err(Fault::new(
                message,
                "use one of mujoco.sdf.bolt, bowl, gear, nut, torus, or manyworlds.sdf.formula",
            ));
        };
        let prm = numbers(kind, config)?;
        let bounds = bounds(kind, &prm, config)?;
        let raw = if kind == plugin::FORMULA {
            let text = formula_field(config)?;
            let field = FormulaField::new(&text, &prm);
            isosurface(&|p| field.distance::<Plain<f64>>(Vec3(p)).0, bounds)
        } else {
            let formula = Formula::new(kind, &prm);
            isosurface(&|p| formula.plugin_distance::<Plain<f64>>(Vec3(p)).0, bounds)
        };
        if raw.vert.is_empty() {
            let message = format!("the field of plugin '{name}' has no surface in its box");
            return Err(Fault::new(
                message,
                "change its attributes: it may be too thin for the grid, or all outside",
            ));
        }
        Ok(raw)
    }
}

/// Hint for an attribute that a plugin does not have.
pub(super) fn hint(key: &str, known: &[&str]) -> String {
    did_you_mean(key, known.iter().copied()).unwrap_or_else(|| format!("known: {}", known.join(", ")))
}
