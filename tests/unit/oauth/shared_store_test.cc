// Several authorizers with one store: a server that nobody sits in front of, and the program by which a
// person agrees.

#include <barrier>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/fs/private_folder.h"

#include "world.h"

namespace sluice::oauth::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SharedTokens, WhatAPersonAgreedToElsewhereIsFoundByTheNextRefusal) {
  World world;
  const std::unique_ptr<Authorizer> server = world.authorizer();
  world.user.is_absent = true;
  EXPECT_EQ(world.authorization(*server), "");
  EXPECT_EQ(code_of(server->challenged(world.refusal(), {})), "user_absent");
  EXPECT_THAT(world.server.seen("/register"), IsEmpty()) << "no client is registered for nobody";
  world.user.is_absent = false;
  ASSERT_TRUE(world.authorizer()->challenged(world.refusal(), {}).value());
  world.user.is_absent = true;
  EXPECT_TRUE(server->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*server), "Bearer token-1");
  EXPECT_THAT(world.user.urls, SizeIs(1));
}

TEST(SharedTokens, NobodyIsNoAttempt) {
  World world;
  world.user.is_absent = true;
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(code_of(authorizer->challenged(world.refusal(), {})), "user_absent");
  world.user.is_absent = false;
  EXPECT_TRUE(authorizer->challenged(world.refusal(), {}).value());
}

TEST(SharedTokens, ARefreshTokenThatAnotherHasUsedUpIsNotSentAgain) {
  World world;
  world.serve_tokens(R"(,"expires_in":100,"refresh_token":"refresh-a")");
  const std::unique_ptr<Authorizer> one = world.authorizer();
  ASSERT_TRUE(one->challenged(world.refusal(), {}).value());
  const std::unique_ptr<Authorizer> other = world.authorizer();
  ASSERT_EQ(world.authorization(*other), "Bearer token-1");
  world.serve_tokens(R"(,"expires_in":100,"refresh_token":"refresh-b")");
  world.time.advance(std::chrono::seconds(80));
  ASSERT_EQ(world.authorization(*other), "Bearer token-2");
  world.time.advance(std::chrono::seconds(90));  // What the other one got is about to end as well.
  EXPECT_EQ(world.authorization(*one), "Bearer token-3");
  EXPECT_EQ(world.token_requests().at(2).at("refresh_token"), "refresh-b");
}

// The key of a token that was stored anew comes with it.
TEST(SharedTokens, TokensOfAnotherKeyAreUsedWithThatKey) {
  World world;
  world.serve_metadata({{"dpop_signing_alg_values_supported", R"(["ES256"])"}});
  world.server.on("/token", [](const SeenRequest&, Answer& answer) {
    answer.json(R"({"access_token":"bound","token_type":"DPoP"})");
  });
  const std::unique_ptr<Authorizer> server = world.authorizer();
  ASSERT_TRUE(server->challenged(world.refusal(), {}).value());
  ASSERT_TRUE(world.tokens->remove(world.server.origin(), world.mcp()).ok());
  world.server.on("/token", [](const SeenRequest&, Answer& answer) {
    answer.json(R"({"access_token":"bound-anew","token_type":"DPoP"})");
  });
  ASSERT_TRUE(world.authorizer()->challenged(world.refusal(), {}).value());
  EXPECT_TRUE(server->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*server), "DPoP bound-anew");
  const std::vector<Header> mine = server->headers({.method = "POST", .url = world.mcp()}, {}).value();
  const std::unique_ptr<Authorizer> third = world.authorizer();
  const std::vector<Header> theirs = third->headers({.method = "POST", .url = world.mcp()}, {}).value();
  ASSERT_THAT(mine, SizeIs(2));
  ASSERT_THAT(theirs, SizeIs(2));
  const auto head = [](const std::string& proof) { return proof.substr(0, proof.find('.')); };
  EXPECT_EQ(head(mine[1].second), head(theirs[1].second)) << "the header of a proof holds the key";
}

TEST(SharedTokens, AccountsAndClientsAreKeptApart) {
  World world;
  OAuthOptions work = world.options();
  work.account = "work";
  ASSERT_TRUE(world.authorizer(work)->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*world.authorizer(work)), "Bearer token-1");
  EXPECT_EQ(world.authorization(*world.authorizer()), "");
  OAuthOptions configured = work;
  configured.client.emplace();
  configured.client->id = "another";
  EXPECT_EQ(world.authorization(*world.authorizer(configured)), "") << "obtained by another client";
}

