//! Loops of WGSL text written out, with everything that is known of the model put in.
//!
//! A line `//#unroll` above a `for` loop asks for it. The loop is written out where its bounds are known: sizes,
//! integer tables of the model, `lane` and `lanes` with one lane per world, enclosing loops that were written out.
//! Elsewhere it stays a loop, so that one text serves worlds of one lane and of many. In what is written out,
//! `let` names of known integers disappear, and accessors get literal indices, which registers need. No blocks are
//! left behind: drivers take several times longer over a text in many blocks, so that names get a number instead.
//!
//! Between two changes of control flow, registers and local variables are values with names of their own, each given
//! once: they are read from their variables at the first use and written back at the end. Drivers that run several
//! worlds in step mask every assignment to a variable inside of a loop, and take a multiple of the time for it.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

/// What is known when a text is expanded.
pub trait Known {
    /// Value of a constant, or of an integer table or pure function at the given arguments.
    fn integer(&self, name: &str, arguments: &[i64]) -> Option<ConstInt>;
    /// What replaces the call `name(index…`: for a getter the whole call, for a setter its left-hand side.
    fn element(&self, name: &str, index: i64) -> Option<Element>;
    /// Whether a function, or one that it calls, reads or writes registers.
    fn accesses(&self, name: &str) -> bool;
}

/// A known integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstInt {
    /// Its value.
    pub value: i64,
    /// Whether it is an `i32`; else a `u32`.
    pub signed: bool,
}

/// What stands for an element of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A text in the place of the call of a getter.
    Value(String),
    /// A register, read by a getter and written by a setter.
    Register(String),
}

/// The directive.
pub const UNROLL_DIRECTIVE: &str = "//#unroll";

/// Variables that are constants in the texts that are expanded.
const LANE_CONSTANTS: [&str; 2] = ["lane", "lanes"];

/// Most turns of a loop that is written out.
pub const MAX_TRIP_COUNT: usize = 512;

/// Most lines that one function may grow to: beyond that no driver compiles it in time.
const MAX_LINES: usize = 60_000;

/// Writes out the marked loops of a function.
///
/// # Errors
/// [`Error::Device`] for a malformed loop or a text that grows beyond all bounds: defects of a kernel.
pub fn unroll(text: &str, known: &dyn Known) -> Result<String> {
    let lines: Vec<&str> = text.lines().collect();
    if !lines.iter().any(|l| l.trim() == UNROLL_DIRECTIVE) {
        return Ok(text.to_string());
    }
    // one statement a line
    let mut whole: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        let trimmed = line.trim();
        match whole.last_mut().filter(|_| open) {
            Some(last) => *last = format!("{last} {trimmed}"),
            None => whole.push(line.to_string()),
        }
        open = trimmed != UNROLL_DIRECTIVE && !trimmed.ends_with([';', '{', '}']);
    }
    let lines: Vec<&str> = whole.iter().map(String::as_str).collect();
    let mut out = Vec::new();
    Unroller::new(known).block(&lines, &mut Vec::new(), &mut out)?;
    Ok(out.join("\n"))
}

/// Value of an integer expression in which `name` stands for `value`.
pub fn evaluate(text: &str, name: &str, value: i64, known: &dyn Known) -> Option<ConstInt> {
    let env = vec![(name.to_string(), Binding::Known(ConstInt { value, signed: false }))];
    Unroller::new(known).integer(text, &env)
}

/// What a name stands for.
#[derive(Clone)]
enum Binding {
    Known(ConstInt),
    Renamed(String),
    /// A local variable whose value has a name, and the name that the variable gets where it needs one.
    Value {
        now: String,
        variable: String,
    },
}

type Bindings = Vec<(String, Binding)>;

struct Unroller<'a> {
    known: &'a dyn Known,
    copies: usize,
    names: usize,
    /// How many names were env before each open block.
    scopes: Vec<usize>,
    /// Names of the present values of registers, and whether they differ from what is in the variable.
    values: BTreeMap<String, (String, bool)>,
}

/// `for (var name = first; name < last; name += step) {`
struct LoopHeader<'a> {
    name: &'a str,
    first: &'a str,
    last: &'a str,
    inclusive: bool,
    step: &'a str,
}

