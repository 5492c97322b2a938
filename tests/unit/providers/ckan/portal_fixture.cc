#include "portal_fixture.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "sluice/base/uri.h"
#include "sluice/json/reader.h"

#include "test_authority.h"

namespace sluice::ckan::testing {

namespace {

constexpr std::string_view kApi = "/api/3/action/";
constexpr int kDatasets = 250;

std::string decoded(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return percent_decode(text).value();
}

int number(const std::string& text, int usual) { return text.empty() ? usual : std::stoi(text); }

// One page of datasets, as package_search gives it.
std::string search_result(const Asked& asked) {
  json::Array results;
  const int start = number(asked["start"], 0);
  const int end = std::min(kDatasets, start + number(asked["rows"], 10));
  for (int i = start; i < end; ++i) {
    const std::string name = "dataset-" + std::to_string(i);
    results.push_back(json::Object{
        {"id", "id-" + std::to_string(i)},
        {"name", name},
        {"title", "Dataset " + std::to_string(i)},
        {"notes", "About it"},
        {"organization", json::Object{{"name", "regione-toscana"}, {"title", "Regione Toscana"}}},
        {"tags", json::Array{json::Object{{"name", "turismo"}}}},
        {"num_resources", 1},
        {"metadata_modified", "2024-01-15T15:30:00Z"}});
  }
  json::Object result{{"count", kDatasets}, {"results", std::move(results)}};
  if (!asked["facet.field"].empty()) {
    json::Object counts{{"health", 12}, {"data", 7}, {"turismo", 3}};
    json::Array items;
    for (const json::Member& each : counts)
      items.push_back(json::Object{{"name", each.key}, {"display_name", each.key}, {"count", each.value}});
    json::Object facets;
    json::Object search_facets;
    const json::Value fields = json::read(asked["facet.field"]).value();
    for (const json::Value& field : *fields.if_array()) {
      facets.set(*field.if_string(), counts);
      search_facets.set(*field.if_string(), json::Object{{"title", *field.if_string()}, {"items", items}});
    }
    result.set("facets", facets);
    result.set("search_facets", search_facets);
  }
  return json::to_text(result);
}

const std::set<std::string>& names_of(const std::string& action) {
  static const std::map<std::string, std::set<std::string>> kNames = {
      {"package_show", {"vaccini-covid", "example-dataset", "pkg-1", "test-id"}},
      {"resource_show", {"abc-123-def", "res-1"}},
      {"organization_show", {"regione-toscana", "example-org"}},
      {"group_show", {"governo", "environment"}},
      {"datastore_search", {"res-1", "res-ds-1"}}};
  static const std::set<std::string> kNone;
  const auto found = kNames.find(action);
  return found == kNames.end() ? kNone : found->second;
}

const std::map<std::string, std::string>& files_of_actions() {
  static const std::map<std::string, std::string> kFiles = {
      {"package_show", "package-show-success"},
      {"resource_show", "resource-show-success"},
      {"organization_show", "organization-show-success"},
      {"group_show", "group-show-success"},
      {"datastore_search", "datastore-search-success"},
      {"datastore_search_sql", "datastore-search-sql-success"},
      {"organization_list", "organization-list-success"},
      {"group_list", "group-list-success"},
      {"status_show", "status-success"}};
  return kFiles;
}

}  // namespace

std::string data_file(const std::string& name) {
  std::ifstream in(std::string(SLUICE_CKAN_DATA) + "/" + name);
  EXPECT_TRUE(in.good()) << name;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Asked asked_of(const SeenRequest& request) {
  Asked out;
  const std::size_t mark = request.target.find('?');
  const std::string path = request.target.substr(0, mark);
  const std::size_t slash = path.rfind('/');
  out.action = path.substr(slash + 1);
  std::stringstream query(mark == std::string::npos ? "" : request.target.substr(mark + 1));
  for (std::string pair; std::getline(query, pair, '&');) {
    const std::size_t equals = pair.find('=');
    out.parameters[decoded(pair.substr(0, equals))] =
        equals == std::string::npos ? "" : decoded(pair.substr(equals + 1));
  }
  return out;
}

std::string success(const std::string& result) {
  return R"({"help":"h","success":true,"result":)" + result + "}";
}

void reply_error(Answer& answer, int status, const std::string& type, const std::string& message) {
  answer.reply(status, {{"Content-Type", "application/json;charset=utf-8"}},
               json::to_text(json::Object{{"help", "h"},
                                          {"success", false},
                                          {"error", json::Object{{"__type", type}, {"message", message}}}}));
}

std::string way_name(const ::testing::TestParamInfo<Way>& info) {
  return std::string(info.param.is_https ? "Https" : "Http") + (info.param.is_v6 ? "V6" : "V4");
}

PortalFixture::PortalFixture(Way way)
    : way_(way),
      http_([this](const SeenRequest& request, Answer& answer) { handle(request, answer); },
            way.is_v6 ? "::1" : "127.0.0.1",
            way.is_https ? fetch::testing::TestAuthority::loopback() : fetch::testing::TlsFiles()) {}

std::string PortalFixture::ca_file() const {
  return way_.is_https ? fetch::testing::TestAuthority::shared().file() : "";
}

void PortalFixture::on(const std::string& action, Handler handler) {
  const std::lock_guard lock(mutex_);
  handlers_[action] = std::move(handler);
}

void PortalFixture::answer(const std::string& action, const std::string& result) {
  on(action, [result](const Asked&, const SeenRequest&, Answer& answer) { answer.json(success(result)); });
}

void PortalFixture::serve(const std::string& path, HttpFixture::Handler handler) {
  const std::lock_guard lock(mutex_);
  files_[path] = std::move(handler);
}

std::vector<Asked> PortalFixture::asked() const {
  std::vector<Asked> out;
  for (const SeenRequest& request : http_.seen()) {
    if (request.target.starts_with(kApi)) out.push_back(asked_of(request));
  }
  return out;
}

std::vector<Asked> PortalFixture::asked(const std::string& action) const {
  std::vector<Asked> out = asked();
  out.erase(std::remove_if(out.begin(), out.end(), [&](const Asked& each) { return each.action != action; }),
            out.end());
  return out;
}

void PortalFixture::handle(const SeenRequest& request, Answer& answer) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  Handler handler;
  HttpFixture::Handler file;
  const Asked asked = asked_of(request);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = handlers_.find(asked.action); found != handlers_.end() && path.starts_with(kApi))
      handler = found->second;
    if (const auto found = files_.find(path); found != files_.end()) file = found->second;
  }
  if (file) return file(request, answer);
  if (handler) return handler(asked, request, answer);
  if (path.starts_with(kApi)) return handle_usual(asked, answer);
  answer.reply(404, {{"Content-Type", "text/html"}}, "<html>no such page</html>");
}

void PortalFixture::handle_usual(const Asked& asked, Answer& answer) {
  if (asked.action == "package_search") return answer.json(success(search_result(asked)));
  const auto file = files_of_actions().find(asked.action);
  if (file == files_of_actions().end()) {
    answer.reply(404, {{"Content-Type", "application/json"}}, data_file("errors/not-found.json"));
    return;
  }
  const std::set<std::string>& names = names_of(asked.action);
  const std::string id = asked.action == "datastore_search" ? asked["resource_id"] : asked["id"];
  if (!names.empty() && !names.contains(id)) return reply_error(answer, 404, "Not Found Error", "Not found");
  answer.json(data_file("responses/" + file->second + ".json"));
}

}  // namespace sluice::ckan::testing
