#include "sluice/crypto/signing_key.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "sluice/base/base64.h"
#include "sluice/crypto/verification_key.h"

#include "openssl_bytes.h"
#include "openssl_handles.h"

namespace sluice::crypto {

namespace {

constexpr int kCoordinateBytes = 32;
constexpr int kRsaBitsMin = 2048;
constexpr int kRsaBitsMax = 16'384;  // Signing takes the cube of it.
constexpr std::size_t kPemBytesMax = 64 * 1024;

std::string text_of(const BIGNUM* number, int bytes) {
  std::string out(static_cast<std::size_t>(bytes), '\0');
  if (BN_bn2binpad(number, bytes_of(out), bytes) != bytes) std::abort();
  return out;
}

// A public number of a key, base64url. `bytes` 0: as few as it takes.
std::string member(const EVP_PKEY* key, const char* name, int bytes) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &raw) != 1) std::abort();
  const Number number(raw);
  return base64url_encode(text_of(number.get(), bytes > 0 ? bytes : BN_num_bytes(number.get())));
}

// No passphrase is ever asked for: a prompt would hang a server.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) { return -1; }

std::optional<SignatureAlgorithm> algorithm_of(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA") == 1) {
    const int bits = EVP_PKEY_get_bits(key);
    if (bits < kRsaBitsMin || bits > kRsaBitsMax) return std::nullopt;
    return SignatureAlgorithm::kRs256;
  }
  std::string group(64, '\0');
  std::size_t length = 0;
  if (EVP_PKEY_is_a(key, "EC") != 1 ||
      EVP_PKEY_get_group_name(key, group.data(), group.size(), &length) != 1) {
    return std::nullopt;
  }
  group.resize(length);
  if (group != "prime256v1" && group != "P-256") return std::nullopt;
  return SignatureAlgorithm::kEs256;
}

// JOSE writes the two numbers side by side; OpenSSL makes a DER sequence of them.
std::string flat_signature(std::string_view der) {
  const unsigned char* at = bytes_of(der);
  const EcdsaSignature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (!signature) std::abort();
  return text_of(ECDSA_SIG_get0_r(signature.get()), kCoordinateBytes) +
         text_of(ECDSA_SIG_get0_s(signature.get()), kCoordinateBytes);
}

}  // namespace

struct SigningKey::Handle {
  Key key;
};

std::string_view to_string(SignatureAlgorithm algorithm) {
  switch (algorithm) {
    case SignatureAlgorithm::kEs256:
      return "ES256";
    case SignatureAlgorithm::kRs256:
      return "RS256";
  }
  std::abort();  // The switch names every case.
}

SigningKey::SigningKey(std::shared_ptr<const Handle> handle, SignatureAlgorithm algorithm)
    : handle_(std::move(handle)), algorithm_(algorithm) {}

SigningKey SigningKey::generate_es256() {
  Key key(EVP_EC_gen("P-256"));
  if (!key) std::abort();  // As without random bytes: nothing we sign would be safe.
  return {std::make_shared<const Handle>(Handle{std::move(key)}), SignatureAlgorithm::kEs256};
}

Result<SigningKey> SigningKey::from_pem(std::string_view pem) {
  const auto refused = [] {
    ERR_clear_error();
    return invalid_input("the private key is neither P-256 nor RSA of at least 2048 bits, as PEM")
        .with_code("invalid_key")
        .with_hint(
            "A key without a passphrase is made by: openssl genpkey -algorithm EC -pkeyopt "
            "ec_paramgen_curve:P-256");
  };
  if (pem.size() > kPemBytesMax) return refused();
  const Bio input(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(PEM_read_bio_PrivateKey(input.get(), nullptr, no_passphrase, nullptr));
  if (!key) return refused();
  const std::optional<SignatureAlgorithm> algorithm = algorithm_of(key.get());
  if (!algorithm) return refused();
  return SigningKey(std::make_shared<const Handle>(Handle{std::move(key)}), *algorithm);
}

std::string SigningKey::sign(std::string_view bytes) const {
  const DigestContext context(EVP_MD_CTX_new());
  EVP_PKEY* key = handle_->key.get();
  std::size_t length = 0;
  if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &length, bytes_of(bytes), bytes.size()) != 1) {
    std::abort();
  }
  std::string signature(length, '\0');
  if (EVP_DigestSign(context.get(), bytes_of(signature), &length, bytes_of(bytes), bytes.size()) != 1)
    std::abort();
  signature.resize(length);
  return algorithm_ == SignatureAlgorithm::kEs256 ? flat_signature(signature) : signature;
}

std::string SigningKey::public_jwk() const {
  const EVP_PKEY* key = handle_->key.get();
  if (algorithm_ == SignatureAlgorithm::kRs256) {
    return R"({"e":")" + member(key, OSSL_PKEY_PARAM_RSA_E, 0) + R"(","kty":"RSA","n":")" +
           member(key, OSSL_PKEY_PARAM_RSA_N, 0) + R"("})";
  }
  return R"({"crv":"P-256","kty":"EC","x":")" + member(key, OSSL_PKEY_PARAM_EC_PUB_X, kCoordinateBytes) +
         R"(","y":")" + member(key, OSSL_PKEY_PARAM_EC_PUB_Y, kCoordinateBytes) + R"("})";
}

std::string SigningKey::to_pem() const {
  const Bio output(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PKCS8PrivateKey(output.get(), handle_->key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) != 1) {
    std::abort();
  }
  char* data = nullptr;
  const long length = BIO_get_mem_data(output.get(), &data);
  return {data, static_cast<std::size_t>(length)};
}

bool verify_es256(std::string_view public_jwk_x, std::string_view public_jwk_y, std::string_view bytes,
                  std::string_view signature) {
  const std::optional<std::string> x = base64url_decode(public_jwk_x);
  const std::optional<std::string> y = base64url_decode(public_jwk_y);
  if (!x || !y) return false;
  const Result<VerificationKey> key = VerificationKey::ec({.curve = EcCurve::kP256, .x = *x, .y = *y});
  return key.ok() && key->verify(JwsAlgorithm::kEs256, bytes, signature);
}

}  // namespace sluice::crypto
