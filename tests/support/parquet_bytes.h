#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::inspection::testing {

// Parquet files without rows whose footers are written by hand, for schemas that no engine would write.
class ParquetBytes {
 public:
  // A struct of the compact protocol of Thrift, field by field in rising order.
  class Fields {
   public:
    Fields& number(int field, std::uint64_t value) {
      begin(field, 5) += varint(value << 1U);
      return *this;
    }
    Fields& long_number(int field, std::uint64_t value) {
      begin(field, 6) += varint(value << 1U);
      return *this;
    }
    Fields& text(int field, std::string_view value) {
      (begin(field, 8) += varint(value.size())) += value;
      return *this;
    }
    Fields& structs(int field, const std::vector<std::string>& values) {
      (begin(field, 9) += '\xFC') += varint(values.size());
      for (const std::string& value : values) bytes_ += value;
      return *this;
    }
    std::string end() const { return bytes_ + '\0'; }
    const std::string& open() const { return bytes_; }

   private:
    std::string& begin(int field, int type) {
      bytes_ += static_cast<char>((field - last_) << 4 | type);
      last_ = field;
      return bytes_;
    }
    std::string bytes_;
    int last_ = 0;
  };

  static std::string varint(std::uint64_t value) {
    std::string out;
    for (; value > 0x7F; value >>= 7U) out += static_cast<char>(value | 0x80U);
    return out + static_cast<char>(value);
  }

  // Groups within groups, with one integer column in the innermost.
  static std::vector<std::string> nested_schema(std::size_t levels) {
    std::vector<std::string> out{Fields().text(4, "root").number(5, 1).end()};
    for (std::size_t i = 1; i < levels; ++i)
      out.push_back(Fields().number(3, 1).text(4, "a").number(5, 1).end());
    out.push_back(Fields().number(1, 1).number(3, 1).text(4, "x").end());
    return out;
  }

  static Fields metadata(const std::vector<std::string>& schema, std::uint64_t rows = 0) {
    return Fields().number(1, 1).structs(2, schema).long_number(3, rows).structs(4, {});
  }

  static std::string file(const std::string& footer) {
    std::string length;
    for (unsigned shift = 0; shift < 32; shift += 8) length += static_cast<char>(footer.size() >> shift);
    return "PAR1" + footer + length + "PAR1";
  }

  static std::string nested_file(std::size_t levels) { return file(metadata(nested_schema(levels)).end()); }
};

}  // namespace sluice::inspection::testing
