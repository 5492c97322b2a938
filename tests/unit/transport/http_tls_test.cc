#include <sys/socket.h>
#include <sys/time.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "sluice/transport/http_server.h"

#include "exchange_inbox.h"
#include "tcp_client.h"

namespace sluice::transport {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

template <auto kFree>
struct Free {
  void operator()(auto* handle) const noexcept { kFree(handle); }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Free<SSL_free>>;
using File = std::unique_ptr<std::FILE, Free<std::fclose>>;

// A folder with a self-signed certificate for localhost, its key, and a key that does not belong to it.
class TlsFolder {
 public:
  TlsFolder() : path_(std::filesystem::temp_directory_path() / unique_name()) {
    std::filesystem::create_directory(path_);
    const Key key = make_key("key.pem");
    make_key("other.pem");
    const Certificate certificate(X509_new());
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"),
                               -1, -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    const File file(std::fopen(in("cert.pem").c_str(), "w"));
    PEM_write_X509(file.get(), certificate.get());
  }
  TlsFolder(const TlsFolder&) = delete;
  TlsFolder& operator=(const TlsFolder&) = delete;
  ~TlsFolder() { std::filesystem::remove_all(path_); }

  std::string in(const std::string& name) const { return (path_ / name).string(); }
  TlsFiles files() const { return {.certificate_chain = in("cert.pem"), .private_key = in("key.pem")}; }

