"""Authors and books."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade():
    op.create_table(
        "authors",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
    )
    op.create_table(
        "books",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("author_id", sa.String(36), sa.ForeignKey("authors.id"), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
    )


def downgrade():
    op.drop_table("books")
    op.drop_table("authors")
