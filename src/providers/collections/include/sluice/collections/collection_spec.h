#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/query/dataset.h"

namespace sluice::collections {

// What the operator says about a set of files.
struct CollectionSpec {
  std::string preset;           // The preset that it is based on; empty: none.
  std::string name;             // Unique in the program.
  std::string scheme = "data";  // Of its URIs.
  std::string description;
  std::string folder;  // Absolute, or relative to where the program runs.
  std::string
      file;  // In `folder`: only this one, whose dataset has the collection's name. Empty: all that fit.

  // "{year}_{source_type}.csv", "{region}/{month}.parquet": which files belong to it, and what their names
  // say. A dimension is everything up to the next literal, at least one character and no slash. Without an
  // ending that this program reads, files with any of them fit. Empty: every file beneath the folder.
  std::string pattern;
  std::vector<std::string> subfolders;  // Files in these count as if they stood in the folder itself.
  std::vector<query::Dimension>
      dimensions;  // What is known of the pattern's names. Others are text; integers are written plainly.
  std::string name_prefix;  // Before the name of every dataset: "sales/".

  std::string encoding;                      // Of files of text: "windows-1251". Empty: each tells.
  std::map<std::string, std::string> types;  // As in query::Collection, and so on.
  std::vector<query::Role> roles;
  std::vector<query::RepeatedTotal> repeated_totals;
  std::vector<query::Ratio> ratios;
  std::string unit;
  std::string overall_suffix;
  std::vector<query::Summary> summaries;
  query::Entity entity;
  std::vector<query::Topic> topics;
};

// A collection that is known by name; its folder is still to be said.
Result<CollectionSpec> preset(std::string_view name);

// Whether pattern, scheme, dimensions and types can be used. Does not look at the disk.
Status validate(const CollectionSpec& spec);

// "data/sales/{region}/{month}.parquet" → "data/sales" and "{region}/{month}.parquet". Without a dimension
// everything is the folder.
struct FolderAndPattern {
  std::string folder;
  std::string pattern;
};
FolderAndPattern split_at_pattern(std::string_view path);

}  // namespace sluice::collections
