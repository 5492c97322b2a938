#include "sluice/protocol/pipe_exchange.h"

#include <utility>

namespace sluice::protocol {

PipeExchange::PipeExchange(std::string body, std::shared_ptr<Connection> connection) {
  inbound_.body = std::move(body);
  inbound_.connection = std::move(connection);
}

bool PipeExchange::send(Outbound message) {
  return !done_ && !message.message.empty() && inbound_.connection->send(std::move(message.message));
}

void PipeExchange::finish(Final final) {
  if (!done_.exchange(true) && !final.message.empty()) inbound_.connection->send(std::move(final.message));
}

std::stop_token PipeExchange::gone() const { return inbound_.connection->gone(); }

}  // namespace sluice::protocol
