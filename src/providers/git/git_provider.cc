#include "sluice/git/git_provider.h"

#include <algorithm>
#include <optional>
#include <stop_token>
#include <utility>

#include "sluice/base/background_thread.h"
#include "sluice/base/limits.h"
#include "sluice/base/mutex.h"
#include "sluice/contents/completion.h"
#include "sluice/contents/read_room.h"
#include "sluice/contents/resource_path.h"

#include "answer.h"
#include "completion.h"
#include "git_uri.h"
#include "offers.h"
#include "served_repository.h"

namespace sluice::git {

namespace {

using Repositories = std::vector<std::unique_ptr<ServedRepository>>;

class GitProvider final : public catalog::Provider,
                          public catalog::ResourceProvider,
                          public catalog::CompletionProvider {
 public:
  explicit GitProvider(Repositories repositories)
      : Provider({.name = "git"}),
        naming_(repositories.size() > 1 ? Naming::kSeveral : Naming::kOne),
        repositories_(std::move(repositories)) {}

  catalog::ResourceProvider* resources() override { return this; }
  catalog::CompletionProvider* completions() override { return this; }

  void attach(catalog::ChangeSink& sink) override {
    for (const auto& repository : repositories_)
      repository->start_telling([&sink](const std::string& uri) { sink.resource_updated(uri); });
    follower_ = BackgroundThread("git-watch", [this](const std::stop_token& stop) { follow(stop); });
  }

  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    std::vector<protocol::Resource> out;
    for (const auto& repository : repositories_) {
      for (protocol::Resource& resource :
           resources_of(repository->prefix(), repository->name(), repository->place().is_bare)) {
        if (out.size() < query.limit && resource.uri > query.after) out.push_back(std::move(resource));
      }
    }
    return out;
  }

  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override {
    std::vector<protocol::ResourceTemplate> out;
    for (protocol::ResourceTemplate& made : templates_of(naming_)) {
      if (out.size() < query.limit && made.uri_template > query.after) out.push_back(std::move(made));
    }
    return out;
  }

  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    const std::optional<GitUri> asked = parse_uri(uri, naming_);
    const ServedRepository* repository = asked ? find(asked->repository) : nullptr;
    if (repository == nullptr || !repository->is_safe()) return protocol::resource_not_found(uri.text());
    return answer(repository->place(),
                  {.asked = *asked,
                   .uri = contents::plain_uri(uri),
                   .prefix = repository->prefix(),
                   .room = contents::read_room(context),
                   .ttl = repository->ttl()},
                  context);
  }

  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context& context) override {
    if (request.argument == "repo") {
      std::vector<std::string> names;
      for (const auto& repository : repositories_) names.push_back(repository->name());
      return contents::complete_among(std::move(names), request.typed);
    }
    const auto value = [&](std::string_view argument) {
      const auto found = request.resolved.find(argument);
      return found == request.resolved.end() ? std::string() : found->second;
    };
    const ServedRepository* repository = find(value("repo"));
    if (repository == nullptr || !repository->is_safe()) return protocol::Completion{};
    const Place& place = repository->place();
    const std::string ref = value("ref");
    Result<protocol::Completion> completed = protocol::Completion{};
    if (request.argument == "ref") completed = complete_ref(place, request.typed, context);
    if (request.argument == "path")
      completed = complete_path(place, ref.empty() ? "HEAD" : ref, request.typed, context);
    if (request.argument == "id") completed = complete_commit(place, request.typed, context);
    if (request.argument == "range") completed = complete_range(place, request.typed, context);
    if (request.argument == "format") completed = contents::complete_among({"json"}, request.typed);
    // Nothing can be completed where nothing is found.
    return completed.ok() ? std::move(completed) : protocol::Completion{.values = {}, .total = 0};
  }

  bool owns(const ResourceUri& uri) const override { return uri.scheme() == "git"; }

  void watch(const ResourceUri& uri) override {
    const std::optional<GitUri> asked = parse_uri(uri, naming_);
    ServedRepository* repository = asked ? find(asked->repository) : nullptr;
    if (repository == nullptr) return;
    repository->watch(uri, asked->subject);
    wake();
  }
  void unwatch(const ResourceUri& uri) override {
    const std::optional<GitUri> asked = parse_uri(uri, naming_);
    ServedRepository* repository = asked ? find(asked->repository) : nullptr;
    if (repository == nullptr) return;
    repository->unwatch(uri);
    wake();
  }

 private:
  // Null where there is none of that name; the only one has none in URIs.
  ServedRepository* find(std::string_view name) const {
    if (naming_ == Naming::kOne) return repositories_.front().get();
    const auto found = std::find_if(repositories_.begin(), repositories_.end(),
                                    [&](const auto& repository) { return repository->name() == name; });
    return found == repositories_.end() ? nullptr : found->get();
  }

  // Watchers are started and stopped by this thread alone: a subscription may end within the call that tells
  // of a change, which is on the thread of a watcher. A watcher holds on to the folder it was given; what
  // stands at its place is seen by looking.
  void follow(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      {
        const MutexLock lock(wake_mutex_);
        woken_.wait_for(wake_mutex_, stop, kWatchPollInterval,
                        [&]() SLUICE_REQUIRES(wake_mutex_) { return is_woken_; });
        is_woken_ = false;
      }
      for (const auto& repository : repositories_) {
        if (stop.stop_requested()) return;
        repository->follow();
      }
    }
  }

  void wake() {
    {
      const MutexLock lock(wake_mutex_);
      is_woken_ = true;
    }
    woken_.notify_one();
  }

  const Naming naming_;
  const Repositories repositories_;  // In order of URI.
  Mutex wake_mutex_;
  CondVar woken_;
  bool is_woken_ SLUICE_GUARDED_BY(wake_mutex_) = false;
  BackgroundThread follower_;  // Last: it ends before the rest goes.
};

}  // namespace

Result<std::shared_ptr<catalog::Provider>> make_git_provider(
    const std::vector<RepositorySpec>& repositories) {
  const Naming naming = repositories.size() > 1 ? Naming::kSeveral : Naming::kOne;
  Repositories opened;
  for (const RepositorySpec& spec : repositories) {
    SLUICE_TRY(std::unique_ptr<ServedRepository> repository, ServedRepository::open(spec, naming));
    opened.push_back(std::move(repository));
  }
  std::sort(opened.begin(), opened.end(),
            [](const auto& a, const auto& b) { return a->prefix() < b->prefix(); });
  return std::make_shared<GitProvider>(std::move(opened));
}

}  // namespace sluice::git
