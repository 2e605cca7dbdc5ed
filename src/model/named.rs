//! Values with names.

/// An enum, all its values in order, and their names in commands, files, and JSON. Takes the enum
/// with its names, or the names of an enum that is declared elsewhere.
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        $access:vis enum $kind:ident { $($(#[$of_value:meta])* $value:ident = $name:literal,)+ }
    ) => {
        $(#[$meta])*
        $access enum $kind { $($(#[$of_value])* $value,)+ }

        $crate::named!($kind { $($value: $name,)+ });
    };
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
