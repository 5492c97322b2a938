#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/catalog/provider.h"
#include "sluice/catalog/tool_rules.h"

namespace sluice::catalog {

struct GenerationOptions {
  // What the providers use and do not own; destroyed after them. May be null. Shared with nobody.
  std::shared_ptr<void> ground;
  ToolRules tools;  // Which tools of the providers are offered.
  // What the model is told about this generation, asked for by every client that connects. Any thread; does
  // not wait. Empty: the server's own instructions.
  std::function<std::string()> instructions;
};

// Providers that are offered together, with everything that they need, so that another such group can take
// their place. Whoever runs a call holds all of it, so that the call ends on what it began with.
// A provider that is held by others, too, tells nothing of changes once its generation is gone.
class Generation {
 public:
  explicit Generation(std::vector<std::shared_ptr<Provider>> providers, GenerationOptions options = {});

  const std::vector<std::shared_ptr<Provider>>& providers() const { return providers_; }
  const GenerationOptions& options() const { return options_; }
  // Attaches the providers, once. What they tell goes nowhere before `tell`.
  void attach();
  // From now on changes go to `sink`; null: to nobody. Waits for a call that is under way.
  void tell(ChangeSink* sink) { relay_.tell(sink); }

 private:
  class Relay final : public ChangeSink {
   public:
    void tell(ChangeSink* sink);
    void tools_changed() override;
    void prompts_changed() override;
    void resources_changed() override;
    void resource_updated(const std::string& uri) override;

   private:
    SharedMutex mutex_;
    ChangeSink* sink_ SLUICE_GUARDED_BY(mutex_) = nullptr;
  };

  Relay relay_;  // First: the others use it until they are gone.
  const GenerationOptions options_;
  const std::vector<std::shared_ptr<Provider>> providers_;
};

}  // namespace sluice::catalog
