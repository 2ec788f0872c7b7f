//! Grammar of expressions.

use super::{BinaryOperator, Call, Expression, Parser, Result, TokenKind, UnaryOperator};

/// Predeclared names with template arguments, except vectors and matrices.
const TEMPLATES: [&str; 4] = ["array", "atomic", "bitcast", "ptr"];

impl Parser<'_, '_> {
    pub(super) fn expression(&mut self) -> Result<Expression> {
        self.operation(0)
    }

    /// Operands and operators that bind at least as tightly as `level`.
    fn operation(&mut self, level: u8) -> Result<Expression> {
        let mut left = self.operand()?;
        while let Some(operator) = BinaryOperator::parse(self.text()).filter(|o| o.level() >= level) {
            self.at += 1;
            left = Expression::binary(operator, left, self.operation(operator.level() + 1)?);
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expression> {
        if let Some(operator) = UnaryOperator::parse(self.text()) {
            self.at += 1;
            return Ok(Expression::Unary(operator, Box::new(self.operand()?)));
        }
        let mut value = self.primary()?;
        loop {
            if self.take(".") {
                value = Expression::Member(Box::new(value), self.word()?.to_string());
            } else if self.take("[") {
                value = Expression::Index(Box::new(value), Box::new(self.expression()?));
                self.expect("]")?;
            } else {
                return Ok(value);
            }
        }
    }

    fn primary(&mut self) -> Result<Expression> {
        if self.take("(") {
            let inside = self.expression()?;
            self.expect(")")?;
            return Ok(inside);
        }
        let start = self.at;
        match self.peek(0).map(|t| (t.kind, t.text)) {
            Some((TokenKind::Number, text)) | Some((TokenKind::Word, text @ ("true" | "false"))) => {
                self.at += 1;
                Ok(Expression::Literal(text.to_string()))
            }
            Some((TokenKind::Word, text)) => {
                self.at += 1;
                if self.text() == "<" && takes_template(text) {
                    self.skip_template()?;
                }
                let name = self.text_since(start).to_string();
                if self.text() == "(" {
                    return Ok(Expression::Call(Call { function: name, arguments: self.arguments()? }));
                }
                Ok(Expression::Name(name))
            }
            _ => Err(self.error("expected an expression")),
        }
    }

    /// Expressions between parentheses.
    fn arguments(&mut self) -> Result<Vec<Expression>> {
        self.expect("(")?;
        let mut found = Vec::new();
        while !self.take(")") {
            found.push(self.expression()?);
            if self.text() != ")" {
                self.expect(",")?;
            }
        }
        Ok(found)
    }
}

/// True if `<` after a name begins template arguments.
fn takes_template(name: &str) -> bool {
    let shape = name.strip_prefix("vec").or_else(|| name.strip_prefix("mat"));
    let sized = shape.is_some_and(|s| !s.is_empty() && s.bytes().all(|b| matches!(b, b'2'..=b'4' | b'x')));
    sized || TEMPLATES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::super::expression;

    #[test]
    fn operators_bind_as_in_wgsl() {
        // the printed text has the parentheses that the tree needs, and no others
        for (text, written) in [
            ("a + b * c - d", "a + b * c - d"),
            ("(a + (b * c)) - (d - e)", "a + b * c - (d - e)"),
            ("a / (b / c) * -d", "a / (b / c) * -d"),
            ("-(a + b).x[i + 1u]", "-(a + b).x[i + 1u]"),
            ("a < b + 1u && (c || !d)", "a < b + 1u && (c || !d)"),
            ("(a & 3u) == 1u || (b << (2u + c)) > 4u", "(a & 3u) == 1u || (b << (2u + c)) > 4u"),
            ("(a && b) && (c && d)", "a && b && (c && d)"),
            ("-(-a) - (-b)", "-(-a) - -b"),
            ("bitcast<u32>(x) < y", "bitcast<u32>(x) < y"),
            ("array<vec2<f32>, 4>(a < b, c > d)[0]", "array<vec2<f32>, 4>(a < b, c > d)[0]"),
            ("f(a, g(), true,)", "f(a, g(), true)"),
        ] {
            let read = expression(text).expect(text);
            assert_eq!(read.to_string(), written);
            assert_eq!(expression(written).as_ref(), Ok(&read), "{written}");
        }
    }

    #[test]
    fn errors_say_where() {
        for (text, message) in [
            ("a +\n* ;", "line 2: expected an expression, found ';'"),
            ("f(a b)", "line 1: expected ',', found 'b'"),
            ("(a", "line 1: expected ')', found the end"),
            ("a b", "line 1: expected the end, found 'b'"),
            ("a.1", "line 1: expected the end, found '.1'"),
        ] {
            assert_eq!(expression(text).map_err(|e| e.to_string()), Err(message.to_string()));
        }
    }
}
