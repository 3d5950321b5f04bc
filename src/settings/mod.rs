//! Configuration: `config.toml`, every fault with its place.
