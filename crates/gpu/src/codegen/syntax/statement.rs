//! Grammar of statements and functions.

use super::{
    BinaryOperator, Block, Case, Declaration, Expression, ForLoop, Function, Keyword, Parser, Result,
    Statement, TokenKind, UNROLL_DIRECTIVE,
};

impl Parser<'_, '_> {
    /// A function with its attributes.
    pub(super) fn function(&mut self) -> Result<Function> {
        let start = self.at;
        self.attributes()?;
        self.expect("fn")?;
        self.word()?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.take(")") {
            self.attributes()?;
            parameters.push(self.word()?.to_string());
            self.expect(":")?;
            self.type_text()?;
            if self.text() != ")" {
                self.expect(",")?;
            }
        }
        if self.take("->") {
            self.attributes()?;
            self.type_text()?;
        }
        Ok(Function { signature: self.text_since(start).to_string(), parameters, body: self.block()? })
    }

    /// Skips `@name` and `@name(…)`.
    pub(super) fn attributes(&mut self) -> Result<()> {
        while self.take("@") {
            self.word()?;
            let mut depth = 0usize;
            loop {
                depth = match self.text() {
                    "(" => depth + 1,
                    ")" if depth > 0 => depth - 1,
                    "" if depth > 0 => return Err(self.error("expected ')'")),
                    _ if depth > 0 => depth,
                    _ => break,
                };
                self.at += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Statements between braces.
    pub(super) fn block(&mut self) -> Result<Block> {
        self.expect("{")?;
        let mut found = Vec::new();
        while !self.take("}") {
            if !self.take(";") {
                found.push(self.statement()?);
            }
        }
        Ok(found)
    }

    fn statement(&mut self) -> Result<Statement> {
        if self.peek(0).is_some_and(|t| t.kind == TokenKind::Unroll) {
            self.at += 1;
            if self.text() != "for" {
                return Err(self.error(&format!("{UNROLL_DIRECTIVE} is not followed by a for loop")));
            }
            return self.for_loop(true);
        }
        let statement = match self.text() {
            "{" => return Ok(Statement::Block(self.block()?)),
            "if" => return self.branch(),
            "for" => return self.for_loop(false),
            "while" => {
                self.at += 1;
                return Ok(Statement::While { condition: self.expression()?, body: self.block()? });
            }
            "loop" => {
                self.at += 1;
                return Ok(Statement::Loop(self.block()?));
            }
            "switch" => return self.switch(),
            "return" => {
                self.at += 1;
                Statement::Return(if self.text() == ";" { None } else { Some(self.expression()?) })
            }
            "break" => {
                self.at += 1;
                Statement::Break
            }
            "continue" => {
                self.at += 1;
                Statement::Continue
            }
            _ => self.simple()?,
        };
        self.expect(";")?;
        Ok(statement)
    }

    /// A declaration, an assignment or a call, without its semicolon.
    fn simple(&mut self) -> Result<Statement> {
        let keyword = match self.text() {
            "let" => Some(Keyword::Let),
            "var" => Some(Keyword::Var),
            "const" => Some(Keyword::Const),
            _ => None,
        };
        if let Some(keyword) = keyword {
            self.at += 1;
            let name = self.word()?.to_string();
            let type_text = if self.take(":") { Some(self.type_text()?) } else { None };
            let has_value = self.take("=");
            if !has_value && keyword != Keyword::Var {
                return Err(self.error("expected '='"));
            }
            let value = if has_value { Some(self.expression()?) } else { None };
            return Ok(Statement::Declaration(Declaration { keyword, name, type_text, value }));
        }
        let target = self.expression()?;
        for (text, operator) in [("++", BinaryOperator::Add), ("--", BinaryOperator::Subtract)] {
            if self.take(text) {
                return Ok(Statement::Step { target, operator });
            }
        }
        if self.take("=") {
            return Ok(Statement::Assignment { target, operator: None, value: self.expression()? });
        }
        if let Some(operator) = self.text().strip_suffix('=').and_then(BinaryOperator::parse) {
            self.at += 1;
            return Ok(Statement::Assignment { target, operator: Some(operator), value: self.expression()? });
        }
        match target {
            Expression::Call(call) => Ok(Statement::Call(call)),
            _ => Err(self.error("expected '='")),
        }
    }

    fn branch(&mut self) -> Result<Statement> {
        self.expect("if")?;
        let (condition, accept) = (self.expression()?, self.block()?);
        let reject = match self.take("else") {
            true if self.text() == "if" => Some(vec![self.branch()?]),
            true => Some(self.block()?),
            false => None,
        };
        Ok(Statement::If { condition, accept, reject })
    }

    fn for_loop(&mut self, unroll: bool) -> Result<Statement> {
        self.expect("for")?;
        self.expect("(")?;
        let start = if self.text() == ";" { None } else { Some(self.simple()?) };
        self.expect(";")?;
        let condition = if self.text() == ";" { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let update = if self.text() == ")" { None } else { Some(self.simple()?) };
        self.expect(")")?;
        Ok(Statement::For(Box::new(ForLoop { unroll, start, condition, update, body: self.block()? })))
    }

    fn switch(&mut self) -> Result<Statement> {
        self.expect("switch")?;
        let selector = self.expression()?;
        self.expect("{")?;
        let mut cases = Vec::new();
        while !self.take("}") {
            let mut values = Vec::new();
            if self.text() == "default" {
                values.push(self.expression()?);
            } else {
                self.expect("case")?;
                while !matches!(self.text(), ":" | "{") {
                    values.push(self.expression()?);
                    self.take(",");
                }
            }
            self.take(":");
            cases.push(Case { values, body: self.block()? });
        }
        Ok(Statement::Switch { selector, cases })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{items, print_function};

    fn printed(source: &str) -> Result<String, String> {
        let all = items(source).map_err(|e| e.to_string())?;
        all[0].function().map(|f| print_function(&f)).map_err(|e| e.to_string())
    }

    #[test]
    fn every_statement_is_read_and_written() {
        let text = "\
@compute @workgroup_size(64, (1))
fn f(@builtin(local_invocation_index) i: u32, v: array<vec3<f32>>) -> vec2<f32> {
    let a: array<f32, 4> = array<f32, 4>();
    var b: u32;
    const c = 1u;
    d.x[i] = a[0] + 1.0;
    b <<= 2u;
    b++;
    f(b);
    if (a < b) {
        return;
    } else if (b == c) {
        b -= 1u;
    } else {
        {
            b--;
        }
    }
    //#unroll
    for (var k = 0u; k < n; k++) {
        continue;
    }
    for (; ; ) {
        break;
    }
    while (b > 0u) {
        loop {
        }
    }
    switch (b) {
        case 1u, 2u: {
        }
        default: {
            return vec2f(a[1], 0.0);
        }
    }
}";
        assert_eq!(printed(text).as_deref(), Ok(text));
    }

    #[test]
    fn errors_say_where() {
        for (text, message) in [
            ("fn f() {\n    let a;\n}", "line 2: expected '=', found ';'"),
            ("fn f() {\n    a;\n}", "line 2: expected '=', found ';'"),
            ("fn f() {\n    a = b\n}", "line 3: expected ';', found '}'"),
            ("fn f() {\n    if a b\n}", "line 2: expected '{', found 'b'"),
        ] {
            assert_eq!(printed(text), Err(message.to_string()));
        }
    }
}
