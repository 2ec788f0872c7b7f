//! Gmsh files: one block of points, one block of triangles or tetrahedra.

use super::MAX_POINTS;

/// Upper bound on elements of a file.
const MAX_ELEMENTS: usize = 8 << 20;

/// Points and elements of a file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Grid {
    pub(super) dim: i32,
    pub(super) points: Vec<[f64; 3]>,
    pub(super) elements: Vec<i32>,
    /// True if the section of elements goes on after the last one that its count names.
    pub(super) surplus: bool,
}

type Result<T> = std::result::Result<T, String>;

/// Reads a file of version 2.2 or 4.1, text or binary.
pub(super) fn parse(bytes: &[u8]) -> Result<Grid> {
    let rest = bytes.strip_prefix(b"$MeshFormat").ok_or("it does not start with $MeshFormat")?;
    let head = String::from_utf8_lossy(&rest[..rest.len().min(64)]).into_owned();
    let mut words = head.split_ascii_whitespace();
    let version: f64 = words.next().and_then(|w| w.parse().ok()).ok_or("it has no version")?;
    let binary = words.next().ok_or("it has no file type")? != "0";
    let nodes = Source::new(section(bytes, "Nodes")?, binary);
    let elements = Source::new(section(bytes, "Elements")?, binary);
    let grid = match (100.0 * version).round() {
        220.0 => old(nodes, elements),
        410.0 => new(nodes, elements),
        _ => Err(format!("version {version} is not supported")),
    }?;
    if !(2..=3).contains(&grid.dim) {
        return Err("it has neither triangles nor tetrahedra".to_owned());
    }
    Ok(grid)
}

/// Contents of a section.
fn section<'a>(bytes: &'a [u8], name: &str) -> Result<&'a [u8]> {
    let find = |from: usize, text: String| {
        let found = bytes[from..].windows(text.len()).position(|w| w == text.as_bytes());
        found.map(|i| from + i).ok_or(format!("it has no {text}"))
    };
    let start = find(0, format!("${name}"))? + name.len() + 2;
    let end = find(start.min(bytes.len()), format!("$End{name}"))?;
    Ok(&bytes[start..end])
}

/// Reader of a section, as text or binary.
struct Source<'a> {
    bytes: &'a [u8],
    binary: bool,
}

impl<'a> Source<'a> {
    fn new(bytes: &'a [u8], binary: bool) -> Self {
        Self { bytes, binary }
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(n).ok_or("it ends too early")?;
        self.bytes = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<&'a str> {
        let start = self.bytes.trim_ascii_start();
        let end = start.iter().position(u8::is_ascii_whitespace).unwrap_or(start.len());
        self.bytes = &start[end..];
        let word = std::str::from_utf8(&start[..end]).map_err(|_| "a number is no text")?;
        if word.is_empty() { Err("it ends too early".to_owned()) } else { Ok(word) }
    }

    fn parse<T: std::str::FromStr>(&mut self) -> Result<T> {
        let word = self.word()?;
        let shown: String = word.chars().take(20).collect();
        word.parse().map_err(|_| format!("'{shown}' is not the number that belongs there"))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| "it ends too early".to_owned())
    }

    /// A 64-bit count or tag.
    fn long(&mut self) -> Result<usize> {
        if self.binary { Ok(u64::from_le_bytes(self.array()?) as usize) } else { self.parse() }
    }

    /// A 32-bit number.
    fn int(&mut self) -> Result<i32> {
        if self.binary { Ok(i32::from_le_bytes(self.array()?)) } else { self.parse() }
    }

    fn real(&mut self) -> Result<f64> {
        let x = if self.binary { f64::from_le_bytes(self.array()?) } else { self.parse()? };
        if x.is_finite() { Ok(x) } else { Err("a coordinate is not finite".to_owned()) }
    }

    fn point(&mut self) -> Result<[f64; 3]> {
        Ok([self.real()?, self.real()?, self.real()?])
    }

    /// A count that is text even in binary files, on a line of its own.
    fn text_count(&mut self) -> Result<usize> {
        let count = self.parse()?;
        let end = self.bytes.iter().position(|&b| b == b'\n').ok_or("it ends too early")?;
        let (rest, _) = (self.take(end)?, self.take(1)?);
        if rest.trim_ascii().is_empty() { Ok(count) } else { Err("a count is missing".to_owned()) }
    }

    /// True if something is left.
    fn goes_on(&self) -> bool {
        !self.bytes.trim_ascii().is_empty()
    }
}

fn limit(count: usize, most: usize, what: &str) -> Result<usize> {
    if count > most { Err(format!("it has {count} {what}, more than {most}")) } else { Ok(count) }
}

/// Point index of a node tag.
fn node(tag: usize, first: usize, count: usize) -> Result<i32> {
    match tag.checked_sub(first) {
        Some(i) if i < count => Ok(i as i32),
        _ => Err(format!("an element has the node {tag}, but there are {count}")),
    }
}

