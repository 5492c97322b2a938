#include "sluice/crypto/verification_key.h"

#include <array>
#include <cstdlib>
#include <utility>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include "sluice/crypto/digest.h"

#include "openssl_bytes.h"
#include "openssl_handles.h"

namespace sluice::crypto {
namespace {

constexpr int kVerifiedRsaBitsMin = 2048;
constexpr int kVerifiedRsaBitsMax = 8192;
constexpr int kRsaExponentBitsMax = 64;  // Verifying takes time in proportion to it.
constexpr std::size_t kP256Bytes = 32;
constexpr std::size_t kP384Bytes = 48;
constexpr std::size_t kEd25519Bytes = 32;

struct NamedAlgorithm {
  JwsAlgorithm algorithm;
  std::string_view name;
};
constexpr std::array kAlgorithms = {
    NamedAlgorithm{JwsAlgorithm::kRs256, "RS256"}, NamedAlgorithm{JwsAlgorithm::kRs384, "RS384"},
    NamedAlgorithm{JwsAlgorithm::kRs512, "RS512"}, NamedAlgorithm{JwsAlgorithm::kPs256, "PS256"},
    NamedAlgorithm{JwsAlgorithm::kPs384, "PS384"}, NamedAlgorithm{JwsAlgorithm::kPs512, "PS512"},
    NamedAlgorithm{JwsAlgorithm::kEs256, "ES256"}, NamedAlgorithm{JwsAlgorithm::kEs384, "ES384"},
    NamedAlgorithm{JwsAlgorithm::kEdDsa, "EdDSA"}};

// Null: the algorithm takes the message itself, and no digest is chosen.
const EVP_MD* digest_of(JwsAlgorithm algorithm) {
  switch (algorithm) {
    case JwsAlgorithm::kRs256:
    case JwsAlgorithm::kPs256:
    case JwsAlgorithm::kEs256:
      return EVP_sha256();
    case JwsAlgorithm::kRs384:
    case JwsAlgorithm::kPs384:
    case JwsAlgorithm::kEs384:
      return EVP_sha384();
    case JwsAlgorithm::kRs512:
    case JwsAlgorithm::kPs512:
      return EVP_sha512();
    case JwsAlgorithm::kEdDsa:
      return nullptr;
  }
  std::abort();  // The switch names every case.
}

bool is_pss(JwsAlgorithm algorithm) {
  return algorithm == JwsAlgorithm::kPs256 || algorithm == JwsAlgorithm::kPs384 ||
         algorithm == JwsAlgorithm::kPs512;
}

Error refused_key(std::string_view why) {
  ERR_clear_error();
  return invalid_input(why).with_code("invalid_key");
}

Key key_from(const char* type, OSSL_PARAM* params) {
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params) != 1) {
    return nullptr;
  }
  return Key(key);
}

Number number_of(std::string_view bytes) {
  return Number(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

// JOSE writes the two numbers side by side; OpenSSL reads a DER sequence of them.
std::optional<std::string> der_signature(std::string_view flat, std::size_t coordinate_bytes) {
  if (flat.size() != 2 * coordinate_bytes) return std::nullopt;
  const EcdsaSignature signature(ECDSA_SIG_new());
  Number r = number_of(flat.substr(0, coordinate_bytes));
  Number s = number_of(flat.substr(coordinate_bytes));
  if (ECDSA_SIG_set0(signature.get(), r.release(), s.release()) != 1) return std::nullopt;
  unsigned char* out = nullptr;
  const int length = i2d_ECDSA_SIG(signature.get(), &out);
  if (length <= 0) return std::nullopt;
  std::string der(reinterpret_cast<const char*>(out), static_cast<std::size_t>(length));
  OPENSSL_free(out);
  return der;
}

bool is_verified(EVP_PKEY* key, JwsAlgorithm algorithm, std::string_view bytes, std::string_view signature) {
  const DigestContext context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;  // Owned by the context.
  if (EVP_DigestVerifyInit(context.get(), &options, digest_of(algorithm), nullptr, key) != 1) return false;
  if (is_pss(algorithm) && (EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) != 1 ||
                            EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) != 1)) {
    return false;
  }
  return EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(bytes),
                          bytes.size()) == 1;
}

}  // namespace

struct VerificationKey::Handle {
  Key key;
};

std::optional<JwsAlgorithm> parse_jws_algorithm(std::string_view name) {
  for (const NamedAlgorithm& each : kAlgorithms) {
    if (each.name == name) return each.algorithm;
  }
  return std::nullopt;
}

