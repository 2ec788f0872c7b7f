//! Reading and writing fields of a batch, with every argument validated.

use super::Batch;
use super::engine::Engine;
use super::memory;
#[cfg(feature = "gpu")]
use super::numbers::write;
use super::numbers::{chosen, numbers_of, typed};
use crate::error::{Error, Result, suggest};
use crate::formats::npz::{Array, ArrayData};
use crate::model::data::Data;
use crate::schema::{Dim, Elem, Field, Role, Size, Sizes};

/// State that no step validates: non-finite values are rejected, as those of `qacc` are. Other state accepts anything,
/// because a step flags the world and repairs it.
const CHECKED: &[Role] = &[Role::Time, Role::Scene, Role::Sleep, Role::Warmstart];

impl Batch {
    /// True if the backend stores a Data field: a model's kernels omit fields that they do not need, and neither
    /// backend stores contact adhesion for a model without adhesion, or sleep state for a model without sleep.
    pub fn has(&self, field: &str) -> bool {
        let rare = [Size::nadhesive, Size::nasleep, Size::nasleepq];
        let room = |dim: &Dim| match dim {
            Dim::Of(size) if rare.contains(size) || Sizes::OF_TASK.contains(size) => {
                self.sizes.get(*size) > 0
            }
            _ => true,
        };
        let has_room = self.field(field).is_ok_and(|f| f.dims.iter().all(room));
        match &self.engine {
            Engine::Cpu(_) => has_room,
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => has_room && batch.has(field),
        }
    }

    /// A Data field of every world, `[world, …]`: reals as `f64`, counts and ids as `i32`.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field, or one that [the backend does not keep](Batch::has).
    pub fn get(&mut self, field: &str) -> Result<Array> {
        let entry = self.field(field)?;
        memory::check_allocation((8 * self.worlds * entry.len(&self.sizes)) as u64)?;
        let data = match entry.elem {
            Elem::Real => ArrayData::F64(self.numbers(field)?),
            Elem::Int => ArrayData::I32(self.get_ints(field)?),
        };
        // worlds may have grown until then
        let mut shape = vec![self.worlds];
        shape.extend(entry.shape(&self.sizes));
        Ok(Array { shape, data })
    }

    /// One world with all fields that the backend stores, for [`crate::analysis::query`]; the others are zero. Where
    /// fields of the model differ, its model is [`Batch::model_of`].
    ///
    /// # Errors
    /// [`Error::Argument`] for a world out of range, [`Error::Device`] if the device is lost.
    pub fn world(&mut self, world: usize) -> Result<Data> {
        self.check_world(world)?;
        self.flush()?;
        match &self.engine {
            Engine::Cpu(worlds) => Ok(worlds[world].clone()),
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => {
                let mut data = Data::zeroed(self.sizes);
                let stored = |f: &&'static Field| self.has(f.name) && f.len(&self.sizes) > 0;
                let fields: Vec<&'static Field> = Data::<f64>::FIELDS.iter().filter(stored).collect();
                let names: Vec<&str> = fields.iter().map(|f| f.name).collect();
                for (field, values) in fields.iter().zip(batch.get_worlds(&names, &[world])?) {
                    write(&mut data, field, &values);
                }
                // kernels keep no order in the rows beyond the last
                data.forget_spans();
                Ok(data)
            }
        }
    }

    /// A Data field of the worlds where `mask` is true, `[chosen world, …]`.
    pub fn get_worlds(&mut self, field: &str, mask: &[bool]) -> Result<Array> {
        self.check_mask(mask)?;
        let entry = self.field(field)?;
        let worlds = chosen(mask);
        let numbers = self.read_fields(&[entry], &worlds)?.pop().unwrap_or_default();
        let mut shape = vec![worlds.len()];
        shape.extend(entry.shape(&self.sizes));
        Ok(Array { shape, data: typed(entry.elem, numbers) })
    }

