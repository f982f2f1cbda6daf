//! tools/call: arguments, schemas, results, errors, over both transports.