std::string_view to_string(JwsAlgorithm algorithm) {
  for (const NamedAlgorithm& each : kAlgorithms) {
    if (each.algorithm == algorithm) return each.name;
  }
  std::abort();  // The table names every algorithm.
}

VerificationKey::VerificationKey(std::shared_ptr<const Handle> handle, Type type, std::string fingerprint)
    : handle_(std::move(handle)), type_(type), fingerprint_(std::move(fingerprint)) {}

Result<VerificationKey> VerificationKey::rsa(const RsaNumbers& numbers) {
  constexpr std::size_t kModulusBytesMax = kVerifiedRsaBitsMax / 8;
  if (numbers.modulus.empty() || numbers.modulus.size() > kModulusBytesMax || numbers.exponent.empty() ||
      numbers.exponent.size() > kModulusBytesMax) {
    return refused_key("the numbers of an RSA key are missing or too long");
  }
  const Number modulus = number_of(numbers.modulus);
  const Number exponent = number_of(numbers.exponent);
  const int bits = BN_num_bits(modulus.get());
  if (bits < kVerifiedRsaBitsMin) return refused_key("an RSA key needs 2048 bits or more");
  if (BN_is_odd(modulus.get()) == 0 || BN_is_odd(exponent.get()) == 0 || BN_is_one(exponent.get()) == 1 ||
      BN_num_bits(exponent.get()) > kRsaExponentBitsMax) {
    return refused_key("the numbers of an RSA key are not those of one");
  }
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get());
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  Key key = key_from("RSA", params.get());
  if (!key) return refused_key("the numbers of an RSA key are not those of one");
  std::string text("rsa");
  text.append(numbers.modulus).push_back('\0');
  text.append(numbers.exponent);
  return VerificationKey(std::make_shared<const Handle>(Handle{std::move(key)}), Type::kRsa, sha256(text));
}

Result<VerificationKey> VerificationKey::ec(const EcPoint& point) {
  const bool is_p256 = point.curve == EcCurve::kP256;
  const std::size_t bytes = is_p256 ? kP256Bytes : kP384Bytes;
  if (point.x.size() != bytes || point.y.size() != bytes)
    return refused_key("the coordinates of a key do not have the length of its curve");
  std::string encoded("\x04");  // Both coordinates follow.
  encoded.append(point.x).append(point.y);
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, is_p256 ? "P-256" : "P-384", 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, encoded.data(), encoded.size());
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  Key key = key_from("EC", params.get());
  if (!key) return refused_key("the coordinates of a key are not a point of its curve");
  return VerificationKey(std::make_shared<const Handle>(Handle{std::move(key)}),
                         is_p256 ? Type::kP256 : Type::kP384, sha256("ec" + encoded));
}

Result<VerificationKey> VerificationKey::ed25519(std::string_view point) {
  if (point.size() != kEd25519Bytes) return refused_key("an Ed25519 key has 32 bytes");
  Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(point), point.size()));
  if (!key) return refused_key("an Ed25519 key has 32 bytes");
  return VerificationKey(std::make_shared<const Handle>(Handle{std::move(key)}), Type::kEd25519,
                         sha256("ed25519" + std::string(point)));
}

bool VerificationKey::fits(JwsAlgorithm algorithm) const {
  switch (algorithm) {
    case JwsAlgorithm::kRs256:
    case JwsAlgorithm::kRs384:
    case JwsAlgorithm::kRs512:
    case JwsAlgorithm::kPs256:
    case JwsAlgorithm::kPs384:
    case JwsAlgorithm::kPs512:
      return type_ == Type::kRsa;
    case JwsAlgorithm::kEs256:
      return type_ == Type::kP256;
    case JwsAlgorithm::kEs384:
      return type_ == Type::kP384;
    case JwsAlgorithm::kEdDsa:
      return type_ == Type::kEd25519;
  }
  std::abort();  // The switch names every case.
}

bool VerificationKey::verify(JwsAlgorithm algorithm, std::string_view bytes,
                             std::string_view signature) const {
  if (!fits(algorithm) || signature.empty()) return false;
  std::optional<std::string> der;
  if (type_ == Type::kP256 || type_ == Type::kP384) {
    der = der_signature(signature, type_ == Type::kP256 ? kP256Bytes : kP384Bytes);
    if (!der) return false;
    signature = *der;
  }
  const bool is_good = is_verified(handle_->key.get(), algorithm, bytes, signature);
  ERR_clear_error();
  return is_good;
}

}  // namespace sluice::crypto
