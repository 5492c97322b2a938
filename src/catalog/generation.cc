#include "sluice/catalog/generation.h"

#include <utility>

#include "sluice/base/mutex.h"

namespace sluice::catalog {

Generation::Generation(std::vector<std::shared_ptr<Provider>> providers, GenerationOptions options)
    : options_(std::move(options)), providers_(std::move(providers)) {}

void Generation::attach() {
  for (const std::shared_ptr<Provider>& provider : providers_) provider->attach(relay_);
}

void Generation::Relay::tell(ChangeSink* sink) {
  const WriterLock lock(mutex_);
  sink_ = sink;
}

void Generation::Relay::tools_changed() {
  const ReaderLock lock(mutex_);
  if (sink_ != nullptr) sink_->tools_changed();
}

void Generation::Relay::prompts_changed() {
  const ReaderLock lock(mutex_);
  if (sink_ != nullptr) sink_->prompts_changed();
}

void Generation::Relay::resources_changed() {
  const ReaderLock lock(mutex_);
  if (sink_ != nullptr) sink_->resources_changed();
}

void Generation::Relay::resource_updated(const std::string& uri) {
  const ReaderLock lock(mutex_);
  if (sink_ != nullptr) sink_->resource_updated(uri);
}

}  // namespace sluice::catalog