impl<'a> Unroller<'a> {
    fn new(known: &'a dyn Known) -> Self {
        Self { known, copies: 0, names: 0, scopes: Vec::new(), values: BTreeMap::new() }
    }

    /// A name that was not used before.
    fn name(&mut self, of: &str) -> String {
        self.names += 1;
        format!("{of}_v{}", self.names)
    }

    /// Puts every value back into its variable: what follows may run another number of times than once, or elsewhere.
    fn write_back(&mut self, env: &mut Bindings, out: &mut Vec<String>) {
        for (variable, (now, changed)) in std::mem::take(&mut self.values) {
            if changed {
                out.push(format!("{variable} = {now};"));
            }
        }
        for (_, stands) in env {
            if let Binding::Value { now, variable } = stands {
                out.push(format!("var {variable} = {now};"));
                *stands = Binding::Renamed(variable.clone());
            }
        }
    }

    /// Whether control flow changes in a line, in the open or inside of what it calls.
    fn ends_basic_block(&self, line: &str) -> bool {
        let first = line.split(|c| !is_word(c)).next().unwrap_or("");
        let mut calls = line.match_indices('(').map(|(at, _)| {
            let before = &line[..at];
            &before[before.rfind(|c| !is_word(c)).map_or(0, |i| i + 1)..]
        });
        line.contains(['{', '}'])
            || matches!(first, "return" | "break" | "continue")
            || calls.any(|word| !word.is_empty() && self.known.accesses(word))
    }

    fn block(&mut self, lines: &[&str], env: &mut Bindings, out: &mut Vec<String>) -> Result<()> {
        let (outer, copy) = (env.len(), self.copies);
        let mut at = 0;
        while at < lines.len() {
            if out.len() > MAX_LINES {
                return Err(Error::Device(format!(
                    "a kernel grows beyond {MAX_LINES} lines; use more lanes"
                )));
            }
            // the branch that is known to be taken
            if let Some((taken, end)) = self.branch(lines, at, env) {
                self.block(taken, env, out)?;
                at = end + 1;
                continue;
            }
            if lines[at].trim() != UNROLL_DIRECTIVE {
                self.statement(lines[at], copy, env, out);
                at += 1;
                continue;
            }
            // the loop below the mark
            let malformed = || {
                Error::Device(format!("{UNROLL_DIRECTIVE} is not followed by a for loop that can be read"))
            };
            let first = lines.get(at + 1).ok_or_else(malformed)?;
            let header = header(first).ok_or_else(malformed)?;
            let end = closing_brace(lines, at + 1).ok_or_else(malformed)?;
            let body = &lines[at + 2..end];
            match self.range(&header, env) {
                Some(values) => {
                    if let Some(word) = body.iter().find_map(|l| exits_loop(l)) {
                        let what = format!("a loop that is written out has '{word}'");
                        return Err(Error::Device(format!("{what}, which would leave another one")));
                    }
                    for value in values {
                        env.push((header.name.to_string(), Binding::Known(value)));
                        self.copies += 1;
                        self.block(body, env, out)?;
                        env.pop();
                    }
                }
                None => {
                    self.write_back(env, out);
                    let first = self.substitute(first, env, out);
                    out.push(first);
                    self.block(body, env, out)?;
                    self.write_back(env, out);
                    out.push("}".into());
                }
            }
            at = end + 1;
        }
        env.truncate(outer);
        Ok(())
    }

