#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace bench {

// A server that this program starts and talks to over its standard input and output.
class Child {
 public:
  // `command` ends with a null pointer. A `cpu` below zero leaves the choice to the system.
  Child(char* const* command, int cpu);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  // Closes its input and waits for it to end; after a while it is killed.

  pid_t pid() const { return pid_; }
  int output() const { return output_; }  // To wait on, beside other files.
  void write(std::string_view bytes) const;
  // Appends what arrives; waits until something does.
  void read(std::string& into) const;

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace bench
