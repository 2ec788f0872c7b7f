//! Height fields.

use super::{Fault, float, int};

/// Upper bound on points of a height field.
const MAX_POINTS: usize = 1 << 26;

/// Grid of elevations, rows in increasing y.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heights {
    /// Number of rows.
    pub nrow: usize,
    /// Number of columns.
    pub ncol: usize,
    /// Elevation, row-major.
    pub data: Vec<f32>,
}

fn size(nrow: i64, ncol: i64) -> Result<(usize, usize), Fault> {
    if nrow < 1 || ncol < 1 || nrow.saturating_mul(ncol) > MAX_POINTS as i64 {
        let help = "at least one row and column, and at most 2^26 points";
        return Err(Fault::new(format!("a height field of {nrow} rows and {ncol} columns"), help));
    }
    Ok((nrow as usize, ncol as usize))
}

impl Heights {
    /// A grid of given size: flat, or with inline elevation, last row first.
    ///
    /// # Errors
    /// Non-positive size, or a size that does not match the elevation data.
    pub fn written(nrow: i32, ncol: i32, heights: &[f32]) -> Result<Self, Fault> {
        let (nrow, ncol) = size(i64::from(nrow), i64::from(ncol))?;
        if heights.is_empty() {
            return Ok(Self { nrow, ncol, data: vec![0.0; nrow * ncol] });
        }
        if heights.len() != nrow * ncol {
            let message = format!("{} heights for {nrow} rows of {ncol} columns", heights.len());
            return Err(Fault::new(message, "write one height for each row and column"));
        }
        Ok(Self { nrow, ncol, data: heights.chunks(ncol).rev().flatten().copied().collect() })
    }

    /// Maps the elevation to [0, 1]; a constant field becomes 0.
    pub fn normalize(&mut self) {
        let low = self.data.iter().copied().fold(f32::INFINITY, f32::min);
        let high = self.data.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let range = if high - low > f32::MIN_POSITIVE { high - low } else { 0.0 };
        for x in &mut self.data {
            *x = if range > 0.0 { (*x - low) / range } else { *x - low };
        }
    }
}

/// Reads MuJoCo's binary format: row and column counts, then elevation.
///
/// # Errors
/// Not such a file, or elevation that is not finite.
pub fn binary(bytes: &[u8]) -> Result<Heights, Fault> {
    let help = "the file is two whole numbers, of rows and columns, then a height of 4 bytes each; or a PNG";
    if bytes.len() < 8 {
        return Err(Fault::new(
            format!("the height field file has {} bytes, its header 8", bytes.len()),
            help,
        ));
    }
    let (nrow, ncol) = size(i64::from(int(bytes, 0)), i64::from(int(bytes, 4)))?;
    if bytes.len() != 8 + 4 * nrow * ncol {
        let message = format!(
            "the height field file has {} bytes, not {} for {nrow} rows of {ncol} columns",
            bytes.len(),
            8 + 4 * nrow * ncol
        );
        return Err(Fault::new(message, help));
    }
    let data: Vec<f32> = (0..nrow * ncol).map(|i| float(bytes, 8 + 4 * i)).collect();
    if data.iter().any(|x| !x.is_finite()) {
        return Err(Fault::new("a height is not finite", "write the file again"));
    }
    Ok(Heights { nrow, ncol, data })
}

/// Reads a PNG image: brightness is elevation, the bottom image row comes first.
///
/// # Errors
/// Not a PNG image.
pub fn png(bytes: &[u8]) -> Result<Heights, Fault> {
    let fault =
        |e: png::DecodingError| Fault::new(format!("the image cannot be read: {e}"), "save it again as PNG");
    let limits = png::Limits { bytes: 1 << 29 };
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
    // 8 bits per channel; palettes are expanded
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(fault)?;
    let info = reader.info();
    let (nrow, ncol) = size(i64::from(info.height), i64::from(info.width))?;
    let length = reader.output_buffer_size().filter(|&n| n <= 8 * MAX_POINTS);
    let Some(length) = length else {
        return Err(Fault::new("the image is too large", "use fewer pixels"));
    };
    let mut pixels = vec![0; length];
    let frame = reader.next_frame(&mut pixels).map_err(fault)?;
    let channels = frame.color_type.samples();
    let row = |r: usize| pixels.chunks(frame.line_size).nth(r).unwrap_or_default();
    let data = (0..nrow)
        .rev()
        .flat_map(|r| (0..ncol).map(move |c| (r, c)))
        .map(|(r, c)| row(r).get(c * channels).map_or(0.0, |&x| f32::from(x)))
        .collect();
    Ok(Heights { nrow, ncol, data })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn written_rows_are_turned_round_and_scaled() {
        let mut heights = Heights::written(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        heights.normalize();
        assert_eq!(heights.data, [0.6, 0.8, 1.0, 0.0, 0.2, 0.4]);
        assert!(Heights::written(2, 3, &[0.0]).is_err());
        assert!(Heights::written(100_000, 100_000, &[]).is_err());
    }

    #[test]
    fn files_of_any_length_but_the_right_one_are_refused() {
        let mut bytes: Vec<u8> = [1_i32, 2].iter().flat_map(|n| n.to_le_bytes()).collect();
        bytes.extend([0.5_f32, -1.5].iter().flat_map(|n| n.to_le_bytes()));
        assert_eq!(binary(&bytes).unwrap().data, [0.5, -1.5]);
        assert!((0..bytes.len()).all(|n| binary(&bytes[..n]).is_err()));
    }

    #[test]
    fn an_image_is_read_from_below() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[1, 2, 3, 4]).unwrap();
        assert_eq!(super::png(&bytes).unwrap().data, [3.0, 4.0, 1.0, 2.0]);
        assert!((0..bytes.len() - 12).all(|n| super::png(&bytes[..n]).is_err()));
    }
}
