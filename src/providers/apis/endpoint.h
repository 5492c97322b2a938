#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/apis/api_spec.h"
#include "sluice/base/result.h"
#include "sluice/fetch/url.h"

namespace sluice::apis {

using Values = std::map<std::string, std::string, std::less<>>;  // By the name of the parameter.

// An endpoint whose specification has been checked. A value that a caller gives becomes a part of one segment
// of the path, or of one value of the query, and nothing else.
class Endpoint {
 public:
  static Result<Endpoint> compile(const std::string& api, const fetch::Url& base, const EndpointSpec& spec);

  const EndpointSpec& spec() const { return spec_; }
  const std::vector<std::string>& path_parameters() const { return path_parameters_; }
  const std::vector<std::string>& query_parameters() const { return query_parameters_; }
  bool has_parameters() const { return !path_parameters_.empty() || !query_parameters_.empty(); }
  bool needs_parameters() const;

  std::string uri() const { return uri_; }  // "api://v1/status", without parameters.
  std::string uri_template() const;
  std::string uri_of(const Values& values) const;
  const ParameterSpec* find_parameter(std::string_view name) const;

  // What is to be asked for. kNotFound for a value that can be none; missing_parameter.
  Result<fetch::Url> bind(const Values& values) const;
  // The values that make this endpoint ask for `url`, where the path is as with `values`. Nothing where there
  // are none.
  std::optional<Values> match(const fetch::Url& url, const Values& values) const;

 private:
  struct Piece {
    std::string text;  // Of the URL, or the parameter's name.
    bool is_parameter = false;
  };
  struct QueryItem {
    std::string key;
    Piece value;
  };

  Status compile_path();
  Status compile_query();
  Status check_parameters() const;
  Result<std::string> path_of(const Values& values) const;
  bool allows(const std::string& parameter, const std::string& value) const;

  EndpointSpec spec_;
  fetch::Url base_;
  std::string uri_;
  std::vector<Piece> path_;
  std::vector<QueryItem> query_;
  std::vector<std::string> path_parameters_;
  std::vector<std::string> query_parameters_;
};

// Letters, digits, '-', '_' and '.', and not only dots.
bool is_plain_name(std::string_view name);

// Why a specification is not taken: invalid_api.
Error invalid_api(std::string_view what);

}  // namespace sluice::apis
