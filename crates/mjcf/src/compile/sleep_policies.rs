//! Sleep policies, which are numbers, as zero stands for none: text has those of the enumeration only; code may have others.

use manyworlds_model::schema::enums;

use super::Build;

impl Build<'_> {
    /// Reports sleep policies that do not exist.
    pub(super) fn check_sleep_policies(&self) {
        let all = enums::sleep::ALL;
        let is_known = |policy: i32| policy == 0 || all.iter().any(|(_, value)| *value == policy);
        for body in self.spec.bodies.iter().filter(|body| !is_known(body.sleep)) {
            let names: Vec<String> = all.iter().map(|(name, value)| format!("{value} {name}")).collect();
            let message = format!("sleep {} of '{}' is no kind", body.sleep, self.full(&body.base));
            let help = format!("valid: {}", names.join(", ").to_lowercase());
            self.wrong(body.base.at.of("sleep"), message, help);
        }
    }
}
