"""The property's settings and rule books: TOML, and the code that reads it and lists every fault."""
