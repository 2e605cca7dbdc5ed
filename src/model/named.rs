//! Values with names.

/// All values of an enum in order, and their names in commands, files, and JSON.
#[macro_export]
macro_rules! named {
    ($kind:ident { $($value:ident: $name:literal,)+ }) => {
        impl $kind {
            /// All values, in order.
            pub const ALL: [$kind; [$($name),+].len()] = [$($kind::$value),+];

            /// The name in commands, filters, files, and JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$value => $name,)+
                }
            }

            /// The value with this [`name`](Self::name).
            pub fn from_name(name: &str) -> Option<$kind> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}
