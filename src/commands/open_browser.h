#pragma once

#include <string>
#include <thread>

namespace sluice::commands {

// Opens a page in the browser of whoever started this program, without the address in the arguments of a
// process, which others can read: the browser gets the name of a private file that leads to the page. The
// file is removed with this, or after two minutes.
class BrowserPage {
 public:
  // False: no browser could be started.
  bool open(const std::string& url);

 private:
  std::jthread holder_;  // Of the file.
};

}  // namespace sluice::commands
