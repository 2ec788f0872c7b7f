//! Which solver kernels run for a model that asks for Newton's method.

use std::sync::Arc;

use super::options::MIN_DOFS_OF_TREE;
use manyworlds_model::model::Model;
use manyworlds_model::schema::enums::solver;

/// Most degrees of freedom of a world of small trees whose Hessian kernels factor: decision 106.
const MOST_FACTORED_DOFS: usize = 480;

/// Fewest iterations that conjugate gradients may take in place of Newton's method: the limit of a model counts
/// iterations of Newton's, which are fewer.
const LEAST_ITERATIONS: i32 = 100;

/// Factor on the tolerance: a step of conjugate gradients gains less of what is left than one of Newton's method does.
const TOLERANCE: f64 = 0.01;

/// The model as kernels solve it. Conjugate gradients, which stop by the same rule, take the place of Newton's method
/// where `newton` says so and, where it is open, in a large world of small trees: the tiles of its Hessian are mostly
/// outside of the trees, and a factorisation costs more than all products with the rows.
pub(crate) fn as_solved(model: Arc<Model>, newton: Option<bool>) -> Arc<Model> {
    let nv = model.sizes.nv;
    let is_factored =
        newton.unwrap_or(nv <= MOST_FACTORED_DOFS || nv >= MIN_DOFS_OF_TREE * model.sizes.ntree);
    if is_factored || model.opt_solver[0] != solver::NEWTON {
        return model;
    }
    let mut solved = Model::clone(&model);
    solved.opt_solver[0] = solver::CG;
    solved.opt_tolerance[0] *= TOLERANCE;
    solved.opt_iterations[0] = solved.opt_iterations[0].max(LEAST_ITERATIONS);
    Arc::new(solved)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The solver of a world of boxes, of which some carry links.
    fn solver_of(boxes: usize, links: usize, newton: Option<bool>, option: &str) -> (i32, i32) {
        let link = "<body><joint/><geom type='box' size='.1 .1 .1'/>";
        let tree = format!(
            "<body><freejoint/><geom type='box' size='.1 .1 .1'/>{}{}</body>",
            link.repeat(links),
            "</body>".repeat(links)
        );
        let text =
            format!("<mujoco><option {option}/><worldbody>{}</worldbody></mujoco>", tree.repeat(boxes));
        let model = manyworlds_mjcf::load_str(&text).expect("a model");
        let solved = as_solved(Arc::new(model), newton);
        (solved.opt_solver[0], solved.opt_iterations[0])
    }

    #[test]
    fn large_worlds_of_small_trees_have_conjugate_gradients() {
        let (newton, gradients) = ((solver::NEWTON, 100), (solver::CG, 100));
        assert_eq!(solver_of(80, 0, None, ""), newton);
        assert_eq!(solver_of(81, 0, None, ""), gradients);
        // larger trees have tiles
        assert_eq!(solver_of(81, 6, None, ""), newton);
        // as one says, and never for another solver
        assert_eq!(solver_of(81, 0, Some(true), ""), newton);
        assert_eq!(solver_of(2, 0, Some(false), "iterations='5'"), gradients);
        assert_eq!(solver_of(2, 0, Some(false), "iterations='300'"), (solver::CG, 300));
        assert_eq!(solver_of(81, 0, None, "solver='PGS' iterations='7'"), (solver::PGS, 7));
    }
}
