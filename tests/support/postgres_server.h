#pragma once

#include <sys/types.h>

#include <string>

namespace sluice::testing_support {

// A real PostgreSQL server on a free loopback port and a socket, with a database of its own in a folder that
// lives as long as it does. Root may not run one: then it runs as `nobody`. It throws what it cannot do.
class PostgresServer {
 public:
  // `version` is 15 or 18. `repository` is the root of the source tree, where .deps is.
  PostgresServer(int version, const std::string& repository);
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  static constexpr const char* kOwner = "owner";  // A superuser; the password is "owner-secret".

  int port() const { return port_; }
  std::string socket_folder() const { return folder_; }
  // postgres://role:password@127.0.0.1:port/postgres
  std::string url(const std::string& role, const std::string& password) const;

  // Runs SQL as the owner, by psql. Fails at the first error.
  void run(const std::string& sql) const;

  // From now on it takes TLS, too. Returns the path of its certificate, which is for the host `localhost`.
  std::string enable_tls() const;

  void start();  // Waits until it answers.
  void stop();
  void kill();  // As a crash would: SIGKILL to all of its processes.

 private:
  void make_data();
  void launch();
  std::string log() const { return folder_ + "/server.log"; }
  bool is_ready() const;

  std::string binaries_;
  std::string folder_;
  std::string data_;
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace sluice::testing_support
