//! The examples of the documentation are what they say they are.
