"""The screens' messages and their push. Decides nothing."""
