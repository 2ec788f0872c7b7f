//! Where the elements of a vector are in what they are read from or written to.

/// Places of elements: so many from the first, in steps, with the loop's `i`.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    /// One place.
    One(usize),
    /// The place `first + step * i`.
    Each { first: usize, step: usize },
}

impl At {
    /// The places that these are in a list.
    pub(super) fn of(self, list: &[usize]) -> Option<At> {
        match self {
            At::One(k) => list.get(k).map(|k| At::One(*k)),
            At::Each { first, step } => {
                let (start, stride) = progression(list)?;
                Some(At::Each { first: start + stride * first, step: stride * step })
            }
        }
    }

    /// The places behind others.
    pub(super) fn behind(self, offset: usize) -> At {
        match self {
            At::One(k) => At::One(offset + k),
            At::Each { first, step } => At::Each { first: offset + first, step },
        }
    }

    pub(super) fn text(self) -> String {
        match self {
            At::One(k) => format!("{k}u"),
            At::Each { first: 0, step: 1 } => "i".to_owned(),
            At::Each { first, step: 1 } => format!("{first}u + i"),
            At::Each { first, step } => format!("{first}u + {step}u * i"),
        }
    }
}

/// First element and distance of evenly spaced elements.
fn progression(list: &[usize]) -> Option<(usize, usize)> {
    let (first, second) = (*list.first()?, *list.get(1).unwrap_or(list.first()?));
    let step = second.checked_sub(first)?;
    list.windows(2).all(|w| w[1].checked_sub(w[0]) == Some(step)).then_some((first, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenly_spaced_elements_are_found() {
        assert_eq!(progression(&[3, 5, 7]), Some((3, 2)));
        assert_eq!(progression(&[3]), Some((3, 0)));
        assert_eq!((progression(&[3, 4, 6]), progression(&[3, 2]), progression(&[])), (None, None, None));
        assert_eq!(At::Each { first: 2, step: 3 }.text(), "2u + 3u * i");
    }
}
