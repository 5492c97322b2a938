// Any bytes as a segment of a journal, and any JSON as a line of it: what a power cut or another program left
// there.
//
// A line of the input that begins with "+" becomes a whole line with its digest; others stand as they are.
#include "journal.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sluice/crypto/digest.h"
#include "sluice/fs/root.h"
#include "sluice/records/operation.h"

#include "property.h"

namespace {

namespace records = sluice::records;

std::string digest_of(std::string_view json) {
  std::string out;
  for (const char c : sluice::crypto::sha256(json).substr(0, 8)) {
    const auto byte = static_cast<unsigned char>(c);
    out += "0123456789abcdef"[byte >> 4U];
    out += "0123456789abcdef"[byte & 15U];
  }
  return out;
}

// A folder with one journal, which lasts as long as the process.
const std::string& folder() {
  static const std::string kFolder = [] {
    std::string name = (std::filesystem::temp_directory_path() / "sluice_fuzz_journal_XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr, "there is a folder to write to");
    std::filesystem::create_directories(name + "/_journal/t");
    std::atexit([] { std::filesystem::remove_all(kFolder); });
    return name;
  }();
  return kFolder;
}

// What a reader has to make of a segment: its whole lines, up to one that is not; damaged if a whole line
// follows that.
struct Model {
  std::string bytes;
  std::vector<std::string> lines;
  bool is_broken = false;
  bool is_damaged = false;

  void add(std::string_view line) {
    const bool is_whole = line.starts_with('+') || (line.size() > 17 && line[16] == ' ' &&
                                                    digest_of(line.substr(17)) == line.substr(0, 16));
    const std::string_view json =
        line.starts_with('+') ? line.substr(1) : line.substr(std::min<std::size_t>(17, line.size()));
    const bool counts = is_whole && !json.empty();
    bytes += line.starts_with('+') ? digest_of(json) + " " + std::string(json) : std::string(line);
    bytes += '\n';
    if (!counts) {
      is_broken = true;
    } else if (is_broken) {
      is_damaged = true;
    } else {
      lines.emplace_back(json);
    }
  }
};

void check_operation(std::string_view json) {
  const sluice::Result<records::Operation> operation = records::operation_of(json);
  if (!operation) {
    require(!operation.error().message.empty(), "a refusal says why");
    return;
  }
  const std::string written = records::to_json(*operation);
  const sluice::Result<records::Operation> again = records::operation_of(written);
  require(again.ok(), "what is written can be read");
  require(records::to_json(*again) == written, "reading and writing changes nothing");
  const sluice::Result<records::Operation> newest = records::operation_of(written, 1);
  require(newest.ok() && newest->rows.size() == std::min<std::size_t>(1, again->rows.size()),
          "the last row alone is read");
  if (newest->rows.size() == 1)
    require(newest->rows.back().new_values == again->rows.back().new_values, "and it is the last one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = text_of(data, size);
  check_operation(input);
  Model model;
  std::string_view rest = input;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    model.add(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  model.bytes += rest;  // A line that was being written.
  std::ofstream(folder() + "/_journal/t/00000001.log", std::ios::binary) << model.bytes;

  const sluice::Result<sluice::fs::Root> root = sluice::fs::Root::open(folder());
  require(root.ok(), "the folder can be opened");
  const records::Journal journal(*root, "t");
  records::JournalPlace place{.segment = 1, .offset = 0, .last = 0, .mark = {}};
  const sluice::Result<std::vector<std::string>> lines = journal.read_on(place);
  require(lines.ok() == !model.is_damaged,
          "a broken line ahead of a whole one is damage, and nothing else is");
  if (!lines) return 0;
  require(*lines == model.lines, "every whole line is read, in order");
  std::vector<std::string> back;
  require(journal
              .read_back(1,
                         [&back](std::string_view json) {
                           back.insert(back.begin(), std::string(json));
                           return true;
                         })
              .ok(),
          "it can be read from its end");
  require(back == model.lines, "from the end, too");
  for (const std::string& line : *lines) check_operation(line);
  return 0;
}
