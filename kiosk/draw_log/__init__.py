"""The draw log: draws and selections, verified in place, and why a guest was not in one."""
