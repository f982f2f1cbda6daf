//! What a server tells by itself: subscriptions without a handshake, and the stream of a session.
//! Both are begun anew with a server that was away; then everything may have changed, and the client
//! is told so.

use super::INTERNAL;
use super::deliver::{Patience, Server};
use super::exchange::Outcome;
use super::parts::{HELD, Notices};
use crate::client::http::{SESSION, is};
use crate::protocol::client::{Sent, changes, failure, is_cancellation, is_error};
use bytes::Bytes;
use http::Method;
use serde_json::Value;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

/// A subscription that ends sooner, this often in a row, is meant to end. A stream that does is begun
/// anew at this distance.
const SOON: Duration = Duration::from_secs(1);
const ENDS: u32 = 3;
const SELDOM: Duration = Duration::from_secs(15);

impl Server {
    /// A subscription, until the client ends it.
    pub(super) async fn listen(
        &self,
        sent: &Sent,
        message: Bytes,
        notices: &Notices,
    ) -> Option<Bytes> {
        let (mut patience, mut begun, mut ends) = (self.patience(), false, 0);
        loop {
            let since = Instant::now();
            let headers = sent.headers(&[]);
            let (heard, mut hearing) = mpsc::channel::<Bytes>(HELD);
            let asked = self.ask(message.clone(), &headers, &sent.id, &heard);
            tokio::pin!(asked);
            let outcome = loop {
                tokio::select! {
                    biased;
                    Some(notice) = hearing.recv() => {
                        self.is_back();
                        patience = Patience::new(None);
                        pass(notice, &mut begun, notices).await;
                    }
                    outcome = &mut asked => break outcome,
                }
            };
            while let Ok(notice) = hearing.try_recv() {
                pass(notice, &mut begun, notices).await;
            }
            ends = if since.elapsed() < SOON { ends + 1 } else { 0 };
            match outcome {
                Outcome::Answer(answer, _) if is_error(&answer) || !begun || ends >= ENDS => {
                    return Some(answer);
                }
                // A server ends it when it stops.
                Outcome::Answer(..) => {}
                Outcome::Away { .. } if ends > ENDS => sleep(SELDOM).await,
                Outcome::Away { error, .. } => self.is_gone(&error),
                other => return Some(failure(&sent.id, INTERNAL, &other.words())),
            }
            if !patience.again().await {
                let why = format!("{} cannot be reached", self.http.shown());
                return Some(failure(&sent.id, INTERNAL, &why));
            }
        }
    }

    /// The stream of a session, until the client ends, or for as long as there is one.
    pub(super) async fn hear(&self, notices: &Notices) {
        let (mut again, mut renewed) = (false, None);
        let (mut patience, mut ends) = (Patience::new(None), 0);
        loop {
            let (headers, number) = {
                let handshake = self.handshake.lock().await;
                (handshake.headers(), handshake.number())
            };
            match self.http.send(Method::GET, Bytes::new(), &headers).await {
                Ok(response)
                    if response.status().is_success() && is(&response, "text/event-stream") =>
                {
                    patience = Patience::new(None);
                    if std::mem::replace(&mut again, true) || number > 0 {
                        self.everything_changed(notices).await;
                    }
                    // However it ended, it is begun anew.
                    let since = Instant::now();
                    let _broken = self.events(response, &Value::Null, notices).await;
                    ends = if since.elapsed() < SOON { ends + 1 } else { 0 };
                    if ends > ENDS {
                        sleep(SELDOM).await;
                    }
                }
                // The session is one that the server forgot, unless it has just been begun.
                Ok(response)
                    if matches!(response.status().as_u16(), 400 | 404)
                        && headers.contains_key(SESSION)
                        && renewed != Some(number) =>
                {
                    match self.renew(number).await {
                        Ok(()) => renewed = Some(number + 1),
                        Err(Outcome::Failed(error)) => return self.say(&error.to_string()),
                        Err(_) => {}
                    }
                }
                Ok(response) if response.status().is_server_error() => {}
                // There is no such stream here.
                Ok(_) => return,
                Err(error) => self.is_gone(&error),
            }
            patience.again().await;
        }
    }

    async fn everything_changed(&self, notices: &Notices) {
        let lists = self.handshake.lock().await.lists().to_vec();
        for list in lists {
            let notice =
                format!(r#"{{"jsonrpc":"2.0","method":"notifications/{list}/list_changed"}}"#);
            let _gone = notices.send(notice.into()).await;
        }
    }
}

/// Passes on what a subscription tells. That it was granted again means that all of it may have
/// changed; that the server ends it, nothing, since it is begun anew.
async fn pass(notice: Bytes, begun: &mut bool, notices: &Notices) {
    let told = match changes(&notice) {
        None if *begun && is_cancellation(&notice) => Vec::new(),
        None => vec![notice],
        Some(_) if !std::mem::replace(begun, true) => vec![notice],
        Some(changes) => changes,
    };
    for notice in told {
        // The client is gone: so is whoever reads this.
        let _gone = notices.send(notice).await;
    }
}
