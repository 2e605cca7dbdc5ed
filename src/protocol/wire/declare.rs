//! Generates types from the table of requests.

/// Generates, from the rows of the table: a struct and a [`Request`](super::Request) implementation
/// per row, [`AnyRequest`](super::AnyRequest), [`AnyReply`](super::AnyReply), conversions, and the
/// table as text.
macro_rules! declare {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident $(( $($tuple:tt)* ))? $({ $($field:tt)* })? => $reply:ty,
        kind: $kind:ident, access: $access:ident $(($may:literal))?, writes: $writes:ident $(($dry:expr))?, blind: $blind:ident;
    )+) => {
        $(
            structure! { [$(#[doc = $doc])+] $name [$(( $($tuple)* ))?] [$({ $($field)* })?] }

            impl Request for $name {
                type Reply = $reply;
                const NAME: &'static str = stringify!($name);
                const ACCESS: Access = Access::$access $(($may))?;
                const WRITES: Writes<$name> = Writes::$writes $(($dry))?;
                const BLIND: Blind = Blind::$blind;
                const KIND: Kind = Kind::$kind;

                fn reply(any: AnyReply) -> Result<$reply> {
                    match any {
                        AnyReply::$name(reply) => Ok(*reply),
                        other => Err(unexpected(stringify!($name), other.name())),
                    }
                }

                fn pack(reply: $reply) -> AnyReply {
                    AnyReply::$name(Box::new(reply))
                }
            }

            impl From<$name> for AnyRequest {
                fn from(request: $name) -> AnyRequest {
                    AnyRequest::$name(request)
                }
            }
        )+

        /// Any request on the wire.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyRequest {
            $(#[doc = concat!("[`", stringify!($name), "`].")] $name($name),)+
        }

        /// Reply to any request on the wire.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyReply {
            $(#[doc = concat!("To [`", stringify!($name), "`].")] $name(Box<$reply>),)+
        }

        /// Name of a request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Name {
            $(#[doc = concat!("[`", stringify!($name), "`].")] $name,)+
        }

        impl Name {
            /// All requests, in the order of the table.
            pub const ALL: &'static [Name] = &[$(Name::$name),+];

            /// The row of this request.
            pub const fn row(self) -> RequestRow {
                match self {
                    $(Name::$name => RequestRow {
                        name: stringify!($name),
                        doc: &[$($doc),+],
                        fields: fields!([$(( $($tuple)* ))?] [$({ $($field)* })?]),
                        reply: stringify!($reply),
                        kind: Kind::$kind,
                        access: <$name as Request>::ACCESS,
                        writes: <$name as Request>::WRITES.label(),
                        blind: Blind::$blind,
                    },)+
                }
            }
        }

        impl AnyRequest {
            pub const fn name(&self) -> Name {
                match self {
                    $(AnyRequest::$name(_) => Name::$name,)+
                }
            }

            /// Whether it changes the project.
            pub fn writes(&self) -> bool {
                match self {
                    $(AnyRequest::$name(request) => <$name as Request>::WRITES.holds(request),)+
                }
            }
        }

        impl AnyReply {
            /// Name of the request that it replies to.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(AnyReply::$name(_) => stringify!($name),)+
                }
            }
        }
    };
}

/// The struct of a row.
macro_rules! structure {
    ([$($doc:tt)+] $name:ident [] []) => {
        $($doc)+
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct $name;
    };
    ([$($doc:tt)+] $name:ident [( $($kind:ty),+ )] []) => {
        $($doc)+
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct $name($(pub $kind),+);
    };
    ([$($doc:tt)+] $name:ident [] [{ $($(#[doc = $of:literal])+ $field:ident: $kind:ty),+ $(,)? }]) => {
        $($doc)+
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct $name {
            $($(#[doc = $of])+ pub $field: $kind),+
        }
    };
}

/// Names and types of the fields of a row, as text.
macro_rules! fields {
    ([] []) => { &[] };
    ([( $($kind:ty),+ )] []) => { &[$(("", stringify!($kind))),+] };
    ([] [{ $($(#[doc = $of:literal])+ $field:ident: $kind:ty),+ $(,)? }]) => {
        &[$((stringify!($field), stringify!($kind))),+]
    };
}

pub(super) use {declare, fields, structure};