 private:
  static std::string unique_name() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return "sluice_tls_" + std::to_string(::getpid()) + "_" + test->name();
  }
  Key make_key(const std::string& name) const {
    Key key(EVP_EC_gen("P-256"));
    const File file(std::fopen(in(name).c_str(), "w"));
    PEM_write_PrivateKey(file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return key;
  }

  std::filesystem::path path_;
};

// A client that trusts everybody: the test knows whom it talks to.
class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port, int version = 0)
      : client_(TcpClient::connect(port)),
        context_(SSL_CTX_new(TLS_client_method())),
        session_(SSL_new(context_.get())) {
    const timeval patience{.tv_sec = kPatience.count(), .tv_usec = 0};
    ::setsockopt(client_.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (version != 0) {
      SSL_set_security_level(session_.get(), 0);
      SSL_set_min_proto_version(session_.get(), version);
      SSL_set_max_proto_version(session_.get(), version);
    }
    SSL_set_fd(session_.get(), client_.descriptor());
    connected_ = SSL_connect(session_.get()) == 1;
  }

  bool connected() const { return connected_; }
  std::string version() const { return SSL_get_version(session_.get()); }
  void send(const std::string& text) {
    SSL_write(session_.get(), text.data(), static_cast<int>(text.size()));
  }
  std::string read_until(const std::string& end) {
    std::string text;
    std::string piece(65536, '\0');
    while (text.find(end) == std::string::npos) {
      const int got = SSL_read(session_.get(), piece.data(), static_cast<int>(piece.size()));
      if (got <= 0) break;
      text.append(piece, 0, static_cast<std::size_t>(got));
    }
    return text;
  }
  // The server has said goodbye rather than vanished.
  bool ended_properly() {
    char byte = 0;
    const int got = SSL_read(session_.get(), &byte, 1);
    return got <= 0 && SSL_get_error(session_.get(), got) == SSL_ERROR_ZERO_RETURN;
  }
  TcpClient& socket() { return client_; }

 private:
  TcpClient client_;
  Context context_;
  Session session_;
  bool connected_ = false;
};

TEST(HttpTls, CarriesJsonAndStreams) {
  const TlsFolder folder;
  ExchangeInbox inbox;
  const auto server = start_server({.tls = folder.files()}, inbox.receiver());
  TlsClient client(server->port());
  ASSERT_TRUE(client.connected());
  EXPECT_EQ(client.version(), "TLSv1.3");
  const std::string large(2'000'000, 'x');
  client.send(post(large));
  auto exchange = inbox.next();
  EXPECT_EQ(exchange->inbound().body.size(), large.size());
  exchange->finish({.message = large + "end"});
  EXPECT_THAT(client.read_until("end").size(), ::testing::Gt(large.size()));

  client.send(post("{}"));
  exchange = inbox.next();
  EXPECT_TRUE(exchange->send({.message = "[1]"}));
  EXPECT_THAT(client.read_until("data: [1]\n\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  exchange->finish({.message = "[2]"});
  EXPECT_THAT(client.read_until("\r\n0\r\n\r\n"), HasSubstr("data: [2]\n\n"));
}

TEST(HttpTls, SaysGoodbye) {
  const TlsFolder folder;
  const auto server = start_server({.tls = folder.files()}, echo());
  TlsClient client(server->port());
  client.send(post("{}", "Connection: close\r\n"));
  EXPECT_THAT(client.read_until("{}"), HasSubstr("200 OK"));
  EXPECT_TRUE(client.ended_properly());
}

TEST(HttpTls, NoticesThatTheClientIsGone) {
  const TlsFolder folder;
  ExchangeInbox inbox;
  const auto server = start_server({.tls = folder.files()}, inbox.receiver());
  TlsClient client(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  client.socket().close();
  EXPECT_TRUE(wait_for_stop(exchange->gone()));
}

TEST(HttpTls, SpeaksNothingOlderThan12) {
  const TlsFolder folder;
  const auto server = start_server({.tls = folder.files()}, echo());
  EXPECT_TRUE(TlsClient(server->port(), TLS1_2_VERSION).connected());
  EXPECT_FALSE(TlsClient(server->port(), TLS1_1_VERSION).connected());
}

TEST(HttpTls, DropsAHandshakeThatTakesTooLong) {
  const TlsFolder folder;
  const auto server = start_server({.tls = folder.files(), .header_timeout = milliseconds(50)}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send("\x16\x03\x01");
  EXPECT_THAT(client.read_all(), IsEmpty());
}

TEST(HttpTls, DropsAClientThatSpeaksPlainHttp) {
  const TlsFolder folder;
  const auto server = start_server({.tls = folder.files()}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/healthz"));
  client.read_all();
  EXPECT_TRUE(TlsClient(server->port()).connected());
}

TEST(HttpTls, StopsInTheMiddleOfAHandshake) {
  const TlsFolder folder;
  const auto server = start_server({.tls = folder.files()}, echo());
  TcpClient client = TcpClient::connect(server->port());
  server->stop(std::chrono::hours(1));
  client.read_all();
}

TEST(HttpTls, StopsWithoutWaitingForIdleClients) {
  const TlsFolder folder;
  const auto server = start_server({.tls = folder.files()}, echo());
  TlsClient client(server->port());
  client.send(post("{}"));
  EXPECT_THAT(client.read_until("{}"), HasSubstr("200 OK"));
  server->stop(std::chrono::hours(1));
  EXPECT_TRUE(client.ended_properly());
}

TEST(HttpTls, ARefusalReachesAClientThatIsStillSending) {
  const TlsFolder folder;
  const auto server = start_server({.tls = folder.files(), .message_bytes_max = 1000}, echo());
  TlsClient client(server->port());
  client.send(post(std::string(600'000, 'x')));
  EXPECT_THAT(client.read_until("}}"), HasSubstr(" 413 "));
}

TEST(HttpTls, NamesTheFileThatDoesNotLoad) {
  const TlsFolder folder;
  const auto message = [](TlsFiles files) {
    return HttpServer::start({.tls = files}, echo()).error().message;
  };
  std::string text =
      message({.certificate_chain = folder.in("missing.pem"), .private_key = folder.in("key.pem")});
  EXPECT_THAT(text, StartsWith("load the TLS certificate chain ("));
  EXPECT_THAT(text, HasSubstr(folder.in("missing.pem")));
  text = message({.certificate_chain = folder.in("cert.pem"), .private_key = folder.in("cert.pem")});
  EXPECT_THAT(text, StartsWith("load the TLS private key ("));
  text = message({.certificate_chain = folder.in("cert.pem"), .private_key = folder.in("other.pem")});
  EXPECT_THAT(text, HasSubstr(folder.in("other.pem")));
  std::ofstream(folder.in("broken.pem")) << "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  text = message({.certificate_chain = folder.in("broken.pem"), .private_key = folder.in("key.pem")});
  EXPECT_THAT(text, StartsWith("load the TLS certificate chain ("));
}

}  // namespace
}  // namespace sluice::transport
