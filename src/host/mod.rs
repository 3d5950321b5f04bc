//! One way to a store: connect to the one that holds the state directory, or open one here.
