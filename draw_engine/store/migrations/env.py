"""Alembic's entry: runs the versions over the engine it is handed."""

from __future__ import annotations

from alembic import context

from draw_engine.store.people_tables import metadata

with context.config.attributes["engine"].connect() as connection:
    context.configure(connection=connection, target_metadata=metadata, transaction_per_migration=True)
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
