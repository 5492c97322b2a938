// The server of docs/guides/write-a-server.md: notes that a client can add, find, read and watch.
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sluice/catalog/registry.h"
#include "sluice/host/run.h"
#include "sluice/json/reader.h"

using namespace sluice;

namespace {

// Handlers run on several threads at the same time, so what they share has a lock.
class Notes {
 public:
  bool add(const std::string& title, const std::string& text) {
    const std::scoped_lock lock(mutex_);
    return texts_.emplace(title, text).second;
  }
  std::optional<std::string> find(const std::string& title) const {
    const std::scoped_lock lock(mutex_);
    const auto found = texts_.find(title);
    return found == texts_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> titles(const std::string& beginning) const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> out;
    for (const auto& [title, text] : texts_) {
      if (title.starts_with(beginning)) out.push_back(title);
    }
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

protocol::Tool make_add_note() {
  protocol::Tool tool;
  tool.name = "add_note";
  tool.description = "Adds a note. A title that is taken is an error.";
  tool.input_schema = *json::read(R"({
    "type": "object",
    "properties": {
      "title": { "type": "string", "pattern": "^[a-z]+$", "maxLength": 40 },
      "text": { "type": "string", "maxLength": 10000 }
    },
    "required": ["title", "text"],
    "additionalProperties": false
  })");
  tool.output_schema = *json::read(R"({
    "type": "object", "properties": { "uri": { "type": "string" } }, "required": ["uri"]
  })");
  return tool;
}

void offer_adding(catalog::Registry& registry, const std::shared_ptr<Notes>& notes) {
  registry.add_tool(
      make_add_note(),
      [&registry, notes](const json::Object& arguments, catalog::Context&) -> Result<protocol::ToolResult> {
        const std::string& title = *arguments.find("title")->if_string();
        if (!notes->add(title, *arguments.find("text")->if_string())) {
          return conflict("add note: " + title)
              .with_code("note_exists")
              .with_hint("Choose another title, or read notes://" + title + ".");
        }
        const std::string uri = "notes://" + title;
        registry.resource_changed(uri);
        return protocol::structured_result(json::Object{{"uri", uri}});
      });
}

Status offer_reading(catalog::Registry& registry, const std::shared_ptr<Notes>& notes) {
  SLUICE_CHECK(registry.add_template(
      protocol::ResourceTemplate{.uri_template = "notes://{title}", .name = "note"},
      [notes](const ResourceUri& uri, const TemplateValues&,
              catalog::Context&) -> Result<protocol::ReadResult> {
        const std::optional<std::string> text =
            notes->find(uri.text().substr(std::string("notes://").size()));
        if (!text) return not_found("read note: " + uri.text());
        protocol::ReadResult result;
        result.contents.push_back(
            {.uri = uri.text(), .mime_type = "text/plain", .body = protocol::TextBody{*text}});
        return result;
      }));
  registry.add_completion("notes://{title}", [notes](const protocol::CompletionRequest& request) {
    return Result<protocol::Completion>(protocol::Completion{.values = notes->titles(request.typed)});
  });
  return {};
}

protocol::Tool make_count_words() {
  protocol::Tool tool;
  tool.name = "count_words";
  tool.description = "Counts the words of a text.";
  tool.input_schema = *json::read(
      R"({"type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"]})");
  tool.annotations = protocol::ToolAnnotations{.read_only = true};
  return tool;
}

void offer_counting(catalog::Registry& registry) {
  registry.add_tool(
      make_count_words(),
      [](const json::Object& arguments, catalog::Context& context) -> Result<protocol::ToolResult> {
        const std::string& text = *arguments.find("text")->if_string();
        int words = 0;
        bool is_in_word = false;
        for (std::size_t i = 0; i < text.size(); ++i) {
          if (i % 4096 == 0) {
            if (context.stop().stop_requested()) return cancelled();
            context.progress(
                {.done = static_cast<double>(i), .total = static_cast<double>(text.size()), .message = {}});
          }
          const bool is_space = text[i] == ' ' || text[i] == '\n';
          if (!is_space && !is_in_word) ++words;
          is_in_word = !is_space;
        }
        return protocol::text_result(std::to_string(words));
      });
}

}  // namespace

int main(int argc, char** argv) {
  const auto notes = std::make_shared<Notes>();
  const auto registry = std::make_shared<catalog::Registry>("notes");
  offer_adding(*registry, notes);
  offer_counting(*registry);
  if (const Status status = offer_reading(*registry, notes); !status.ok()) return 1;

  server::ServerOptions options;
  options.info = {.name = "notes", .version = "1.0.0"};
  options.instructions = "Notes are text. Add them with add_note and read them at notes://{title}.";
  return host::run_main(argc, argv, std::move(options), {registry});
}
