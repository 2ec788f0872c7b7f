//! Conditional blocks of WGSL files.

use super::flags::Flags;

/// An open block.
struct Block {
    /// True if its lines are kept.
    kept: bool,
    /// Number of braces open in its text.
    depth: i32,
}

/// Keeps the lines of `//#if NAME` … `//#else` … `//#endif` blocks whose flag holds; `!NAME` negates. Each part of a
/// block must close the braces that it opens, so that it can be read on its own. What goes leaves empty lines.
///
/// # Errors
/// An unknown flag, an unbalanced block, or a block that crosses a brace, as text.
pub(crate) fn preprocess(source: &str, flags: &Flags) -> Result<String, String> {
    let mut out = String::with_capacity(source.len());
    let mut open: Vec<Block> = Vec::new();
    for (number, line) in source.lines().enumerate() {
        let at = |what: &str| format!("line {}: {what}", number + 1);
        out.push_str(if number > 0 { "\n" } else { "" });
        let closed =
            |block: &Block| if block.depth == 0 { Ok(()) } else { Err(at("a block crosses a brace")) };
        let word = line.trim();
        if let Some(name) = word.strip_prefix("//#if ") {
            let (negated, name) = name.strip_prefix('!').map_or((false, name), |n| (true, n));
            let flag = flags.get(name.trim()).ok_or_else(|| at(&format!("unknown flag '{name}'")))?;
            open.push(Block { kept: *flag != negated, depth: 0 });
            continue;
        }
        if word == "//#else" {
            let top = open.last_mut().ok_or_else(|| at("//#else without //#if"))?;
            closed(top)?;
            top.kept = !top.kept;
            continue;
        }
        if word == "//#endif" {
            closed(&open.pop().ok_or_else(|| at("//#endif without //#if"))?)?;
            continue;
        }
        if open.iter().all(|block| block.kept) {
            out.push_str(line);
        }
        // braces of the line, for every enclosing block
        for brace in line.split("//").next().unwrap_or("").chars() {
            let step = i32::from(brace == '{') - i32::from(brace == '}');
            for block in &mut open {
                block.depth += step;
                if block.depth < 0 {
                    return Err(at("a block crosses a brace"));
                }
            }
        }
    }
    if open.is_empty() { Ok(out) } else { Err("//#if without //#endif".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_lines_of_true_blocks() {
        let flags = Flags::from([("ON", true), ("OFF", false)]);
        let text = preprocess(
            "a\n//#if ON\nb\n//#else\nc\n//#endif\n//#if OFF\nd\n//#endif\n//#if !OFF\ne\n//#endif\n",
            &flags,
        );
        assert_eq!(text.as_deref(), Ok("a\n\nb\n\n\n\n\n\n\n\ne\n"));
        assert!(preprocess("//#if NO\n//#endif", &flags).is_err());
        assert!(preprocess("//#if ON", &flags).is_err());
    }

    #[test]
    fn blocks_do_not_cross_braces() {
        let flags = Flags::from([("ON", true)]);
        for crossing in [
            "//#if ON\nif (x) {\n//#else\nif (y) {\n//#endif\n}",
            "f {\n//#if ON\n}\n//#endif",
            "f {\n//#if ON\n} g {\n//#endif\n}",
        ] {
            assert!(preprocess(crossing, &flags).is_err_and(|e| e.contains("crosses a brace")), "{crossing}");
        }
        assert!(preprocess("//#if ON\nif (x) { // {\n}\n//#endif", &flags).is_ok());
    }
}
