#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"

#include "archive.h"

namespace sluice::sheets {

// The namespaces that mean something in a workbook, whatever their prefixes are.
enum class XmlSpace : std::uint8_t {
  kNone,
  kSpreadsheet,    // Office Open XML: the cells,
  kRelationship,   // what refers to other parts,
  kRelationships,  // and the lists of what is referred to.
  kOffice,         // OpenDocument.
  kTable,
  kText,
  kCalc,
  kOther,
};

struct XmlName {
  XmlSpace space = XmlSpace::kOther;
  std::string_view local;

  friend bool operator==(const XmlName&, const XmlName&) = default;
};

// Of one element. Valid while start() runs.
class XmlAttributes {
 public:
  explicit XmlAttributes(const char* const* attributes) : attributes_(attributes) {}
  std::optional<std::string_view> find(const XmlName& name) const;

 private:
  const char* const* attributes_;  // Names and values in turn, then null; expat's.
};

// What a document says, in its order.
class XmlHandler {
 public:
  XmlHandler() = default;
  XmlHandler(const XmlHandler&) = delete;
  XmlHandler& operator=(const XmlHandler&) = delete;
  virtual ~XmlHandler() = default;
  virtual void start(const XmlName& name, const XmlAttributes& attributes) = 0;
  virtual void end(const XmlName& name) = 0;
  virtual void text(std::string_view /*text*/) {}  // In pieces.

  bool has_ended() const { return has_finished_ || failure_; }
  Status status() const { return failure_ ? Status(*failure_) : Status(); }

 protected:
  void fail(Error error) {
    if (!failure_) failure_ = std::move(error);
  }
  void check(Status status) {
    if (!status.ok()) fail(std::move(status).error());
  }
  void finish() { has_finished_ = true; }  // The rest of the document does not matter.

 private:
  friend struct XmlCallbacks;
  std::optional<Error> failure_;
  bool has_finished_ = false;
};

// Reads a part of an archive. Refuses document types, and with them every entity of the document's own.
// kNotFound if there is no such part.
Status read_xml(Archive& archive, const std::string& part, XmlHandler& handler);

}  // namespace sluice::sheets
