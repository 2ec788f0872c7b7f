//! Reader of formulas: text to expressions, by precedence climbing (Pratt, Top Down Operator Precedence, 1973).

use super::expressions::{Expressions, Named, Parsed, ReaderKind};
use super::functions::{FUNCTIONS, Function, Meaning};
use crate::error::suggest;
use crate::model::Model;
use crate::model::data::Data;
use crate::model::task::{Network, Op, Rows};
use crate::schema::sensors::sensor;
use crate::schema::{Dim, Kind, Size};

/// Largest exponent.
const MAX_POWER: i32 = 16;

/// Most numbers of all expressions.
const MAX_NUMBERS: usize = 1 << 20;

/// Deepest nesting.
const MAX_DEPTH: usize = 64;

/// Binary operators with how tightly they bind.
const OPERATORS: [(&str, usize); 12] = [
    ("||", 1),
    ("&&", 2),
    ("==", 3),
    ("!=", 3),
    ("<=", 3),
    (">=", 3),
    ("<", 3),
    (">", 3),
    ("+", 4),
    ("-", 4),
    ("*", 5),
    ("/", 5),
];

/// Reads a formula; returns the node of its value.
pub(super) fn parse(text: &str, model: &Model, to: &mut Expressions) -> Parsed<usize> {
    let mut reader = Reader { text, at: 0, depth: 0, model, to };
    let node = reader.binary(0)?;
    reader.check_numbers(0)?;
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.unexpected()),
    }
}

pub(super) struct Reader<'a> {
    text: &'a str,
    /// Byte of the next sign.
    at: usize,
    depth: usize,
    pub(super) model: &'a Model,
    pub(super) to: &'a mut Expressions,
}

impl<'a> Reader<'a> {
    /// Rejects formulas that take more memory than any cost needs.
    pub(super) fn check_numbers(&self, more: usize) -> Parsed<()> {
        if self.to.numbers + more <= MAX_NUMBERS {
            return Ok(());
        }
        Err(format!(
            "the formulas have more than {MAX_NUMBERS} numbers together; use shorter vectors, or fewer"
        ))
    }

    /// The next sign after white space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    /// Takes a sign, if it is next.
    fn takes(&mut self, sign: &str) -> bool {
        self.peek();
        let is_next = self.text[self.at..].starts_with(sign);
        self.at += if is_next { sign.len() } else { 0 };
        is_next
    }

