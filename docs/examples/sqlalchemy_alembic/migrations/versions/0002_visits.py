"""Visits, under keys that rise with time and under random ones."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    op.create_table(
        "visits_by_time",
        sa.Column("visited_at", sa.DateTime(timezone=True), primary_key=True),
    )
    op.create_table(
        "visits",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("visited_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade():
    op.drop_table("visits")
    op.drop_table("visits_by_time")