    /// The lines that run of an `if (a == b) {` whose condition is known, and where it ends.
    fn branch<'l>(&self, lines: &'l [&'l str], at: usize, env: &Bindings) -> Option<(&'l [&'l str], usize)> {
        let condition = lines[at].trim().strip_prefix("if (")?.strip_suffix(") {")?;
        let (a, b) = condition.split_once(" == ")?;
        let holds = self.integer(a, env)?.value == self.integer(b, env)?.value;
        let middle = closing_brace(lines, at)?;
        let end = if lines[middle].trim() == "} else {" { closing_brace(lines, middle)? } else { middle };
        let taken = match holds {
            true => &lines[at + 1..middle],
            false => lines.get(middle + 1..end).unwrap_or(&[]),
        };
        Some((taken, end))
    }

    /// One line: a known `let` is remembered, anything else written with what is known put in.
    fn statement(&mut self, line: &str, copy: usize, env: &mut Bindings, out: &mut Vec<String>) {
        let text = line.trim();
        // one lane waits for nobody
        if text == "sync();" {
            return;
        }
        if self.ends_basic_block(text) {
            // the head of a loop is evaluated again in each turn
            if text.starts_with("for ") || text.starts_with("while ") || text.starts_with("loop ") {
                self.write_back(env, out);
            }
            let line = self.substitute(text, env, out);
            self.write_back(env, out);
            out.push(line);
            // names end with their block
            if text.starts_with('}') {
                env.truncate(self.scopes.pop().unwrap_or(0));
            }
            if text.ends_with('{') {
                self.scopes.push(env.len());
            }
            return;
        }
        let kept = |word: &str| Some((word.to_string(), text.strip_prefix(word)?.split_once('=')?));
        if let Some((keyword, (name, value))) = kept("let ").or_else(|| kept("var ")) {
            let (name, value) = (name.trim(), value.trim().trim_end_matches(';'));
            let known = self.integer(value, env).filter(|_| keyword == "let ");
            if let Some(known) = known {
                env.push((name.to_string(), Binding::Known(known)));
                return;
            }
            let value = self.substitute(value, env, out);
            // a variable is a value as long as it can be
            if keyword == "var " {
                let now = self.name(name);
                out.push(format!("let {now} = {value};"));
                let variable = format!("{now}_var");
                env.push((name.to_string(), Binding::Value { now, variable }));
                return;
            }
            // a name of its own in every copy of a loop's body
            let own = if copy > 0 { self.name(name) } else { name.to_string() };
            out.push(format!("let {own} = {value};"));
            env.push((name.to_string(), Binding::Renamed(own)));
            return;
        }
        if let Some((name, operator, value)) = assignment(text)
            && matches!(lookup(env, name), Some(Binding::Value { .. }))
        {
            let value = self.substitute(value, env, out);
            let next = self.name(name);
            let place = env.iter_mut().rev().find(|(n, _)| n == name);
            if let Some((_, Binding::Value { now, .. })) = place {
                out.push(match operator {
                    "" => format!("let {next} = {value};"),
                    _ => format!("let {next} = {now} {operator} ({value});"),
                });
                *now = next;
            }
            return;
        }
        if let Some((variable, value)) = self.register_store(text, env) {
            let value = self.substitute(&value, env, out);
            let now = self.name(&variable);
            out.push(format!("let {now} = {value};"));
            self.values.insert(variable, (now, true));
            return;
        }
        // a part of a local variable
        let part = text.split('.').next().unwrap_or("");
        if text.contains('=') && matches!(lookup(env, part), Some(Binding::Value { .. })) {
            self.write_back(env, out);
        }
        let line = self.substitute(line, env, out);
        out.push(line);
    }

    /// The register that a line sets, and to what.
    fn register_store(&self, line: &str, env: &Bindings) -> Option<(String, String)> {
        let (word, after) = line.split_at(line.find('(')?);
        let inside = after.get(1..closing_paren(after)?)?;
        let comma = top_level_comma(inside)?;
        let index = self.integer(&inside[..comma], env)?;
        match self.known.element(word, index.value)? {
            Element::Register(variable) => Some((variable, inside[comma + 1..].trim().to_string())),
            Element::Value(_) => None,
        }
    }

    fn range(&self, header: &LoopHeader<'_>, env: &Bindings) -> Option<Vec<ConstInt>> {
        let first = self.integer(header.first, env)?;
        let last = self.integer(header.last, env)?.value + i64::from(header.inclusive);
        let step = usize::try_from(self.integer(header.step, env)?.value).ok().filter(|s| *s > 0)?;
        let of = |value| ConstInt { value, signed: first.signed };
        let values: Vec<ConstInt> = (first.value..last).step_by(step).map(of).collect();
        (values.len() <= MAX_TRIP_COUNT).then_some(values)
    }

    fn integer(&self, text: &str, env: &Bindings) -> Option<ConstInt> {
        let mut reader = ExprParser { text, at: 0, env, known: self.known };
        let value = reader.sum()?;
        reader.skip();
        (reader.at == text.len()).then_some(value)
    }

    /// A text with the names and elements that are known replaced; registers that it is the first to read are read in
    /// lines before it.
    fn substitute(&mut self, text: &str, env: &Bindings, lines: &mut Vec<String>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_word) {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            // a field of a structure is no name of ours
            let member = out.ends_with('.');
            let place = || {
                self.known.integer(word, &[]).filter(|_| LANE_CONSTANTS.contains(&word)).map(Binding::Known)
            };
            let stands = lookup(env, word).cloned().or_else(place).filter(|_| !member);
            if let Some(stands) = stands {
                match stands {
                    Binding::Known(value) => out.push_str(&literal(value)),
                    Binding::Renamed(name) | Binding::Value { now: name, .. } => out.push_str(&name),
                }
            } else if !member
                && after.starts_with('(')
                && let Some((written, used)) = self.call(word, after, env, lines)
            {
                out.push_str(&written);
                rest = &after[used..];
                continue;
            } else {
                out.push_str(word);
            }
            rest = after;
        }
        out + rest
    }

