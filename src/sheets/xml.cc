#include "xml.h"

#include <expat.h>

#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/sheets/limits.h"

#include "failure.h"

namespace sluice::sheets {

namespace {

constexpr char kSeparator = ' ';  // Between a namespace and a name: neither has one.

constexpr std::array kSpaces = {
    std::pair{std::string_view("http://schemas.openxmlformats.org/spreadsheetml/2006/main"),
              XmlSpace::kSpreadsheet},
    std::pair{std::string_view("http://purl.oclc.org/ooxml/spreadsheetml/main"), XmlSpace::kSpreadsheet},
    std::pair{std::string_view("http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
              XmlSpace::kRelationship},
    std::pair{std::string_view("http://purl.oclc.org/ooxml/officeDocument/relationships"),
              XmlSpace::kRelationship},
    std::pair{std::string_view("http://schemas.openxmlformats.org/package/2006/relationships"),
              XmlSpace::kRelationships},
    std::pair{std::string_view("urn:oasis:names:tc:opendocument:xmlns:office:1.0"), XmlSpace::kOffice},
    std::pair{std::string_view("urn:oasis:names:tc:opendocument:xmlns:table:1.0"), XmlSpace::kTable},
    std::pair{std::string_view("urn:oasis:names:tc:opendocument:xmlns:text:1.0"), XmlSpace::kText},
    std::pair{std::string_view("urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"),
              XmlSpace::kCalc},
};

XmlSpace space_of(std::string_view uri) {
  for (const auto& [known, space] : kSpaces) {
    if (known == uri) return space;
  }
  return XmlSpace::kOther;
}

XmlName name_of(const char* name) {
  const std::string_view text(name);
  const std::size_t at = text.rfind(kSeparator);
  if (at == std::string_view::npos) return {.space = XmlSpace::kNone, .local = text};
  return {.space = space_of(text.substr(0, at)), .local = text.substr(at + 1)};
}

struct FreeParser {
  void operator()(XML_ParserStruct* parser) const noexcept { XML_ParserFree(parser); }
};

}  // namespace

std::optional<std::string_view> XmlAttributes::find(const XmlName& name) const {
  for (const char* const* each = attributes_; *each != nullptr; each += 2) {
    const std::string_view text(*each);
    if (text.size() < name.local.size() || !text.ends_with(name.local)) continue;
    if (name_of(*each) == name) return std::string_view(each[1]);
  }
  return std::nullopt;
}

// What expat calls. An exception must not pass through its frames.
struct XmlCallbacks {
  XmlHandler& handler;
  XML_Parser parser;

  template <typename Call>
  void run(Call call) {
    if (handler.has_ended()) return;
    try {
      call();
    } catch (const std::exception& error) {
      handler.fail(internal_error(std::string("read workbook: ") + error.what()));
    }
    if (handler.has_ended()) XML_StopParser(parser, XML_FALSE);
  }

  static void start(void* self, const XML_Char* name, const XML_Char** attributes) {
    auto& callbacks = *static_cast<XmlCallbacks*>(self);
    callbacks.run([&] { callbacks.handler.start(name_of(name), XmlAttributes(attributes)); });
  }
  static void end(void* self, const XML_Char* name) {
    auto& callbacks = *static_cast<XmlCallbacks*>(self);
    callbacks.run([&] { callbacks.handler.end(name_of(name)); });
  }
  static void text(void* self, const XML_Char* text, int length) {
    auto& callbacks = *static_cast<XmlCallbacks*>(self);
    callbacks.run([&] { callbacks.handler.text({text, static_cast<std::size_t>(length)}); });
  }
  static void document_type(void* self, const XML_Char* /*name*/, const XML_Char* /*system*/,
                            const XML_Char* /*public*/, int /*has_subset*/) {
    auto& callbacks = *static_cast<XmlCallbacks*>(self);
    callbacks.run([&] { callbacks.handler.fail(damaged_book("its XML has a document type")); });
  }
};

Status read_xml(Archive& archive, const std::string& part, XmlHandler& handler) {
  const std::unique_ptr<XML_ParserStruct, FreeParser> parser(XML_ParserCreateNS(nullptr, kSeparator));
  if (!parser) return internal_error("read workbook: no memory for expat");
  XmlCallbacks callbacks{.handler = handler, .parser = parser.get()};
  XML_SetUserData(parser.get(), &callbacks);
  XML_SetElementHandler(parser.get(), XmlCallbacks::start, XmlCallbacks::end);
  XML_SetCharacterDataHandler(parser.get(), XmlCallbacks::text);
  XML_SetStartDoctypeDeclHandler(parser.get(), XmlCallbacks::document_type);
  std::uint64_t fed = 0;
  const auto parse = [&](std::string_view piece, bool is_last) -> Result<bool> {
    fed += piece.size();
    const XML_Status parsed = XML_Parse(parser.get(), piece.data(), static_cast<int>(piece.size()), is_last);
    if (handler.has_ended()) {
      SLUICE_CHECK(handler.status());
      return false;
    }
    if (parsed != XML_STATUS_OK) return damaged_book("its XML is damaged: " + excerpt(part));
    const XML_Index at = XML_GetCurrentByteIndex(parser.get());
    if (at >= 0 && fed - static_cast<std::uint64_t>(at) > kXmlTagBytesMax)
      return too_large_book("bytes of one tag in the XML of a workbook", kXmlTagBytesMax);
    return true;
  };
  SLUICE_CHECK(archive.read(part, [&](std::string_view piece) { return parse(piece, false); }));
  if (!handler.has_ended()) {
    SLUICE_TRY(const bool ignored, parse("", true));
    (void)ignored;
  }
  return handler.status();
}

}  // namespace sluice::sheets
