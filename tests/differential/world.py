"""Datasets on disk and in databases, and the server over them."""

import os
import shutil
import sqlite3
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import text_files
from generate import has_year_names, model_table, random_plan, random_rows
from parquet_writer import parquet_bytes
from postgres import Postgres, quoted, table_script
from server import Server

TEXT_SOURCES = ["csv", "tsv", "csv.gz", "json", "ndjson", "ndjson.gz"]
FILE_SOURCES = TEXT_SOURCES + ["parquet"]
DATABASES = {"sqlite": "lite", "pg15": "older", "pg18": "newer"}
SOURCES = FILE_SOURCES + list(DATABASES)


@dataclass
class Dataset:
    name: str
    source: str
    plan: list
    rows: list
    style: dict = field(default_factory=dict)

    @property
    def table(self):
        if not hasattr(self, "_table"):
            self._table = model_table(self.plan, self.rows)
        return self._table

    @property
    def reference(self):
        folder = DATABASES.get(self.source, self.source.replace(".", "_"))
        return f"{folder}/{self.name}"

    def reduced(self, **changes):
        return replace(self, **changes)


def random_dataset(rng, source, name, types=None):
    plan = random_plan(rng, source, types)
    style = {"group_rows": rng.choice([3, 10, 1 << 20]), "dictionary": rng.random() < 0.5}
    if source in TEXT_SOURCES:
        style = text_files.random_style(rng, source)
    return Dataset(name, source, plan, random_rows(rng, source, plan), style)


def sibling(rng, dataset, name):
    """A dataset with some columns of another, and other rows."""
    kept = sorted(rng.sample(range(len(dataset.plan)), rng.randint(min(2, len(dataset.plan)), len(dataset.plan))))
    # A header of years is told by the other columns.
    plan = dataset.plan if has_year_names(dataset.plan) else [dataset.plan[at] for at in kept]
    return Dataset(name, dataset.source, plan, random_rows(rng, dataset.source, plan), dataset.style)


class Servers:
    """PostgreSQL servers, started when they are first needed."""

    def __init__(self):
        self.started = {}

    def get(self, source):
        if source not in self.started:
            self.started[source] = Postgres(int(source[2:]))
        return self.started[source]

    def stop(self):
        for server in self.started.values():
            server.stop()


class World:
    """A folder with the files and databases of some datasets, and a server over it."""

    def __init__(self, program, datasets, servers, records=None, log_level="warning", profile="full"):
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-differential-"))
        self.servers = servers
        self.datasets = datasets
        config = [f"tools: {{ profile: {profile} }}", "arrow_ipc: true", "spool: { ttl: 20m, max_bytes: 4GB }"]
        files = [one for one in datasets if one.source in FILE_SOURCES]
        config.append("collections:")
        # Where there is more than one, names of datasets begin with the name of the collection.
        for source in ["spare", *dict.fromkeys(one.source for one in files)]:
            name = source.replace(".", "_")
            (self.folder / name).mkdir()
            config.append(f"  - {{ name: {name}, path: {name} }}")
        for one in files:
            self.write_file(one)
        self.tables = {source: [one for one in datasets if one.source == source] for source in DATABASES}
        if any(self.tables.values()):
            config.append("databases:")
        for source, tables in self.tables.items():
            if tables:
                url = self.write_sqlite(tables) if source == "sqlite" else self.write_postgres(source, tables)
                config.append(f"  - {{ name: {DATABASES[source]}, url: \"{url}\" }}")
        if records:
            config.append(f"records: {{ path: {records}, writable: true }}")
        path = self.folder / "sluice.yaml"
        path.write_text("\n".join(config) + "\n")
        self.server = Server(program, str(path), log_level)

    def path_of(self, dataset):
        return self.folder / dataset.source.replace(".", "_") / f"{dataset.name}.{dataset.source}"

    def write_file(self, one):
        path = self.path_of(one)
        if one.source == "parquet":
            columns = [(column.name, column.type) for column in one.plan]
            path.write_bytes(parquet_bytes(columns, one.rows, one.style["group_rows"], one.style["dictionary"]))
        else:
            text_files.write(path, one.source, one.plan, one.rows, one.style)
        os.utime(path, (1_700_000_000, 1_700_000_000))  # Long ago: a file that was just written gets no copy.

    def write_sqlite(self, tables):
        with sqlite3.connect(self.folder / "lite.db") as database:
            for one in tables:
                columns = ", ".join(f"{quoted(column.name)} {column.declared}" for column in one.plan)
                database.execute(f"CREATE TABLE {quoted(one.name)} ({columns})")
                marks = ", ".join("?" * len(one.plan))
                database.executemany(f"INSERT INTO {quoted(one.name)} VALUES ({marks})", one.rows)
        database.close()
        return "sqlite:lite.db"

    def write_postgres(self, source, tables):
        server = self.servers.get(source)
        server.run("".join(table_script(one.name, one.plan, one.rows) for one in tables) + "ANALYZE;\n")
        return server.url

    def stop(self):
        self.server.stop()
        for source in ("pg15", "pg18"):
            if self.tables[source]:
                self.servers.get(source).run("".join(f"DROP TABLE {quoted(one.name)};" for one in self.tables[source]))
        shutil.rmtree(self.folder, ignore_errors=True)
