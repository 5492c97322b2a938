#pragma once

#include <chrono>
#include <cstddef>

namespace sluice {

// Every queue, loop, buffer and wait of the program has its bound here. What an operator may set is a
// default; the rest is fixed. Units come last in the name.

// Messages.
inline constexpr std::size_t kMessageBytesMax =
    std::size_t{4} * 1024 * 1024;  // Default; `server.max_message_bytes`.
inline constexpr std::size_t kJsonDepthMax = 64;
inline constexpr std::size_t kJsonValuesMax = 262'144;  // 4 MiB of "0," would be two million values.
inline constexpr std::size_t kJsonNumberBytesMax = 256;
inline constexpr std::size_t kMethodBytesMax = 128;
inline constexpr std::size_t kRequestIdBytesMax = 256;
inline constexpr std::size_t kUriBytesMax = 8 * 1024;
inline constexpr std::size_t kNameBytesMax = 256;
inline constexpr std::size_t kProgressTokenBytesMax = 256;

// A reply may be larger than a request: binary contents grow by a third in base64 and text by escapes.
inline constexpr std::size_t kReplyBytesMax = std::size_t{64} * 1024 * 1024;
static_assert(kMessageBytesMax * 6 <= kReplyBytesMax,
              "an echoed message must fit even if every byte is escaped");

// Lists.
inline constexpr std::size_t kListPageItems = 100;
inline constexpr std::size_t kCompletionValuesMax = 100;  // The protocol's own bound.
inline constexpr std::size_t kCursorBytesMax = 16 * 1024;
static_assert(kUriBytesMax * 4 / 3 + 256 <= kCursorBytesMax,
              "a cursor carries the last URI in base64 and a signature");

// Templates.
inline constexpr std::size_t kTemplateBytesMax = 4 * 1024;
inline constexpr std::size_t kTemplateExpressionsMax = 64;
inline constexpr std::size_t kTemplateVariablesMax = 256;
inline constexpr std::size_t kTemplatePrefixMax = 9'999;  // RFC 6570, section 2.4.1.
inline constexpr std::size_t kTemplateMatchStepsMax = 100'000;

// Patterns that text is searched for.
inline constexpr std::size_t kPatternsMax = 1'000;
inline constexpr std::size_t kPatternBytesMax = 256;         // As given, and again as normalised.
inline constexpr std::size_t kSimilarityLettersMax = 1'024;  // Comparing takes the square of it.
inline constexpr std::size_t kSequenceLettersMax = 10'000;
inline constexpr std::size_t kSequenceStepsMax = 4'000'000;  // One comparison; some 5 ms.

// Requests in flight.
inline constexpr std::size_t kRequestsInFlightMax = 1024;   // Whole server.
inline constexpr std::size_t kConnectionInFlightMax = 128;  // One pipe or one legacy session.
inline constexpr std::size_t kWorkerThreadsMax = 64;
inline constexpr std::chrono::milliseconds kRequestTimeout{120'000};
inline constexpr std::chrono::milliseconds kShutdownGrace{3'000};

// Asking the user.
inline constexpr std::chrono::milliseconds kAskTimeout{300'000};
inline constexpr std::chrono::milliseconds kRequestStateLifetime{600'000};
inline constexpr std::size_t kRequestStateBytesMax = 256 * 1024;
inline constexpr std::size_t kQuestionsMax = 16;

// Sessions of the legacy era.
inline constexpr std::size_t kSessionsMax = 4096;
inline constexpr std::chrono::minutes kSessionIdleMax{30};
inline constexpr std::size_t kReplayEventsMax = 4096;                         // One session, all its streams.
inline constexpr std::size_t kReplayBytesMax = std::size_t{8} * 1024 * 1024;  // One session.
inline constexpr std::size_t kStreamsPerSessionMax = 64;
inline constexpr std::chrono::milliseconds kReconnectDelay{500};

// Subscriptions.
inline constexpr std::size_t kListenStreamsMax = 512;
static_assert(
    2 * kListenStreamsMax <= kRequestsInFlightMax,
    "a subscription is a request under way for as long as it is open, and must leave room for others");
inline constexpr std::size_t kSubscriptionUrisMax = 16'384;

// Tasks.
inline constexpr std::size_t kTasksMax = 1024;
inline constexpr std::chrono::milliseconds kTaskLifetime{600'000};
inline constexpr std::chrono::milliseconds kTaskPollInterval{500};

// Transports.
inline constexpr std::size_t kConnectionsMax = 4096;
inline constexpr std::size_t kHttpHeaderBytesMax = 32 * 1024;
inline constexpr std::chrono::seconds kHttpHeaderTimeout{10};
inline constexpr std::chrono::seconds kHttpBodyTimeout{30};
inline constexpr std::chrono::seconds kHttpIdleTimeout{60};
inline constexpr std::chrono::seconds kHttpWriteTimeout{30};
inline constexpr std::chrono::seconds kStreamKeepAlive{15};
inline constexpr std::size_t kStreamQueueBytesMax =
    std::size_t{8} * 1024 * 1024;  // Then the reader is dropped.
inline constexpr std::size_t kStreamQueueMessagesMax = 4096;

// The HTTP server.
inline constexpr std::size_t kHttpReadBufferBytesMax =
    64 * 1024;                                                 // One connection, pipelined requests included.
inline constexpr std::size_t kHttpIdleBufferBytes = 2 * 1024;  // What a connection keeps while it waits.
static_assert(kHttpHeaderBytesMax < kHttpReadBufferBytesMax, "a whole head must fit the read buffer");
inline constexpr std::size_t kHttpParamHeadersMax = 64;  // Mcp-Param-*; looking for duplicates is quadratic.
inline constexpr std::size_t kHttpHostBytesMax = 300;  // A DNS name has at most 253 characters, then a port.
inline constexpr std::size_t kHttpJoinBytesMax =
    16 * 1024;  // Up to here head and body are copied into one write.
inline constexpr std::size_t kHttpWriteBytesMax =
    256 * 1024;  // One write; it must end within the write timeout.
inline constexpr std::size_t kHttpLingerBytesMax =
    std::size_t{1} * 1024 * 1024;  // Read and dropped after a refusal,
inline constexpr std::chrono::seconds kHttpLingerTimeout{
    2};  // for so long, so that the peer can see the refusal.
inline constexpr std::chrono::milliseconds kHttpTickMin{5};  // Timeouts take effect at most one tick late.
inline constexpr std::chrono::milliseconds kHttpTickMax{250};
inline constexpr std::chrono::milliseconds kHttpAcceptRetryDelay{
    100};  // After accept fails, e.g. without descriptors.
inline constexpr std::chrono::milliseconds kHttpTimeoutMax =
    std::chrono::hours(24);  // Deadlines must not overflow.
inline constexpr unsigned kIoThreadsMax = 64;

// Reading server-sent events.
inline constexpr std::size_t kSseIdBytesMax = 4 * 1024;
inline constexpr std::size_t kSseTypeBytesMax = 256;

// Logging.
inline constexpr std::size_t kLogTextBytesMax = 8 * 1024;  // One key or value of a line; the rest is cut.

// Files.
inline constexpr std::size_t kFileNameBytesMax = 255;  // Linux's own bounds: NAME_MAX and PATH_MAX.
inline constexpr std::size_t kPathBytesMax = 4'095;
inline constexpr std::size_t kPathDepthMax = 64;
inline constexpr std::size_t kFolderEntriesMax = 200'000;
inline constexpr std::size_t kScanEntriesMax = 1'000'000;
inline constexpr std::size_t kFileReadBytesMax = std::size_t{64} * 1024 * 1024;  // One read_at.
inline constexpr std::size_t kFileReadChunkBytes = 256 * 1024;
inline constexpr std::size_t kOpenRetriesMax = 64;  // While folders are being renamed under a path.
inline constexpr std::size_t kTemporaryNamesMax = 100;

// Watching.
inline constexpr std::chrono::milliseconds kWatchCoalesce{25};
inline constexpr std::chrono::milliseconds kWatchPollInterval{1'000};
inline constexpr std::size_t kWatchFoldersMax = 65'536;
inline constexpr std::size_t kWatchPendingMax = 65'536;  // Then one rescan is cheaper.
inline constexpr std::size_t kWatchBufferBytes = 64 * 1024;
inline constexpr std::size_t kWatchBuffersMax = 64;  // Read at one wake-up.
static_assert(kWatchCoalesce * 2 <= std::chrono::milliseconds(100), "a change is told within 100 ms");

// Questions of a caller, as expressions or SQL.
inline constexpr std::size_t kExpressionBytesMax = 16 * 1024;
inline constexpr std::size_t kExpressionNestingMax = 64;  // Brackets and signs within one another,
inline constexpr std::size_t kExpressionDepthMax = 256;   // and of the tree, to which a chain adds as well.
inline constexpr std::size_t kExpressionNodesMax = 2'000;
inline constexpr std::size_t kExpressionStepsMax = 32;
inline constexpr std::size_t kExpressionListItemsMax = 10'000;
inline constexpr std::size_t kExpressionSqlBytesMax = 256 * 1024;  // What an expression may be compiled to.
inline constexpr std::size_t kSqlTreeBytesMax = std::size_t{4} * 1024 * 1024;
inline constexpr std::size_t kSqlTreeDepthMax = 400;    // Of JSON; a nested expression takes two or three.
inline constexpr std::size_t kSqlNodesMax = 20'000;     // As if every alias and WITH were written out.
inline constexpr std::size_t kSqlTablesMax = 32;        // As if written out.
inline constexpr std::size_t kSqlGroupingSetsMax = 64;  // CUBE doubles them with every column.
inline constexpr std::size_t kSqlGrownCellsMax = 64;    // Text made per row: so many of the widest cell,
inline constexpr std::size_t kSqlGrownBytesMax = 32 * 1024;  // and so much from constants.
inline constexpr std::size_t kSqlWildcardsMax = 2;           // In a pattern that is matched by trying out.
static_assert(kExpressionBytesMax <= kSqlGrownBytesMax, "the longest constant may be used once");
// Collections of files.
inline constexpr std::size_t kCollectionFilesMax = 4'096;  // That one statement reads as a table.
inline constexpr std::size_t kPathPatternBytesMax = 1024;
inline constexpr std::size_t kPatternDimensionsMax = 16;
inline constexpr std::chrono::minutes kRowCountTimeout{10};  // One file, in the background.

// Fetching from other servers.
inline constexpr std::size_t kFetchBytesMax = std::size_t{8} * 1024 * 1024;  // Default; one answer.
inline constexpr std::size_t kFetchHeaderBytesMax = 64 * 1024;  // With interim answers and trailers.
inline constexpr std::size_t kFetchRedirectBodyBytesMax = 64 * 1024;
inline constexpr std::size_t kFetchRedirectsMax = 5;
inline constexpr std::size_t kFetchLinesMax = 16;     // Transfers of one source at a time,
inline constexpr std::size_t kFetchIdleLinesMax = 4;  // and those that keep their connections afterwards.
inline constexpr std::chrono::milliseconds kFetchConnectTimeout{10'000};
inline constexpr std::chrono::milliseconds kFetchIdleTimeout{15'000};
inline constexpr std::chrono::milliseconds kFetchTotalTimeout{30'000};
inline constexpr std::chrono::milliseconds kFetchTimeoutMax{24 * 3'600'000};  // Deadlines must not overflow.
inline constexpr std::size_t kFetchHostsMax = 1'024;                          // Whose rate is limited.

// Authorization of the client.
inline constexpr std::size_t kChallengeBytesMax = 8 * 1024;  // WWW-Authenticate, all challenges together.
inline constexpr std::size_t kChallengeSchemesMax = 16;
inline constexpr std::size_t kChallengeParametersMax = 32;
inline constexpr std::size_t kOAuthMetadataBytesMax = 256 * 1024;
inline constexpr std::size_t kOAuthAnswerBytesMax = 64 * 1024;  // Of a token or registration endpoint.
inline constexpr std::size_t kOAuthTokenBytesMax = 16 * 1024;
inline constexpr std::size_t kOAuthServersMax = 16;  // That one resource names.
inline constexpr std::size_t kOAuthScopesMax = 128;
inline constexpr std::size_t kOAuthRedirectsMax = 3;             // Of metadata, within one origin.
inline constexpr std::size_t kOAuthAttemptsMax = 4;              // To obtain a token because one was refused,
inline constexpr std::chrono::seconds kOAuthAttemptsWindow{60};  // within this time.
inline constexpr std::chrono::seconds kOAuthExpiryLeeway{30};    // A token is renewed so long before its end.
inline constexpr std::chrono::seconds kOAuthAssertionLifetime{60};
inline constexpr std::chrono::hours kOAuthLifetimeMax{24 * 365};
inline constexpr std::chrono::minutes kUserAgentTimeout{5};
inline constexpr std::chrono::milliseconds kUserAgentRequestTimeout{5'000};  // One connection of a browser.
inline constexpr std::size_t kUserAgentConnectionsMax = 64;
inline constexpr std::size_t kUserAgentRequestBytesMax = 16 * 1024;
inline constexpr std::size_t kTokenStoreBytesMax = std::size_t{4} * 1024 * 1024;
inline constexpr std::size_t kTokenStoreGrantsMax = 512;
inline constexpr std::chrono::milliseconds kTokenStoreLockTimeout{10'000};
static_assert(kChallengeBytesMax < kFetchHeaderBytesMax, "a challenge comes in a header");

// The client of other MCP servers.
inline constexpr std::chrono::milliseconds kClientTimeout{120'000};  // Default; one call.
inline constexpr std::chrono::milliseconds kClientConnectTimeout{60'000};
inline constexpr std::chrono::milliseconds kClientProbeTimeout{5'000};
inline constexpr std::size_t kClientMessageBytesMax = kReplyBytesMax;  // One message of a server.
inline constexpr std::size_t kClientMessageValuesMax = 1'000'000;
inline constexpr std::size_t kClientListItemsMax = 100'000;
inline constexpr std::size_t kClientListPagesMax = 10'000;
inline constexpr std::size_t kClientPendingMax = 1'024;        // Calls under way over one pipe.
inline constexpr std::size_t kClientProgressWaitingMax = 256;  // Of one call; the oldest goes.
inline constexpr std::size_t kClientEventsWaitingMax = 4'096;  // URIs that changed, until they are told.
inline constexpr std::size_t kClientLogsWaitingMax = 256;
inline constexpr std::size_t kClientQuestionsWaitingMax = 16;  // Requests of a server, at once.
inline constexpr std::size_t kClientGarbageLinesMax = 64;      // What is no message, before the peer goes.
inline constexpr std::size_t kClientChallengesMax = 3;         // 401 or 403 of one request.
inline constexpr std::size_t kClientRoundsMax = 16;            // Of questions within one call.
inline constexpr std::size_t kClientResumptionsMax = 8;        // Of one stream, in a row without a message.
inline constexpr std::size_t kClientHttpLinesMax = 64;         // Calls of one server under way over HTTP,
inline constexpr std::size_t kClientHttpIdleLinesMax = 16;     // and connections that are kept for the next.
inline constexpr std::size_t kClientSessionIdBytesMax = 1'024;
inline constexpr std::size_t kClientErrorDataBytesMax = 64 * 1024;
inline constexpr std::size_t kClientSubscriptionsMax = 4'096;
inline constexpr std::chrono::milliseconds kClientResumeDelay{1'000};      // Where a stream names none,
inline constexpr std::chrono::milliseconds kClientResumeDelayMax{30'000};  // and at most.
inline constexpr std::chrono::milliseconds kClientBackoffFirst{250};
inline constexpr std::chrono::milliseconds kClientBackoffMax{30'000};
inline constexpr std::chrono::milliseconds kClientCloseTimeout{2'000};     // Saying good-bye to a session.
inline constexpr std::chrono::milliseconds kClientStreamIdleMax{600'000};  // Then it is opened anew.
inline constexpr std::chrono::milliseconds kClientStreamOpenTimeout{5'000};
inline constexpr std::chrono::milliseconds kClientTaskPollMin{50};
inline constexpr std::chrono::milliseconds kClientTaskPollMax{60'000};

// Child processes.
inline constexpr std::chrono::milliseconds kChildExitGrace{2'000};
inline constexpr std::chrono::milliseconds kChildReapTimeout{5'000};  // After SIGKILL.
inline constexpr std::size_t kChildErrorTailBytes = 8 * 1024;
inline constexpr std::size_t kChildErrorLineBytesMax = 4 * 1024;
inline constexpr std::size_t kChildArgumentsMax = 1'024;

// Caching.
inline constexpr std::size_t kCacheEntriesMax = 10'000;
inline constexpr std::size_t kCacheBytesMax = std::size_t{16} * 1024 * 1024;  // Of 40 MB when idle.
inline constexpr std::size_t kCacheKeyBytesMax = 16 * 1024;
inline constexpr std::size_t kCacheEntryOverheadBytes = 256;  // Beside its key and its value.
inline constexpr std::chrono::hours kCacheLifetimeMax{24 * 30};
inline constexpr std::size_t kCacheLoadAttemptsMax = 16;  // After loads that others have cancelled.
static_assert(kUriBytesMax < kCacheKeyBytesMax, "a key may hold a URI and what it is read with");

}  // namespace sluice
