#include "harness/store_attestations.hpp"

#include "harness/store_fixture.hpp"

namespace harness {
namespace {

/// A run of one CPU; its figures are `speed` times those of the example.
NewDocument run(int number, const std::string& author, double speed = 1,
                const std::string& cpu = "Example CPU") {
  Submission submission = example_submission();
  submission.nonce = fmt::format("{:032x}", number);
  submission.machine.cpu_model = cpu;
  for (DecodeResult& result : submission.derived.decode) result.tokens_per_s.median *= speed;
  NewDocument document = new_document(to_canonical_json(submission));
  document.author = author;
  return document;
}

class TrustTest : public StoreTest {
 protected:
  void add(const NewDocument& document) { Store(path_).add_all({document}); }
  std::string trust() {
    std::string states;
    for (const StoredDocument& document : Store::open_existing(path_).list())
      states += (states.empty() ? "" : " ") + document.trust;
    return states;
  }
};

TEST_F(TrustTest, two_authors_with_two_nonces_and_the_same_figures_corroborate_each_other) {
  add(run(1, "ada"));
  EXPECT_EQ(trust(), "plausible");
  add(run(2, "ben", 1.2));
  EXPECT_EQ(trust(), "corroborated corroborated");
  EXPECT_EQ(Store::open_existing(path_).list()[1].author, "ben");
}

TEST_F(TrustTest, nothing_less_corroborates) {
  add(run(1, "ada"));
  add(run(2, "ada"));
  add(run(3, ""));
  add(run(4, "ben", 1.3));
  add(run(5, "cleo", 1, "Another CPU"));
  add(run(1, "dan", 1.001));  // the same nonce: the same run, however it was changed
  EXPECT_EQ(trust(), "plausible plausible plausible plausible plausible plausible")
      << "the same author, no author, other figures, another CPU, the same run";
}

TEST_F(TrustTest, one_figure_that_disagrees_is_enough_to_disagree) {
  Submission submission = example_submission();
  ASSERT_GE(submission.derived.decode.size(), 1u);
  submission.machine.cpu_model = "Example CPU";
  DecodeResult second = submission.derived.decode.front();
  second.key.model = "another_model";
  submission.derived.decode.push_back(second);
  const auto with = [&](int number, const std::string& author, double speed_of_second) {
    submission.nonce = fmt::format("{:032x}", number);
    submission.derived.decode.back().tokens_per_s.median = second.tokens_per_s.median * speed_of_second;
    NewDocument document = new_document(to_canonical_json(submission));
    document.author = author;
    return document;
  };
  add(with(1, "ada", 1));
  add(with(2, "ben", 2));
  EXPECT_EQ(trust(), "plausible plausible");
  add(run(3, "cleo"));  // has but the first figure, which agrees with both
  EXPECT_EQ(trust(), "corroborated corroborated corroborated");
}

TEST_F(TrustTest, the_first_sender_of_a_document_stays_its_author) {
  add(run(1, "ada"));
  add(run(1, "ben"));  // the same bytes
  add(run(2, "ada"));
  EXPECT_EQ(trust(), "plausible plausible");
  EXPECT_EQ(Store::open_existing(path_).list()[0].author, "ada");
  add(run(3, ""));
  add(run(3, "ben"));  // nobody was known before
  EXPECT_EQ(trust(), "corroborated corroborated corroborated");
}

TEST_F(TrustTest, an_audit_counts_for_what_is_corroborated_and_by_somebody_else) {
  add(run(1, "ada"));
  Store(path_).audit("1", "Cleo", "ran it again");
  EXPECT_EQ(trust(), "plausible");
  add(run(2, "ben"));
  EXPECT_EQ(trust(), "audited corroborated");
  Store store(path_);
  EXPECT_TRUE(contains(failure_of([&] { store.audit("2", " BEN ", "mine"); }, ExitCode::usage), "ben sent"));
  EXPECT_TRUE(contains(failure_of([&] { store.audit("2", "x", ""); }, ExitCode::usage), "--note"));
  EXPECT_TRUE(contains(failure_of([&] { store.audit("2", "x", "a\nb"); }, ExitCode::usage), "--note"));
  EXPECT_TRUE(
      contains(failure_of([&] { store.audit("9", "x", "y"); }, ExitCode::invalid_input), "no document"));
}

/// A run whose samples vary, 64 in each decode series, each `factor` as long.
NewDocument sampled_run(int number, const std::string& author, uint64_t seed, double factor = 1) {
  Submission submission = example_submission();
  submission.nonce = fmt::format("{:032x}", number);
  SplitMix64 random(seed);
  for (Launch& launch : submission.launches) {
    for (Series& series : launch.series) {
      if (series.probe != "decode") continue;
      series.samples.clear();
      for (int i = 0; i < 64; ++i)
        series.samples.push_back(
            static_cast<int64_t>(factor * static_cast<double>(900'000 + random.below(100'000))));
    }
  }
  NewDocument document = new_document(to_canonical_json(submission));
  document.author = author;
  return document;
}

TEST_F(TrustTest, a_copy_of_a_run_corroborates_nothing_whatever_it_is_multiplied_with) {
  add(sampled_run(1, "ada", 1));
  add(sampled_run(2, "ben", 1));
  add(sampled_run(3, "cleo", 1, 1.07));
  EXPECT_EQ(trust(), "plausible plausible plausible");
  add(sampled_run(4, "dan", 2));
  EXPECT_EQ(trust(), "corroborated plausible plausible corroborated") << "only the original counts";
  EXPECT_EQ(Store(path_).alike(sampled_run(5, "", 1, 0.9).content.fingerprints).size(), 3u);
  EXPECT_EQ(Store(path_).alike(sampled_run(6, "", 3).content.fingerprints).size(), 0u);
  EXPECT_TRUE(problems().empty());
}

TEST_F(TrustTest, an_account_is_one_person_under_every_login) {
  add(run(1, "ada#7"));
  add(run(2, "ada-renamed#7"));
  EXPECT_EQ(trust(), "plausible plausible");
  add(run(3, "ada"));  // without a number the login is all there is
  EXPECT_EQ(Store::open_existing(path_).list()[0].trust, "plausible");
  EXPECT_TRUE(same_person("ada#7", "ada#8"));
  EXPECT_FALSE(same_person("ada#7", "ben#8"));
  Store store(path_);
  EXPECT_TRUE(contains(failure_of([&] { store.audit("1", "Ada", "mine"); }, ExitCode::usage), "sent this"));
}

TEST_F(TrustTest, the_author_that_is_told_is_the_stored_one) {
  add(run(1, "ada"));
  const std::vector<Stored> again = Store(path_).add_all({run(1, "ben"), run(2, "ben")});
  EXPECT_EQ(again.at(0).author, "ada");
  EXPECT_TRUE(again.at(0).already_there);
  EXPECT_EQ(again.at(1).author, "ben");
}

TEST_F(TrustTest, names_that_ingest_refuses_are_refused_by_restore_and_found_by_check) {
  add(run(1, "\x1b[31mADA"));  // add_all takes what it is given: as a store that was forged
  EXPECT_TRUE(names(problems(), "attestation 1: its name or note is none that tokroof takes"));
  std::vector<ChainedDocument> documents;
  std::vector<Attestation> attestations;
  Store::open_existing(path_).each([](int64_t, const std::string&) {},
                                   [&](const ChainedDocument& document) { documents.push_back(document); },
                                   [&](const Attestation& one) { attestations.push_back(one); });
  size_t at = 0, attested = 0;
  Store fresh(folder_ + "/fresh.sqlite");
  const std::string why = failure_of(
      [&] {
        fresh.restore(
            [&](ChainedDocument& document) {
              return at < documents.size() && (document = documents[at++], true);
            },
            [&](Attestation& one) {
              return attested < attestations.size() && (one = attestations[attested++], true);
            });
      },
      ExitCode::invalid_input);
  EXPECT_TRUE(contains(why, "attestation 1")) << why;
  EXPECT_FALSE(contains(why, "\x1b"));
  EXPECT_EQ(fresh.head().documents, 0);
}

TEST_F(TrustTest, check_finds_attestations_that_were_changed_removed_or_moved) {
  for (const char* sql : {"UPDATE attestations SET name = 'mallory' WHERE sequence = 2",
                          "DELETE FROM attestations WHERE sequence = 3",
                          "UPDATE attestations SET document = 1 WHERE sequence = 3",
                          "DELETE FROM attestations WHERE sequence = 1",
                          "UPDATE attestations SET note = 'x' WHERE sequence = 1"}) {
    std::filesystem::remove(path_);
    for (int i = 1; i <= 3; ++i) add(run(i, fmt::format("author-{}", i)));
    ASSERT_TRUE(problems().empty()) << problems().front();
    std::string triggers;
    {
      Database database(path_, OpenMode::read_only, 0);
      Statement rows = database.prepare(
          "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'attestations'");
      while (rows.step()) triggers += rows.text(0) + ";";
    }
    tamper(
        fmt::format("PRAGMA foreign_keys = OFF; DROP TRIGGER attestations_do_not_change; "
                    "DROP TRIGGER attestations_do_not_go; DROP INDEX attestations_of_a_sender; {}; "
                    "CREATE UNIQUE INDEX attestations_of_a_sender ON attestations (document) WHERE kind = "
                    "'sent' AND 0; {}",
                    sql, triggers));
    EXPECT_TRUE(names(problems(), "attestation ")) << sql;
  }
}

TEST_F(TrustTest, attestations_cannot_be_changed_by_sql) {
  add(run(1, "ada"));
  Database database(path_, OpenMode::create, 0);
  EXPECT_TRUE(
      contains(failure_of([&] { database.run("UPDATE attestations SET name = 'x'"); }), "append-only"));
  EXPECT_TRUE(contains(failure_of([&] { database.run("DELETE FROM attestations"); }), "append-only"));
}

TEST_F(TrustTest, a_rebuild_makes_the_view_anew_and_keeps_who_sent_what) {
  add(run(1, "ada"));
  add(run(2, "ben"));
  tamper("DROP VIEW trust; CREATE VIEW trust AS SELECT 1 AS document, 'x' AS author, 'audited' AS state");
  EXPECT_TRUE(names(problems(), "view trust was changed"));
  Store(path_).rebuild();
  EXPECT_TRUE(problems().empty());
  EXPECT_EQ(trust(), "corroborated corroborated");
}

TEST_F(TrustTest, an_export_carries_attestations_and_refuses_changed_ones) {
  add(run(1, "ada"));
  add(run(2, "ben"));
  std::vector<ChainedDocument> documents;
  std::vector<Attestation> attestations;
  Store::open_existing(path_).each([](int64_t, const std::string&) {},
                                   [&](const ChainedDocument& document) { documents.push_back(document); },
                                   [&](const Attestation& one) { attestations.push_back(one); });
  ASSERT_EQ(attestations.size(), 2u);
  const auto restored = [&](const std::string& path) {
    size_t at = 0, attested = 0;
    Store(path).restore(
        [&](ChainedDocument& document) {
          return at < documents.size() && (document = documents[at++], true);
        },
        [&](Attestation& one) {
          return attested < attestations.size() && (one = attestations[attested++], true);
        });
  };
  const StoreHead whole = Store::open_existing(path_).head();
  path_ = folder_ + "/fresh.sqlite";
  restored(path_);
  restored(path_);  // what is there already is there
  EXPECT_EQ(Store::open_existing(path_).head().attestations_hash, whole.attestations_hash);
  EXPECT_EQ(trust(), "corroborated corroborated");
  attestations[1].name = "ada";
  EXPECT_TRUE(contains(failure_of([&] { restored(folder_ + "/other.sqlite"); }, ExitCode::tampered),
                       "attestation 2"));
}

TEST(Attestations, names_are_compared_without_case_and_blanks) {
  EXPECT_EQ(attested_name("  Octo-Cat ", "--author"), "octo-cat");
  EXPECT_EQ(attested_name("Renovate[bot]", "--author"), "renovate[bot]");
  EXPECT_EQ(attested_name("Ada#583231", "--author"), "ada#583231");
  for (const std::string& odd :
       {std::string(), std::string("  "), std::string("a\nb"), std::string("a\tb"), std::string("\x1b[2J"),
        std::string("\xff"), std::string(65, 'a'), std::string("a b"), std::string("Zoë"),
        std::string("ada\u200b"), std::string("\u202eada"), std::string("\u0430da"), std::string("ada#"),
        std::string("#7"), std::string("ada#x"), std::string("ada#1#2"), std::string("[bot]")})
    EXPECT_THROW(attested_name(odd, "--author"), Error) << odd;
}

TEST(Attestations, notes_hide_nothing) {
  check_attested_note("Zoë ran it twice: 1 × 2 µs 測", "--note");
  for (const std::string& odd : {std::string(), std::string("a\nb"),
                                 std::string("\xc2\x9b"
                                             "31m"),
                                 std::string("a\u202e"), std::string("a\u200d"), std::string("\u2028"),
                                 std::string("\ufeff"), std::string("\U000e0041"), std::string(301, 'a')})
    EXPECT_THROW(check_attested_note(odd, "--note"), Error) << odd;
}

}  // namespace
}  // namespace harness