    /// What replaces the call of `word` whose arguments begin `after`, and how much of `after` it was.
    fn call(
        &mut self,
        word: &str,
        after: &str,
        env: &Bindings,
        lines: &mut Vec<String>,
    ) -> Option<(String, usize)> {
        let close = closing_paren(after)?;
        let inside = &after[1..close];
        let comma = top_level_comma(inside).unwrap_or(inside.len());
        let index = self.integer(&inside[..comma], env)?;
        let rest = inside.get(comma + 1..).map(|r| self.substitute(r.trim(), env, lines));
        // tables of the model become their value
        if rest.is_none()
            && let Some(value) = self.known.integer(word, &[index.value])
        {
            return Some((literal(value), close + 1));
        }
        let written = match (self.known.element(word, index.value), rest) {
            (Some(Element::Value(text)), None) => text,
            (Some(Element::Register(variable)), None) => match self.values.get(&variable) {
                Some((now, _)) => now.clone(),
                None => {
                    let now = self.name(&variable);
                    lines.push(format!("let {now} = {variable};"));
                    self.values.insert(variable, (now.clone(), false));
                    now
                }
            },
            (_, None) => format!("{word}({})", literal(index)),
            (_, Some(rest)) => format!("{word}({}, {rest})", literal(index)),
        };
        Some((written, close + 1))
    }
}

/// The word by which a line exits_loop a loop or a branch in a way that cannot be written out.
fn exits_loop(line: &str) -> Option<&'static str> {
    ["break;", "continue;", "} else if"].into_iter().find(|word| line.trim().starts_with(word))
}

/// Name, operator and value of `name = value;`, `name += value;` and the like.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = line.split_at(line.find(|c| !is_word(c))?);
    let rest = rest.trim_start();
    let at = rest.find('=')?;
    let operator = &rest[..at];
    let value = rest[at + 1..].strip_suffix(';')?;
    let plain = matches!(operator, "" | "+" | "-" | "*" | "/") && !value.starts_with('=');
    plain.then(|| (name, operator, value.trim()))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn lookup<'a>(env: &'a Bindings, name: &str) -> Option<&'a Binding> {
    env.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v)
}

fn literal(value: ConstInt) -> String {
    match (value.signed, value.value < 0) {
        (true, true) => format!("({}i)", value.value),
        (true, false) => format!("{}i", value.value),
        (false, _) => format!("{}u", value.value),
    }
}

