//! Task files: YAML, or Markdown with front matter, every fault with its place.
