//! `<dcmotor>`: a DC motor specified by its data sheet.

use super::inputs::inputs;
use crate::spec::{Actuator, Law};
use crate::xml::El;
use manyworlds_model::schema::enums::{BiasType, DynamicsType, GainType, input};

/// Reads the attributes of a motor. Omitted numbers keep the values of the class.
pub(super) fn dcmotor(el: El<'_>, to: &mut Actuator, fresh: bool) {
    let law = &mut to.law;
    if fresh {
        (law.dynprm, law.gainprm, law.biasprm) = ([0.0; 10], [0.0; 10], [0.0; 10]);
        law.ctrlspec = input::VOLTAGE;
    }
    (law.dyntype, law.gaintype, law.biastype) = (DynamicsType::DCMOTOR, GainType::DCMOTOR, BiasType::DCMOTOR);
    law.actearly = true;
    constants(el, law);
    inductance(el, law);
    thermal(el, law);
    el.set_partial("cogging", &mut law.biasprm[..3]);
    friction(el, law);
    controller(el, law);
    inputs(el, &mut law.ctrlspec);
    saturation(el, to);
    // a general actuator with the same law would not know
    to.law.actdim = to.law.states() as i32;
}

/// Resistance and motor constant, explicit or from the nominal operating point.
fn constants(el: El<'_>, law: &mut Law) {
    let mut each = [law.gainprm[1], 0.0];
    if el.attr("motorconst").is_some() {
        each = [0.0; 2];
        el.set_partial("motorconst", &mut each);
    }
    let mut nominal = [0.0; 3];
    el.set_partial("nominal", &mut nominal);
    let [voltage, stall_torque, speed] = nominal;
    if voltage > 0.0 && speed > 0.0 {
        // the no-load speed determines the back-EMF constant
        let [_, back] = &mut each;
        *back = if *back > 0.0 { *back } else { voltage / speed };
    }
    let constant = match each {
        [torque, back] if torque > 0.0 && back > 0.0 => (torque * back).sqrt(),
        [torque, back] => torque.max(back),
    };
    if constant <= 0.0 {
        let help = "write motorconst, or voltage and no-load speed in nominal";
        el.wrong("motorconst", "the motor constant is not positive", help);
    }
    el.set_real("resistance", &mut law.gainprm[0]);
    if law.gainprm[0] <= 0.0 && stall_torque > 0.0 {
        law.gainprm[0] = constant * voltage / stall_torque;
    }
    law.gainprm[1] = constant;
    if constant > 0.0 && law.gainprm[0] <= 0.0 {
        let help = "write resistance, or voltage and stall torque in nominal";
        el.wrong("resistance", "the resistance of the motor is not positive", help);
    }
}

/// Electrical time constant.
fn inductance(el: El<'_>, law: &mut Law) {
    let mut numbers = [0.0; 2];
    let written = el.set_partial("inductance", &mut numbers);
    let [inductance, time] = numbers;
    if inductance < 0.0 || time < 0.0 {
        el.wrong("inductance", "the inductance is negative", "write zero or more");
    }
    if inductance > 0.0 {
        law.dynprm[0] = inductance / law.gainprm[0];
    } else if written > 1 {
        law.dynprm[0] = time;
    }
}

/// Thermal resistance and capacity, and the temperature coefficient of the winding resistance.
fn thermal(el: El<'_>, law: &mut Law) {
    let mut numbers = [law.dynprm[2], law.dynprm[3], 0.0, law.gainprm[2], law.gainprm[3], law.dynprm[4]];
    if el.set_partial("thermal", &mut numbers) == 0 {
        return;
    }
    if numbers[..3].iter().all(|&x| x <= 0.0) {
        law.dynprm[2..5].fill(0.0);
        law.gainprm[2..4].fill(0.0);
        return;
    }
    let [mut resistance, mut capacity, time, coefficient, reference, ambient] = numbers;
    // any two of the three determine the third
    if resistance <= 0.0 && time > 0.0 && capacity > 0.0 {
        resistance = time / capacity;
    } else if capacity <= 0.0 && time > 0.0 && resistance > 0.0 {
        capacity = time / resistance;
    }
    for (x, what) in [(resistance, "resistance"), (capacity, "capacitance")] {
        if x <= 0.0 {
            let help = "write two of resistance, capacitance and time constant";
            el.wrong("thermal", format!("the thermal {what} is not positive"), help);
        }
    }
    law.dynprm[2..5].copy_from_slice(&[resistance, capacity, ambient]);
    law.gainprm[2..4].copy_from_slice(&[coefficient, reference]);
}

/// Bristle friction (LuGre).
fn friction(el: El<'_>, law: &mut Law) {
    let [stiffness, damping] = [law.dynprm[5], law.dynprm[6]];
    let mut numbers = [stiffness, damping, law.biasprm[3], law.biasprm[4], law.biasprm[5]];
    if el.set_partial("lugre", &mut numbers) > 0 {
        if numbers[0] <= 0.0 {
            numbers = [0.0; 5];
        }
        law.dynprm[5..7].copy_from_slice(&numbers[..2]);
        law.biasprm[3..6].copy_from_slice(&numbers[2..]);
    }
}

/// Gains and limits of the built-in controller.
fn controller(el: El<'_>, law: &mut Law) {
    let g = law.gainprm;
    let mut numbers = [g[4], g[5], g[6], law.dynprm[7], law.dynprm[8], g[7]];
    if el.set_partial("controller", &mut numbers) > 0 {
        law.gainprm[4..7].copy_from_slice(&numbers[..3]);
        law.dynprm[7..9].copy_from_slice(&numbers[3..5]);
        law.gainprm[7] = numbers[5].max(0.0);
    }
}

/// Maximum torque or current, and maximum current rate.
fn saturation(el: El<'_>, to: &mut Actuator) {
    let mut numbers = [0.0; 3];
    let written = el.set_partial("saturation", &mut numbers);
    let torque = if numbers[0] > 0.0 { numbers[0] } else { numbers[1] * to.law.gainprm[1] };
    if torque > 0.0 {
        to.forcerange = [-torque, torque];
        to.forcelimited = Some(true);
    }
    if written > 2 {
        to.law.dynprm[1] = numbers[2];
    }
}
