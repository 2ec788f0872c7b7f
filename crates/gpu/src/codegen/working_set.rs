//! Fields that kernels hold in registers or workgroup memory, as far as these reach.

use std::collections::BTreeSet;

use super::compose::Composer;
use super::layout::{AddressSpace, Layout, WorkingSet};
use super::tiling::{Tiling, WorkingSetSpace};
use manyworlds_model::model::data::Data;
use manyworlds_model::schema::{Field, Sizes};

impl Composer {
    /// Those of the `used` fields that are outside storage at these sizes, within `memory` bytes of workgroup memory.
    pub fn working_set(&self, sizes: &Sizes, used: &BTreeSet<&'static str>, memory: usize) -> WorkingSet {
        match self.tiling.placement {
            WorkingSetSpace::Storage => WorkingSet::NONE,
            WorkingSetSpace::Registers => {
                let fields =
                    Data::<f64>::FIELDS.iter().filter(|f| f.traits.register && used.contains(f.name));
                WorkingSet { space: AddressSpace::Register, fields: fields.map(|f| f.name).collect() }
            }
            WorkingSetSpace::Workgroup | WorkingSetSpace::Tiles | WorkingSetSpace::StoredTiles => {
                let free = memory.saturating_sub(self.buffer_bytes(sizes));
                WorkingSet {
                    space: AddressSpace::Workgroup,
                    fields: self.fit_workgroup_memory(
                        ranked(|f| f.traits.workgroup).filter(|f| used.contains(f.name)),
                        sizes,
                        free,
                    ),
                }
            }
        }
    }

    /// Layout of kernels that run many steps: moves more of the fields used by the kernels of `layout` to workgroup
    /// memory, of which there are `memory` bytes. No other field moves.
    pub fn transient(&self, layout: &Layout, memory: usize) -> Layout {
        if self.tiling.placement != WorkingSetSpace::Workgroup {
            return layout.clone();
        }
        let taken = self.reduction_bytes() + layout.workgroup_bytes();
        let used = ranked(|f| f.traits.transient).filter(|f| layout.slot(f.name).is_some());
        let fields = self.fit_workgroup_memory(used, &layout.sizes, memory.saturating_sub(taken));
        layout.relocated(&fields, &AddressSpace::Workgroup)
    }

    /// The leading ones of these fields that fit into `left` bytes of workgroup memory.
    fn fit_workgroup_memory(
        &self,
        fields: impl Iterator<Item = &'static Field>,
        sizes: &Sizes,
        mut left: usize,
    ) -> BTreeSet<&'static str> {
        let bytes = |f: &Field| 4 * f.len(sizes) * self.tiling.tile;
        let fits = fields.filter(|f| {
            let fits = bytes(f) <= left;
            left -= if fits { bytes(f) } else { 0 };
            fits
        });
        fits.map(|f| f.name).collect()
    }

    /// Bytes of workgroup memory for reductions and votes over lanes, each array aligned.
    fn reduction_bytes(&self) -> usize {
        let Tiling { lanes, tile, .. } = self.tiling;
        if lanes > 1 {
            let votes = (4 * lanes * tile).next_multiple_of(16);
            (16 * 36 + 16 + 4) * tile + votes + 32 + self.padding_bytes()
        } else {
            0
        }
    }

    /// Bytes of workgroup memory by which the arrays of fields may be padded: for a world up to a row of banks each.
    fn padding_bytes(&self) -> usize {
        2 * 4 * 32 * self.tiling.tile
    }

    /// Bytes of workgroup memory for tiles of the Hessian.
    fn tile_bytes(&self, sizes: &Sizes) -> usize {
        self.tiling.tile * self.tiles.workgroup_bytes(self.tiling.placement, sizes)
    }

    /// Bytes of workgroup memory that kernels need beside fields.
    pub(crate) fn buffer_bytes(&self, sizes: &Sizes) -> usize {
        self.reduction_bytes() + self.tile_bytes(sizes)
    }
}

/// Fields of Data with a non-zero rank, in order of rank.
fn ranked(rank: impl Fn(&Field) -> u8) -> impl Iterator<Item = &'static Field> {
    let mut fields: Vec<&Field> = Data::<f64>::FIELDS.iter().filter(|f| rank(f) > 0).collect();
    fields.sort_by_key(|f| rank(f));
    fields.into_iter()
}

#[cfg(test)]
mod tests {
    use super::super::compose::tests::{everything, with_solver};
    use super::*;
    use manyworlds_model::schema::stages::Stage;

    /// Bytes of a module's variables in workgroup memory, each aligned to 16 bytes.
    fn workgroup_bytes(module: &naga::Module) -> usize {
        let mut sizes = naga::proc::Layouter::default();
        sizes.update(module.to_ctx()).expect("types of known size");
        let variables = module.global_variables.iter().map(|(_, variable)| variable);
        let shared = variables.filter(|variable| variable.space == naga::AddressSpace::WorkGroup);
        shared.map(|variable| (sizes[variable.ty].size as usize).next_multiple_of(16)).sum()
    }

    #[test]
    fn kernels_take_no_more_workgroup_memory_than_is_reserved() {
        let all: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
        for (placement, calls, solver) in [
            (WorkingSetSpace::Storage, &all[..], &[][..]),
            (WorkingSetSpace::Workgroup, &all[..], &[][..]),
            (WorkingSetSpace::Tiles, &["solve"][..], &[][..]),
            (WorkingSetSpace::Tiles, &["solve"][..], &["NOSLIP", "DUAL", "DUAL_PYRAMIDAL"][..]),
            (WorkingSetSpace::StoredTiles, &["solve"][..], &[][..]),
        ] {
            let (composer, layout) = with_solver(8, placement, solver);
            let (module, _) = composer.module(calls, 1, &layout).expect("valid kernels");
            let fields = layout.slots().filter(|slot| slot.space == AddressSpace::Workgroup);
            let fields: usize = fields.map(|slot| 4 * slot.len * composer.tiling.tile).sum();
            let (taken, reserved) = (workgroup_bytes(&module), fields + composer.buffer_bytes(&layout.sizes));
            assert!(0 < taken && taken <= reserved, "{placement:?}: {taken} of {reserved} bytes");
        }
    }

    #[test]
    fn transient_fields_are_results_that_fit() {
        let (composer, layout) = everything(8, WorkingSetSpace::Workgroup);
        let transient =
            composer.transient(&layout, 2 * layout.workgroup_bytes() + composer.reduction_bytes());
        assert!(transient.workgroup_bytes() > layout.workgroup_bytes());
        let most = 2 * layout.workgroup_bytes() + composer.padding_bytes();
        assert!(transient.workgroup_bytes() <= most, "{} of {most} bytes", transient.workgroup_bytes());
        // initial state is never transient
        assert!(ranked(|f| f.traits.transient).all(|f| !f.role.is_state()));
    }
}
