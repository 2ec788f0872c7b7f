//! Leaves: laws of a caller's own in code, a function in Rust with its twin in WGSL, registered by a name.
//!
//! A leaf runs in the stage `laws`, after the formulas: forces and velocities are known, actuators have not acted. It reads
//! what it likes of the model and of the world before that, and adds to `qfrc_passive`, or sets controls, applied forces, or
//! `law_*`. `check` compares both twins as it compares the engine's own.

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use super::Model;
use super::data::Data;
use crate::error::{Error, Result};
use crate::real::Real;

/// A leaf on the CPU. It must not allocate, nor depend on anything but its arguments.
pub trait LeafLaw: Send + Sync + 'static {
    /// Runs in one world.
    fn run<T: Real>(&self, model: &Model<T>, data: &mut Data<T>);
}

/// The same for whatever precision a world has.
trait AnyLaw: Send + Sync {
    fn run_any(&self, model: &dyn Any, data: &mut dyn Any);
}

impl<L: LeafLaw> AnyLaw for L {
    fn run_any(&self, model: &dyn Any, data: &mut dyn Any) {
        if let (Some(model), Some(data)) =
            (model.downcast_ref::<Model<f64>>(), data.downcast_mut::<Data<f64>>())
        {
            self.run(model, data);
        } else if let (Some(model), Some(data)) =
            (model.downcast_ref::<Model<f32>>(), data.downcast_mut::<Data<f32>>())
        {
            self.run(model, data);
        }
    }
}

/// A law in code.
#[derive(Clone)]
pub struct Leaf {
    name: String,
    wgsl: String,
    law: Arc<dyn AnyLaw>,
}

impl Leaf {
    /// Its name, which is that of its function in WGSL.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text in WGSL.
    pub fn wgsl(&self) -> &str {
        &self.wgsl
    }

    /// Runs it in a world on the CPU; in one of a precision other than double and single it does nothing.
    pub fn run<T: Real>(&self, model: &Model<T>, data: &mut Data<T>) {
        self.law.run_any(model, data);
    }
}

impl Debug for Leaf {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaf").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.wgsl == other.wgsl
    }
}

impl Model {
    /// Adds a law in code. In WGSL, lanes share a world: the function `name` runs in each of them, and fields are read and
    /// written by accessors of their names, as in `Batch::add_kernel` of the façade. Files do not keep it: add it to a model
    /// that is read from one.
    ///
    /// ```
    /// # mod manyworlds { pub use manyworlds_cpu as cpu; pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
    /// use manyworlds::model::{Model, data::{Capacity, Data}, leaf::LeafLaw};
    /// use manyworlds::real::Real;
    ///
    /// /// A damper that grows with the cube of the velocity.
    /// struct Cubic;
    ///
    /// impl LeafLaw for Cubic {
    ///     fn run<T: Real>(&self, m: &Model<T>, d: &mut Data<T>) {
    ///         for dof in 0..m.sizes.nv {
    ///             let v = d.qvel[dof];
    ///             d.qfrc_passive[dof] -= T::of(0.1) * v * v * v;
    ///         }
    ///     }
    /// }
    ///
    /// let mut model = manyworlds::load_str("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")?;
    /// model.add_leaf("cubic", "
    ///     fn cubic() {
    ///         for (var dof = lane; dof < nv; dof += lanes) {
    ///             let v = qvel(dof);
    ///             set_qfrc_passive(dof, qfrc_passive(dof) - 0.1 * v * v * v);
    ///         }
    ///     }", Cubic)?;
    /// let mut data = Data::new(&model, Capacity::NONE);
    /// data.qvel[0] = 2.0;
    /// manyworlds::cpu::forward(&model, &mut data);
    /// assert!((data.qfrc_passive[0] + 0.8).abs() < 1e-12);
    /// # Ok::<(), manyworlds::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for a name that is no word or is taken, or a text without a function of that name.
    pub fn add_leaf(&mut self, name: &str, wgsl: &str, law: impl LeafLaw) -> Result<()> {
        let fail = |why: &str| Err(Error::Argument(format!("leaf '{name}': {why}")));
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.contains("__");
        if !is_word || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return fail(
                "a name is a word of letters, digits and single '_', and begins with a small letter",
            );
        }
        if self.leaves.iter().any(|leaf| leaf.name == name) {
            return fail("the model has a leaf of this name already");
        }
        if !wgsl.contains(&format!("fn {name}()")) {
            return fail(&format!("its text has no function 'fn {name}()'"));
        }
        self.leaves.push(Leaf { name: name.to_owned(), wgsl: wgsl.to_owned(), law: Arc::new(law) });
        Ok(())
    }
}
