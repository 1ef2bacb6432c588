"""Graph methods: pure functions on sparse matrices and arrays."""
