//! Calling a tool by what its list says of it.

use super::error::ClientError;
use super::lists::Kind;
use super::rounds::Ended;
use super::{Client, Listener, Question};
use crate::lang::schema::{HeaderParam, header_params};
use crate::protocol::client::Request;
use serde_json::{Map, Value};

/// The code by which a server says that headers do not mirror the body.
const HEADER_MISMATCH: i64 = -32020;

/// A tool as its server lists it.
#[derive(Clone, Debug)]
pub struct Tool {
    name: String,
    schema: Value,
    output: Option<Value>,
    mirrored: Vec<HeaderParam>,
}

impl Tool {
    /// What an item of [`Client::list`] says of it; `None` when that has no name. Arguments that are
    /// mirrored in a way that is not allowed are not: such a tool is listed only where there are no headers.
    pub fn of(item: &Value) -> Option<Self> {
        let name = item.get("name").and_then(Value::as_str)?.to_owned();
        let schema = item.get("inputSchema").cloned().unwrap_or_default();
        let mirrored = header_params(&schema).unwrap_or_default();
        Some(Self {
            name,
            schema,
            mirrored,
            output: item.get("outputSchema").cloned(),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which arguments are mirrored into headers.
    pub fn mirrored(&self) -> &[HeaderParam] {
        &self.mirrored
    }

    /// The schema of its structured result, where it has one.
    pub fn output(&self) -> Option<&Value> {
        self.output.as_ref()
    }

    /// The schema of its arguments.
    pub fn schema(&self) -> &Value {
        &self.schema
    }
}

impl Client {
    /// Calls a tool. When the server finds that headers do not mirror the arguments, its list is read
    /// again and the call made once more: it may have changed.
    ///
    /// # Errors
    /// Why there is no result. A result that says that the tool failed is a result.
    pub async fn call<A, E>(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        log_level: Option<&str>,
        on: &mut Listener<'_>,
        answers: &mut A,
    ) -> Result<Value, E>
    where
        A: AsyncFnMut(Question) -> Result<Value, E>,
        E: From<ClientError>,
    {
        let request = Request::new("tools/call")
            .with("name", tool.name())
            .with("arguments", arguments)
            .logging(log_level);
        let first = request.clone().mirroring(tool.mirrored.clone());
        let refused = match self.rounds(&first, on, answers).await {
            Err(Ended::Client(ClientError::Refused { method, error }))
                if error.code == HEADER_MISMATCH =>
            {
                ClientError::Refused { method, error }
            }
            outcome => return outcome.map_err(Ended::joined),
        };
        let listed = self.list(Kind::Tools).await?;
        let mut tools = listed.items.iter().filter_map(Tool::of);
        match tools.find(|now| now.name == tool.name) {
            Some(now) => {
                let again = request.mirroring(now.mirrored);
                self.ask_through(&again, on, answers).await
            }
            None => Err(refused.into()),
        }
    }
}
