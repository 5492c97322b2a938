#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::templates {

// One of `templates:`: a URI that the operator made up, and what it is read from.
struct TemplateSpec {
  std::string uri;
  std::string name;
  std::string description;
  std::string mime_type;
  std::string database;                 // Of `sql`, in which $1, $2, … stand for `parameters`.
  std::string sql;                      // Empty: it leads to the resource `target`, a template too.
  std::vector<std::string> parameters;  // Variables of the URI.
  bool is_single = false;
  std::uint64_t rows_max = 0;
  std::string target;
};

}  // namespace sluice::templates
