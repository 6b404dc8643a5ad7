namespace tagloom {}
