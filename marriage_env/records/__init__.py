"""Game records: whole matches, or matches under way, as lines of JSON. The format is described in ``docs/records.md``.

::

    env = boxes_v0.env(players=5, record="matches.jsonl")  # every match is added to the file
    env.record                                             # the match so far
    for record in read_records("matches.jsonl"):
        check(record)                                      # RecordMismatchError if the rules differ
"""

from marriage_env.records.files import append_record, check_file, read_records, record_path, save_records
from marriage_env.records.playing import check, moments, record_of
from marriage_env.records.reading import from_json
from marriage_env.records.record import VERSION, Deal, Paid, Record, Step

__all__ = [
    "VERSION",
    "Deal",
    "Paid",
    "Record",
    "Step",
    "append_record",
    "check",
    "check_file",
    "from_json",
    "moments",
    "read_records",
    "record_of",
    "record_path",
    "save_records",
]
