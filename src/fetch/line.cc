#include "line.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/assert.h"
#include "sluice/base/limits.h"
#include "sluice/fetch/certificates.h"

#include "curl_callbacks.h"
#include "curl_error.h"

namespace sluice::fetch {

namespace {

constexpr long kReadBytes = 128L * 1024;  // At once: files are large, and each read has its price.
constexpr std::chrono::milliseconds kPollMax{1'000};
constexpr long kConnectionsKept = 4;

// Setting an option fails for one that the library does not know, which the build decides, not the input.
template <typename Value>
void set(CURL* easy, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  SLUICE_ASSERT(code == CURLE_OK, "the library that this program is built with knows the option");
}

void start_library() {
  static const CURLcode kStarted = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)kStarted;
}

std::string header_line(const std::string& name, const std::string& value) {
  return value.empty() ? name + ";" : name + ": " + value;  // How the library is told to send an empty one.
}

}  // namespace

Line::Line() {
  start_library();
  multi_.reset(curl_multi_init());
  easy_.reset(curl_easy_init());
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kConnectionsKept);
}

void Line::append(List& list, const std::string& text) {
  curl_slist* whole = curl_slist_append(list.get(), text.c_str());
  if (!list) list.reset(whole);  // Else it begins where it did.
}

void Line::set_address_rules(Transfer& transfer) {
  CURL* easy = easy_.get();
  const Policy& policy = transfer.parts().policy;
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_OPENSOCKETFUNCTION, &on_open_socket);
  set(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  set(easy, CURLOPT_PREREQFUNCTION, &on_before_request);
  set(easy, CURLOPT_PREREQDATA, &transfer);
  set(easy, CURLOPT_PROXY, policy.proxy.c_str());  // "" also turns off what the environment says.
  set(easy, CURLOPT_NOPROXY, "");
  set(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  set(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!policy.ca_file.empty()) {
    set(easy, CURLOPT_CAINFO, policy.ca_file.c_str());
    set<const char*>(easy, CURLOPT_CAPATH, nullptr);
  } else if (const Result<Certificates>& found = system_certificates(); found.ok()) {
    set<const char*>(easy, CURLOPT_CAINFO, found->file.empty() ? nullptr : found->file.c_str());
    set<const char*>(easy, CURLOPT_CAPATH, found->folder.empty() ? nullptr : found->folder.c_str());
  }
  hosts_.reset();
  const Url& url = transfer.parts().url;
  if (const auto known = policy.hosts.find(url.host()); known != policy.hosts.end()) {
    std::string entry = fmt::format("{}:{}:", url.host(), url.port());
    for (std::size_t i = 0; i < known->second.size(); ++i) entry += (i == 0 ? "" : ",") + known->second[i];
    append(hosts_, entry);
    set(easy, CURLOPT_RESOLVE, hosts_.get());
  }
}

void Line::set_message(const Transfer& transfer) {
  CURL* easy = easy_.get();
  const Request& request = transfer.parts().request;
  set(easy, CURLOPT_URL, transfer.parts().url.text().c_str());
  set(easy, CURLOPT_PATH_AS_IS, 1L);
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (request.decompress) set(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate, br");
  if (!request.body.empty() || request.method == "POST") {
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(easy, CURLOPT_POSTFIELDS, request.body.data());
  }
  if (request.method == "HEAD") {
    set(easy, CURLOPT_NOBODY, 1L);
  } else {
    set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  headers_.reset();
  append(headers_, "Expect:");
  for (const auto& [name, value] : transfer.parts().headers) append(headers_, header_line(name, value));
  set(easy, CURLOPT_HTTPHEADER, headers_.get());
}

// A handle whose last transfer ended before it had a connection still has a buffer, and takes no other size:
// then another handle takes its place. Connections are the multi handle's.
bool Line::renew_handle() {
  curl_easy_reset(easy_.get());
  if (curl_easy_setopt(easy_.get(), CURLOPT_BUFFERSIZE, kReadBytes) == CURLE_OK) return true;
  easy_.reset(curl_easy_init());
  return easy_ && curl_easy_setopt(easy_.get(), CURLOPT_BUFFERSIZE, kReadBytes) == CURLE_OK;
}

void Line::set_options(Transfer& transfer) {
  CURL* easy = easy_.get();
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_QUICK_EXIT, 1L);  // Whoever cancels does not wait for the resolver.
  set(easy, CURLOPT_CONNECTTIMEOUT_MS,
      std::max<long>(1, static_cast<long>(transfer.parts().request.limits.connect.count())));
  set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(easy, CURLOPT_HEADERFUNCTION, &on_header);
  set(easy, CURLOPT_HEADERDATA, &transfer);
  set(easy, CURLOPT_WRITEFUNCTION, &on_body);
  set(easy, CURLOPT_WRITEDATA, &transfer);
  set(easy, CURLOPT_NOPROGRESS, 0L);
  set(easy, CURLOPT_XFERINFOFUNCTION, &on_progress);
  set(easy, CURLOPT_XFERINFODATA, &transfer);
  set_address_rules(transfer);
  set_message(transfer);
}

Status Line::run(Transfer& transfer, Monotonic deadline) {
  if (!multi_ || !easy_ || !renew_handle()) return internal_error("no memory for a connection");
  last_origin_ = transfer.parts().url.origin();
  set_options(transfer);
  if (curl_multi_add_handle(multi_.get(), easy_.get()) != CURLM_OK) return internal_error("start a transfer");
  Status ended;
  {
    const std::stop_callback wake(transfer.parts().request.stop, [this] { curl_multi_wakeup(multi_.get()); });
    ended = wait_for_end(transfer, deadline);
  }
  // A transfer that is not over loses its connection here; one that is leaves it to the next.
  curl_multi_remove_handle(multi_.get(), easy_.get());
  if (transfer.had_enough()) return {};
  if (transfer.failure()) return *transfer.failure();
  return ended;
}

Status Line::wait_for_end(Transfer& transfer, Monotonic deadline) {
  const Request& request = transfer.parts().request;
  const Url& url = transfer.parts().url;
  const Clock& clock = transfer.parts().clock;
  const Monotonic connect_by = clock.now() + request.limits.connect;
  while (true) {
    int running = 0;
    if (curl_multi_perform(multi_.get(), &running) != CURLM_OK)
      return internal_error("go on with a transfer");
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      if (message->data.result == CURLE_OK) return {};
      return error_of(message->data.result, url);
    }
    if (request.stop.stop_requested()) return cancelled();
    const Monotonic now = clock.now();
    if (transfer.end_by() && now >= *transfer.end_by()) return {};
    if (now >= deadline) return timed_out(url, "the answer took too long");
    if (!transfer.is_connected() && now >= connect_by) return timed_out(url, "connecting took too long");
    const Monotonic idle_by = transfer.last_activity() + request.limits.idle;
    if (transfer.is_connected() && now >= idle_by) return timed_out(url, "nothing came for too long");
    Monotonic next = std::min(deadline, transfer.is_connected() ? idle_by : connect_by);
    if (transfer.end_by()) next = std::min(next, *transfer.end_by());
    const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(next - now);
    const auto bounded = std::clamp<std::chrono::milliseconds>(wait, std::chrono::milliseconds(1), kPollMax);
    curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(bounded.count()), nullptr);
  }
}

}  // namespace sluice::fetch
