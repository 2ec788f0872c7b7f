//! Custom numbers, texts and tuples; plugin instances; keyframes.

macro_rules! custom_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // custom texts and lists of objects
            text_adr: adr(ntextdata) [ntext] "id" "First byte of the text in `text_data`.";
            text_size: int [ntext] "1" "Number of bytes of the text, with the zero at its end.";
            text_data: int [ntextdata] "byte" "All texts.";
            tuple_adr: adr(ntupledata) [ntuple] "id" "First object of the list.";
            tuple_size: int [ntuple] "1" "Number of objects of the list.";
            tuple_objtype: int [ntupledata] "enum" "Kind of the object (`mjtObj`).";
            tuple_objid: id(any) [ntupledata] "id" "The object.";
            tuple_objprm: real [ntupledata] "mixed" "Its number.";
            // plugin instances
            plugin: id(any) [nplugin] "id" "Plugin, in MuJoCo's order of those that it has.";
            plugin_stateadr: adr(any) [nplugin] "id" "First state.";
            plugin_statenum: int [nplugin] "1" "Number of states.";
            plugin_attr: int [npluginattr] "1" "Settings: texts that end with a zero each, as bytes.";
            plugin_attradr: adr(npluginattr) [nplugin] "id" "First byte of the settings.";
            // custom numbers and keyframes
            numeric_adr: adr(nnumericdata) [nnumeric] "id" "First number of the field in `numeric_data`.";
            numeric_size: int [nnumeric] "1" "Number of numbers of the field.";
            numeric_data: real [nnumericdata] "mixed" "Numbers of all fields.";
            key_time: real [nkey] "s" "Time.";
            key_qpos: real [nkey nq] "mixed" "Position coordinates.";
            key_qvel: real [nkey nv] "mixed" "Velocities.";
            key_act: real [nkey na] "1" "Activations.";
            key_mpos: real [nkey nmocap 3] "m" "Positions of mocap bodies.";
            key_mquat: real [nkey nmocap 4] "1" "Orientations of mocap bodies.";
            key_ctrl: real [nkey nu] "mixed" "Controls.";
        } }
    };
}
pub(crate) use custom_fields;
