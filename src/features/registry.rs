//! The macro that turns the list of features in `mod.rs` into code (`Request`, `ops`, `handle`), and the weights of
//! requests.

use super::imports::wire as imports;
use super::uploads::wire as uploads;
use crate::limits::{CHUNK_WEIGHT, PAGE_WEIGHT};

/// Each line: the prefix of a feature's request names, its module, its variant of `Request`.
macro_rules! features {
    ($($name:literal $slice:ident $variant:ident,)*) => {
        /// A request of any feature.
        #[derive(Debug)]
        pub enum Request {
            $(#[doc = concat!("Requests named `", $name, ".*`.")] $variant(crate::features::$slice::wire::Request),)*
        }

        /// Returns the names of all requests.
        #[must_use]
        pub fn ops() -> Vec<&'static str> {
            let mut ops = Vec::new();
            $(ops.extend(crate::features::$slice::wire::OPS);)*
            ops
        }

        impl Request {
            /// Decodes a message whose frame was checked.
            ///
            /// # Errors
            /// [`Refusal::UnknownOp`], or [`Refusal::BadRequest`] for a wrong field.
            pub fn read(op: &str, message: &[u8]) -> Result<Self, crate::error::Refusal> {
                use crate::error::Refusal;
                let (feature, _) = op.split_once('.').ok_or(Refusal::UnknownOp)?;
                match feature {
                    $($name => crate::features::$slice::wire::Request::read(op, message).map(Self::$variant),)*
                    _ => Err(Refusal::UnknownOp),
                }
            }
        }

        /// Handles a request. Returns the reply.
        ///
        /// # Errors
        /// A refusal, or a fault.
        pub async fn handle(
            request: Request,
            context: crate::features::context::RequestContext<'_>,
        ) -> Result<crate::reply::Reply, crate::error::Error> {
            match request {
                $(Request::$variant(request) => crate::features::$slice::handle(request, context).await,)*
            }
        }

        #[cfg(test)]
        pub(crate) fn typescript(types: &mut crate::testing::typescript::Types) -> Vec<String> {
            let mut lines = Vec::new();
            $(lines.extend(crate::features::$slice::wire::typescript(types));)*
            lines
        }

        #[cfg(test)]
        pub(crate) fn example_messages() -> Vec<crate::testing::examples::Messages> {
            vec![$(crate::features::$slice::wire::examples::messages()),*]
        }
    };
}

pub(crate) use features;

/// Returns the weight of a request among the unanswered ones of a socket (W10). Pages of posts, and groups with their
/// members, are the largest replies. Chunks of files are the largest requests.
#[must_use]
pub fn weight(op: &str) -> u32 {
    match op {
        "posts.feed" | "posts.by_author" | "posts.by_group" | "posts.saved" | "posts.search"
        | "posts.refresh" | "groups.list" | "groups.get" => PAGE_WEIGHT,
        op if is_chunk(op) => CHUNK_WEIGHT,
        _ => 1,
    }
}

/// Returns whether a request is a chunk of a file. Chunks have a rate limit of their own.
#[must_use]
pub fn is_chunk(op: &str) -> bool {
    [uploads::CHUNK, imports::CHUNK].contains(&op)
}

/// Returns whether a connection that closes still waits for the reply. It does not wait for `uploads.commit`, which may
/// take long and can be sent again.
#[must_use]
pub fn is_awaited(op: &str) -> bool {
    op != uploads::COMMIT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Request, ops};

    #[test]
    fn requests_with_special_costs_exist() {
        let ops = ops();
        assert_eq!(ops.iter().filter(|op| weight(op) == PAGE_WEIGHT).count(), 8);
        assert_eq!(ops.iter().filter(|op| weight(op) == CHUNK_WEIGHT).count(), 2);
        assert_eq!(ops.iter().filter(|op| !is_awaited(op)).count(), 1);
    }

    #[test]
    fn lv6_almost_valid_requests_are_refused_or_have_the_checked_head() {
        #[derive(serde::Deserialize)]
        struct Parts {
            id: crate::ids::Whole,
            op: String,
        }
        let mut valid: Vec<Vec<u8>> = Vec::new();
        for file in std::fs::read_dir("tests/frames").unwrap() {
            let frames = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let frames: Vec<serde_json::Value> = serde_json::from_str(&frames).unwrap();
            for frame in frames.iter().filter(|frame| frame["name"].as_str().unwrap().starts_with("request_"))
            {
                let digits = frame["hex"].as_str().unwrap().as_bytes().chunks(2);
                let bytes =
                    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap());
                valid.push(bytes.collect());
            }
        }
        assert!(valid.len() > 80, "{}", valid.len());
        crate::testing::fuzz::bytes(&valid, |bytes| {
            let Ok(head) = crate::wire::codec::check(bytes) else { return };
            let parts: Parts = crate::wire::codec::decode(bytes).expect("what was checked can be decoded");
            assert_eq!((i64::from(head.id), head.op), (parts.id.0, parts.op.as_str()));
            match crate::socket::wire::OPS.contains(&head.op) {
                true => drop(crate::socket::wire::Request::read(head.op, bytes)),
                false => drop(Request::read(head.op, bytes)),
            }
        });
    }
}