    /// Fields of some worlds, `[field][world, …]`; on the GPU copied at once.
    pub(super) fn read_fields(&mut self, fields: &[&Field], worlds: &[usize]) -> Result<Vec<Vec<f64>>> {
        let numbers: usize = fields.iter().map(|f| f.len(&self.sizes)).sum();
        memory::check_allocation((8 * worlds.len() * numbers) as u64)?;
        match &self.engine {
            Engine::Cpu(all) => {
                let of = |field: &&Field| {
                    worlds.iter().flat_map(|w| numbers_of(&all[*w], field, &self.sizes)).collect()
                };
                Ok(fields.iter().map(of).collect())
            }
            #[cfg(feature = "gpu")]
            Engine::Gpu { .. } => {
                let names: Vec<&str> = fields.iter().map(|f| f.name).collect();
                self.read_flushed(|batch| batch.get_worlds(&names, worlds))
            }
        }
    }

    /// Reads from the device, once more if worlds had to grow: the copy is on its way while the batch waits for what the
    /// steps before wanted.
    #[cfg(feature = "gpu")]
    pub(super) fn read_flushed<R>(&mut self, read: impl Fn(&crate::gpu::GpuBatch) -> Result<R>) -> Result<R> {
        loop {
            let Engine::Gpu { batch, .. } = &self.engine else {
                return Err(Error::Device("the batch is not on a device".to_owned()));
            };
            let values = read(batch)?;
            if !self.flush()? {
                return Ok(values);
            }
        }
    }

    /// Sets a state field of every world from `[world, …]` numbers, or `qacc`, the input of [`Batch::inverse`].
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field, a computed field, the wrong number of values, or a non-finite
    /// value in a field that no step validates (`time`, `mocap_pos`, `mocap_quat`, `eq_active`, `tree_asleep`,
    /// `asleep_qpos`, `qacc_warmstart`). Other fields accept non-finite values: the next step flags that world in
    /// its status and repairs it, and no other world is affected.
    pub fn set(&mut self, field: &str, values: &[f64]) -> Result<()> {
        let entry = self.settable(field)?;
        self.check_values(entry, self.worlds, values, |row| row)?;
        let worlds: Vec<usize> = (0..self.worlds).collect();
        self.write_fields(&[(entry, values)], &worlds)
    }

    /// Sets a state field where `mask` is true from `[chosen world, …]` numbers; errors as [`Batch::set`].
    pub fn set_worlds(&mut self, field: &str, mask: &[bool], values: &[f64]) -> Result<()> {
        let entry = self.settable(field)?;
        self.check_mask(mask)?;
        let worlds = chosen(mask);
        self.check_values(entry, worlds.len(), values, |row| worlds[row])?;
        self.write_fields(&[(entry, values)], &worlds)
    }

    /// Clears the status, the reset counter and the peaks where `mask` is true.
    pub fn clear_status(&mut self, mask: &[bool]) -> Result<()> {
        self.check_mask(mask)?;
        self.flush()?;
        match &mut self.engine {
            Engine::Cpu(worlds) => {
                worlds.iter_mut().zip(mask).filter(|(_, m)| **m).for_each(|(data, _)| data.clear_counters());
            }
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => {
                let worlds = chosen(mask);
                let zeros = vec![0.0; worlds.len()];
                let fields: Vec<_> = crate::model::state::names(&[Role::Counter])
                    .map(|name| (name, zeros.as_slice()))
                    .collect();
                batch.set_fields(&fields, &worlds)?;
            }
        }
        Ok(())
    }

    /// All elements of a field as numbers.
    pub(super) fn numbers(&mut self, field: &str) -> Result<Vec<f64>> {
        let entry = self.field(field)?;
        match &self.engine {
            Engine::Cpu(worlds) => {
                Ok(worlds.iter().flat_map(|data| numbers_of(data, entry, &self.sizes)).collect())
            }
            #[cfg(feature = "gpu")]
            Engine::Gpu { .. } => self.read_flushed(|batch| batch.get(field)),
        }
    }

    /// All elements of an integer field.
    pub(super) fn get_ints(&mut self, field: &str) -> Result<Vec<i32>> {
        Ok(self.numbers(field)?.iter().map(|&x| x as i32).collect())
    }

