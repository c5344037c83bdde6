#include "harness/scrub.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace harness {
namespace {

const PrivateNames ada{{"/srv/people/ada"}, {"engine.example.org", "engine"}, {"Ada Lovelace", "ada"}};

TEST(scrub, takes_out_who_and_where) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"ran on engine as ada", "ran on (host) as (user)"},
      {"ENGINE.example.org: Ada Lovelace", "(host): (user)"},
      {"ada@engine:~/x$ ls", "(address):(path) ls"},
      {"/srv/people/ada/models/secret.gguf: not found", "(path) not found"},
      {"open '/srv/people/ada/my models/a b.i8' failed", "open '(path)' failed"},
      {"open /data/my\\ files/x failed", "open (path) failed"},
      {"--out=/mnt/project-x/out", "--out=(path)"},
      {"cannot open C:\\Users\\ada\\x.gguf now", "cannot open (path) now"},
      {"\\\\server\\share\\x", "(path)"},
      {"file:///data/x and file:/data/x", "file:(path) and file:(path)"},
      {"gcc:/opt/build/x.cpp:3: error", "gcc:(path) error"},
      {"eth0 00:1a:2B:3c:4d:5e up", "eth0 (mac) up"},
      {"00-1a-2b-3c-4d-5e 001a.2b3c.4d5e", "(mac) (mac)"},
      {"from 192.168.1.17, to 10.0.0.1:8080.", "from (address), to (address):8080."},
      {"inet6 fe80::1c2d:3eff:fe4f:5a6b%eth0/64", "inet6 (address)"},
      {"[2001:db8::7]:443 2001:db8::7:", "[(address)]:443 (address):"},
      {"mail ada.l@example.org or bob@example.com", "mail (address) or (address)"},
      {"git@example.com:team/x.git bob@10.0.0.1:/data", "(address) (address):(path)"},
      {"https://bob:hunter2@example.org/a?token=abc#x", "https://(user)@example.org/a"},
      {"http://10.1.2.3:8000/x", "http://(address):8000/x"},
      {"uuid 123e4567-e89b-12d3-a456-426614174000", "uuid (id)"},
      {"machine-id=0123456789abcdef0123456789ABCDEF", "machine-id=(id)"},
      {"engine/x/y (/opt/x)", "(host)/x/y ((path))"},
      {"ghp_0123456789abcdefABCDEF hf_ABCDEFGHIJKLMNOPQRST", "(secret) (secret)"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(scrub(text, ada), expected);
}

TEST(scrub, takes_out_what_is_glued_to_a_word) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"g++ -I/work/acme/x -L/opt/bob/lib -isystem/srv/y -c a.cpp",
       "g++ -I(path) -L(path) -isystem(path) -c a.cpp"},
      {"stat \xe2\x80\x98/data/acme corp/m.bin\xe2\x80\x99: No", "stat \xe2\x80\x98(path)\xe2\x80\x99: No"},
      {"In \xe2\x80\x9c/data/x.c\xe2\x80\x9d", "In \xe2\x80\x9c(path)\xe2\x80\x9d"},
      {"/\xc3\xa9t\xc3\xa9/secret x", "(path) x"},
      {"//fileserver/share/bob \\\\srv\\bob D:\\x C:/Users/bob", "(path) (path) (path) (path)"},
      {"smb://server/share/bob", "smb:(path)"},
      {"*/data/z file+/data/q #/data/h 2>/data/o @/data/r", "*(path) file+(path) #(path) 2>(path) @(path)"},
      {"A:PATH=/data/a;/data/b /data/bob's/x", "A:PATH=(path) (path)"},
      {"/library/bob /machine/bob/x /suite/bob /plans/bob /launches/bob",
       "(path) (path) (path) (path) (path)"},
      {"/usr/lib:/data/x /usr/local/bob /usr/lib/../../data /dev/shm/bob", "(path) (path) (path) (path)"},
      {"~bob/x %2Fhome%2Fbob", "(path) (path)"},
      {"inet addr:192.168.1.5  Bcast:192.168.1.255", "inet addr:(address)  Bcast:(address)"},
      {"peer:10.1.2.3:8080 tcp/10.1.2.3 x_10.1.2.3_y 10.1.2.3.443",
       "peer:(address):8080 tcp/(address) x_(address)_y (address).443"},
      {"addr:fe80::1:2 ip=2001:db8::1,x", "addr:(address) ip=(address),x"},
      {"HWaddr:aa:bb:cc:dd:ee:ff enx001a2b3c4d5e", "HWaddr:(mac) (mac)"},
      {"UUID:123e4567-e89b-12d3-a456-426614174000", "UUID:(id)"},
      {"machine-id_0123456789abcdef0123456789abcdef id0123456789abcdef0123456789abcdef",
       "machine-id_(id) i(id)"},
      {"token:ghp_0123456789abcdef0123456789abcdef", "token:(secret)"},
      {"Authorization: Bearer abc.def/g= x", "Authorization: Bearer (secret) x"},
      {"Bearer:sk-0123456789abcdef0123", "Bearer:(secret)"},
      {"PASSWORD: hunter2 password=hunter2, password hunter2",
       "PASSWORD: (secret) password=(secret) password (secret)"},
      {"{\"api_key\": \"a b\", 'secret':'x'}", "{\"api_key\": \"(secret)\", 'secret':'(secret)'}"},
      {"AWS_SECRET_ACCESS_KEY=abc/def+g", "AWS_SECRET_ACCESS_KEY=(secret)"},
      {"/plansecret /plans/ada /derived/roofs-of-ada", "(path) (path) (path)"},
      {"ada_work my_ada /x\xe2\x80\x98"
       "ada\xe2\x80\x99",
       "(user)_work my_(user) (path)\xe2\x80\x98(user)\xe2\x80\x99"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(scrub(text, ada), expected);
    EXPECT_EQ(scrub(expected, ada), expected);
  }
}

