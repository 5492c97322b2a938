#pragma once

#include <memory>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

namespace sluice::crypto {

template <auto kDestroy>
struct OpensslDestroy {
  void operator()(auto* handle) const noexcept { kDestroy(handle); }
};

using Key = std::unique_ptr<EVP_PKEY, OpensslDestroy<EVP_PKEY_free>>;
using Number = std::unique_ptr<BIGNUM, OpensslDestroy<BN_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, OpensslDestroy<ECDSA_SIG_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, OpensslDestroy<EVP_MD_CTX_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, OpensslDestroy<EVP_PKEY_CTX_free>>;
using Bio = std::unique_ptr<BIO, OpensslDestroy<BIO_free_all>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, OpensslDestroy<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, OpensslDestroy<OSSL_PARAM_free>>;

}  // namespace sluice::crypto
