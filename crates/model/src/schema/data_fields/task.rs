//! What a task adds to a world: action, observation, reward, and what it remembers.

macro_rules! task_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // tasks
            action action: real [naction] "mixed" "Action of the next step of the environment.";
            task task_variable: real [ntaskvariable] "mixed" "Numbers that the task remembers.";
            task task_key: int [ntask 3] "1" "Key of all draws, low and high word, and number of the world among all worlds of a run.";
            task task_tick: int [ntask] "1" "Steps of the environment since the key was set: counter of the draws.";
            task task_steps: int [ntask] "1" "Steps of the environment since the episode began.";
            task task_restarts: int [ntask] "1" "1 if the next step begins an episode, and ignores the action; 2 once that is reset.";
            task_observe observation: real [nobservation] "mixed" "Observation.";
            task_observe reward: real [ntask] "1" "Reward: sum of its terms.";
            task_observe task_term: real [ntaskterm] "mixed" "Terms of the reward, then metrics.";
            task_observe terminated: int [ntask] "flag" "1 if the episode has ended, or the world has diverged.";
            task_observe truncated: int [ntask] "flag" "1 if the episode has reached its number of steps.";
            scratch task_next: real [ntaskvariable] "mixed" "Numbers that the task remembers next.";
            scratch task_work: real [ntaskwork] "mixed" "Values of the expressions; CPU only.";
        } }
    };
}
pub(crate) use task_data;
