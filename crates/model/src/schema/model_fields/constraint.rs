//! Equality constraints.

macro_rules! constraint_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // equality constraints
            eq_type: one(equality) [neq] "enum" "0 connect, 1 weld, 2 joint, 3 tendon, 4 flex, 5 flexvert, 6 flexstrain.";
            eq_obj1id: id(by eq_type) [neq] "id" "First object.";
            eq_obj2id: id(by eq_type or none) [neq] "id" "Second object; -1 for none.";
            eq_objtype: int [neq] "enum" "Object type of a connect or weld: 1 body, 6 site.";
            eq_active0: int [neq] "flag" "1 if the constraint is initially active.";
            eq_solref: real [neq 2] "mixed" "Solver reference." { varies: Some(Rule::Any) };
            eq_solimp: real [neq 5] "mixed" "Solver impedance." { varies: Some(Rule::Any) };
            eq_data: real [neq 12] "mixed" "Type-specific data: anchors, relative pose and torque scale, or coefficients." { varies: Some(Rule::EqData), follows: &[inputs::POSES] };
        } }
    };
}
pub(crate) use constraint_fields;
