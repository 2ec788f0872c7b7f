//! Branches without alternatives, for a driver that follows every shortest path through a loop.
//!
//! SwiftShader asks of each edge to the head of a loop whether it comes from the loop's body, and searches the body breadth
//! first without marking what it has queued: it visits a block once for each shortest path from the head to it. An `if`
//! and its `else` double them where they are equally long, so that thirty in a row take minutes. As two branches, of which
//! the second has the negated condition, they are passed by one shortest path.

use naga::{Arena, Block, Expression, Function, Module, Range, Statement, UnaryOperator};

/// Most shortest paths through the body of a loop that stay, as a power of two. Calls that are inlined have more of them
/// than are counted: of a kernel with height fields (10), the search took two thirds of the time.
const MOST_DOUBLINGS: f64 = 9.0;

/// Makes two branches of one with an alternative, in a module that has too many shortest paths through a loop. What it
/// computes is the same.
pub(crate) fn split_branches(module: &mut Module) {
    if doublings(module) <= MOST_DOUBLINGS {
        return;
    }
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    functions.chain(entries).for_each(|function| split(&mut function.body, &mut function.expressions));
}

/// Shortest paths through the body of a loop, as a power of two, with all calls inlined: the most that any loop has.
fn doublings(module: &Module) -> f64 {
    let mut most = 0.0;
    // callees come before their callers
    let mut through = Vec::with_capacity(module.functions.len());
    for (_, function) in module.functions.iter() {
        let paths = Paths { through: &through, most: &mut most }.of_function(function);
        through.push(paths);
    }
    for entry in &module.entry_points {
        Paths { through: &through, most: &mut most }.of_function(&entry.function);
    }
    most
}

/// Counts shortest paths, as powers of two.
struct Paths<'a> {
    /// Those through each function so far.
    through: &'a [f64],
    /// Most of those through a loop so far.
    most: &'a mut f64,
}

impl Paths<'_> {
    fn of_function(&mut self, function: &Function) -> f64 {
        self.of_block(&function.body)
    }

    fn of_block(&mut self, block: &Block) -> f64 {
        block.iter().map(|statement| self.of_statement(statement)).sum()
    }

    fn of_statement(&mut self, statement: &Statement) -> f64 {
        match statement {
            Statement::Block(block) => self.of_block(block),
            Statement::Call { function, .. } => self.through[function.index()],
            Statement::Loop { body, continuing, .. } => {
                *self.most = self.most.max(self.of_block(body) + self.of_block(continuing));
                // past a loop leads the way through its head
                0.0
            }
            Statement::Switch { cases, .. } => {
                cases.iter().map(|case| self.of_block(&case.body).exp2()).sum::<f64>().log2()
            }
            Statement::If { accept, reject, .. } => {
                let both = [self.of_block(accept), self.of_block(reject)];
                if meets(accept, reject) { (both[0].exp2() + both[1].exp2()).log2() } else { 0.0 }
            }
            _ => 0.0,
        }
    }
}

/// True if a branch has two sides that both lead behind it.
fn meets(accept: &Block, reject: &Block) -> bool {
    !reject.is_empty() && !leaves(accept) && !leaves(reject)
}

/// True if a block ends elsewhere than behind itself.
fn leaves(block: &Block) -> bool {
    matches!(
        block.last(),
        Some(Statement::Break | Statement::Continue | Statement::Return { .. } | Statement::Kill)
    )
}

