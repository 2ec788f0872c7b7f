//! Signed distance fields by formulas: the plugin `manyworlds.sdf.formula`, whose setting `formula` is the distance of a
//! point (`x`, `y`, `z`, or `p`), with other settings as parameters.

use super::expressions::{Expressions, ReaderKind};
use super::parse;
use crate::model::Model;
use crate::model::task::{Node, Op, SHORT};
use crate::schema::enums::plugin;

/// Most parameters of a formula of a field.
pub const MOST_PARAMETERS: usize = 6;

/// Most numbers of all expressions of a field.
pub const MOST_NUMBERS: usize = 96;

/// The settings that are no parameters: the formula, and half sizes of the box in which its surface lies.
pub const FIELD_SETTINGS: [&str; 2] = ["formula", "box"];

/// The formula of a field: expressions, each after those that it uses.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldFormula {
    /// Expressions over the coordinates of a point, which are arguments 0 to 2, and parameters, which follow them.
    pub nodes: Vec<Node>,
    /// First number of each expression.
    pub offsets: Vec<usize>,
}

impl FieldFormula {
    /// Reads a formula with parameters of these names.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str, parameters: &[String]) -> Result<Self, String> {
        if parameters.len() > MOST_PARAMETERS {
            return Err(format!("it has {} parameters, {MOST_PARAMETERS} at most", parameters.len()));
        }
        let mut made = Expressions { reader: ReaderKind::Field, ..Expressions::default() };
        let argument = |made: &mut Expressions, elements: Vec<usize>| {
            made.add(Op::Argument { elements: elements.clone() }, elements.len(), &[])
        };
        let own = [("x", vec![0]), ("y", vec![1]), ("z", vec![2]), ("p", vec![0, 1, 2])];
        let own = own.map(|(name, elements)| (name.to_owned(), argument(&mut made, elements)));
        let taken = parameters.iter().find(|name| own.iter().any(|(other, _)| other == *name));
        if let Some(name) = taken {
            return Err(format!("a parameter is called '{name}', as a coordinate is"));
        }
        made.locals = own.to_vec();
        for (k, name) in parameters.iter().enumerate() {
            let node = argument(&mut made, vec![3 + k]);
            made.locals.push((name.clone(), node));
        }
        let value = parse::parse(text, &Model::default(), &mut made)?;
        Self::of_nodes(&made.nodes, value)
    }

    /// The expressions that a value needs.
    fn of_nodes(all: &[Node], value: usize) -> Result<Self, String> {
        if all[value].size != 1 {
            return Err(format!("a distance is one number, not {}", all[value].size));
        }
        let mut used = vec![false; all.len()];
        used[value] = true;
        for k in (0..=value).rev().filter(|k| all[*k].size > 0) {
            if used[k] {
                all[k].args.iter().for_each(|a| used[*a] = true);
            }
        }
        // with new numbers
        let (mut places, mut nodes, mut offsets, mut numbers) =
            (vec![0; all.len()], Vec::new(), Vec::new(), 0);
        for (k, node) in all.iter().enumerate().filter(|(k, _)| used[*k]) {
            if node.size > SHORT {
                return Err(format!("a vector has at most {SHORT} numbers, not {}", node.size));
            }
            places[k] = nodes.len();
            offsets.push(numbers);
            numbers += node.size;
            nodes.push(Node { args: node.args.iter().map(|a| places[*a]).collect(), ..node.clone() });
        }
        if numbers > MOST_NUMBERS {
            return Err(format!("its expressions have {numbers} numbers, {MOST_NUMBERS} at most"));
        }
        Ok(Self { nodes, offsets })
    }

    /// Names of the parameters among the settings of a plugin instance, in their order.
    pub fn parameters(config: &[(String, String)]) -> Vec<String> {
        let names = config.iter().map(|(key, _)| key);
        names.filter(|key| !FIELD_SETTINGS.contains(&key.as_str())).cloned().collect()
    }
}

/// Formulas of the fields of a model, by plugin instance; none where there is no such field.
pub(super) fn fields(model: &Model) -> Result<Vec<Option<FieldFormula>>, String> {
    if !model.plugin.contains(&plugin::FORMULA) {
        return Ok(Vec::new());
    }
    let of = |id: usize| {
        if model.plugin[id] != plugin::FORMULA {
            return Ok(None);
        }
        let texts = settings(model, id);
        // the formula, the box, then names and values of parameters
        let names: Vec<String> = texts.iter().skip(2).step_by(2).cloned().collect();
        FieldFormula::parse(texts.first().map_or("", String::as_str), &names).map(Some)
    };
    (0..model.sizes.nplugin).map(of).collect()
}

/// The texts of the settings of a plugin instance.
fn settings(model: &Model, id: usize) -> Vec<String> {
    let place = |id: usize| model.plugin_attradr.get(id).and_then(|adr| usize::try_from(*adr).ok());
    let (first, end) = (place(id).unwrap_or(0), place(id + 1).unwrap_or(model.plugin_attr.len()));
    let bytes: Vec<u8> =
        model.plugin_attr.get(first..end).unwrap_or_default().iter().map(|b| *b as u8).collect();
    let mut texts: Vec<String> =
        bytes.split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    // the last one ends with a zero too
    texts.pop();
    texts
}