TEST(scrub, leaves_what_a_reader_needs) {
  for (const std::string text :
       {"the measuring process died of signal 11 (Segmentation fault)",
        "36,003 tok/s at 69.6 GB/s, 13 %",
        "R02 /launches/0/series/1/unit /derived/roofs/0/size_bytes: stated 24576, the launches give 0",
        "R02 /derived/roofs: 3.5 GB/s",
        "R03 /launches: 3 of 4",
        "(/plans)",
        "/usr/lib/x86_64-linux-gnu/libc.so.6 /proc/cpuinfo /sys/devices/system/cpu",
        "12:34:56.789 2026-11-30T01:07:40Z",
        "harness/cli/run.cpp:12:3: error: x",
        "canada adaptive engineer enginex",
        "1/2 a/b / // ~ ~3 c: x:y :: a::b std::string",
        "127.0.0.1 ::1 0.0.0.0",
        "golden 1dae673fdd72fa6829d9646900de3c61eb8676da2d67a43f8102e361fb3a681b",
        "/usr/include/c++/12/bits/x.h",
        "a token takes 3.2 ms; per token: 27.5 KiB",
        "3 tokens: x",
        "https://example.org/paper.pdf",
        "see @someone, a @ b",
        "kernel 6.1.0-18-amd64 g++ 12.2.0",
        "tab\tand\nline",
        "",
        "ähnlich größer 測試 ✘"}) {
    EXPECT_EQ(scrub(text, ada), text);
  }
}

TEST(scrub, leaves_nothing_that_a_document_or_a_terminal_stumbles_over) {
  EXPECT_EQ(scrub(std::string("a\0b\x1b[31m\x7f\r\nc\rd", 14)), "a?b?[31m?\nc?d");
  EXPECT_EQ(scrub("\xff\xc3(\xe2\x82 \xed\xa0\x80 \xf8 \xc0\xaf \xf4\x90\x80\x80"),
            "?"
            "?(?"
            "? ?"
            "?? ? ?"
            "? ????");
  EXPECT_EQ(scrub("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
}

TEST(scrub, done_twice_changes_nothing_more) {
  for (const std::string text :
       {"ada@engine:~/x$ '/srv/people/ada/a b' 10.0.0.1:80 https://bob:x@h.org/?a=b",
        "00:1a:2b:3c:4d:5e fe80::1%e/64", "bob@10.0.0.1:/data file:///x ghp_0123456789abcdefABCDEF",
        "~ada/x '~/a' \"C:\\x y\" :/a:/b a@/b @/c", "1.2.3.4.5.6 1.2.3.4:5:6 ::ffff:1.2.3.4 [::ffff:1.2.3.4]",
        "/(path) /a(b)/c /a,/b;/c|/d=/e 'it's /x y'"}) {
    const std::string once = scrub(text, ada);
    EXPECT_EQ(scrub(once, ada), once) << text;
    EXPECT_EQ(scrub(once), once) << text;
  }
}

TEST(scrub, every_piece_of_a_text_is_scrubbed_and_none_lost) {
  const std::string text = "x ada 10.0.0.1:1 'a /b c' ~/d\\ e f@g.h \xc3\xa4\n";
  for (size_t from = 0; from < text.size(); ++from) {
    for (size_t size = 0; size <= text.size() - from; ++size) {
      const std::string once = scrub(text.substr(from, size), ada);
      EXPECT_EQ(scrub(once, ada), once);
    }
  }
}

TEST(scrub,
     a_long_word_is_scrubbed_as_a_long_text_is) {  // in quadratic time this would run into ctest's timeout
  for (const std::string piece : {"/", ":", "a", "1.", "::", "@", "'/", "~", "\\ ", "f:", "x://"}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    const std::string once = scrub(text, ada);
    EXPECT_EQ(scrub(once, ada), once) << piece;
  }
}

TEST(private_names, are_those_of_this_process) {
  const PrivateNames names = read_private_names();
  for (const auto* list : {&names.homes, &names.hosts, &names.logins}) {
    for (const std::string& name : *list) {
      EXPECT_NE(name, "root");
      EXPECT_NE(name, "/");
      EXPECT_EQ(scrub("of " + name + ".", names).find(name), std::string::npos) << name;
    }
  }
  EXPECT_FALSE(names.hosts.empty());
}

}  // namespace
}  // namespace harness
