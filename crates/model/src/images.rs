//! Pictures as arrays of bytes, from and to PNG.

use std::io::Cursor;

/// Largest picture, in bytes.
const MAX_BYTES: usize = 1 << 30;

/// Decoded picture, row-major from the top, interleaved channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Channels: grey, RGB or RGBA.
    pub nchannel: usize,
    /// Interleaved pixel data, `width * height * nchannel` bytes.
    pub data: Vec<u8>,
}

impl Image {
    /// Decodes a PNG to 1, 3 or 4 channels of 8 bits.
    ///
    /// # Errors
    /// A text that follows the name of the file, if these are not the bytes of a PNG of a size that memory holds.
    pub fn decode(bytes: &[u8], nchannel: usize) -> Result<Self, String> {
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|e| format!("is no image: {e}"))?;
        let size = reader.output_buffer_size().filter(|&s| s <= MAX_BYTES).ok_or("is too large")?;
        let mut data = vec![0; size];
        let info = reader.next_frame(&mut data).map_err(|e| format!("is broken: {e}"))?;
        data.truncate(info.buffer_size());
        let from = info.color_type.samples();
        let pixels = data.chunks_exact(from).flat_map(|p| convert(p, nchannel));
        let (width, height) = (info.width as usize, info.height as usize);
        Ok(Self { width, height, nchannel, data: pixels.collect() })
    }

    /// The bytes of a PNG of 8 bits per channel.
    ///
    /// # Errors
    /// A text that follows the name of the file, for a picture without pixels or with another number of channels.
    pub fn to_png(&self) -> Result<Vec<u8>, String> {
        let color = match self.nchannel {
            1 => png::ColorType::Grayscale,
            3 => png::ColorType::Rgb,
            4 => png::ColorType::Rgba,
            n => return Err(format!("cannot have {n} channels")),
        };
        encode(self.width, self.height, color, png::BitDepth::Eight, &self.data)
    }

    /// The pixel in a row and column.
    pub fn pixel(&self, row: usize, column: usize) -> &[u8] {
        let at = (row * self.width + column) * self.nchannel;
        &self.data[at..at + self.nchannel]
    }

    /// A part of the picture.
    #[must_use]
    pub fn cropped(&self, row: usize, column: usize, height: usize, width: usize) -> Self {
        let line = |r: usize| {
            let at = (r * self.width + column) * self.nchannel;
            &self.data[at..at + width * self.nchannel]
        };
        let data = (row..row + height).flat_map(line).copied().collect();
        Self { width, height, nchannel: self.nchannel, data }
    }

    /// The mirror image.
    #[must_use]
    pub fn flipped(&self, horizontally: bool, vertically: bool) -> Self {
        let (rows, columns) = (self.height, self.width);
        let places = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
        let from = |(r, c): (usize, usize)| {
            self.pixel(
                if vertically { rows - 1 - r } else { r },
                if horizontally { columns - 1 - c } else { c },
            )
        };
        Self { data: places.flat_map(from).copied().collect(), ..*self }
    }
}

/// The bytes of a PNG of one channel of 16 bits.
///
/// # Errors
/// A text that follows the name of the file, for a picture without pixels.
pub fn png_of_grey16(width: usize, height: usize, values: &[u16]) -> Result<Vec<u8>, String> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
    encode(width, height, png::ColorType::Grayscale, png::BitDepth::Sixteen, &bytes)
}

fn encode(
    width: usize,
    height: usize,
    color: png::ColorType,
    depth: png::BitDepth,
    data: &[u8],
) -> Result<Vec<u8>, String> {
    let side = |n: usize| u32::try_from(n).map_err(|_| "is too large".to_owned());
    let fail = |e: png::EncodingError| format!("cannot be encoded: {e}");
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side(width)?, side(height)?);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(fail)?;
    writer.write_image_data(data).map_err(fail)?;
    writer.finish().map_err(fail)?;
    Ok(bytes)
}

/// Converts a pixel to another channel count: grey is the mean of the colours, missing alpha is opaque.
fn convert(pixel: &[u8], nchannel: usize) -> Vec<u8> {
    let (color, alpha) = match *pixel {
        [grey] => ([grey; 3], u8::MAX),
        [grey, alpha] => ([grey; 3], alpha),
        [r, g, b] => ([r, g, b], u8::MAX),
        [r, g, b, alpha, ..] => ([r, g, b], alpha),
        [] => ([0; 3], 0),
    };
    match nchannel {
        1 => vec![(color.iter().map(|&c| u32::from(c)).sum::<u32>() / 3) as u8],
        3 => color.to_vec(),
        _ => vec![color[0], color[1], color[2], alpha],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn pixels_change_their_channels() {
        assert_eq!(convert(&[10, 20, 30], 1), [20]);
        assert_eq!(convert(&[7, 9], 4), [7, 7, 7, 9]);
        assert_eq!(convert(&[1, 2, 3, 4], 3), [1, 2, 3]);
    }

    #[test]
    fn pictures_come_back_from_png() {
        let image = Image { width: 3, height: 2, nchannel: 3, data: (0..18).collect() };
        assert_eq!(Image::decode(&image.to_png().unwrap(), 3).unwrap(), image);
        assert_eq!(image.cropped(1, 1, 1, 2).data, [12, 13, 14, 15, 16, 17]);
        assert_eq!(image.flipped(true, false).pixel(0, 0), [6, 7, 8]);
        assert_eq!(image.flipped(false, true).pixel(0, 0), [9, 10, 11]);
        assert!(Image::decode(b"PNG", 3).is_err());
        assert!(Image { nchannel: 2, ..image }.to_png().is_err());
    }
}
