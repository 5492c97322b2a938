#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

#include "archive.h"
#include "moment.h"
#include "number_format.h"

namespace sluice::sheets {

// What one part of an Office Open XML file says where others are.
struct XlsxRelation {
  std::string id;
  std::string type;  // What follows the last slash of its URI: `worksheet`.
  std::string part;  // Its name in the archive.
};
// Of a part. There are none where it has no list of them.
Result<std::vector<XlsxRelation>> read_relations(Archive& archive, std::string_view part);

struct XlsxSheet {
  std::string name;
  std::string relation;  // Its id.
};
struct XlsxWorkbook {
  std::vector<XlsxSheet> sheets;
  Epoch epoch = Epoch::k1900;
};
Result<XlsxWorkbook> read_workbook(Archive& archive, const std::string& part);

// What the cells of each style show numbers as.
Result<std::vector<NumberUse>> read_styles(Archive& archive, const std::string& part);

// The texts that cells refer to by their place.
class SharedTexts {
 public:
  std::size_t size() const { return ends_.size(); }
  std::string_view at(std::size_t index) const;
  void append(std::string_view text) { text_ += text; }
  void end_text() { ends_.push_back(text_.size()); }

 private:
  std::string text_;  // All of them.
  std::vector<std::size_t> ends_;
};
Result<SharedTexts> read_shared_texts(Archive& archive, const std::string& part);

// Appends a text of Office Open XML, in which _x000D_ stands for a character that XML cannot hold.
void append_unescaped(std::string& to, std::string_view text);

}  // namespace sluice::sheets
