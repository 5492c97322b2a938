#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fs/file.h"
#include "sluice/inspection/byte_stream.h"

namespace sluice::query {

// What of a JSON file is read as a table. A document that is one object with exactly one array of objects
// among its members, such as `features` in GeoJSON and `results` in answers of APIs, holds two: the elements
// of that array, and the object without it.
enum class JsonPart : std::uint8_t { kWhole, kRows, kRest };

// Where in such a document its rows stand. Bytes of the content, from its beginning.
struct JsonRows {
  std::uint64_t begin = 0;  // The array, with its brackets.
  std::uint64_t end = 0;
  std::uint64_t member_begin = 0;  // The array with its key and one comma: without it the rest is an object.
  std::uint64_t member_end = 0;
  bool has_rest = false;  // The object has other members.
};

// Finds them as the bytes of a file are fed. Does not check that a document is valid JSON. One thread at a
// time.
class JsonRowsScan {
 public:
  // False if it is known that the document is none of these; nothing more needs to be fed then.
  bool feed(std::string_view piece);
  // After the last byte.
  std::optional<JsonRows> finish() const;
  // Before the last byte: what is known so far of an array that has begun.
  std::optional<JsonRows> so_far() const;
  // Where the object begins, behind a byte order mark and blanks.
  std::uint64_t object_begin() const { return object_begin_; }

 private:
  enum class Expects : std::uint8_t { kKey, kColon, kValue, kComma };

  bool take(char c);
  bool take_outside(char c);
  bool take_member(char c);
  void close();

  std::uint64_t offset_ = 0;
  std::uint64_t object_begin_ = 0;
  std::size_t depth_ = 0;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
  bool is_over_ = false;   // The object has ended.
  bool is_other_ = false;  // The document is none of these.
  Expects expects_ = Expects::kKey;
  std::uint64_t member_begin_ = 0;  // Of the member that is read: its comma, or its key if it is the first.
  std::uint64_t members_ = 0;
  bool is_in_array_ = false;       // In a member that is an array.
  bool has_objects_only_ = false;  // So far.
  bool has_elements_ = false;
  bool expects_element_ = false;
  JsonRows open_;            // The array that is read.
  std::uint64_t found_ = 0;  // Arrays of objects that have ended.
  JsonRows rows_;            // The first of them.
};

// What a file is by its first megabytes: kWhole, or kRows if it seems to be such a document.
struct JsonShape {
  JsonPart part = JsonPart::kWhole;
  bool has_rest = false;
};
JsonShape shape_of_json(const fs::File& file, inspection::Compression compression,
                        const std::string& encoding);

// How many rows such a document seems to have, by its beginning.
std::optional<std::uint64_t> estimate_json_rows(const inspection::Beginning& beginning,
                                                std::uint64_t file_bytes);

// An error of reading JSON lines, with the number of the first line that is not JSON, if there is one: the
// engine counts neither blank lines nor from 1. Reads the file.
Error with_bad_json_line(Error error, const fs::File& file, inspection::Compression compression,
                         const inspection::ReadLimits& limits);

}  // namespace sluice::query
