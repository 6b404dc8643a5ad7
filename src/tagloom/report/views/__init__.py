"""The page of a model: one module per section, from values to markup."""
