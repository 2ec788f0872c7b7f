//! Operators and their precedence.

macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($operator:ident $text:literal $level:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $operator,)*
        }

        impl $name {
            /// The operator of a text.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$operator),)*
                    _ => None,
                }
            }

            /// Its text.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$operator => $text,)*
                }
            }

            /// Precedence: the higher, the tighter it binds.
            pub fn level(self) -> u8 {
                match self {
                    $(Self::$operator => $level,)*
                }
            }
        }
    };
}

operators! {
    /// An operator between two operands.
    BinaryOperator {
        Or "||" 1,
        And "&&" 2,
        BitOr "|" 3,
        BitXor "^" 4,
        BitAnd "&" 5,
        Equal "==" 6,
        NotEqual "!=" 6,
        Less "<" 7,
        LessEqual "<=" 7,
        Greater ">" 7,
        GreaterEqual ">=" 7,
        ShiftLeft "<<" 8,
        ShiftRight ">>" 8,
        Add "+" 9,
        Subtract "-" 9,
        Multiply "*" 10,
        Divide "/" 10,
        Remainder "%" 10,
    }
}

operators! {
    /// An operator before its operand.
    UnaryOperator {
        Negate "-" 11,
        Not "!" 11,
        Complement "~" 11,
        AddressOf "&" 11,
        Dereference "*" 11,
    }
}
