#include "xlsx_parts.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "sluice/sheets/limits.h"

#include "biff_text.h"
#include "failure.h"
#include "xml.h"

namespace sluice::sheets {

namespace {

constexpr std::size_t kStylesMax = 100'000;
constexpr std::size_t kRelationsMax = 10'000;

constexpr XmlName sheet_name(std::string_view local) {
  return {.space = XmlSpace::kSpreadsheet, .local = local};
}
constexpr XmlName plain_name(std::string_view local) { return {.space = XmlSpace::kNone, .local = local}; }

std::uint32_t number_of(std::string_view text) {
  std::uint32_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// The name of a part that another one refers to: relative to its folder, or from the root.
std::string resolve(std::string_view part, std::string_view target) {
  std::string path;
  if (!target.starts_with('/'))
    path = part.substr(0, part.rfind('/') == std::string_view::npos ? 0 : part.rfind('/'));
  while (!target.empty()) {
    const std::size_t slash = std::min(target.find('/'), target.size());
    const std::string_view segment = target.substr(0, slash);
    target.remove_prefix(std::min(slash + 1, target.size()));
    if (segment == "..") {
      const std::size_t at = path.rfind('/');
      path.resize(at == std::string::npos ? 0 : at);
    } else if (!segment.empty() && segment != ".") {
      (path += path.empty() ? "" : "/") += segment;
    }
  }
  return path;
}

class RelationsHandler final : public XmlHandler {
 public:
  explicit RelationsHandler(std::string_view part) : part_(part) {}
  void start(const XmlName& name, const XmlAttributes& attributes) override {
    if (name != XmlName{.space = XmlSpace::kRelationships, .local = "Relationship"}) return;
    if (relations_.size() == kRelationsMax)
      return fail(too_large_book("parts that one part of a workbook refers to", kRelationsMax));
    const std::string_view type = attributes.find(plain_name("Type")).value_or("");
    if (attributes.find(plain_name("TargetMode")).value_or("") == "External") return;
    relations_.push_back({.id = std::string(attributes.find(plain_name("Id")).value_or("")),
                          .type = std::string(type.substr(type.rfind('/') + 1)),
                          .part = resolve(part_, attributes.find(plain_name("Target")).value_or(""))});
  }
  void end(const XmlName& /*name*/) override {}
  std::vector<XlsxRelation> take() { return std::move(relations_); }

 private:
  const std::string_view part_;  // The caller's.
  std::vector<XlsxRelation> relations_;
};

class WorkbookHandler final : public XmlHandler {
 public:
  void start(const XmlName& name, const XmlAttributes& attributes) override {
    if (name == sheet_name("workbookPr")) {
      const std::string_view value = attributes.find(plain_name("date1904")).value_or("");
      if (value == "1" || value == "true") workbook_.epoch = Epoch::k1904;
    }
    if (name != sheet_name("sheet") || workbook_.sheets.size() == kSheetsMax) return;
    const XmlName id{.space = XmlSpace::kRelationship, .local = "id"};
    workbook_.sheets.push_back({.name = std::string(attributes.find(plain_name("name")).value_or("")),
                                .relation = std::string(attributes.find(id).value_or(""))});
  }
  void end(const XmlName& name) override { has_ended_ = has_ended_ || name == sheet_name("workbook"); }
  bool is_workbook() const { return has_ended_; }
  XlsxWorkbook take() { return std::move(workbook_); }

 private:
  bool has_ended_ = false;
  XlsxWorkbook workbook_;
};

class StylesHandler final : public XmlHandler {
 public:
  void start(const XmlName& name, const XmlAttributes& attributes) override {
    if (name == sheet_name("cellXfs")) is_in_styles_ = true;
    if (name == sheet_name("numFmt")) {
      if (codes_.size() == kStylesMax)
        return fail(too_large_book("number formats of a workbook", kStylesMax));
      codes_[number_of(attributes.find(plain_name("numFmtId")).value_or(""))] =
          use_of_format_code(attributes.find(plain_name("formatCode")).value_or(""));
    }
    if (!is_in_styles_ || name != sheet_name("xf")) return;
    if (styles_.size() == kStylesMax) return fail(too_large_book("styles of a workbook", kStylesMax));
    const std::uint32_t format = number_of(attributes.find(plain_name("numFmtId")).value_or(""));
    const auto own = codes_.find(format);
    styles_.push_back(own != codes_.end() ? own->second : use_of_builtin_format(format));
  }
  void end(const XmlName& name) override {
    if (name == sheet_name("cellXfs")) is_in_styles_ = false;
  }
  std::vector<NumberUse> take() { return std::move(styles_); }

 private:
  bool is_in_styles_ = false;
  std::map<std::uint32_t, NumberUse> codes_;  // They stand before the styles.
  std::vector<NumberUse> styles_;
};

class SharedTextsHandler final : public XmlHandler {
 public:
  void start(const XmlName& name, const XmlAttributes& /*attributes*/) override {
    if (name == sheet_name("rPh")) is_in_reading_ = true;
    if (name == sheet_name("t") && !is_in_reading_) is_in_text_ = true;
  }
  void end(const XmlName& name) override {
    if (name == sheet_name("rPh")) is_in_reading_ = false;
    if (name == sheet_name("t") && is_in_text_) {
      is_in_text_ = false;
      std::string whole;
      append_unescaped(whole, run_);
      texts_.append(whole);
      run_.clear();
    }
    if (name == sheet_name("si")) texts_.end_text();
  }
  void text(std::string_view text) override {
    if (is_in_text_) run_ += text;
  }
  SharedTexts take() { return std::move(texts_); }

 private:
  bool is_in_reading_ = false;  // How a text is pronounced, which some languages need beside it.
  bool is_in_text_ = false;
  std::string run_;
  SharedTexts texts_;
};

}  // namespace

std::string_view SharedTexts::at(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(text_).substr(begin, ends_[index] - begin);
}

Result<std::vector<XlsxRelation>> read_relations(Archive& archive, std::string_view part) {
  const std::size_t slash = part.rfind('/');
  const std::size_t folder = slash == std::string_view::npos ? 0 : slash + 1;
  std::string list(part.substr(0, folder));
  ((list += "_rels/") += part.substr(folder)) += ".rels";
  RelationsHandler handler(part);
  const Status read = read_xml(archive, list, handler);
  if (!read.ok() && read.error().kind == ErrorKind::kNotFound) return std::vector<XlsxRelation>();
  SLUICE_CHECK(read);
  return handler.take();
}

Result<XlsxWorkbook> read_workbook(Archive& archive, const std::string& part) {
  WorkbookHandler handler;
  SLUICE_CHECK(read_xml(archive, part, handler));
  if (!handler.is_workbook()) return damaged_book("it is no workbook");
  return handler.take();
}

Result<std::vector<NumberUse>> read_styles(Archive& archive, const std::string& part) {
  StylesHandler handler;
  SLUICE_CHECK(read_xml(archive, part, handler));
  return handler.take();
}

Result<SharedTexts> read_shared_texts(Archive& archive, const std::string& part) {
  SharedTextsHandler handler;
  SLUICE_CHECK(read_xml(archive, part, handler));
  return handler.take();
}

void append_unescaped(std::string& to, std::string_view text) {
  constexpr std::size_t kEscapeBytes = 7;  // _x000D_
  while (true) {
    const std::size_t at = text.find("_x");
    if (at == std::string_view::npos || at + kEscapeBytes > text.size()) break;
    std::uint32_t unit = 0;
    const char* digits = text.data() + at + 2;
    const auto parsed = std::from_chars(digits, digits + 4, unit, 16);
    const bool is_surrogate = unit >= 0xD800 && unit < 0xE000;
    const bool is_escape = parsed.ptr == digits + 4 && text[at + kEscapeBytes - 1] == '_' && unit != 0;
    if (!is_escape || is_surrogate) {
      to += text.substr(0, at + 2);
      text.remove_prefix(at + 2);
      continue;
    }
    to += text.substr(0, at);
    append_utf8(to, unit);
    text.remove_prefix(at + kEscapeBytes);
  }
  to += text;
}

}  // namespace sluice::sheets
