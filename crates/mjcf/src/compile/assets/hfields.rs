//! Height fields.

use std::path::Path;

use crate::mesh::{self, Fault, Heights};
use crate::spec::HField;
use manyworlds_model::assets::Assets;
use manyworlds_model::schema::Sizes;

use super::files;
use crate::compile::Build;

impl Build<'_> {
    /// Reads all height fields and normalises their elevation to [0, 1].
    pub(crate) fn hfields(&mut self) {
        for hfield in &self.spec.hfields {
            let mut heights = self.heights(hfield).unwrap_or_default();
            let (rows, columns) = (heights.nrow, heights.ncol);
            if (rows == 1 || columns == 1) && !heights.data.is_empty() {
                let what = self.called("height field", &hfield.base);
                let message = format!("{what} has {rows} rows and {columns} columns: no surface");
                self.log.warn(
                    hfield.base.at.element,
                    message,
                    "nothing touches it; two rows and columns make one",
                );
            }
            heights.normalize();
            self.heights.push(heights);
        }
    }

    fn heights(&self, hfield: &HField) -> Option<Heights> {
        let what = self.called("height field", &hfield.base);
        let (read, span) = match &hfield.file {
            Some(file) => {
                let path = self.find(&what, file)?;
                let read = from_file(&file.assets, &path, &hfield.content_type);
                let of_file =
                    |f: Fault| Fault { message: format!("'{}': {}", path.display(), f.message), ..f };
                (read.map_err(of_file), file.span)
            }
            None => {
                let read = Heights::written(hfield.nrow, hfield.ncol, &hfield.elevation);
                (read, hfield.base.at.element)
            }
        };
        read.map_err(|fault| self.wrong(span, format!("{what}: {}", fault.message), fault.help)).ok()
    }

    /// Adds the sizes of all height fields.
    pub(crate) fn hfield_sizes(&self, n: &mut Sizes) {
        n.nhfield = self.heights.len();
        n.nhfielddata = self.heights.iter().map(|h| h.data.len()).sum();
    }

    /// Stores all height fields in the model.
    pub(crate) fn store_hfields(&mut self) {
        let (m, mut adr) = (&mut self.model, 0);
        for (i, heights) in self.heights.iter().enumerate() {
            m.hfield_size[4 * i..4 * i + 4].copy_from_slice(&self.spec.hfields[i].size);
            m.hfield_nrow[i] = heights.nrow as i32;
            m.hfield_ncol[i] = heights.ncol as i32;
            m.hfield_adr[i] = adr as i32;
            let end = adr + heights.data.len();
            m.hfield_data[adr..end].iter_mut().zip(&heights.data).for_each(|(to, x)| *to = f64::from(*x));
            adr = end;
        }
    }
}

/// Reads a file: an image by content type or extension, else MuJoCo's binary format.
fn from_file(assets: &Assets, path: &Path, content_type: &str) -> Result<Heights, Fault> {
    let bytes = files::bytes(assets, path).map_err(|e| Fault { message: e, help: "check the file" })?;
    let ending = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
    if content_type == "image/png" || (content_type.is_empty() && ending) {
        mesh::read_png(&bytes)
    } else {
        mesh::read_heights(&bytes)
    }
}
