#include "sluice/console/console.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/exchange.h"

#include "assets.h"
#include "sign_in.h"

namespace sluice::console {

namespace {

using protocol::Exchange;
using protocol::Final;
using protocol::HttpHead;
using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kPostBytesMax = 4'096;
constexpr std::string_view kBearer = "Bearer ";

// The pages load what this server sends, talk to this server, and are in no frame.
const Headers& page_headers() {
  static const Headers headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src "
       "'self'; "
       "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
       "trusted-types sluice-svg"},
      {"X-Frame-Options", "DENY"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Permissions-Policy",
       "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), "
       "microphone=(), midi=(), payment=(), usb=(), clipboard-write=(self)"}};
  return headers;
}

Final answer(int status, std::string body = {}, std::string_view type = "text/plain; charset=utf-8") {
  Final out{.status = status, .message = std::move(body)};
  out.headers = page_headers();
  out.content_type = type;
  return out;
}

Final json_answer(int status, json::Writer&& body) {
  Final out = answer(status, std::move(body).take(), "application/json");
  out.headers.emplace_back("Cache-Control", "no-store");
  return out;
}

Final nothing_here() { return answer(404, "There is nothing at this path\n"); }

// One body for every reason, so that nobody learns which keys there were.
Final wrong_key() {
  json::Writer out;
  out.begin_object().field("error", "the key is not valid").end_object();
  return json_answer(403, std::move(out));
}

