#include "sluice/engine/row_buffer.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/engine/batch_builder.h"
#include "sluice/engine/kept_rows.h"

namespace sluice::engine {
namespace {

Type type(TypeId id) { return Type{.id = id}; }
Type list_of(Type item) {
  return Type{.id = TypeId::kList, .fields = {Field{.name = "item", .type = std::move(item)}}};
}

const std::vector<Field>& columns() {
  static const std::vector<Field> kColumns = {{.name = "n", .type = type(TypeId::kInt64)},
                                              {.name = "s", .type = type(TypeId::kText)},
                                              {.name = "l", .type = list_of(type(TypeId::kText))}};
  return kColumns;
}

// A number, a text of so many bytes and a list of that many, up to three, texts. Every seventh row is null.
class NumberedRows final : public Rows {
 public:
  explicit NumberedRows(std::size_t rows) : left_(rows), builder_(engine::columns()) {}

  const std::vector<Field>& columns() const override { return engine::columns(); }
  Result<const Batch*> next() override {
    builder_.clear();
    for (; left_ > 0 && !builder_.is_full(); --left_) add(++row_);
    return builder_.is_empty() ? nullptr : builder_.finish();
  }

 private:
  void add(std::size_t row) {
    std::vector<ColumnBuilder>& to = builder_.columns();
    if (row % 7 == 0) {
      for (ColumnBuilder& column : to) column.add_null();
    } else {
      to[0].add(static_cast<std::int64_t>(row));
      to[1].add_text(std::string(row % 40, 'x'));
      for (std::size_t i = 0; i < row % 4; ++i) to[2].child().add_text("item " + std::to_string(row * i));
      to[2].add_list();
    }
    builder_.end_row();
  }

  std::size_t left_;
  std::size_t row_ = 0;
  BatchBuilder builder_;
};

std::string text_of(const Column& column, std::size_t row) {
  if (column.is_null(row)) return "null";
  switch (column.type->id) {
    case TypeId::kInt64:
      return std::to_string(column.at<std::int64_t>(row));
    case TypeId::kText:
      return "'" + std::string(column.text(row)) + "'";
    default: {
      const auto list = column.at<ListCell>(row);
      std::string out = "[";
      for (std::size_t i = 0; i < list.size; ++i) out += text_of(column.children[0], list.offset + i) + ",";
      return out + "]";
    }
  }
}

std::string all_of(Rows& rows) {
  std::string out;
  while (true) {
    const Result<const Batch*> batch = rows.next();
    if (!batch.ok()) return batch.error().message;
    if (*batch == nullptr) return out;
    for (std::size_t row = 0; row < (*batch)->rows; ++row) {
      for (const Column& column : (*batch)->columns) out += text_of(column, row) + " ";
      out += "\n";
    }
  }
}

std::string expected(std::size_t rows) {
  NumberedRows again(rows);
  return all_of(again);
}

TEST(RowBuffer, GivesTheSameRowsFromMemory) {
  BufferSpace space({});
  for (const std::size_t count : {0U, 1U, 5000U}) {
    NumberedRows rows(count);
    const auto buffered = buffer_rows(rows, space);
    ASSERT_TRUE(buffered.ok());
    EXPECT_EQ(all_of(**buffered), expected(count));
  }
  EXPECT_EQ(space.used(), 0U);
}

TEST(RowBuffer, GivesTheSameRowsFromAFileThatNobodySees) {
  std::string folder = (std::filesystem::temp_directory_path() / "sluice_buffer_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  {
    BufferSpace space({.folder = folder + "/scratch", .memory_bytes_max = 10'000});
    NumberedRows rows(50'000);
    const auto buffered = buffer_rows(rows, space);
    ASSERT_TRUE(buffered.ok()) << buffered.error().message;
    EXPECT_GT(space.used(), 1'000'000U);
    EXPECT_EQ(all_of(**buffered), expected(50'000));
    EXPECT_TRUE(std::filesystem::is_empty(folder + "/scratch"));
  }
  std::filesystem::remove_all(folder);
}

TEST(RowBuffer, RefusesWhatExceedsTheSpaceOfAllBuffers) {
  BufferSpace space({.bytes_max = 1'000'000});
  NumberedRows few(10'000);
  const auto first = buffer_rows(few, space);
  ASSERT_TRUE(first.ok());
  NumberedRows more(20'000);
  const auto second = buffer_rows(more, space);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, "too_many_tables");
  NumberedRows again(1'000);
  EXPECT_TRUE(buffer_rows(again, space).ok()) << "what was refused has given its room back";
}

TEST(RowBuffer, SaysThatItsFolderCannotBeUsed) {
  BufferSpace space({.folder = "/proc/no/such/folder", .memory_bytes_max = 0});
  NumberedRows rows(10);
  EXPECT_EQ(buffer_rows(rows, space).error().code, "spool_failed");
}

TEST(KeptRows, AreReadAnyNumberOfTimes) {
  for (const std::size_t count : {0U, 1U, 5000U}) {
    NumberedRows rows(count);
    const auto kept = keep_rows(rows, {.rows_max = 5000, .bytes_max = 10'000'000});
    ASSERT_TRUE(kept.ok());
    ASSERT_NE(*kept, nullptr);
    for (int i = 0; i < 2; ++i) {
      const auto again = (*kept)->read({0, 1, 2}, {});
      ASSERT_TRUE(again.ok());
      EXPECT_EQ(all_of(**again), expected(count));
    }
  }
}

TEST(KeptRows, HaveTheColumnsThatAreWanted) {
  NumberedRows rows(8);
  const auto kept = keep_rows(rows, {.rows_max = 8, .bytes_max = 10'000});
  ASSERT_TRUE(kept.ok());
  const auto numbers = (*kept)->read({0}, {});
  EXPECT_EQ((*numbers)->columns().size(), 1U);
  EXPECT_EQ(all_of(**numbers), "1 \n2 \n3 \n4 \n5 \n6 \nnull \n8 \n");
  EXPECT_EQ(all_of(**(*kept)->read({}, {})), std::string(8, '\n'));
}

TEST(KeptRows, AreNullIfTheyAreTooMany) {
  NumberedRows more(5001);
  EXPECT_EQ(keep_rows(more, {.rows_max = 5000, .bytes_max = 10'000'000}).value(), nullptr);
  NumberedRows wide(5000);
  EXPECT_EQ(keep_rows(wide, {.rows_max = 5000, .bytes_max = 10'000}).value(), nullptr);
}

}  // namespace
}  // namespace sluice::engine