TEST(SharedTokens, OnlyTheConfiguredIssuerIsUsed) {
  World world;
  OAuthOptions pinned = world.options();
  pinned.issuer = world.server.origin();
  ASSERT_TRUE(world.authorizer(pinned)->challenged(world.refusal(), {}).value());
  World other;
  OAuthOptions moved = world.options();
  moved.issuer = other.server.origin();
  const std::unique_ptr<Authorizer> authorizer = world.authorizer(moved);
  EXPECT_EQ(world.authorization(*authorizer), "") << "what another issuer gave is not used";
  EXPECT_EQ(code_of(authorizer->challenged(world.refusal(), {})), "oauth_issuer_refused");
  EXPECT_THAT(other.server.seen(), IsEmpty());
  EXPECT_THAT(world.user.urls, SizeIs(1));
}

// A token endpoint where each refresh token is good once. One that comes again has been stolen, for all that
// the server knows: whatever was issued is good no more (RFC 9700, section 4.14.2).
class RotatingServer {
 public:
  explicit RotatingServer(World& world) {
    world.server.on("/token", [this](const SeenRequest& request, Answer& answer) {
      const Fields fields = fields_of(request.body);
      const std::lock_guard lock(mutex_);
      if (fields.at("grant_type") == "refresh_token" &&
          (is_revoked_ || fields.at("refresh_token") != "refresh-" + std::to_string(issued_))) {
        is_revoked_ = true;
        answer.reply(400, {{"Content-Type", "application/json"}}, R"({"error":"invalid_grant"})");
        return;
      }
      const std::string number = std::to_string(++issued_);
      answer.json(R"({"access_token":"token-)" + number + R"(","token_type":"Bearer","expires_in":100,)" +
                  R"("refresh_token":"refresh-)" + number + "\"}");
    });
  }
  bool is_revoked() {
    const std::lock_guard lock(mutex_);
    return is_revoked_;
  }

 private:
  std::mutex mutex_;
  int issued_ = 0;           // Guarded.
  bool is_revoked_ = false;  // Guarded.
};

// What each of some processes has: a store of its own on the same folder, and nobody in front of it.
class Process {
 public:
  Process(World& world, const std::string& folder)
      : tokens_(make_file_token_store(folder).value()),
        authorizer_(make_oauth_authorizer(world.options(),
                                          {.tokens = *tokens_, .user_agent = &nobody_, .clock = world.time})
                        .value()) {
    nobody_.is_absent = true;
  }
  Authorizer& authorizer() { return *authorizer_; }

 private:
  ScriptedUserAgent nobody_;
  const std::unique_ptr<TokenStore> tokens_;
  const std::unique_ptr<Authorizer> authorizer_;
};

constexpr std::size_t kProcesses = 6;

// What all of them do at the same moment.
void at_once(std::vector<std::unique_ptr<Process>>& processes,
             const std::function<void(std::size_t number, Authorizer& authorizer)>& act) {
  std::barrier start(static_cast<std::ptrdiff_t>(processes.size()));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      act(i, processes[i]->authorizer());
    });
  }
}

class RotatedTokens : public ::testing::Test {
 protected:
  RotatedTokens() {
    world_.tokens = make_file_token_store(folder_.path() + "/tokens").value();
    EXPECT_TRUE(world_.authorizer()->challenged(world_.refusal(), {}).value());
    for (std::size_t i = 0; i < kProcesses; ++i) {
      processes_.push_back(std::make_unique<Process>(world_, folder_.path() + "/tokens"));
      EXPECT_EQ(world_.authorization(processes_.back()->authorizer()), "Bearer token-1");
    }
  }

  const fs::PrivateFolder folder_ = fs::PrivateFolder::make_temporary("sluice-rotated-test").value();
  World world_;
  RotatingServer rotating_{world_};
  std::vector<std::unique_ptr<Process>> processes_;
};

TEST_F(RotatedTokens, AreRenewedOnceWhereManyFindThemEndedAtTheSameMoment) {
  for (int round = 2; round < 8; ++round) {
    world_.time.advance(std::chrono::seconds(90));
    std::vector<std::string> found(kProcesses);
    at_once(processes_, [&](std::size_t number, Authorizer& authorizer) {
      found[number] = world_.authorization(authorizer);
    });
    EXPECT_THAT(found, ::testing::Each("Bearer token-" + std::to_string(round)));
    EXPECT_FALSE(rotating_.is_revoked()) << "a refresh token was sent twice";
  }
}

