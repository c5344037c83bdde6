#include "models/catalogue.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "models/model_description.hpp"

namespace models {
namespace {

/// Gives a test a $TOKROOF_HOME of its own and a folder for what the user wrote.
class Catalogue : public testing::Test {
 protected:
  Catalogue() {
    std::filesystem::create_directories(folder + "/mine");
    setenv("TOKROOF_HOME", (folder + "/home").c_str(), 1);
  }
  ~Catalogue() override {
    if (old_home.empty()) {
      unsetenv("TOKROOF_HOME");
    } else {
      setenv("TOKROOF_HOME", old_home.c_str(), 1);
    }
    std::filesystem::remove_all(folder);
  }

  /// Writes a description of a small model, with another width when asked.
  [[nodiscard]] std::string write(const std::string& name, int d = 64) const {
    std::string path = folder + "/mine/" + name + ".json";
    std::ofstream(path) << R"({"schema":"tokroof/model/1","name":")" << name << R"(","vocab":64,"d":)" << d
                        << R"(,"ff":48,"blocks":["conv","attention"],"heads":4,"kv_heads":2,"head_dim":)"
                        << d / 4 << R"(,"context":32})";
    return path;
  }

  static std::string refusal(const std::string& file, harness::ExitCode code) {
    try {
      add_user_model(file);
    } catch (const harness::Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    ADD_FAILURE() << file << " was added";
    return "";
  }

  std::string folder = (std::filesystem::temp_directory_path() / harness::random_hex(8)).string();
  std::string old_home = std::getenv("TOKROOF_HOME") == nullptr ? "" : std::getenv("TOKROOF_HOME");
};

TEST_F(Catalogue, holds_every_description_that_is_compiled_in_under_its_own_name) {
  ASSERT_EQ(catalogue_names().size(), shapes().size());
  for (size_t i = 0; i < shapes().size(); ++i) {
    EXPECT_EQ(shapes()[i].name, catalogue_names()[i]);
    EXPECT_TRUE(check_model(catalogue_text(catalogue_names()[i]), catalogue_names()[i]).empty());
  }
  EXPECT_EQ(catalogue_text("llama"), "");
}

TEST_F(Catalogue, a_model_that_was_added_is_found_and_listed) {
  EXPECT_TRUE(user_shapes().empty());
  EXPECT_THROW(find_shape("mine"), harness::Error);
  const AddedModel added = add_user_model(write("mine"));
  EXPECT_FALSE(added.already_there);
  EXPECT_EQ(added.path, folder + "/home/models/mine.json");
  EXPECT_EQ(find_shape("mine").d, 64);
  EXPECT_EQ(find_shape("mine").default_position_last, 31) << "inside its context of 32";
  ASSERT_EQ(user_shapes().size(), 1u);
  EXPECT_EQ(user_shapes()[0], find_shape("mine"));
  EXPECT_EQ(known_shape("mine"), nullptr) << "only built-in models are the same on every machine";
}

TEST_F(Catalogue, adding_the_same_model_twice_changes_nothing_and_another_of_its_name_is_refused) {
  add_user_model(write("mine"));
  const Shape& before = find_shape("mine");
  EXPECT_TRUE(add_user_model(write("mine")).already_there);
  EXPECT_NE(
      refusal(write("mine", 96), harness::ExitCode::invalid_input).find("mine is another model already"),
      std::string::npos);
  EXPECT_EQ(&find_shape("mine"), &before);
  EXPECT_EQ(before.d, 64);
}

TEST_F(Catalogue, the_name_of_a_built_in_model_stands_for_that_model_alone) {
  EXPECT_NE(refusal(write("coreflow_1_9m"), harness::ExitCode::invalid_input).find("(built in)"),
            std::string::npos);
  const std::string path = folder + "/mine/coreflow_1_9m.json";
  std::ofstream(path) << catalogue_text("coreflow_1_9m");
  const AddedModel added = add_user_model(path);
  EXPECT_TRUE(added.already_there);
  EXPECT_EQ(added.path, "");
  EXPECT_FALSE(std::filesystem::exists(folder + "/home/models"));
}

TEST_F(Catalogue, what_describes_no_model_is_refused_and_nothing_is_written) {
  const std::string path = write("mine", 65);  // heads · head_dim is 64
  EXPECT_EQ(refusal(path, harness::ExitCode::invalid_input),
            path + ": /head_dim: 16, expected heads times head_dim to be d: 4 times head_dim to be 65");
  EXPECT_NE(refusal(folder + "/none.json", harness::ExitCode::invalid_input).find("cannot be read"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder + "/home"));
}

TEST_F(Catalogue, a_home_that_cannot_be_written_is_an_error_of_the_store) {
  std::ofstream(folder + "/home") << "a file, not a folder";
  EXPECT_NE(refusal(write("mine"), harness::ExitCode::store).find(folder + "/home"), std::string::npos);
}

TEST_F(Catalogue, a_spoilt_file_of_the_users_is_named_when_it_is_wanted) {
  const std::string path = add_user_model(write("mine")).path;
  std::ofstream(path) << "{";
  for (const auto& use : {+[] { (void)user_shapes(); }, +[] { (void)find_shape("mine"); }}) {
    try {
      use();
      ADD_FAILURE() << "accepted";
    } catch (const harness::Error& error) {
      EXPECT_EQ(error.code(), harness::ExitCode::invalid_input);
      EXPECT_EQ(std::string(error.what()).rfind(path + ": ", 0), 0u) << error.what();
    }
  }
  EXPECT_EQ(find_shape("coreflow_1_9m").d, 144) << "built-in models need no file";
}

TEST_F(Catalogue, a_name_never_leads_out_of_the_folder) {
  const std::string outside = write("outside");
  std::filesystem::create_directories(folder + "/home/models");
  EXPECT_TRUE(std::filesystem::exists(folder + "/home/models/../../mine/outside.json"));
  EXPECT_THROW(find_shape("../../mine/outside"), harness::Error);
}

TEST_F(Catalogue, a_shape_once_found_stays_good_when_its_file_changes) {
  const std::string path = add_user_model(write("mine")).path;
  const Shape& before = find_shape("mine");
  std::filesystem::copy_file(write("mine", 96), path, std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(find_shape("mine").d, 96);
  EXPECT_EQ(before.d, 64);
}

TEST_F(Catalogue, a_misspelt_name_of_the_users_is_mended) {
  add_user_model(write("my_hybrid"));
  try {
    find_shape("my_hybird");
    ADD_FAILURE() << "found";
  } catch (const harness::Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'my_hybrid'?"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace models
