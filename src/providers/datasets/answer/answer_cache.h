#pragma once

#include <memory>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/cache/cache.h"
#include "sluice/query/answer.h"
#include "sluice/query/estimate.h"

namespace sluice::datasets {

// What is known of questions over a version of the data, for who asks the same again: small answers, and how
// large an answer is. Both are the same whoever asks: rows and numbers only, never a handle. Any thread.
class AnswerCache {
 public:
  explicit AnswerCache(const Clock& clock);  // `clock` must outlive it.

  // What stands for a question with its budget and shape over one version of a dataset. Empty: not to be
  // kept, because a later version could not be told from this one, or because the answer is a file.
  static std::string key_of(const query::AnswerRequest& request);

  // Null where there is none, or where the data is not what it was.
  std::shared_ptr<const query::Answer> find(const std::string& key, const query::AnswerRequest& request);
  void keep(const std::string& key, const query::Answer& answer);

  // The same for a question alone, whatever its budget and shape. Empty: not to be kept.
  static std::string key_of(const query::Dataset& dataset, const expression::Question& question);
  // What estimate_query has found is used by the query that follows.
  std::shared_ptr<const query::Estimate> find_estimate(const std::string& key);
  void keep(const std::string& key, const query::Estimate& estimate);

 private:
  cache::Cache<query::Answer> answers_;
  cache::Cache<query::Estimate> estimates_;
};

}  // namespace sluice::datasets
