#include "answer/answer_cache.h"

#include <chrono>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/crypto/digest.h"

namespace sluice::datasets {

namespace {

constexpr std::size_t kEntriesMax = 1'000;
constexpr std::size_t kBytesMax = std::size_t{4} << 20U;  // Of 40 MB when idle.
constexpr std::size_t kAnswerBytesMax = std::size_t{64} << 10U;
constexpr std::chrono::minutes kLifetime{10};
// A file that is written twice within a tick of the file system's clock may look the same. One that has been
// left alone for many ticks looks different as soon as it is written.
constexpr std::chrono::milliseconds kSettled{100};

// Each part with its size, so that two lists of parts never give one text.
class KeyText {
 public:
  void add(std::string_view part) { text_ += fmt::format("{}:{}", part.size(), part); }
  void add_parameter(const engine::Parameter& parameter) {
    add(std::to_string(parameter.index()));
    std::visit([this](const auto& value) { add_value(value); }, parameter);
  }
  std::string digest() const { return base64url_encode(crypto::sha256(text_)); }

 private:
  void add_value(std::monostate) {}
  void add_value(bool value) { add(value ? "1" : "0"); }
  void add_value(std::int64_t value) { add(std::to_string(value)); }
  void add_value(double value) { add(fmt::format("{:a}", value)); }
  void add_value(const std::string& value) { add(value); }
  void add_value(const std::vector<std::string>& values) {
    add(std::to_string(values.size()));
    for (const std::string& value : values) add(value);
  }

  std::string text_;
};

// Whether a later version of the data could be told from this one.
bool is_settled(const query::Dataset::Identity& identity) {
  return !identity.version.empty() && identity.is_followed &&
         system_clock().wall() - identity.modified >= kSettled;
}

KeyText key_text(const query::Dataset::Identity& identity, const expression::Question& question) {
  KeyText key;
  key.add(identity.name);
  key.add(identity.version);
  key.add(identity.policy.text);
  key.add(question.guard.policy().text);
  key.add(question.sql);
  for (const engine::Parameter& parameter : question.parameters) key.add_parameter(parameter);
  key.add(fmt::format("{} {} {}", question.limit.has_value(), question.limit.value_or(0), question.offset));
  return key;
}

cache::Key shared_key(const std::string& text) { return {.scope = cache::Scope::shared(), .text = text}; }

}  // namespace

AnswerCache::AnswerCache(const Clock& clock)
    : answers_(clock, {.entries_max = kEntriesMax, .bytes_max = kBytesMax}),
      estimates_(clock, {.entries_max = kEntriesMax, .bytes_max = kBytesMax}) {}

std::string AnswerCache::key_of(const query::AnswerRequest& request) {
  const query::Dataset::Identity& identity = request.dataset->identity();
  if (!is_settled(identity) || request.format != query::Format::kJson) return "";
  const Budget& budget = request.budget;
  KeyText key = key_text(identity, request.question);
  key.add(fmt::format("{} {} {} {} {} {}", static_cast<int>(request.shape), static_cast<int>(request.digits),
                      budget.rows, budget.cells, budget.bytes, budget.tokens));
  for (const std::string& warning : request.question.warnings) key.add(warning);
  return key.digest();
}

std::string AnswerCache::key_of(const query::Dataset& dataset, const expression::Question& question) {
  return is_settled(dataset.identity()) ? key_text(dataset.identity(), question).digest() : "";
}

std::shared_ptr<const query::Estimate> AnswerCache::find_estimate(const std::string& key) {
  return key.empty() ? nullptr : estimates_.find(shared_key(key));
}

void AnswerCache::keep(const std::string& key, const query::Estimate& estimate) {
  if (key.empty()) return;
  estimates_.put(shared_key(key), {.value = estimate, .bytes = sizeof(estimate), .lifetime = kLifetime});
}

std::shared_ptr<const query::Answer> AnswerCache::find(const std::string& key,
                                                       const query::AnswerRequest& request) {
  if (key.empty()) return nullptr;
  std::shared_ptr<const query::Answer> found = answers_.find(shared_key(key));
  // The registry hears of a change a little later than it happens.
  if (found && !request.dataset->is_current()) return nullptr;
  return found;
}

void AnswerCache::keep(const std::string& key, const query::Answer& answer) {
  if (key.empty() || answer.snapshot || answer.rows.size() > kAnswerBytesMax) return;
  std::size_t bytes = sizeof(answer) + answer.rows.size();
  for (const engine::Field& column : answer.columns) bytes += sizeof(column) + column.name.size();
  for (const std::string& warning : answer.warnings) bytes += sizeof(std::string) + warning.size();
  answers_.put(shared_key(key), {.value = answer, .bytes = bytes, .lifetime = kLifetime});
}

}  // namespace sluice::datasets
