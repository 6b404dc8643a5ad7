"""tagloom in the place of other tools: each module has the names, arguments and results of the tool it stands for."""
