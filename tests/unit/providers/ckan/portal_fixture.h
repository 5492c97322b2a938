#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sluice/json/value.h"

#include "compressed.h"
#include "http_fixture.h"

namespace sluice::ckan::testing {

using fetch::testing::Answer;
using fetch::testing::HttpFixture;
using fetch::testing::SeenRequest;

// A file of tests/data/ckan.
std::string data_file(const std::string& name);

// The parts of a request to an action.
struct Asked {
  std::string action;
  std::map<std::string, std::string> parameters;

  std::string operator[](const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string() : found->second;
  }
};
Asked asked_of(const SeenRequest& request);

// How a portal is reached.
struct Way {
  bool is_https = false;
  bool is_v6 = false;
};

// For tests of what holds whichever way a portal is reached: INSTANTIATE_TEST_SUITE_P(Each, Suite,
// each_way(), way_name).
class EachWay : public ::testing::TestWithParam<Way> {};
inline auto each_way() {
  return ::testing::Values(Way{}, Way{.is_v6 = true}, Way{.is_https = true},
                           Way{.is_https = true, .is_v6 = true});
}
std::string way_name(const ::testing::TestParamInfo<Way>& info);

// A portal on loopback that behaves as CKAN's action API does: 250 datasets, of which it knows a few by name,
// organizations, groups, tags and a DataStore. What a test sets for an action is answered instead.
class PortalFixture {
 public:
  using Handler = std::function<void(const Asked& asked, const SeenRequest& request, Answer& answer)>;

  explicit PortalFixture(Way way = {});

  std::string base() const { return http_.origin(); }
  std::string ca_file() const;  // Of who says that it is the one; "" where it speaks plainly.
  const HttpFixture& http() const { return http_; }
  void on(const std::string& action, Handler handler);
  // The body as the `result` of a success.
  void answer(const std::string& action, const std::string& result);
  // Anything that is no action: "/file.csv".
  void serve(const std::string& path, HttpFixture::Handler handler);

  std::vector<Asked> asked() const;  // All requests of actions so far.
  std::vector<Asked> asked(const std::string& action) const;
  std::size_t count(const std::string& action) const { return asked(action).size(); }

 private:
  void handle(const SeenRequest& request, Answer& answer);
  static void handle_usual(const Asked& asked, Answer& answer);

  const Way way_;
  mutable std::mutex mutex_;
  std::map<std::string, Handler> handlers_;            // Guarded.
  std::map<std::string, HttpFixture::Handler> files_;  // Guarded.
  HttpFixture http_;                                   // Last: its threads use the rest.
};

void reply_error(Answer& answer, int status, const std::string& type, const std::string& message);
std::string success(const std::string& result);

}  // namespace sluice::ckan::testing