// "gzip", "gzip;q=0.5", "*"; not "gzip;q=0".
bool accepts_gzip(std::string_view field) {
  while (!field.empty()) {
    const std::string_view item = trim_spaces(field.substr(0, field.find(',')));
    field.remove_prefix(std::min(
        field.find(',') == std::string_view::npos ? field.size() : field.find(',') + 1, field.size()));
    const std::string_view coding = trim_spaces(item.substr(0, item.find(';')));
    if (!equal_ignoring_case(coding, "gzip") && coding != "*") continue;
    const std::size_t weight = item.find("q=");
    return weight == std::string_view::npos ||
           item.substr(weight + 2).find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

std::string bearer_of(std::string_view authorization) {
  if (!equal_ignoring_case(authorization.substr(0, kBearer.size()), kBearer)) return {};
  return std::string(trim_spaces(authorization.substr(kBearer.size())));
}

// Knows the tokens of the console.
class ConsoleGate final : public catalog::Gate {
 public:
  ConsoleGate(std::shared_ptr<SignInBook> book, std::shared_ptr<catalog::Gate> other)
      : book_(std::move(book)), other_(std::move(other)) {}

  void authenticate(const catalog::Credentials& credentials, AdmissionDone done) override {
    const std::string token = bearer_of(credentials.authorization);
    if (!SignInBook::is_token(token)) return other_->authenticate(credentials, std::move(done));
    // Without a lease nobody remembers the decision: signing out takes effect with the next request.
    if (book_->knows(token)) return done(Admitted{.principal = local_principal()});
    done(Refusal{.error = unauthenticated("the console's session has ended")
                              .with_code("unauthenticated")
                              .with_hint("Sign in again with a new link."),
                 .challenge = "Bearer"});
  }
  bool limits_operations() const override { return other_->limits_operations(); }
  std::optional<Refusal> allow(const catalog::Caller& caller,
                               const std::vector<catalog::Operation>& operations) override {
    return other_->allow(caller, operations);
  }

 private:
  const std::shared_ptr<SignInBook> book_;      // Shared with the console.
  const std::shared_ptr<catalog::Gate> other_;  // Shared with the server.
};

class ConsolePages final : public Console {
 public:
  ConsolePages(ConsoleOptions options, std::shared_ptr<catalog::Gate> gate)
      : options_(std::move(options)),
        book_(std::make_shared<SignInBook>(*options_.clock, options_.idle)),
        gate_(std::make_shared<ConsoleGate>(book_, std::move(gate))),
        index_(index_page(options_.mcp_path)) {}

  std::vector<transport::HttpRoute> routes() override {
    const auto receiver = [this](const std::shared_ptr<Exchange>& exchange) {
      exchange->finish(respond(exchange->inbound()));
    };
    const auto is_open = [](const HttpHead&) { return true; };
    return {
        {.path = options_.path, .methods = {"GET"}, .receiver = receiver, .is_open = is_open},
        {.path = options_.path + "/", .methods = {"GET", "POST"}, .receiver = receiver, .is_open = is_open}};
  }
  std::shared_ptr<catalog::Gate> gate() override { return gate_; }
  std::string sign_in_path() override { return options_.path + "/#key=" + book_->new_key(); }

 private:
  static std::string index_page(std::string_view mcp_path) {
    std::string page(find_asset("index.html")->plain);
    std::string escaped;  // A path of the configuration may have any character.
    for (const char c : mcp_path)
      escaped += c == '"' ? "&quot;" : c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
    constexpr std::string_view kMark = "{{mcp}}";
    return page.replace(page.find(kMark), kMark.size(), escaped);
  }

  Final respond(const protocol::Inbound& inbound) {
    const HttpHead& head = *inbound.http;
    std::string_view path = head.target;
    path = path.substr(0, path.find('?'));
    if (path == options_.path) {
      Final out = answer(308);
      out.headers.emplace_back("Location", options_.path + "/");
      return out;
    }
    path.remove_prefix(options_.path.size() + 1);
    if (head.method == "POST") return post(path, inbound);
    if (path.empty()) return send_index();
    constexpr std::string_view kAssets = "assets/";
    const Asset* asset = path.starts_with(kAssets) ? find_asset(path.substr(kAssets.size())) : nullptr;
    if (asset == nullptr || asset->name == "index.html") return nothing_here();
    return send_asset(head, *asset);
  }

  Final send_index() const {
    Final out = answer(200, index_, "text/html; charset=utf-8");
    out.headers.emplace_back("Cache-Control", "no-cache");
    return out;
  }

  static Final send_asset(const HttpHead& head, const Asset& asset) {
    const bool is_gzip = accepts_gzip(head.field("accept-encoding"));
    const std::string tag = fmt::format("\"{}{}\"", asset.hash, is_gzip ? "-gzip" : "");
    const bool is_known = head.field("if-none-match").find(tag) != std::string::npos;
    Final out =
        is_known ? answer(304) : answer(200, std::string(is_gzip ? asset.gzip : asset.plain), asset.type);
    out.headers.emplace_back("ETag", tag);
    out.headers.emplace_back("Vary", "Accept-Encoding");
    out.headers.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
    if (is_gzip && !is_known) out.headers.emplace_back("Content-Encoding", "gzip");
    return out;
  }

  // Whether a page of the console sends it: a browser names the page's origin, and no page can change that.
  bool is_from_own_page(const HttpHead& head) const {
    const std::string own = (options_.is_https ? "https://" : "http://") + head.field("host");
    const std::string site = head.field("sec-fetch-site");
    return equal_ignoring_case(head.field("origin"), own) && (site.empty() || site == "same-origin");
  }

  Final post(std::string_view path, const protocol::Inbound& inbound) {
    const HttpHead& head = *inbound.http;
    if (path != "sign-in" && path != "sign-out") return nothing_here();
    if (!is_from_own_page(head)) return answer(403, "Only the console's own pages may do this\n");
    if (inbound.body.size() > kPostBytesMax) return answer(413, "The body of the request is too large\n");
    if (path == "sign-in") return sign_in(inbound);
    book_->sign_out(bearer_of(head.authorization.value_or("")));
    return json_answer(200, std::move(json::Writer().begin_object().end_object()));
  }

  Final sign_in(const protocol::Inbound& inbound) {
    const Result<json::Value> body = json::read(inbound.body);
    const json::Value* key = body.ok() && body->if_object() != nullptr ? body->find("key") : nullptr;
    if (key == nullptr || key->if_string() == nullptr) return wrong_key();
    const std::optional<std::string> token = book_->redeem(*key->if_string());
    if (!token) {
      log::warning("console.sign_in_refused", {{"peer", inbound.peer}});
      return wrong_key();
    }
    log::info("console.signed_in", {{"peer", inbound.peer}});
    json::Writer out;
    out.begin_object();
    out.field("token", *token);
    out.field("idle_s", static_cast<std::int64_t>(options_.idle.count()));
    out.field("principal", local_principal().id);
    out.end_object();
    return json_answer(200, std::move(out));
  }

  const ConsoleOptions options_;
  const std::shared_ptr<SignInBook> book_;   // Shared with the gate.
  const std::shared_ptr<ConsoleGate> gate_;  // Shared with the server.
  const std::string index_;
};

}  // namespace

std::shared_ptr<Console> Console::create(ConsoleOptions options, std::shared_ptr<catalog::Gate> gate) {
  return std::make_shared<ConsolePages>(std::move(options), std::move(gate));
}

}  // namespace sluice::console