/// Splits the branches of a block with the given expressions.
fn split(block: &mut Block, expressions: &mut Arena<Expression>) {
    for (mut statement, span) in std::mem::take(block).span_into_iter() {
        let mut alternative = None;
        match &mut statement {
            Statement::Block(inner) => split(inner, expressions),
            Statement::Loop { body, continuing, .. } => {
                split(body, expressions);
                split(continuing, expressions);
            }
            Statement::Switch { cases, .. } => {
                cases.iter_mut().for_each(|case| split(&mut case.body, expressions))
            }
            Statement::If { condition, accept, reject } => {
                split(accept, expressions);
                split(reject, expressions);
                if meets(accept, reject) {
                    // the condition is negated before the first side changes what it was made of
                    let not = Expression::Unary { op: UnaryOperator::LogicalNot, expr: *condition };
                    let negated = expressions.append(not, span);
                    block.push(Statement::Emit(Range::new_from_bounds(negated, negated)), span);
                    let accept = std::mem::take(reject);
                    alternative = Some(Statement::If { condition: negated, accept, reject: Block::new() });
                }
            }
            _ => {}
        }
        block.push(statement, span);
        block.extend(alternative.map(|branch| (branch, span)));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet, VecDeque};

    use super::*;
    use crate::codegen::export::spirv;

    /// A kernel with a loop of so many branches, each with these sides.
    fn kernel(branches: usize, sides: &str) -> Module {
        let body: String = (0..branches)
            .map(|k| format!("if ((i + {k}u) % 3u == 0u) {}\n", sides.replace('K', &k.to_string())))
            .collect();
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
            fn bump(k: u32) {{ x[k] += 1u; }}
            @compute @workgroup_size(1) fn main() {{
                for (var i = 0u; i < 9u; i++) {{ {body} }}
            }}"
        );
        naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&text)))
    }

    /// Blocks that the driver visits to find the edges back into all loops, at most `most`, and the number of blocks.
    fn visits(module: &Module, most: usize) -> (usize, usize) {
        let words = spirv(module).expect("a kernel");
        // blocks with those that follow them; heads of loops with their merge blocks
        let (mut after, mut heads) = (BTreeMap::<u32, Vec<u32>>::new(), Vec::new());
        let (mut at, mut block) = (5, 0);
        while at < words.len() {
            let (length, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
            let of = &words[at + 1..at + length];
            match code {
                248 => block = of[0],
                246 => heads.push((block, of[0])),
                249 => after.entry(block).or_default().push(of[0]),
                250 => after.entry(block).or_default().extend([of[1], of[2]]),
                _ => {}
            }
            at += length;
        }
        let mut visited = 0;
        for (head, merge) in heads {
            let (mut seen, mut waiting) = (HashSet::from([merge]), VecDeque::from([head]));
            while let Some(next) = waiting.pop_front()
                && visited < most
            {
                visited += 1;
                waiting.extend(after.get(&next).into_iter().flatten().filter(|block| !seen.contains(block)));
                seen.insert(next);
            }
        }
        (visited, after.len())
    }

    #[test]
    fn many_alternatives_are_passed_by_one_path() {
        let most = 1 << 20;
        let equal = ["{ x[K] = i; } else { x[K] = 2u; }", "{ bump(K); } else { bump(i); }"];
        let unequal = [
            "{ x[K] = i; } else if (i > 3u) { x[K] = 2u; } else { bump(K); }",
            "{ if (i > 3u) { bump(K); } } else { if (i > 4u) { bump(K); } else { x[K] = 2u; } }",
        ];
        for sides in equal.into_iter().chain(unequal) {
            let mut module = kernel(40, sides);
            let (before, _) = visits(&module, most);
            assert!(before == most || unequal.contains(&sides), "{sides}: the search ends");
            split_branches(&mut module);
            let (after, blocks) = visits(&module, most);
            assert!(after <= blocks * blocks, "{sides}: {after} visits of {blocks} blocks");
        }
    }

    #[test]
    fn what_is_searched_fast_stays() {
        let cases = [
            (30, "{ x[K] = i; }"),
            (30, "{ continue; }"),
            (30, "{ x[K] = i; break; }"),
            (30, "{ x[K] = i; return; } else { x[K] = 2u; }"),
            (9, "{ x[K] = i; } else { x[K] = 2u; }"),
        ];
        for (branches, sides) in cases {
            let mut module = kernel(branches, sides);
            let text = format!("{module:?}");
            split_branches(&mut module);
            assert_eq!(format!("{module:?}"), text, "{sides}");
            assert!(visits(&module, 1 << 20).0 < 1 << 16, "{sides}");
        }
    }
}
