//! Tests through the public face: a manifest folder in, wire bytes out.

mod support;

mod house;
