"""The command line: thin, the last layer. `main` parses and translates errors, `commands` do the work."""
