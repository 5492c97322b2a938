#include "open_browser.h"

#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "sluice/fs/private_folder.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX says that programs declare it.

namespace sluice::commands {

namespace {

constexpr std::chrono::minutes kFileLifetime{2};

bool run(const std::string& program, const std::string& argument) {
  std::string name = program;
  std::string first = argument;
  char* const arguments[] = {name.data(), first.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, name.c_str(), nullptr, nullptr, arguments, environ) != 0) return false;
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The page that leads to the other one. The address has no character that HTML would need escaped.
std::string forwarding_page(const std::string& url) {
  return "<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer><title>Sluice</title>"
         "<meta http-equiv=refresh content=\"0; url=" +
         url + "\"><a href=\"" + url + "\">Open the console</a>\n";
}

}  // namespace

bool BrowserPage::open(const std::string& url) {
  Result<fs::PrivateFolder> folder = fs::PrivateFolder::make_temporary("sluice-ui");
  if (!folder.ok()) return false;
  {
    Result<fs::FileWriter> file = folder->create("console.html");
    if (!file.ok() || !file->write(forwarding_page(url)).ok()) return false;
  }
  if (!run("xdg-open", folder->path() + "/console.html")) return false;
  holder_ = std::jthread(
      [held = std::make_shared<fs::PrivateFolder>(*std::move(folder))](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        ended.wait_for(lock, stop, kFileLifetime, [] { return false; });
      });
  return true;
}

}  // namespace sluice::commands
