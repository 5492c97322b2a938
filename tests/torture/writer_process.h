#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::records::testing {

// An operation that a writer has spoken of.
struct Spoken {
  std::string kind;  // "add", "update", "delete".
  std::string id;
  std::string value;
  std::string audit_id;  // "" until it was acknowledged.
};

// A running record_writer and what it says.
class WriterProcess {
 public:
  WriterProcess(const std::string& folder, unsigned seed, int operations,
                std::optional<unsigned> kill_step = {});
  WriterProcess(const WriterProcess&) = delete;
  WriterProcess& operator=(const WriterProcess&) = delete;
  ~WriterProcess();

  void wait_until_ready();
  void listen_for(std::chrono::microseconds time);  // Or until it ends.
  void kill();
  // Waits for its end; whether it ended by itself, without an error.
  bool wait();

  // What it said, complete once it has ended. All but the last one are acknowledged.
  const std::vector<Spoken>& spoken() const { return spoken_; }

 private:
  bool read_some();

  pid_t process_ = -1;
  int pipe_ = -1;
  std::string text_;
  bool is_ready_ = false;
  std::vector<Spoken> spoken_;
};

}  // namespace sluice::records::testing
