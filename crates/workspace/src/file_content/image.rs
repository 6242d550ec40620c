//! Detection of images that can be shown to models.

use std::fmt;

/// The image formats that models accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    WebP,
}

impl ImageFormat {
    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG image",
            Self::Jpeg => "JPEG image",
            Self::Gif => "GIF image",
            Self::WebP => "WebP image",
        }
    }

    /// Returns the media type for an image block.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }
}

/// An image and its size in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// The format.
    pub format: ImageFormat,
    /// Width and height, if the header contains them.
    pub pixels: Option<(u32, u32)>,
}

impl Image {
    /// Detects an image by its first bytes.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        let image = |format, pixels| Some(Self { format, pixels });
        if bytes.starts_with(b"\x89PNG\r\n\x1A\n") {
            let side = |at| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
            return image(ImageFormat::Png, side(16).zip(side(20)));
        }
        if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            return image(ImageFormat::Gif, read_u16_le(bytes, 6).zip(read_u16_le(bytes, 8)));
        }
        if bytes.starts_with(b"\xFF\xD8\xFF") {
            return image(ImageFormat::Jpeg, jpeg_size(bytes));
        }
        if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            return image(ImageFormat::WebP, webp_size(bytes));
        }
        None
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.format.name())?;
        self.pixels.map_or(Ok(()), |(width, height)| write!(f, ", {width} x {height}"))
    }
}

fn read_u16_le(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?).into())
}

fn read_u16_be(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?).into())
}

/// Returns the size in a JPEG's frame header (ITU T.81, B.2), skipping the segments before it.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        match *bytes.get(at + 1)? {
            0xFF => at += 1,
            0xC4 | 0xC8 | 0xCC => at += 2 + read_u16_be(bytes, at + 2)? as usize,
            0xC0..=0xCF => return read_u16_be(bytes, at + 7).zip(read_u16_be(bytes, at + 5)),
            0x01 | 0xD0..=0xD8 => at += 2,
            0xD9 | 0xDA => return None,
            _ => at += 2 + read_u16_be(bytes, at + 2)? as usize,
        }
    }
}

/// Returns the size of a WebP image (RFC 9649, sections 2.5 to 2.7).
fn webp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " => Some((read_u16_le(bytes, 26)? & 0x3FFF, read_u16_le(bytes, 28)? & 0x3FFF)),
        b"VP8L" => {
            let bits = u32::from_le_bytes(*bytes.get(21..)?.first_chunk()?);
            Some(((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1))
        }
        b"VP8X" => {
            let side = |at: usize| {
                let [a, b, c] = *bytes.get(at..)?.first_chunk()?;
                Some(u32::from_le_bytes([a, b, c, 0]) + 1)
            };
            side(24).zip(side(27))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(parts: &[&[u8]], expected: &str) {
        let image =
            Image::detect(&parts.concat()).map_or("none".to_owned(), |image| image.to_string());
        assert_eq!(image, expected);
    }

    #[test]
    fn formats_and_sizes_are_told_by_the_beginning() {
        let png: &[u8] = b"\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR";
        check(&[png, b"\0\0\x02\x80\0\0\x01\xE0"], "PNG image, 640 x 480");
        check(&[png], "PNG image");
        check(&[b"GIF89a\x0A\0\x14\0"], "GIF image, 10 x 20");
        let jpeg: &[u8] = b"\xFF\xD8\xFF\xE0\0\x04ab\xFF\xC4\0\x03c";
        check(&[jpeg, b"\xFF\xC2\0\x0B\x08\0\x20\0\x40"], "JPEG image, 64 x 32");
        check(&[jpeg, b"\xFF\xDA"], "JPEG image");
        let webp: &[u8] = b"RIFF\0\0\0\0WEBP";
        check(&[webp, b"VP8X\x0A\0\0\0\0\0\0\0\x7F\x02\0\xDF\x01\0"], "WebP image, 640 x 480");
        check(&[webp, b"VP8L\0\0\0\0\x2F\x7F\xC2\x77\0"], "WebP image, 640 x 480");
        check(&[webp, b"VP8 \0\0\0\0\0\0\0\x9D\x01\x2A\x80\x02\xE0\x01"], "WebP image, 640 x 480");
        check(&[b"plain"], "none");
    }
}
