#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <curl/curl.h>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"

#include "transfer.h"

namespace sluice::fetch {

// A handle of libcurl with the connections that it keeps open. One thread at a time.
class Line {
 public:
  Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // Until the answer is whole, the transfer refuses to go on, `deadline` has come or a stop is requested.
  Status run(Transfer& transfer, Monotonic deadline);

  const std::string& last_origin() const { return last_origin_; }

 private:
  struct CloseEasy {
    void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
  };
  struct CloseMulti {
    void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, FreeList>;
  static void append(List& list, const std::string& text);

  bool renew_handle();  // To what a new one is, with our buffer. False: there is no memory.
  void set_options(Transfer& transfer);
  void set_address_rules(Transfer& transfer);
  void set_message(const Transfer& transfer);
  Status wait_for_end(Transfer& transfer, Monotonic deadline);

  std::unique_ptr<CURLM, CloseMulti> multi_;  // Outlives the handle: it has its connections.
  std::unique_ptr<CURL, CloseEasy> easy_;
  List headers_;
  List hosts_;
  std::string last_origin_;
};

}  // namespace sluice::fetch