    fn wants(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) {
            return Ok(());
        }
        Err(format!("'{sign}' is expected {}", self.place()))
    }

    /// Where the reader is, in words.
    fn place(&mut self) -> String {
        match self.peek() {
            None => "where the formula ends".to_owned(),
            Some(_) => {
                let rest: String = self.text[self.at..].chars().take(12).collect();
                format!("before '{rest}', character {}", self.text[..self.at].chars().count() + 1)
            }
        }
    }

    fn unexpected(&mut self) -> String {
        match self.peek() {
            None => "the formula ends where a value is expected".to_owned(),
            Some(c) => {
                format!("'{c}' is not expected, character {}", self.text[..self.at].chars().count() + 1)
            }
        }
    }

    /// Operands and operators that bind more tightly than `least`.
    fn binary(&mut self, least: usize) -> Parsed<usize> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("the formula nests too deep: more than {MAX_DEPTH} levels"));
        }
        let mut left = self.unary()?;
        loop {
            self.peek();
            let rest = &self.text[self.at..];
            let found = OPERATORS.iter().find(|(sign, binds)| *binds > least && rest.starts_with(sign));
            let Some(&(sign, binds)) = found else { break };
            self.check_numbers(self.to.size(left))?;
            self.at += sign.len();
            let right = self.binary(binds)?;
            left = match sign {
                "||" => self.to.join(Op::Or, &[left, right])?,
                "&&" => self.to.join(Op::And, &[left, right])?,
                "==" => self.to.join(Op::Eq, &[left, right])?,
                "!=" => self.to.join(Op::Ne, &[left, right])?,
                "<=" => self.to.join(Op::Le, &[left, right])?,
                ">=" => self.to.join(Op::Le, &[right, left])?,
                "<" => self.to.join(Op::Lt, &[left, right])?,
                ">" => self.to.join(Op::Lt, &[right, left])?,
                "+" => self.to.join(Op::Add, &[left, right])?,
                "-" => self.to.join(Op::Sub, &[left, right])?,
                "*" => self.to.join(Op::Mul, &[left, right])?,
                _ => self.to.join(Op::Div, &[left, right])?,
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Signs before a power.
    fn unary(&mut self) -> Parsed<usize> {
        let mut signs = Vec::new();
        while let Some(c @ ('-' | '!' | '+')) = self.peek() {
            self.at += 1;
            signs.push(c);
        }
        let mut node = self.power()?;
        for sign in signs.iter().rev().filter(|c| **c != '+') {
            self.check_numbers(self.to.size(node))?;
            node = self.to.join(if *sign == '-' { Op::Neg } else { Op::Not }, &[node])?;
        }
        Ok(node)
    }

    /// A value and its whole exponent, as products.
    fn power(&mut self) -> Parsed<usize> {
        let base = self.postfix()?;
        if !self.takes("^") {
            return Ok(base);
        }
        let inverse = self.takes("-");
        let exponent = self.literal().filter(|x| x.fract() == 0.0 && *x <= f64::from(MAX_POWER));
        let Some(exponent) = exponent else {
            return Err(format!(
                "an exponent is a whole number up to {MAX_POWER} {}; else use exp and log",
                self.place()
            ));
        };
        let size = self.to.size(base);
        let mut node = base;
        if exponent == 0.0 {
            node = self.to.add(Op::Const { values: vec![1.0; size] }, size, &[]);
        }
        for _ in 1..exponent as i32 {
            self.check_numbers(size)?;
            node = self.to.join(Op::Mul, &[node, base])?;
        }
        if inverse {
            let one = self.to.number(1.0);
            node = self.to.join(Op::Div, &[one, node])?;
        }
        Ok(node)
    }

    /// A value and the elements that are taken of it.
    fn postfix(&mut self) -> Parsed<usize> {
        let mut node = self.primary()?;
        while self.takes("[") {
            let size = self.to.size(node);
            self.check_numbers(size)?;
            let first = self.index()?;
            let elements: Vec<usize> = if self.takes(":") {
                let end = self.index()?;
                if first >= end || end > size {
                    return Err(format!("there are no elements {first}:{end}: the vector has {size}"));
                }
                (first..end).collect()
            } else {
                if first >= size {
                    return Err(format!("there is no element {first}: the vector has {size}, from 0"));
                }
                vec![first]
            };
            self.wants("]")?;
            node = self.to.add(Op::Pick { elements: elements.clone() }, elements.len(), &[node]);
        }
        Ok(node)
    }

    /// Place of an element.
    fn index(&mut self) -> Parsed<usize> {
        match self.literal() {
            Some(x) if x.fract() == 0.0 && (0.0..1e6).contains(&x) => Ok(x as usize),
            _ => Err(format!("the place of an element is a whole number from 0, {}", self.place())),
        }
    }

    fn primary(&mut self) -> Parsed<usize> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let node = self.binary(0)?;
                self.wants(")")?;
                Ok(node)
            }
            // vectors one after the other
            Some('[') => {
                self.at += 1;
                let parts = self.list("]")?;
                let size = parts.iter().map(|n| self.to.size(*n)).sum();
                if size == 0 {
                    return Err("a vector has at least one element".to_owned());
                }
                Ok(self.to.add(Op::Concat, size, &parts))
            }
            Some(c) if c.is_ascii_digit() || c == '.' => match self.literal() {
                Some(x) => Ok(self.to.number(x)),
                None => Err(self.unexpected()),
            },
            Some(c) if c.is_alphabetic() || c == '_' => {
                let word = self.word();
                if self.takes("(") { self.call(&word) } else { self.named(&word) }
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Values between commas, up to a sign.
    fn list(&mut self, end: &str) -> Parsed<Vec<usize>> {
        let mut all = Vec::new();
        if self.takes(end) {
            return Ok(all);
        }
        loop {
            all.push(self.binary(0)?);
            if self.takes(end) {
                return Ok(all);
            }
            self.wants(",")?;
        }
    }

    fn word(&mut self) -> String {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let rest = &self.text[self.at..];
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word.to_owned()
    }

    /// A number without sign.
    fn literal(&mut self) -> Option<f64> {
        self.peek();
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let after_e = end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            let goes_on = match bytes[end] {
                b'0'..=b'9' | b'.' => true,
                b'e' | b'E' => end > 0,
                b'+' | b'-' => after_e,
                _ => false,
            };
            if !goes_on {
                break;
            }
            end += 1;
        }
        let x = rest[..end].parse::<f64>().ok().filter(|x| x.is_finite())?;
        self.at += end;
        Some(x)
    }

    /// A name between quotes.
    fn quoted(&mut self) -> Parsed<String> {
        let rest = &self.text[self.at..];
        let quote = rest.chars().next().unwrap_or('"');
        let end = rest[1..].find(quote).ok_or_else(|| "a quoted name does not end".to_owned())?;
        self.at += end + 2;
        Ok(rest[1..=end].to_owned())
    }

    /// A name in parentheses, quoted or not.
    fn name_in_parentheses(&mut self) -> Parsed<String> {
        let name = match self.peek() {
            Some('"' | '\'') => self.quoted()?,
            _ => {
                let rest = &self.text[self.at..];
                let end =
                    rest.find(')').ok_or_else(|| "')' is expected where the formula ends".to_owned())?;
                self.at += end;
                rest[..end].trim().to_owned()
            }
        };
        self.wants(")")?;
        Ok(name)
    }

    /// A row of a field, by a name that stands for an object that is known only when the formula is computed.
    fn row(&mut self, field: &str, index: usize) -> Parsed<usize> {
        let entry = Data::<f64>::FIELDS.iter().chain(Model::<f64>::FIELDS).find(|f| f.name == field);
        let shape = entry.map(|f| f.shape(&self.model.sizes)).unwrap_or_default();
        if !entry.is_some_and(|f| f.dims.first() == Some(&Dim::Of(Size::ngeom))) {
            return Err(format!("'{field}' has no elements of a geom"));
        }
        let width: usize = shape.iter().skip(1).product();
        let rows = Rows { first: 0, width, count: 0 };
        let op = Op::Row { name: field.to_owned(), rows, elements: (0..width).collect() };
        Ok(self.to.add(op, width, &[index]))
    }

    /// A function, or the elements of an object in a field.
    fn call(&mut self, word: &str) -> Parsed<usize> {
        let Some(Function { arguments, meaning, .. }) = FUNCTIONS.iter().find(|f| f.name == word) else {
            if field_exists(word) {
                let name = self.name_in_parentheses()?;
                let own = self.to.locals.iter().find(|(local, _)| *local == name);
                return match own.map(|(_, node)| *node) {
                    Some(index) if name == "other" => self.row(word, index),
                    _ => self.object(word, &name),
                };
            }
            let known = FUNCTIONS.iter().map(|f| f.name);
            return Err(format!("there is no function or field '{word}'{}", suggest(word, known)));
        };
        if let Meaning::Sensor | Meaning::Numeric | Meaning::Named(_) = meaning {
            let name = self.name_in_parentheses()?;
            return match meaning {
                Meaning::Named(of) => of(self.to, self.model, &name),
                Meaning::Sensor => self.sensor(&name),
                _ => {
                    self.model.id(Kind::Numeric, &name).map_err(|e| e.to_string())?;
                    self.numeric(&name)
                }
            };
        }
        if let Meaning::Network = meaning {
            return self.network();
        }
        let args = self.list(")")?;
        if !arguments.contains(&args.len()) {
            let (least, most) = (arguments.start(), arguments.end());
            let count = if least == most { least.to_string() } else { format!("{least} to {most}") };
            return Err(format!("'{word}' has {count} arguments, {} are given", args.len()));
        }
        let sizes = args.iter().map(|a| self.to.size(*a)).sum();
        self.check_numbers(sizes)?;
        match meaning {
            Meaning::Reduction(op) => Ok(self.to.add(op.clone(), 1, &args)),
            Meaning::Elementwise(op) => self.to.join(op.clone(), &args),
            Meaning::Several(of) => of(self.to, &args),
            Meaning::Drawn(_) if self.to.reader != ReaderKind::Task => {
                Err(format!("'{word}' draws numbers, which only tasks do"))
            }
            Meaning::Drawn(of) => of(self.to, &args),
            Meaning::Named(_) | Meaning::Sensor | Meaning::Numeric | Meaning::Network => {
                Err(self.unexpected())
            }
        }
    }

    /// A network: the name of its numeric, and its inputs.
    fn network(&mut self) -> Parsed<usize> {
        if self.to.reader == ReaderKind::Field {
            return Err("a field by a formula has no networks".to_owned());
        }
        let model = self.model;
        let name = match self.peek() {
            Some('"' | '\'') => self.quoted()?,
            _ => self.word(),
        };
        let id = model.id(Kind::Numeric, &name).map_err(|e| e.to_string())?;
        let (adr, size) = (model.numeric_adr[id] as usize, model.numeric_size[id] as usize);
        let network = Network::read(&model.numeric_data[adr..adr + size], adr)
            .map_err(|why| format!("numeric '{name}' {why}"))?;
        let args = if self.takes(",") { self.list(")")? } else { Vec::new() };
        if args.len() != network.inputs {
            let (got, want) = (args.len(), network.inputs);
            return Err(format!("network '{name}' has {want} inputs, {got} are given"));
        }
        let sizes = args.iter().map(|a| self.to.size(*a)).sum();
        self.check_numbers(sizes)?;
        self.to.join(Op::Network(network), &args)
    }

    /// What a name means: a sensor, a custom numeric, or a field.
    fn named(&mut self, name: &str) -> Parsed<usize> {
        let model = self.model;
        // what the formula or the model gives a name of its own
        if let Some((_, node)) = self.to.locals.iter().find(|(local, _)| local == name) {
            return Ok(*node);
        }
        if self.to.named.contains_key(name) {
            return named_value(name, model, self.to);
        }
        let has = |kind: Kind| model.names.of(kind).iter().any(|n| n == name);
        let meanings =
            [("sensor", has(Kind::Sensor)), ("numeric", has(Kind::Numeric)), ("field", field_exists(name))];
        let found: Vec<&str> = meanings.iter().filter(|m| m.1).map(|m| m.0).collect();
        match found[..] {
            ["sensor"] => self.sensor(name),
            ["numeric"] => self.numeric(name),
            [_] => {
                let size = field_len(name, model).unwrap_or(0);
                self.check_numbers(size)?;
                self.elements(name, (0..size).collect())
            }
            [] => {
                let objects = model.names.sensor.iter().chain(&model.names.numeric).map(String::as_str);
                let fields = Data::<f64>::FIELDS.iter().chain(Model::<f64>::FIELDS).map(|f| f.name);
                let near = suggest(name, objects.chain(fields).filter(|n| !n.is_empty()));
                Err(format!("nothing is called '{name}'{near}"))
            }
            [first, second, ..] => {
                Err(format!("'{name}' is a {first} and a {second}: write {first}({name}), or rename one"))
            }
        }
    }

    /// The outputs of a sensor.
    pub(super) fn sensor(&mut self, name: &str) -> Parsed<usize> {
        if let Some(node) = self.to.sensors.get(name) {
            return Ok(*node);
        }
        let id = self.model.id(Kind::Sensor, name).map_err(|e| e.to_string())?;
        if self.to.reader == ReaderKind::Sensor && self.model.sensor_type[id] == sensor::USER {
            return Err(format!("the user sensor '{name}' has no formula before this one"));
        }
        self.object("sensordata", name)
    }

    /// The numbers of a custom numeric, or of the state that begins with them.
    pub(super) fn numeric(&mut self, name: &str) -> Parsed<usize> {
        let model = self.model;
        if let Some(elements) = self.to.states.get(name).cloned() {
            return self.elements("act", elements);
        }
        let id = model.id(Kind::Numeric, name).map_err(|e| e.to_string())?;
        let (first, size) = (model.numeric_adr[id] as usize, model.numeric_size[id] as usize);
        self.elements("numeric_data", (first..first + size).collect())
    }

    /// The elements of an object in a field: that of a kind which has elements there.
    fn object(&mut self, field: &str, name: &str) -> Parsed<usize> {
        let model = self.model;
        // user sensors are computed with this one
        if field == "sensordata"
            && self.to.reader == ReaderKind::Sensor
            && model.id(Kind::Sensor, name).is_ok_and(|s| model.sensor_type[s] == sensor::USER)
        {
            return self.sensor(name);
        }
        for &kind in Kind::ALL.iter().filter(|kind| model.id(**kind, name).is_ok()) {
            if let Ok(range) = model.elements(field, kind, name) {
                return self.elements(field, range.collect());
            }
        }
        let axis = |kind: &&Kind| model.elements_of(field, **kind, 0).is_ok();
        let names = Kind::ALL.iter().filter(axis).flat_map(|kind| model.names.of(*kind));
        let near = suggest(name, names.map(String::as_str).filter(|n| !n.is_empty()));
        Err(format!("'{field}' has no object '{name}'{near}"))
    }

    fn elements(&mut self, field: &str, elements: Vec<usize>) -> Parsed<usize> {
        if elements.is_empty() && self.to.reader != ReaderKind::Field {
            let counted = Data::<f64>::FIELDS.iter().any(|f| f.name == field && f.counted_by().is_some());
            let why = if counted { ": its rows are those of contacts; use a contact sensor" } else { "" };
            return Err(format!("'{field}' has no elements that a formula can name{why}"));
        }
        if self.to.reader == ReaderKind::Field {
            return Err(format!("a field knows nothing of worlds: '{field}'"));
        }
        let is_user = |element: &usize| {
            (0..self.model.sizes.nsensor).filter(|s| self.model.sensor_type[*s] == sensor::USER).any(|s| {
                let first = self.model.sensor_adr[s] as usize;
                (first..first + self.model.sensor_dim[s] as usize).contains(element)
            })
        };
        let is_sensed = field == "sensordata" && self.to.reader == ReaderKind::Sensor;
        if is_sensed && elements.iter().any(is_user) {
            return Err("'sensordata' has outputs of user sensors, which are computed with this one: name the sensors".to_owned());
        }
        if field == "ctrl" && self.to.reader == ReaderKind::Law {
            return self.to.controls(elements);
        }
        Ok(self.to.field(field, elements))
    }
}

/// A value with a name, read where it is first needed.
pub(super) fn named_value(name: &str, model: &Model, to: &mut Expressions) -> Parsed<usize> {
    match to.named.get(name).cloned() {
        Some(Named::Node(node)) => Ok(node),
        Some(Named::Text(text)) => {
            to.named.insert(name.to_owned(), Named::Open);
            // names of the formula that needs it are not its own
            let locals = std::mem::take(&mut to.locals);
            let node = parse(&text, model, to).map_err(|why| format!("in '{name}': {why}"))?;
            to.locals = locals;
            to.named.insert(name.to_owned(), Named::Node(node));
            Ok(node)
        }
        Some(Named::Open) | None => Err(format!("'{name}' needs itself")),
    }
}

pub(super) fn field_exists(name: &str) -> bool {
    Data::<f64>::FIELDS.iter().chain(Model::<f64>::FIELDS).any(|f| f.name == name)
}

/// Number of elements of a field of a world or of the model.
fn field_len(name: &str, model: &Model) -> Option<usize> {
    let mut fields = Data::<f64>::FIELDS.iter().chain(Model::<f64>::FIELDS);
    fields.find(|f| f.name == name).map(|f| f.len(&model.sizes))
}
