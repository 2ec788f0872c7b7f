//! Sensors.

macro_rules! sensor_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // sensors
            sensor_type: one(sensor) [nsensor] "enum" "Type: index into `schema::sensors::SENSORS`.";
            sensor_datatype: one(datatype) [nsensor] "enum" "0 real, 1 positive, 2 axis, 3 quaternion.";
            sensor_needstage: int [nsensor] "enum" "Required stage: 0 none, 1 position, 2 velocity, 3 acceleration.";
            sensor_objtype: int [nsensor] "enum" "Type of the measured object (`mjtObj`); 0 for none.";
            sensor_objid: id(by sensor_objtype or none) [nsensor] "id" "Measured object; -1 for none.";
            sensor_reftype: int [nsensor] "enum" "Type of the reference object; 0 for none.";
            sensor_refid: id(by sensor_reftype or none) [nsensor] "id" "Reference object; -1 for none.";
            sensor_plugin: id(nplugin or none) [nsensor] "id" "Plugin instance; -1 for none.";
            sensor_treeid: id(ntree or none) [nsensor 2] "id" "Kinematic trees of the measured and the reference object; -1 for none.";
            sensor_intprm: int [nsensor 3] "mixed" "Type-specific parameters: fields, reduction, number of contacts.";
            sensor_dim: num(sensor_adr) [nsensor] "1" "Number of outputs.";
            sensor_adr: adr(nsensordata) [nsensor] "id" "First output.";
            sensor_cutoff: real [nsensor] "mixed" "Cutoff of the output; 0 for none." { varies: Some(Rule::Any) };
            sensor_noise: real [nsensor] "mixed" "Standard deviation of noise.";
            sensor_history: int [nsensor 2] "1" "Samples in the history buffer, and interpolation order.";
            sensor_historyadr: adr(nhistory or none) [nsensor] "id" "First number of the history buffer; -1 for none.";
            sensor_delay: real [nsensor] "s" "Delay.";
            sensor_interval: real [nsensor 2] "s" "Sampling period and phase.";
            sensor_user: real [nsensor nuser_sensor] "mixed" "User data.";
        } }
    };
}
pub(crate) use sensor_fields;
