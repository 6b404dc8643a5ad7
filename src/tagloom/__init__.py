"""tagloom: fast linear models of structured output."""