TEST_F(RotatedTokens, AreRenewedOnceWhereManyAreRefusedAtTheSameMoment) {
  std::vector<Result<bool>> outcomes(kProcesses, Result<bool>(false));
  at_once(processes_, [&](std::size_t number, Authorizer& authorizer) {
    outcomes[number] = authorizer.challenged(world_.refusal(), {});
  });
  for (const Result<bool>& outcome : outcomes) EXPECT_TRUE(outcome.value());
  EXPECT_FALSE(rotating_.is_revoked()) << "a refresh token was sent twice";
  for (const auto& process : processes_)
    EXPECT_EQ(world_.authorization(process->authorizer()), "Bearer token-2");
}

// A store that others are holding, or that nobody can hold.
class UnheldStore final : public TokenStore {
 public:
  explicit UnheldStore(Error why) : why_(std::move(why)) {}

  Result<std::optional<StoredGrant>> find(const std::string& issuer, const std::string& resource) override {
    return inner_->find(issuer, resource);
  }
  Result<std::optional<StoredGrant>> latest(const std::string& resource) override {
    return inner_->latest(resource);
  }
  Result<std::vector<StoredGrant>> all() override { return inner_->all(); }
  Status save(const StoredGrant& grant) override { return inner_->save(grant); }
  Status remove(const std::string& issuer, const std::string& resource) override {
    return inner_->remove(issuer, resource);
  }
  Result<std::unique_ptr<Hold>> hold(const std::string& /*resource*/, std::stop_token /*stop*/) override {
    return why_;
  }
  std::string version() override { return inner_->version(); }

 private:
  const Error why_;
  const std::unique_ptr<TokenStore> inner_ = make_memory_token_store();
};

TEST(SharedTokens, ARefreshTokenIsNotSentWhileAnotherMayBeSendingIt) {
  World world;
  world.tokens = std::make_unique<UnheldStore>(deadline_exceeded().with_code("locked"));
  world.serve_tokens(R"(,"expires_in":100,"refresh_token":"refresh-a")");
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  ASSERT_TRUE(authorizer->challenged(world.refusal(), {}).value()) << "what a user agreed to is used";
  EXPECT_EQ(code_of(authorizer->challenged(world.refusal(), {})), "oauth_renewal_busy");
  EXPECT_THAT(world.token_requests(), SizeIs(1));
  EXPECT_THAT(world.user.urls, SizeIs(1));
}

TEST(SharedTokens, AStoreThatCannotBeHeldIsNotWaitedFor) {
  World world;
  world.tokens = std::make_unique<UnheldStore>(forbidden("read-only"));
  world.serve_tokens(R"(,"expires_in":100,"refresh_token":"refresh-a")");
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  ASSERT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  world.time.advance(std::chrono::seconds(90));
  EXPECT_EQ(world.authorization(*authorizer), "Bearer token-2");
}

TEST(SharedTokens, OneAtATimeHoldsWhatIsStoredForAResource) {
  const fs::PrivateFolder folder = fs::PrivateFolder::make_temporary("sluice-hold-test").value();
  const std::unique_ptr<TokenStore> memory = make_memory_token_store();
  const std::unique_ptr<TokenStore> file = make_file_token_store(folder.path() + "/tokens").value();
  const std::unique_ptr<TokenStore> same_file = make_file_token_store(folder.path() + "/tokens").value();
  for (const auto& [first, second] :
       {std::pair{memory.get(), memory.get()}, std::pair{file.get(), same_file.get()}}) {
    std::unique_ptr<TokenStore::Hold> held = first->hold("https://a", {}).value();
    ASSERT_NE(held, nullptr);
    EXPECT_NE(second->hold("https://b", {}).value(), nullptr) << "another resource is not held";
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(second->hold("https://a", stop.get_token()).error().kind, ErrorKind::kCancelled);
    held.reset();
    EXPECT_NE(second->hold("https://a", {}).value(), nullptr);
  }
}

TEST(SharedTokens, TheStoreTellsThatItHasChanged) {
  const std::unique_ptr<TokenStore> store = make_memory_token_store();
  const std::string before = store->version();
  StoredGrant grant;
  grant.issuer = "https://a";
  grant.resource = "https://b";
  ASSERT_TRUE(store->save(grant).ok());
  const std::string after = store->version();
  EXPECT_NE(before, after);
  EXPECT_EQ(store->version(), after);
}

}  // namespace
}  // namespace sluice::oauth::testing
