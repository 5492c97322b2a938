#include "case_file.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace sluice::case_files {

namespace {

bool takes_block(std::string_view text) { return text.starts_with("file ") || text.ends_with(" is"); }

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// The block ahead of its line `end`. False: there is none.
bool read_block(std::string_view& rest, int& number, Step& step) {
  step.block.emplace();
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    ++number;
    if (line == "end") return true;
    step.block->append(line).append("\n");
  }
  return false;
}

int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string with_number(std::string_view text, int number) {
  std::string out;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find("{i"), text.size());
    out += text.substr(0, begin);
    text.remove_prefix(begin);
    if (text.empty()) break;
    const std::size_t end = std::min(text.find('}'), text.size());
    const int divisor = text.size() > 2 && text[2] == '%' ? number_in(text.substr(3, end - 3)) : 0;
    out += std::to_string(divisor > 0 ? number % divisor : number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') continue;
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'x': {
        int byte = 0;
        std::from_chars(text.data() + i + 1, text.data() + std::min(i + 3, text.size()), byte, 16);
        out += static_cast<char>(byte);
        i += 2;
        break;
      }
      default:
        out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string_view Step::first_word() const { return std::string_view(text).substr(0, text.find(' ')); }

std::string_view Step::after_first_word() const {
  const std::size_t space = text.find(' ');
  return space == std::string::npos ? std::string_view() : std::string_view(text).substr(space + 1);
}

std::string CaseFile::stem() const { return std::filesystem::path(path).stem().string(); }

Result<CaseFile> parse_case_file(std::string path, std::string_view rest) {
  CaseFile file{.path = std::move(path), .head = {}, .cases = {}};
  int number = 0;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    ++number;
    std::vector<Step>& steps = file.cases.empty() ? file.head : file.cases.back().steps;
    if (line.find_first_not_of(' ') == std::string_view::npos || line.starts_with("#")) continue;
    if (line.starts_with("  ")) {
      if (steps.empty())
        return invalid_input(file.path + ":" + std::to_string(number) + ": a line that continues nothing");
      steps.back().text += " " + std::string(line.substr(line.find_first_not_of(' ')));
      continue;
    }
    if (line.starts_with("case ")) {
      file.cases.push_back({.line = number, .name = std::string(line.substr(5)), .steps = {}});
      continue;
    }
    Step step{.line = number, .text = std::string(line), .block = {}};
    if (takes_block(line) && !read_block(rest, number, step))
      return invalid_input(file.path + ":" + std::to_string(step.line) + ": a block without a line `end`");
    steps.push_back(std::move(step));
  }
  if (file.cases.empty()) return invalid_input(file.path + ": a file without a case");
  return file;
}

Result<CaseFile> read_case_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return not_found("open " + path);
  return parse_case_file(path,
                         std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
}

void Values::set(std::string name, std::string value) {
  values_.emplace_back(std::move(name), std::move(value));
}

std::string Values::expand(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find("${"), text.size());
    out += text.substr(0, begin);
    text.remove_prefix(begin);
    if (text.empty()) break;
    const std::size_t end = std::min(text.find('}'), text.size() - 1);
    const std::string_view inner = text.substr(2, end - 2);
    const std::size_t star = inner.rfind('*');
    if (star != std::string_view::npos && star > 0) {
      for (int i = number_in(inner.substr(star + 1)); i > 0; --i) out += inner.substr(0, star);
    } else {
      std::string value(text.substr(0, end + 1));
      for (const auto& [name, saved] : values_) {
        if (name == inner) value = saved;
      }
      out += value;
    }
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string file_content(const Step& step) {
  const std::string_view block = step.block ? std::string_view(*step.block) : std::string_view();
  if (step.text.ends_with(" escaped")) return unescape(block);
  std::string out;
  for (std::string_view rest = block; !rest.empty();) {
    const std::string_view line = next_line(rest);
    if (!line.starts_with("@repeat ")) {
      out.append(line).append("\n");
      continue;
    }
    const std::size_t last = line.find(' ', 8) + 1;
    const std::size_t text = line.find(' ', last) + 1;
    for (int i = number_in(line.substr(8)); i <= number_in(line.substr(last)); ++i)
      out += with_number(line.substr(text), i) + "\n";
  }
  return Values().expand(out);
}

}  // namespace sluice::case_files
