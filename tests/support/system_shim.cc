// Loaded with LD_PRELOAD into the program under test: a resolver, routes and a limit of the test's own, where
// the system's would need privileges.
//
// SHIM_CONTROL=<port>  A UDP socket of the test on 127.0.0.1. Names that programs look up, and connections to
// the
//                      ports 80 and 443, are asked about there, one datagram each:
//                        resolve <name>            ->  <address> …  or  NXDOMAIN  or  SERVFAIL
//                        route <address> <port>    ->  <address in 127.0.0.0/8> <port>
//                      The program sees the address that it asked for, also as that of the peer.
// SHIM_INOTIFY_WATCHES=<count>  As if the system allowed no more watches.

#include <dlfcn.h>
#include <netdb.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace {

template <typename Function>
Function* system_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int system_connect(int file, const sockaddr* address, socklen_t size) {
  static auto* const kConnect = system_function<int(int, const sockaddr*, socklen_t)>("connect");
  return kConnect(file, address, size);
}

const char* control_port() { return std::getenv("SHIM_CONTROL"); }

// One question to the test, and its answer; empty if it gives none.
std::string ask(const std::string& question) {
  const int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return {};
  const timeval patience{.tv_sec = 30, .tv_usec = 0};
  setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in test{};
  test.sin_family = AF_INET;
  test.sin_port = htons(static_cast<std::uint16_t>(std::atoi(control_port())));
  test.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::array<char, 4096> answer{};
  ssize_t size = -1;
  if (system_connect(file, reinterpret_cast<const sockaddr*>(&test), sizeof test) == 0 &&
      send(file, question.data(), question.size(), 0) >= 0) {
    size = recv(file, answer.data(), answer.size(), 0);
  }
  close(file);
  return size > 0 ? std::string(answer.data(), static_cast<std::size_t>(size)) : std::string();
}

struct Target {
  std::string address;
  int port = 0;
};

Target target_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    return {.address = text.data(), .port = ntohs(v4->sin_port)};
  }
  if (address->sa_family != AF_INET6) return {};
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
  inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
  return {.address = text.data(), .port = ntohs(v6->sin6_port)};
}

// The peers that programs were told of, by descriptor. Stale ones are never asked for: connect comes first.
std::mutex peers_mutex;
std::map<int, sockaddr_storage>& peers() {
  static std::map<int, sockaddr_storage> all;
  return all;
}

int connect_to(int file, int family, const std::string& address, std::uint16_t port) {
  if (family == AF_INET) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    inet_pton(AF_INET, address.c_str(), &v4.sin_addr);
    return system_connect(file, reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  inet_pton(AF_INET6, ("::ffff:" + address).c_str(), &v6.sin6_addr);
  return system_connect(file, reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
}

}  // namespace

extern "C" {

int connect(int file, const sockaddr* address, socklen_t size) {
  const Target target = control_port() != nullptr ? target_of(address) : Target{};
  int type = 0;
  socklen_t type_size = sizeof type;
  getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &type_size);
  if (type != SOCK_STREAM || (target.port != 80 && target.port != 443)) {
    return system_connect(file, address, size);
  }
  std::istringstream route(ask("route " + target.address + " " + std::to_string(target.port)));
  std::string to;
  int port = 0;
  if (!(route >> to >> port)) {
    errno = ENETUNREACH;
    return -1;
  }
  {
    const std::scoped_lock lock(peers_mutex);
    std::memcpy(&peers()[file], address, std::min<std::size_t>(size, sizeof(sockaddr_storage)));
  }
  return connect_to(file, address->sa_family, to, static_cast<std::uint16_t>(port));
}

int getpeername(int file, sockaddr* address, socklen_t* size) {
  static auto* const kGetPeerName = system_function<int(int, sockaddr*, socklen_t*)>("getpeername");
  const socklen_t room = *size;
  const int result = kGetPeerName(file, address, size);
  if (result != 0 || control_port() == nullptr) return result;
  const Target real = target_of(address);
  const std::scoped_lock lock(peers_mutex);
  const auto told = peers().find(file);
  if (told == peers().end() || real.address.find("127.88.") == std::string::npos) return result;
  const socklen_t whole =
      told->second.ss_family == AF_INET ? sizeof(sockaddr_in) : static_cast<socklen_t>(sizeof(sockaddr_in6));
  std::memcpy(address, &told->second, std::min(room, whole));
  *size = whole;
  return 0;
}

int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  static auto* const kGetAddrInfo =
      system_function<int(const char*, const char*, const addrinfo*, addrinfo**)>("getaddrinfo");
  addrinfo numeric = hints != nullptr ? *hints : addrinfo{};
  numeric.ai_flags |= AI_NUMERICHOST;
  const bool is_number = name == nullptr || kGetAddrInfo(name, service, &numeric, found) == 0;
  if (is_number && name != nullptr) return 0;
  if (is_number || control_port() == nullptr) return kGetAddrInfo(name, service, hints, found);
  const std::string answer = ask(std::string("resolve ") + name);
  if (answer == "SERVFAIL") return EAI_AGAIN;
  if (answer.empty() || answer == "NXDOMAIN") return EAI_NONAME;
  numeric.ai_family = AF_UNSPEC;
  std::istringstream addresses(answer);
  addrinfo* first = nullptr;
  addrinfo** end = &first;
  for (std::string address; addresses >> address;) {
    if (kGetAddrInfo(address.c_str(), service, &numeric, end) != 0) continue;
    while (*end != nullptr) end = &(*end)->ai_next;
  }
  if (first == nullptr) return EAI_NONAME;
  *found = first;
  return 0;
}

int inotify_add_watch(int file, const char* path, std::uint32_t mask) {
  static auto* const kAdd = system_function<int(int, const char*, std::uint32_t)>("inotify_add_watch");
  static std::atomic<int> added{0};
  const char* limit = std::getenv("SHIM_INOTIFY_WATCHES");
  if (limit == nullptr) return kAdd(file, path, mask);
  if (added >= std::atoi(limit)) {
    errno = ENOSPC;
    return -1;
  }
  const int watch = kAdd(file, path, mask);
  if (watch >= 0) ++added;
  return watch;
}

}  // extern "C"