/// Version 4.1.
fn new(mut nodes: Source<'_>, mut elements: Source<'_>) -> Result<Grid> {
    let blocks = nodes.long()?;
    let count = limit(nodes.long()?, MAX_POINTS, "nodes")?;
    let (first, last) = (nodes.long()?, nodes.long()?);
    let (dim, _, _) = (nodes.int()?, nodes.int()?, nodes.int()?);
    if blocks != 1 || nodes.long()? != count || (!nodes.binary && last != count) {
        return Err("its nodes are not in one block".to_owned());
    }
    for i in 0..count {
        if nodes.long()?.checked_sub(first) != Some(i) {
            return Err("its node tags are not sequential".to_owned());
        }
    }
    let mut grid = Grid { dim, ..Grid::default() };
    for _ in 0..count {
        grid.points.push(nodes.point()?);
    }
    let blocks = elements.long()?;
    let total = limit(elements.long()?, MAX_ELEMENTS, "elements")?;
    let (_, _) = (elements.long()?, elements.long()?);
    let (own, _, kind) = (elements.int()?, elements.int()?, elements.int()?);
    if blocks != 1 || elements.long()? != total {
        return Err("its elements are not in one block".to_owned());
    }
    if own != dim || !matches!((dim, kind), (1, 1) | (2, 2) | (3, 4)) {
        return Err(format!("its elements of type {kind} do not fit nodes of dimension {dim}"));
    }
    for _ in 0..total {
        elements.long()?;
        for _ in 0..=dim {
            grid.elements.push(node(elements.long()?, first, count)?);
        }
    }
    grid.surplus = elements.goes_on();
    Ok(grid)
}

/// Version 2.2.
fn old(mut nodes: Source<'_>, mut elements: Source<'_>) -> Result<Grid> {
    let mut grid = Grid::default();
    let count = limit(nodes.text_count()?, MAX_POINTS, "nodes")?;
    for _ in 0..count {
        nodes.int()?;
        grid.points.push(nodes.point()?);
    }
    let total = limit(elements.text_count()?, MAX_ELEMENTS, "elements")?;
    let mut left = total;
    while left > 0 {
        // text has one header for each element, and its tag before the type
        let (kind, group, tags) = if elements.binary {
            (elements.int()?, elements.int()?, elements.int()?)
        } else {
            elements.int()?;
            (elements.int()?, 1, elements.int()?)
        };
        grid.dim = match kind {
            2 => 2,
            4 => 3,
            _ => return Err(format!("elements of type {kind} are no triangles or tetrahedra")),
        };
        if group < 1 || group as usize > left || !(0..=100).contains(&tags) {
            return Err("a header of elements is broken".to_owned());
        }
        for _ in 0..group {
            for _ in 0..tags + i32::from(elements.binary) {
                elements.int()?;
            }
            for _ in 0..=grid.dim {
                let tag = elements.int()?;
                grid.elements.push(node(usize::try_from(tag).unwrap_or(0), 1, count)?);
            }
        }
        left -= group as usize;
    }
    grid.surplus = elements.goes_on();
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n\
        0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";

    fn tetrahedron() -> Grid {
        Grid {
            dim: 3,
            points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            elements: vec![0, 1, 2, 3],
            surplus: false,
        }
    }

    #[test]
    fn versions_and_encodings_say_the_same() {
        assert_eq!(parse(NEW.as_bytes()), Ok(tetrahedron()));
        let old = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\
            $EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n";
        assert_eq!(parse(old.as_bytes()), Ok(tetrahedron()));
        assert_eq!(parse(&binary()), Ok(tetrahedron()));
        // MuJoCo 3.17 reads fewer elements than there are, but needs the count
        let again = old.replace("\n$EndEl", "\n2 4 2 0 1 1 2 3 4\n$EndEl");
        assert_eq!(parse(again.as_bytes()), Ok(Grid { surplus: true, ..tetrahedron() }));
        let missing = |name: &str, count| {
            parse(old.replace(&format!("${name}\n{count}"), &format!("${name}")).as_bytes())
        };
        assert!(missing("Elements", 1).is_err() && missing("Nodes", 4).is_err());
    }

    fn binary() -> Vec<u8> {
        let mut bytes = b"$MeshFormat\n4.1 1 8\n$EndMeshFormat\n$Nodes\n".to_vec();
        let long = |bytes: &mut Vec<u8>, all: &[u64]| bytes.extend(all.iter().flat_map(|x| x.to_le_bytes()));
        let int = |bytes: &mut Vec<u8>, all: &[i32]| bytes.extend(all.iter().flat_map(|x| x.to_le_bytes()));
        long(&mut bytes, &[1, 4, 1, 4]);
        int(&mut bytes, &[3, 1, 0]);
        long(&mut bytes, &[4, 1, 2, 3, 4]);
        bytes.extend(tetrahedron().points.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend(b"\n$EndNodes\n$Elements\n");
        long(&mut bytes, &[1, 1, 1, 1]);
        int(&mut bytes, &[3, 1, 4]);
        long(&mut bytes, &[1, 1, 1, 2, 3, 4]);
        bytes.extend(b"\n$EndElements\n");
        bytes
    }

    #[test]
    fn broken_files_are_refused_without_panic() {
        for cut in 0..NEW.len() - 14 {
            assert!(parse(&NEW.as_bytes()[..cut]).is_err());
        }
        let whole = binary();
        for cut in 0..whole.len() - 14 {
            assert!(parse(&whole[..cut]).is_err());
        }
        assert!(parse(NEW.replace("1 1 2 3 4", "1 1 2 3 9").as_bytes()).is_err());
        assert!(parse(NEW.replace("1 4 1 4", "1 999999999999 1 4").as_bytes()).is_err());
    }
}
