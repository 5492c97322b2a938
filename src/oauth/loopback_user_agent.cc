#include "sluice/oauth/loopback_user_agent.h"

#include <optional>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/fetch/url.h"

#include "loopback_listener.h"

namespace sluice::oauth {

namespace {

// The `state` of an authorization URL: what the answer has to bring back.
std::string state_of(const std::string& url) {
  const Result<fetch::Url> parsed = fetch::Url::parse(url);
  const std::string query = parsed.ok() ? "&" + parsed->query().value_or("") : std::string();
  constexpr std::string_view kMark = "&state=";
  const std::size_t at = query.rfind(kMark);  // Ours is behind those that the endpoint itself has.
  if (at == std::string::npos) return {};
  const std::size_t start = at + kMark.size();
  return query.substr(start, query.find('&', start) - start);
}

class LoopbackUserAgent final : public UserAgent {
 public:
  explicit LoopbackUserAgent(LoopbackOptions options) : options_(std::move(options)) {}

  Result<std::string> redirect_uri() override {
    listener_.reset();
    SLUICE_TRY(LoopbackListener listener, options_.port != 0 ? LoopbackListener::open(options_.port)
                                                             : LoopbackListener::open_near(port_));
    port_ = listener.port();
    listener_.emplace(std::move(listener));
    return listener_->redirect_uri();
  }

  Result<std::string> authorize(const std::string& url, std::stop_token stop) override {
    // Moved out: whatever happens, the port is closed at the end, and is used once.
    std::optional<LoopbackListener> listener = std::exchange(listener_, std::nullopt);
    const std::string state = state_of(url);
    if (!listener || state.empty())
      return internal_error("wait for the user: not prepared").with_code("user_agent_failed");
    const Monotonic deadline = system_clock().now() + options_.timeout;
    SLUICE_CHECK(options_.open(url));
    SLUICE_TRY(const std::string query, listener->wait(state, deadline, stop));
    return listener->redirect_uri() + "?" + query;
  }

 private:
  const LoopbackOptions options_;
  std::optional<LoopbackListener> listener_;
  std::uint16_t port_ =
      0;  // Of the last time: a client that is registered with it need not be registered again.
};

}  // namespace

Result<std::unique_ptr<UserAgent>> make_loopback_user_agent(LoopbackOptions options) {
  if (!options.open)
    return invalid_input("a user agent needs a way to show a page").with_code("invalid_oauth_options");
  return std::unique_ptr<UserAgent>(std::make_unique<LoopbackUserAgent>(std::move(options)));
}

}  // namespace sluice::oauth
