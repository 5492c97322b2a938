#pragma once

#include <memory>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/cache/cache.h"
#include "sluice/query/answer.h"

namespace sluice::datasets {

// Small answers, for who asks the same of the same version of the data again. They are the same whoever asks:
// rows only, never a handle. Any thread.
class AnswerCache {
 public:
  explicit AnswerCache(const Clock& clock);  // `clock` must outlive it.

  // What stands for a question with its budget and shape over one version of a dataset. Empty: not to be
  // kept, because a later version could not be told from this one, or because the answer is a file.
  static std::string key_of(const query::AnswerRequest& request);

  // Null where there is none, or where the data is not what it was.
  std::shared_ptr<const query::Answer> find(const std::string& key, const query::AnswerRequest& request);
  void keep(const std::string& key, const query::Answer& answer);

 private:
  cache::Cache<query::Answer> answers_;
};

}  // namespace sluice::datasets
