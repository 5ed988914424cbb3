"""The four long tables of a batch as one file of DuckDB."""

from collections.abc import Callable, Iterable
from pathlib import Path

from sizebook.core.errors import InputError
from sizebook.core.extras import need
from sizebook.sources.writing import scratch_folder, unfinished

need("duckdb")


def write_database(tables: Iterable[str], write_table: Callable[[str, Path], None], output: Path) -> Path:
    """Write a file of DuckDB with some tables, whole or not at all; return where it is.

    ``write_table`` writes the table of a name to a Parquet file, from which DuckDB takes rows, order and kinds.
    """
    import duckdb

    with unfinished(output) as temporary, scratch_folder(output.parent) as folder:
        temporary.unlink()  # DuckDB makes its file itself
        try:
            with duckdb.connect(temporary, config={"temp_directory": str(folder)}) as database:
                for table in tables:
                    write_table(table, rows := folder / f"{table}.parquet")
                    database.read_parquet(str(rows)).create(table)
        except duckdb.Error as error:
            raise InputError(
                f"cannot write: got {error} for {output}, want a disk with room for the tables. Make room."
            ) from error
    return output