/// Place of the parenthesis that closes the one at the start.
fn closing_paren(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(i),
            b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

fn top_level_comma(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.bytes().position(|b| {
        match b {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        b == b',' && depth == 0
    })
}

fn header(line: &str) -> Option<LoopHeader<'_>> {
    let inside = line.trim().strip_prefix("for (var ")?.strip_suffix(") {")?;
    let mut parts = inside.split("; ");
    let (start, condition, update) = (parts.next()?, parts.next()?, parts.next()?);
    let (name, first) = start.split_once(" = ")?;
    let (inclusive, last) = match condition.split_once(" <= ") {
        Some((_, last)) => (true, last),
        None => (false, condition.split_once(" < ")?.1),
    };
    let step = match update.split_once(" += ") {
        Some((_, step)) => step,
        None => update.strip_suffix("++").map(|_| "1u")?,
    };
    Some(LoopHeader { name, first, last, inclusive, step })
}

/// Line on which the block that the end of line `start` opens is closed.
fn closing_brace(lines: &[&str], start: usize) -> Option<usize> {
    let mut depth = 1usize;
    for (i, line) in lines.iter().enumerate().skip(start + 1) {
        for b in line.bytes() {
            match b {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(i);
            }
        }
    }
    None
}

/// ConstInt expressions: sums, products, calls, conversions.
struct ExprParser<'a> {
    text: &'a str,
    at: usize,
    env: &'a Bindings,
    known: &'a dyn Known,
}

