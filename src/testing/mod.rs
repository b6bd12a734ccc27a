//! What only tests use: a database for the tests of stores, an example of each message, input for decoders, and the
//! tests that go over all features. It is compiled for tests alone.

pub(crate) mod audiences;
pub(crate) mod database;
pub(crate) mod encoded;
pub(crate) mod examples;
pub(crate) mod frames;
pub(crate) mod fuzz;
pub(crate) mod typescript;
