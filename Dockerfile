# Two stages: build with the Rust toolchain, then a small image with the program and what tools need.
#
#   docker build -t snodo .
#   docker run --rm -p 127.0.0.1:4000:4000 -v ./tools:/manifests:ro snodo
#   docker run --rm -v ./tools:/manifests:ro snodo check /manifests
#
# Tools run inside the image: add the programs they need. The samples in manifests/ are about the
# repository that they lie in (`root = ".."`), so they are not for a container.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /build
# gcc is for the cryptography that TLS uses; the image has it.
COPY Cargo.toml Cargo.lock ./
COPY src ./src
# Cargo wants the files of every target and package that Cargo.toml names; only the program is built.
COPY benches ./benches
COPY fuzz/Cargo.toml ./fuzz/
COPY fuzz/src ./fuzz/src
COPY tests ./tests
RUN cargo build --release --locked --bin snodo

FROM debian:bookworm-slim
# Without its version, so that a rebuild has today's certificates.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /tmp --shell /usr/sbin/nologin snodo \
    && mkdir /manifests
COPY --from=build /build/target/release/snodo /usr/local/bin/snodo
USER 10001
WORKDIR /
VOLUME /manifests
EXPOSE 4000
# As process 1 snodo hears signals and reaps what its tools leave behind; `--init` is not needed. `docker stop`
# lets requests in flight finish within 8 s; Docker waits for 10.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["/usr/local/bin/snodo", "health", "--url", "http://127.0.0.1:4000"]
# Inside a container the server must listen on all of the container's addresses to be reached. `Host` is checked
# against the names under which the port is published there. Where a mounted folder gives no file events
# (Docker Desktop), add `--set reload.poll_ms=1000`. Nothing is written but to /tmp by tools: run it with a
# read-only root and a tmpfs there, as compose.yaml does.
ENTRYPOINT ["/usr/local/bin/snodo"]
CMD ["serve", "--set", "http.listen=[\"0.0.0.0:4000\"]", "--set", "http.allowed_hosts=[\"localhost\", \"127.0.0.1\"]", "--set", "server.grace_ms=8000", "/manifests"]
