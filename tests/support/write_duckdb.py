"""Writes a DuckDB file with the library itself, as another program would.

  write_duckdb.py LIBRARY FILE SQL [close|hold|abandon]

`hold` prints a line when the statements are done, and keeps the file open until its input ends. `abandon` ends without closing the
file, so that what was written is in the log beside it.
"""

import ctypes
import os
import sys


def main():
    library, path, sql = sys.argv[1:4]
    ending = sys.argv[4] if len(sys.argv) > 4 else "close"
    duckdb = ctypes.CDLL(library)
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    if duckdb.duckdb_open(path.encode(), ctypes.byref(database)) != 0:
        sys.exit("cannot open the file")
    if duckdb.duckdb_connect(database, ctypes.byref(connection)) != 0 or duckdb.duckdb_query(connection, sql.encode(), None) != 0:
        sys.exit("a statement failed")
    if ending == "hold":
        print("ready", flush=True)
        sys.stdin.read()
    if ending == "abandon":
        os._exit(0)
    duckdb.duckdb_disconnect(ctypes.byref(connection))
    duckdb.duckdb_close(ctypes.byref(database))


main()