    pub(super) fn check_world(&self, world: usize) -> Result<()> {
        if world < self.worlds {
            return Ok(());
        }
        Err(Error::Argument(format!("there is no world {world}: the batch has {}", self.worlds)))
    }

    pub(super) fn check_mask(&self, mask: &[bool]) -> Result<()> {
        if mask.len() == self.worlds {
            return Ok(());
        }
        let (got, want) = (mask.len(), self.worlds);
        Err(Error::Argument(format!("the mask has {got} elements; the batch has {want} worlds")))
    }

    pub(super) fn field(&self, name: &str) -> Result<&'static Field> {
        Data::<f64>::FIELDS.iter().find(|f| f.name == name).ok_or_else(|| {
            let names = Data::<f64>::FIELDS.iter().map(|f| f.name);
            Error::Argument(format!("there is no field '{name}'{}", suggest(name, names)))
        })
    }

    fn settable(&self, name: &str) -> Result<&'static Field> {
        let entry = self.field(name)?;
        if entry.role == Role::Counter {
            return Err(Error::Argument(format!("'{name}' is counted by steps; it can only be cleared")));
        }
        // inverse dynamics reads qacc
        if !entry.role.is_state() && name != "qacc" {
            let stage = entry.role.name();
            return Err(Error::Argument(format!(
                "'{name}' is computed by the stage {stage}, it cannot be set"
            )));
        }
        Ok(entry)
    }

    /// Checks the number of values, and in some fields that they are finite; `world_of` maps a row to its world.
    pub(super) fn check_values(
        &self,
        entry: &Field,
        worlds: usize,
        values: &[f64],
        world_of: impl Fn(usize) -> usize,
    ) -> Result<()> {
        self.check_count(entry, worlds, values)?;
        self.check_integers(entry, values, &world_of)?;
        let (name, len) = (entry.name, entry.len(&self.sizes));
        // finite in single precision on every backend, so that a program runs on both
        let bad = values
            .iter()
            .position(|x| !(*x as f32).is_finite())
            .filter(|_| CHECKED.contains(&entry.role) || name == "qacc");
        match bad {
            Some(i) => {
                let (x, w) = (values[i], world_of(i / len));
                let text = format!("'{name}' of world {w} is {x}; it has to be finite in single precision");
                Err(Error::Argument(text))
            }
            None => Ok(()),
        }
    }

    /// Checks integers that steps use as places in lists, or that no world has between calls.
    pub(super) fn check_integers(
        &self,
        entry: &Field,
        values: &[f64],
        world_of: impl Fn(usize) -> usize,
    ) -> Result<()> {
        let valid = |row: &[f64], i: usize| match entry.name {
            // the next tree of a cycle of trees asleep, or a count of steps below zero
            "tree_asleep" => row[i] < 0.0 || row.get(row[i] as usize).is_some_and(|next| *next >= 0.0),
            "rk4_stage" => (0.0..8.0).contains(&row[i]),
            "step_owed" => (0.0..1000.0).contains(&row[i]),
            _ => true,
        };
        let (name, len) = (entry.name, entry.len(&self.sizes).max(1));
        for (w, row) in values.chunks(len).enumerate() {
            if let Some(i) = (0..row.len()).find(|i| !valid(row, *i)) {
                let (w, x) = (world_of(w), row[i]);
                return Err(Error::Argument(format!(
                    "number {i} of '{name}' of world {w} is {x}; it points to nothing that it may"
                )));
            }
        }
        Ok(())
    }

    /// Checks the number of values of a field in some worlds.
    pub(super) fn check_count(&self, entry: &Field, worlds: usize, values: &[f64]) -> Result<()> {
        let (name, len) = (entry.name, entry.len(&self.sizes));
        let (need, got) = (worlds * len, values.len());
        if need == got {
            return Ok(());
        }
        let text = format!("'{name}' has {len} numbers a world: {worlds} worlds need {need}, got {got}");
        Err(Error::Argument(text))
    }
}
