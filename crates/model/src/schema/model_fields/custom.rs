//! Custom numerics, texts and tuples; plugin instances, elastic cables; keyframes.

macro_rules! custom_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // custom texts and tuples
            text_adr: adr(ntextdata) [ntext] "id" "First byte of the text in `text_data`.";
            text_size: num(text_adr) [ntext] "1" "Number of bytes of the text, terminating zero included.";
            text_data: int [ntextdata] "byte" "All texts as bytes.";
            tuple_adr: adr(ntupledata) [ntuple] "id" "First object of the tuple.";
            tuple_size: num(tuple_adr) [ntuple] "1" "Number of objects of the tuple.";
            tuple_objtype: int [ntupledata] "enum" "Object type (`mjtObj`).";
            tuple_objid: id(by tuple_objtype) [ntupledata] "id" "Object id.";
            tuple_objprm: real [ntupledata] "mixed" "Object parameter.";
            // plugin instances
            plugin: id(any) [nplugin] "id" "Plugin slot, in MuJoCo's order.";
            plugin_stateadr: adr(any) [nplugin] "id" "First state.";
            plugin_statenum: int [nplugin] "1" "Number of states.";
            plugin_attr: int [npluginattr] "1" "Configuration: zero-terminated texts as bytes.";
            plugin_attradr: adr(npluginattr) [nplugin] "id" "First byte of the configuration.";
            plugin_prm: real [nplugin 6] "mixed" "Numbers of the configuration. `mujoco.pid`: gains of error, integral and rate, largest integral and largest rate of the target (-1 for none). Cable: moduli of shear and elasticity, 1 if it is straight at rest. Touch grid: channels, columns, rows, width and height of the view in radians, foveation. Signed distance fields: bolt and nut radius; bowl height, radius, thickness; gear alpha (rad), diameter, teeth, thickness, inner diameter (negative: from the others); torus radii of circle and tube.";
            // elastic cables, in pieces
            cable_jntid: id(njnt) [ncable] "id" "Ball joint at which the piece of cable bends, in ascending order.";
            cable_stiffness: real [ncable 3] "N m/rad" "Stiffness against twist about x and bending about y and z, in the parent's frame." { varies: Some(Rule::NotNegative) };
            cable_rest: real [ncable 3] "rad" "Rotation vector of the body relative to its parent at rest." { varies: Some(Rule::Any) };
            // custom numerics and keyframes
            numeric_adr: adr(nnumericdata) [nnumeric] "id" "First number of the custom numeric in `numeric_data`.";
            numeric_size: num(numeric_adr) [nnumeric] "1" "Length of the custom numeric.";
            numeric_data: real [nnumericdata] "mixed" "Numbers of all custom numerics." { varies: Some(Rule::Any) };
            task_table: real [ntasktable] "mixed" "Numbers of the task that are looked up by a row that is computed.";
            key_time: real [nkey] "s" "Time.";
            key_qpos: real [nkey nq] "mixed" "Position coordinates.";
            key_qvel: real [nkey nv] "mixed" "Velocities.";
            key_act: real [nkey na] "1" "Activations.";
            key_mpos: real [nkey (3 nmocap)] "m" "Positions of mocap bodies, one after the other.";
            key_mquat: real [nkey (4 nmocap)] "1" "Orientations of mocap bodies, one after the other.";
            key_ctrl: real [nkey nu] "mixed" "Controls.";
        } }
    };
}
pub(crate) use custom_fields;
