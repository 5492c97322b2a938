#include "sluice/oauth/token_store.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/fs/private_folder.h"

namespace sluice::oauth {
namespace {

StoredGrant grant_of(const std::string& issuer, const std::string& resource) {
  StoredGrant out;
  out.issuer = issuer;
  out.resource = resource;
  out.token_endpoint = issuer + "/token";
  out.client = {.id = "id",
                .secret = "s",
                .auth_method = "none",
                .redirect_uri = "http://127.0.0.1:1/callback",
                .secret_expires = WallTime(std::chrono::seconds(2'000'000'000)),
                .is_registered = true};
  out.access_token = "access of " + issuer;
  out.token_type = "DPoP";
  out.refresh_token = "refresh";
  out.scopes = {"a", "b"};
  out.expires = WallTime(std::chrono::seconds(1'900'000'000));
  out.dpop_key = "-----BEGIN\n";
  return out;
}

class TokenStoreFile : public ::testing::Test {
 protected:
  std::string path() const { return folder_.path() + "/tokens"; }
  std::string file() const { return path() + "/tokens.json"; }
  std::unique_ptr<TokenStore> open() const { return make_file_token_store(path()).value(); }
  static unsigned mode_of(const std::string& path) {
    struct stat found {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0);
    return found.st_mode & 0777U;
  }

 private:
  fs::PrivateFolder folder_ = fs::PrivateFolder::make_temporary("sluice-token-test").value();
};

void keeps_by_issuer_and_resource(TokenStore& store) {
  ASSERT_TRUE(store.save(grant_of("https://a", "https://r")).ok());
  ASSERT_TRUE(store.save(grant_of("https://b", "https://r")).ok());
  EXPECT_EQ(store.find("https://a", "https://r").value()->access_token, "access of https://a");
  EXPECT_FALSE(store.find("https://a", "https://other").value().has_value());
  EXPECT_FALSE(store.find("https://c", "https://r").value().has_value());
  EXPECT_EQ(store.latest("https://r").value()->issuer, "https://b");
  ASSERT_TRUE(store.save(grant_of("https://a", "https://r")).ok());
  EXPECT_EQ(store.latest("https://r").value()->issuer, "https://a");
  ASSERT_TRUE(store.remove("https://a", "https://r").ok());
  EXPECT_EQ(store.latest("https://r").value()->issuer, "https://b");
  EXPECT_FALSE(store.latest("https://other").value().has_value());
}

TEST(TokenStore, KeepsByIssuerAndResourceInMemory) {
  keeps_by_issuer_and_resource(*make_memory_token_store());
}

TEST_F(TokenStoreFile, KeepsByIssuerAndResource) { keeps_by_issuer_and_resource(*open()); }

TEST_F(TokenStoreFile, GivesBackAllOfAGrant) {
  const StoredGrant saved = grant_of("https://a", "https://r");
  ASSERT_TRUE(open()->save(saved).ok());
  const StoredGrant found = open()->find("https://a", "https://r").value().value();
  EXPECT_EQ(found.token_endpoint, saved.token_endpoint);
  EXPECT_EQ(found.refresh_token, saved.refresh_token);
  EXPECT_EQ(found.token_type, saved.token_type);
  EXPECT_EQ(found.scopes, saved.scopes);
  EXPECT_EQ(found.expires, saved.expires);
  EXPECT_EQ(found.dpop_key, saved.dpop_key);
  EXPECT_EQ(found.client.id, saved.client.id);
  EXPECT_EQ(found.client.secret, saved.client.secret);
  EXPECT_EQ(found.client.redirect_uri, saved.client.redirect_uri);
  EXPECT_EQ(found.client.secret_expires, saved.client.secret_expires);
  EXPECT_TRUE(found.client.is_registered);
}

TEST_F(TokenStoreFile, TellsOfWhatAnotherProcessHasStored) {
  const std::unique_ptr<TokenStore> store = open();
  const std::string none = store->version();
  ASSERT_TRUE(open()->save(grant_of("https://a", "https://r")).ok());
  const std::string one = store->version();
  EXPECT_NE(none, one);
  EXPECT_EQ(store->version(), one);
  ASSERT_TRUE(open()->save(grant_of("https://a", "https://r")).ok());
  EXPECT_NE(store->version(), one);
}

TEST_F(TokenStoreFile, NobodyElseMayReadIt) {
  std::filesystem::create_directories(path());
  std::filesystem::permissions(path(), std::filesystem::perms::all);
  ASSERT_TRUE(open()->save(grant_of("https://a", "https://r")).ok());
  EXPECT_EQ(mode_of(path()), 0700U);
  EXPECT_EQ(mode_of(file()), 0600U);
}

TEST_F(TokenStoreFile, AFileThatOthersMayReadIsRefused) {
  ASSERT_TRUE(open()->save(grant_of("https://a", "https://r")).ok());
  for (const auto others : {std::filesystem::perms::group_read, std::filesystem::perms::others_read}) {
    std::filesystem::permissions(file(), std::filesystem::perms::owner_all | others);
    EXPECT_EQ(open()->latest("https://r").error().code, "token_store_exposed");
    EXPECT_EQ(open()->save(grant_of("https://b", "https://r")).error().code, "token_store_exposed");
  }
}

TEST_F(TokenStoreFile, ALinkToElsewhereIsNotFollowed) {
  const std::unique_ptr<TokenStore> store = open();
  std::ofstream(path() + "/../victim") << "{}";
  std::filesystem::permissions(path() + "/../victim", std::filesystem::perms::owner_all);
  std::filesystem::create_symlink("../victim", file());
  EXPECT_FALSE(store->latest("https://r").ok());
}

TEST_F(TokenStoreFile, SaysSoWhereTheFileIsBroken) {
  const std::unique_ptr<TokenStore> store = open();
  for (const char* text : {"", "{", "[]", R"({"version":2,"grants":[]})", R"({"version":1,"grants":[{}]})"}) {
    std::ofstream(file()) << text;
    std::filesystem::permissions(file(),
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    const Error error = store->latest("https://r").error();
    EXPECT_EQ(error.code, "token_store_broken") << text;
    EXPECT_EQ(error.message.find(path()), std::string::npos);
  }
}

TEST_F(TokenStoreFile, LosesNothingWhereManyWrite) {
  constexpr int kWriters = 4;
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([this, i] {
        const std::unique_ptr<TokenStore> store = open();
        for (int j = 0; j < 5; ++j)
          EXPECT_TRUE(
              store->save(grant_of("https://" + std::to_string(i), "https://r" + std::to_string(j))).ok());
      });
    }
  }
  for (int i = 0; i < kWriters; ++i) {
    for (int j = 0; j < 5; ++j)
      EXPECT_TRUE(
          open()->find("https://" + std::to_string(i), "https://r" + std::to_string(j)).value().has_value());
  }
}

}  // namespace
}  // namespace sluice::oauth