impl ExprParser<'_> {
    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, wanted: &str) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    fn sum(&mut self) -> Option<ConstInt> {
        let mut left = self.product()?;
        loop {
            let sign = if self.take("+") {
                1
            } else if self.take("-") {
                -1
            } else {
                return Some(left);
            };
            let right = self.product()?;
            left.value = left.value.checked_add(sign * right.value)?;
            // WGSL wraps where this would be negative: not a env that anyone wants
            if !left.signed && left.value < 0 {
                return None;
            }
        }
    }

    fn product(&mut self) -> Option<ConstInt> {
        let mut left = self.atom()?;
        loop {
            if self.take("*") {
                left.value = left.value.checked_mul(self.atom()?.value)?;
            } else if self.take("/") {
                left.value = left.value.checked_div(self.atom()?.value)?;
            } else if self.take("%") {
                left.value = left.value.checked_rem(self.atom()?.value)?;
            } else {
                return Some(left);
            }
        }
    }

    fn atom(&mut self) -> Option<ConstInt> {
        if self.take("(") {
            let value = self.sum()?;
            return self.take(")").then_some(value);
        }
        self.skip();
        let rest = &self.text[self.at..];
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        self.at += word.len();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = word.trim_end_matches(['u', 'i']);
            return Some(ConstInt { value: digits.parse().ok()?, signed: word.ends_with('i') });
        }
        if !self.take("(") {
            return match lookup(self.env, word) {
                Some(Binding::Known(value)) => Some(*value),
                Some(Binding::Renamed(_) | Binding::Value { .. }) => None,
                None => self.known.integer(word, &[]),
            };
        }
        let mut arguments = vec![self.sum()?];
        while self.take(",") {
            arguments.push(self.sum()?);
        }
        if !self.take(")") {
            return None;
        }
        let values: Vec<i64> = arguments.iter().map(|a| a.value).collect();
        match (word, values.as_slice()) {
            ("u32", &[value]) if value >= 0 => Some(ConstInt { value, signed: false }),
            ("i32", &[value]) => Some(ConstInt { value, signed: true }),
            ("min", &[a, b]) => Some(ConstInt { value: a.min(b), ..arguments[0] }),
            ("max", &[a, b]) => Some(ConstInt { value: a.max(b), ..arguments[0] }),
            _ => self.known.integer(word, &values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Two;

    impl Known for Two {
        fn integer(&self, name: &str, arguments: &[i64]) -> Option<ConstInt> {
            let table = [4, 7];
            match (name, arguments) {
                ("n", []) => Some(ConstInt { value: 2, signed: false }),
                ("table", [i]) => {
                    Some(ConstInt { value: *table.get(usize::try_from(*i).ok()?)?, signed: true })
                }
                _ => None,
            }
        }
        fn element(&self, name: &str, index: i64) -> Option<Element> {
            match name {
                "x" | "set_x" => Some(Element::Register(format!("x_{index}"))),
                _ => None,
            }
        }
        fn accesses(&self, name: &str) -> bool {
            name == "outside"
        }
    }

    fn joined(text: &str) -> String {
        unroll(text, &Two).map(|t| t.split_whitespace().collect::<Vec<_>>().join(" ")).expect("a good text")
    }

    #[test]
    fn known_loops_are_written_out() {
        let text = "//#unroll\nfor (var i = 0u; i < n; i++) {\n    let j = u32(table(i)) + 1u;\n    set_x(i, x(i) + far(r * n + i) * y(j));\n}\nreturn;";
        assert_eq!(
            joined(text),
            "let x_0_v1 = x_0; let x_0_v2 = x_0_v1 + far(r * n + 0u) * y(5u); \
             let x_1_v3 = x_1; let x_1_v4 = x_1_v3 + far(r * n + 1u) * y(8u); \
             x_0 = x_0_v2; x_1 = x_1_v4; return;"
        );
    }

    #[test]
    fn statements_may_take_several_lines() {
        let text = "//#unroll\nfor (var i = 0u; i < n; i++) {\n    let a = t(i)\n        - y;\n    f(a);\n}";
        assert_eq!(joined(text), "let a_v1 = t(0u) - y; f(a_v1); let a_v2 = t(1u) - y; f(a_v2);");
    }

    #[test]
    fn unknown_loops_stay() {
        let text =
            "//#unroll\nfor (var i = lane; i < n; i += lanes) {\n    let j = i;\n    set_y(i, x(1u));\n}";
        assert_eq!(
            joined(text),
            "for (var i = lane; i < n; i += lanes) { let j = i; let x_1_v1 = x_1; set_y(i, x_1_v1); }"
        );
    }

    #[test]
    fn bounds_may_depend_on_outer_loops() {
        let text = "//#unroll\nfor (var i = 0u; i <= 1u; i++) {\n//#unroll\nfor (var j = 0u; j <= i; j++) {\nf(i, j);\n}\n}";
        assert_eq!(joined(text), "f(0u, 0u); f(1u, 0u); f(1u, 1u);");
    }

    #[test]
    fn names_of_copies_are_their_own_and_known_conditions_vanish() {
        let text = "//#unroll\nfor (var i = 0u; i < n; i++) {\nlet f = t(i);\nif (i == 1u) {\nset_y(i, f.x + f);\n} else {\nz(f);\n}\n}\nlet f = 1.0;";
        assert_eq!(
            joined(text),
            "let f_v1 = t(0u); z(f_v1); let f_v2 = t(1u); set_y(1u, f_v2.x + f_v2); let f = 1.0;"
        );
    }

    #[test]
    fn values_are_settled_where_control_flow_changes() {
        let text = "var a = 1.0;\nset_x(0u, 2.0);\na += x(0u) - b;\nfor (var k = 0u; k < m; k++) {\na += x(0u);\nset_x(0u, a);\n}\noutside();\n//#unroll\nfor (var i = 0u; i < 1u; i++) {\nset_x(i, x(0u) + a);\n}\nreturn a;";
        assert_eq!(
            joined(text),
            "let a_v1 = 1.0; let x_0_v2 = 2.0; let a_v3 = a_v1 + (x_0_v2 - b); \
             x_0 = x_0_v2; var a_v1_var = a_v3; for (var k = 0u; k < m; k++) { \
             let x_0_v4 = x_0; a_v1_var += x_0_v4; let x_0_v5 = a_v1_var; x_0 = x_0_v5; } \
             outside(); let x_0_v6 = x_0; let x_0_v7 = x_0_v6 + a_v1_var; x_0 = x_0_v7; return a_v1_var;"
        );
    }

    #[test]
    fn heads_of_loops_see_variables_and_a_break_is_refused() {
        let text = "var n = 3u;\nfor (var i = 0u; i < n; i++) {\nn -= 1u;\n}\n//#unroll\nfor (var i = 0u; i < 1u; i++) {\nf(i);\n}";
        assert_eq!(
            joined(text),
            "let n_v1 = 3u; var n_v1_var = n_v1; for (var i = 0u; i < n_v1_var; i++) { n_v1_var -= 1u; } f(0u);"
        );
        assert!(unroll("//#unroll\nfor (var i = 0u; i < 1u; i++) {\nif (a) {\nbreak;\n}\n}", &Two).is_err());
    }

    #[test]
    fn a_mark_without_a_loop_is_an_error() {
        assert!(unroll("//#unroll\nlet x = 1;", &Two).is_err());
    }
}
