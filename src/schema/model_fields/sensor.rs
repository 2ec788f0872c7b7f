//! Sensors.

macro_rules! sensor_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // sensors
            sensor_type: int [nsensor] "enum" "Type: the index into `spec::SENSORS`.";
            sensor_datatype: int [nsensor] "enum" "0 real, 1 positive, 2 axis, 3 quaternion.";
            sensor_needstage: int [nsensor] "enum" "Stage that it needs: 0 none, 1 position, 2 velocity, 3 acceleration.";
            sensor_objtype: int [nsensor] "enum" "Kind of what it measures (`mjtObj`); 0 for none.";
            sensor_objid: id(any or none) [nsensor] "id" "What it measures; -1 for none.";
            sensor_reftype: int [nsensor] "enum" "Kind of what it measures relative to; 0 for none.";
            sensor_refid: id(any or none) [nsensor] "id" "What it measures relative to; -1 for none.";
            sensor_treeid: id(ntree or none) [nsensor 2] "id" "Trees that move what it measures and what that is relative to; -1 for none.";
            sensor_intprm: int [nsensor 3] "mixed" "Parameters by type: fields, reduction, number of contacts.";
            sensor_dim: int [nsensor] "1" "Number of outputs.";
            sensor_adr: adr(nsensordata) [nsensor] "id" "First output.";
            sensor_cutoff: real [nsensor] "mixed" "Output is cut off beyond; 0 for never.";
            sensor_noise: real [nsensor] "mixed" "Standard deviation of the noise.";
            sensor_history: int [nsensor 2] "1" "Samples in the history, order of interpolation.";
            sensor_historyadr: adr(nhistory or none) [nsensor] "id" "First number of its history; -1 for none.";
            sensor_delay: real [nsensor] "s" "Delay.";
            sensor_interval: real [nsensor 2] "s" "Period and phase.";
        } }
    };
}
pub(crate) use sensor_fields;
