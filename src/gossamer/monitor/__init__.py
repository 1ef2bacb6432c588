"""The full-screen terminal monitor: a recorder turns a question into a record, frames draw it, the app shows them."""
