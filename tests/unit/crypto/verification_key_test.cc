#include "sluice/crypto/verification_key.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/base/base64.h"
#include "sluice/crypto/signing_key.h"

namespace sluice::crypto {
namespace {

// Keys and signatures of Node's crypto module.
constexpr std::string_view kSigned = "what was signed";
constexpr std::string_view kRsaModulus =
    "l5jxlVZTvTFYxjkrG5AKcvwoTSZ7DiKCyHm-LvhEFj3l1oUPJzShBsZGXDMuvMsfeOc5F61LqFb_IzCHxiuQTfmd463YQDEU26bZ"
    "4BReqPZxNUb2AnKRw4s4ltmPQQ7W89DQVwstJfcrkbS47g540C1s329JkFiEhCho3dGvxMSiq7L3HEMf2AzutkOGQSJTFOPcDzgb"
    "QVZlgrBf8Tb1F6FzuWZjT2Rn5ytbzdoCd12sNrwxfnkhCbPYLlnImNS3YY0GjqesynaccLCSlxztlCxemh9L_Z7Jt4-k6w55dH-I"
    "NevoE9PS50yioDM8gB8k4E6rxjrrzNAviZNOZyaGDQ";
constexpr std::string_view kP256X = "gkQrHAOkdnGpyK8R_xwsCd3DTPIvVqbms3J4LWxl38M";
constexpr std::string_view kP256Y = "nt1UC_B08YAoG7CIG5j9GpbzJyllSgX5oNQpmKk2IDo";
constexpr std::string_view kP384X = "yejPqn9JhKMnzPgv2XKoxug1ZPJoC_NzSwEeBvtv4yifaKV-5INcAeNzVVhJaNRU";
constexpr std::string_view kP384Y = "hVFpfo3XFNHYGCa34g16vI38PNjD9g4sTZYAKehXUsWmK15GZEOFH_CP_-IR15ki";
constexpr std::string_view kEd25519Point = "wLcoiZhi6EHIEyYTiHI5L5aHD2ZXjXRws8sEhUII8ng";

struct Signed {
  JwsAlgorithm algorithm;
  std::string_view signature;
};
const std::array kSignatures = {
    Signed{
        JwsAlgorithm::kRs256,
        "HFh883Mc-H9HpvtXQr1LJGBEfxdNo0zDPRm5ncZaAkVsNDL6sWgf0p98Tq_GFmBbuhFH4W4bIRJy5R7TWl0e8awBnkE3NgkI5Eo9"
        "CBfTNmj3r_bCxvICx7zmub3sucGlFlFIIaTyHJMBaasWx6yLLPPHvR95OgFlwJOvV-4QblMuNfPe3pIXKOV8tLTbiI3wk8QuxygN"
        "r5Jt6gMPltKcp0MtoZkFrTY1at8p7Ac62bA4LTxZ7IJnGC9r3JbTuNoVScmAtCgKFgYwDqm-L3ToTwCbyNFGDkTF8IBY7SmG7l4V"
        "zCdHafL4inkoPS71BiU8C2RyVX8f3_OFvLB9Bk5G-Q"},
    Signed{
        JwsAlgorithm::kRs384,
        "KjqW5isoAx7YZ2MK-ZTjcQwkuf92Lflhx7luwRwOqq32V2QdwELGJW5KUB4-oPhUxXTlQEgXT8x-hBHhxhZMmaGqduoWyLN89kQh"
        "K1IT7myy2ouzTo5w4LyXxrLd-SrA82lL3dsMtF9u-VColBnVMV67oQURcOo7Bk6-HWfzk0vU4FHbUCxTYtHoTTCew1WWUzdwwYN_"
        "E0oi4Lw4Jn-IZ-1Z3pE298BdkRbqtobdXb67aLJDd_TkC66RSok-2HhCbloH1_yFUp4YjQV61L0PxPrhIvp_wsUqbY89I_vqgpul"
        "30ahFZOI3Rl_wyKISabBvGDuTF4cKohrhcoR4lUY_A"},
    Signed{
        JwsAlgorithm::kRs512,
        "VjNcGySjORbaERR360Uawi7EUelIOlWYaxeNlm8veDYXSyZurVEI1o9wBxu9OQPYOozct91gMBfALbTIJhqqzkGKB-9F0DQOFg60"
        "mkQevOyJCPG3PlDAgKCC5ltakHDb_AFffEs5iqrKjlXSMIQsunBjnYZqqzwMsNJ_LbtYOYWXMnmQQkuU6KhTD1gXn7l5L0joGWnC"
        "n0nPydo_zaaYV2221KXdgLFzw0Khv4FnHsFKkv_YO4-Vf2QXtvUhzQ2IfZ1I8WwCSofKWEWrfH5SiQHtSjGGtduyER1gTVZew01k"
        "PnsbpXpF8dSgVAMBqLSvCp1nkMtp5jkoCL8AjEj6bA"},
    Signed{
        JwsAlgorithm::kPs256,
        "AGr-vpBS_RgCwOp7Bi2ShUb2EHxy-Qkj2QW_acIgo3FQ2Z1KzVy0CKhBQ5qSe7mB4Qi7jiaBTv-X4UZ0_AUA2sZiPSXjp3Pz9gjb"
        "rtrpp0D2AAV7FRHZp7Jkpdykd-t9Ldc6anQjiSslD5WiE1f6dR-Rr4VH8t_mTdom7e_K1pYZGjqgWoAxDw6V73ZtY1My6rrhK9we"
        "NmAaGyqPZUSo0H3NcbsNkRPYttrcsciJ7l-U_thFQ6ehL0WByDJ0MXkqmnAzIVxvqBeKzM09Q1aU2L_Gkeno8tdoEoTKbjgOmNXf"
        "mUP58O0hvoXNBjumxMikVlZCxQYtZhnKiC2jb3M2Hw"},
    Signed{
        JwsAlgorithm::kPs384,
        "hT1RLkYKGFZ7ZoPgs5SEM1K3T6w1YgzgX8ZnDg200xcEcnTjFIpx2ils0obF8S5lkkZXsNS-MU8031qXn1itP9oQSFIbyAyeEoLJ"
        "GGWhrNgxh385PfLh9qRDaMQ1qgO1OVeqc7zW7Zen6H-8zshY0kyQBAHIKvsanVhjnfWgmCD0CGaCxeiEU4Yj_ykEREerZMqHcpl4"
        "C1DYTjIxrybAFr74gliARvlNj6bRSreKpK4mpno2wosVWMzcJTFalkLbSUCxzkVeF6tjZkmU6epoUCJk0CKQ2v1MhhYn-Ap2M5dw"
        "c5Y8BydqXo6O2mjdPC0pZQwpaaFey4B89NMUk2yZag"},
    Signed{
        JwsAlgorithm::kPs512,
        "fRJbkXkv4Sio8NlB75Ns6LQV3r9AAIYYWrcQUPnXxuRcITZoqFR4dr8aSkdmh-2Gy1Zd3P1H1swkbi33mfJK6YziJ4wOv2_R60ew"
        "iG2hKe6FBFwOMzoIafV9QHlJDfHIJj2IEzcqQX40LQ69r1voMewqN_GagNK3YhzIDFEDlyrefwuulICMMra6Lu5z2MpnSUzj3zIr"
        "WqVSrJaZQ4QAfF7RK6NJbai8VrIHRA-OmCBv-W7k9irKPXFT7n0-dVqHSCnH-bpFMV3dYA6Ih9HWcoHCsBNDmLmc_uUmvvdxv912"
        "Q0jDaPMPer7wj8Ble9U_iL9lFPZC5XaZaELlIZexWg"},
    Signed{JwsAlgorithm::kEs256,
           "i3pNAhXBNMoEnYABflc_DrNFPmgaHMPoptTACChw6eETw3HDkULr9wDTG_LtUYOJv3bNfylPQZcwgkRSHT4B5A"},
    Signed{
        JwsAlgorithm::kEs384,
        "u-Xcr1uFwArafYJ2v4skrq-yw7bB72ZbxbCjcE0kMXfsYPOvOdu5dbhJTpYk4-9yZWRLbEg80BIN5qwD4bRBTfnOMtmSILTK5tOW"
        "0iQUnPtnsF4nJrOI6LiqBT_2XUrW"},
    Signed{JwsAlgorithm::kEdDsa,
           "fuJRSbMYB5DzxGgC6qBw734UV32q4C-yF5PniEO6BqdiWwgeiZJ37GaC6QXmJl4FOA1bXf3eaAMbVW6uHiuCAg"}};
constexpr std::string_view kDerSignature =
    "MEYCIQDARMweZ6z51BzdIbR-vrFMewL8W_4-6ixOP8LhZjywqQIhAMZwfjGdoGJoiCuEc2ik8ahd3FXNlq3kRgkRqnhxPzto";
constexpr std::string_view kLongSaltSignature =
    "RLpQLzGRkHV1pWM75nqFrJuiD29jOFl-4fsV7laFkIJbue1vUhkCjm1AFaREHKAZ7ckXTLPsQcn3p50u6tNELnHSyR509pv5JQM-"
    "DujCnHWEoGq-ypsl-wCeFblGYnI7GC6IIsM1RiHJTNUWLb1tagLefnUdrQxoRGirb78trts3Kr49_wgvbiqdjuUZh7OBBD9MA2bu"
    "QYFX8spKGzUMf-eeUqDnp0dPK7LFxWSXtqOTpfJBzcYt-vSCA206ogZSA0ZvC8WGvkugnkSOmp1w73jBtzGmSRW1LL_iP7ac1BFh"
    "KITPWiG-Dgoq2gsQby4Sx08NXP7DXCihSqCA4XhG8g";

std::string bytes_from(std::string_view text) { return base64url_decode(text).value(); }

Result<VerificationKey> rsa_key(std::string_view modulus = kRsaModulus, std::string_view exponent = "AQAB") {
  const std::string n = bytes_from(modulus);
  const std::string e = bytes_from(exponent);
  return VerificationKey::rsa({.modulus = n, .exponent = e});
}

Result<VerificationKey> ec_key(EcCurve curve, std::string_view x, std::string_view y) {
  const std::string x_bytes = bytes_from(x);
  const std::string y_bytes = bytes_from(y);
  return VerificationKey::ec({.curve = curve, .x = x_bytes, .y = y_bytes});
}

std::array<VerificationKey, 4> all_keys() {
  return {rsa_key().value(), ec_key(EcCurve::kP256, kP256X, kP256Y).value(),
          ec_key(EcCurve::kP384, kP384X, kP384Y).value(),
          VerificationKey::ed25519(bytes_from(kEd25519Point)).value()};
}

TEST(VerificationKey, VerifiesEachAlgorithmWithTheKeyThatFitsIt) {
  for (const Signed& each : kSignatures) {
    int fitting = 0;
    for (const VerificationKey& key : all_keys()) {
      const bool is_verified = key.verify(each.algorithm, kSigned, bytes_from(each.signature));
      EXPECT_EQ(is_verified, key.fits(each.algorithm)) << to_string(each.algorithm);
      fitting += is_verified ? 1 : 0;
    }
    EXPECT_EQ(fitting, 1) << to_string(each.algorithm);
  }
}

TEST(VerificationKey, RefusesASignatureOfAnotherAlgorithm) {
  for (const Signed& made : kSignatures) {
    for (const Signed& claimed : kSignatures) {
      if (made.algorithm == claimed.algorithm) continue;
      for (const VerificationKey& key : all_keys())
        EXPECT_FALSE(key.verify(claimed.algorithm, kSigned, bytes_from(made.signature)));
    }
  }
}

TEST(VerificationKey, RefusesChangedBytesAndSignatures) {
  for (const Signed& each : kSignatures) {
    const std::string signature = bytes_from(each.signature);
    for (const VerificationKey& key : all_keys()) {
      EXPECT_FALSE(key.verify(each.algorithm, "what was Signed", signature));
      EXPECT_FALSE(key.verify(each.algorithm, kSigned, ""));
      EXPECT_FALSE(key.verify(each.algorithm, kSigned, signature + std::string(1, '\0')));
      EXPECT_FALSE(key.verify(each.algorithm, kSigned, std::string(1, '\0') + signature));
      for (std::size_t at = 0; at < signature.size(); at += 7) {
        std::string changed = signature;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        EXPECT_FALSE(key.verify(each.algorithm, kSigned, changed));
      }
      for (std::size_t length = 1; length < signature.size(); length += 5)
        EXPECT_FALSE(key.verify(each.algorithm, kSigned, signature.substr(0, length)));
    }
  }
}

TEST(VerificationKey, TakesNoOtherEncodingOfASignature) {
  EXPECT_FALSE(all_keys()[1].verify(JwsAlgorithm::kEs256, kSigned, bytes_from(kDerSignature)));
  EXPECT_FALSE(all_keys()[0].verify(JwsAlgorithm::kPs256, kSigned, bytes_from(kLongSaltSignature)));
  EXPECT_FALSE(all_keys()[1].verify(JwsAlgorithm::kEs256, kSigned, std::string(64, '\0')));
}

TEST(VerificationKey, RefusesKeysThatAreTooShortOrNone) {
  EXPECT_EQ(rsa_key(kRsaModulus.substr(0, 168)).error().code, "invalid_key");  // 1008 bits
  EXPECT_EQ(rsa_key("").error().code, "invalid_key");
  EXPECT_EQ(rsa_key(std::string(2'000, 'A')).error().code, "invalid_key");
  EXPECT_EQ(rsa_key(kRsaModulus, "AQ").error().code, "invalid_key");            // 1
  EXPECT_EQ(rsa_key(kRsaModulus, "AQAC").error().code, "invalid_key");          // Even.
  EXPECT_EQ(rsa_key(kRsaModulus, "AQAAAAAAAAAB").error().code, "invalid_key");  // More than 64 bits.
  EXPECT_FALSE(ec_key(EcCurve::kP256, kP256X, kP256X).ok());                    // Not on the curve.
  EXPECT_FALSE(ec_key(EcCurve::kP256, kP384X, kP384Y).ok());
  EXPECT_FALSE(ec_key(EcCurve::kP384, kP256X, kP256Y).ok());
  EXPECT_FALSE(ec_key(EcCurve::kP256, "", "").ok());
  EXPECT_FALSE(VerificationKey::ed25519("short").ok());
}

TEST(VerificationKey, HasAFingerprintOfItsNumbers) {
  const auto keys = all_keys();
  for (std::size_t a = 0; a < keys.size(); ++a) {
    for (std::size_t b = 0; b < keys.size(); ++b)
      EXPECT_EQ(keys[a].fingerprint() == all_keys()[b].fingerprint(), a == b);
  }
}

TEST(JwsAlgorithm, HasNeitherNoneNorMacs) {
  for (const std::string_view name :
       {"none", "None", "NONE", "", "HS256", "HS384", "HS512", "rs256", "ES512", "ES256K", "RS256 ", "dir"})
    EXPECT_FALSE(parse_jws_algorithm(name)) << name;
  for (const Signed& each : kSignatures)
    EXPECT_EQ(parse_jws_algorithm(to_string(each.algorithm)), each.algorithm);
}

}  // namespace
}  // namespace sluice::crypto
