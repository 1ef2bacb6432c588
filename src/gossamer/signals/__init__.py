"""Edge signals: each a pure function from annotations to a symmetric sparse matrix in [0, 1]."""
