/* SPDX-License-Identifier: Apache-2.0
 *
 * An implementation of the C ABI on trial inside a GoogleTest. C++17, for Linux.
 *
 *     TEST(Mine, IsRight) { CONVICT_TRIAL(mine, "--cases=500", "--where=conv2d g=1"); }
 *
 * `mine` is a convict_implementation; the rest are flags of `convict fuzz`. Its functions are called in this process
 * and thread, so that breakpoints work, and what crashes ends the test. The program is found on the PATH, or named by
 * the environment variable CONVICT. What fails is printed with the simplest case that shows it, and with the command
 * that runs this case alone: with a case in the environment variable CONVICT_CASE, a trial judges that and no other. */
#ifndef CONVICT_GTEST_H_
#define CONVICT_GTEST_H_

#include <convict/convict.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

/** Fails unless the implementation is right in all sampled cases. */
#define CONVICT_TRIAL(implementation, ...) EXPECT_TRUE(::convict::gtest::trial(implementation, {__VA_ARGS__}))

namespace convict::gtest {

/** A value in a well-formed line of JSON (docs/process-targets.md); an empty one where there is none. */
struct Json {
  const char* at = "";

  /** The first character behind a value. */
  static const char* behind(const char* value) {
    for (int depth = 0; *value; ++value) {
      if (*value == '"')
        for (++value; *value != '"'; ++value) value += *value == '\\';
      if (*value == '{' || *value == '[') ++depth;
      if (*value == '}' || *value == ']') --depth;
      if (depth < 0 || (depth == 0 && (*value == ',' || *value == ':'))) return value;
    }
    return value;
  }
  explicit operator bool() const { return *at != '\0'; }
  Json operator[](const char* key) const {
    const size_t length = std::strlen(key);
    for (const char* one = at; *one == '{' || *one == ',';) {
      const char *name = one + 1, *colon = behind(name);
      if (*colon != ':') break;
      if (std::strncmp(name + 1, key, length) == 0 && name[1 + length] == '"') return {colon + 1};
      one = behind(colon + 1);
    }
    return {};
  }
  std::vector<Json> list() const {
    std::vector<Json> all;
    for (const char* one = at; (*one == '[' || *one == ',') && one[1] != ']'; one = behind(one + 1))
      all.push_back({one + 1});
    return all;
  }
  int64_t number() const { return *at == 't' ? 1 : std::strtoll(at, nullptr, 10); }
  double real() const { return std::strtod(at, nullptr); }
  /** The position of a text in a list of words, from 1; 0 if it is none of them. */
  int word(std::initializer_list<const char*> words) const {
    int position = 0;
    for (const char* one : words)
      if (++position; *at && std::strncmp(at + 1, one, std::strlen(one)) == 0 && at[1 + std::strlen(one)] == '"')
        return position;
    return 0;
  }
};

inline convict_tensor tensor_of(const Json& json, unsigned char* file) {
  convict_tensor tensor{};
  const int type = json["dtype"].word({"f32", "f64", "f16", "bf16", "s8", "u8", "s32"});
  const int64_t sizes[] = {0, 4, 8, 2, 2, 1, 1, 4};
  tensor.dtype = static_cast<convict_dtype>(type);
  for (const Json& one : json["dims"].list()) tensor.dims[tensor.ndim++] = one.number();
  int axis = 0;
  for (const Json& one : json["strides"].list()) tensor.strides[axis++] = one.number();
  if (file && json) {
    tensor.data = file + json["at"].number();
    tensor.offset = (json["at"].number() - json["buffer"].list()[0].number()) / sizes[type];
  }
  return tensor;
}

inline convict_tensors tensors_of(const Json& json, unsigned char* file) {
  const auto one = [&](const char* name) { return tensor_of(json[name], file); };
  convict_tensors tensors{};  // what is only for clients that requantize stays absent
  tensors.src = one("src"), tensors.wei = one("wei"), tensors.bias = one("bias"), tensors.dst = one("dst");
  tensors.diff_src = one("diff_src"), tensors.diff_wei = one("diff_wei");
  tensors.diff_bias = one("diff_bias"), tensors.diff_dst = one("diff_dst"), tensors.scale = one("scale");
  return tensors;
}

inline convict_problem problem_of(const Json& json) {
  convict_problem p{};
  const auto number = [&](const char* key) { return json[key].number(); };
  p.op = static_cast<convict_op>(json["op"].word({"conv", "conv_transpose"}));
  p.pass = static_cast<convict_pass>(json["pass"].word({"forward", "backward_data", "backward_weights"}));
  p.rank = static_cast<int32_t>(number("rank"));
  p.has_bias = static_cast<int32_t>(number("bias"));
  p.threads = static_cast<int32_t>(number("threads"));
  p.batch = number("batch"), p.groups = number("groups"), p.ic = number("ic"), p.oc = number("oc");
  p.beta = json["beta"].real();
  p.relu = static_cast<int32_t>(number("relu"));
  p.src_zero_point = static_cast<int32_t>(number("src_zero_point"));
  p.dst_zero_point = static_cast<int32_t>(number("dst_zero_point"));
  for (int i = 0; i < CONVICT_MAX_RANK; ++i) p.in[i] = p.out[i] = p.kernel[i] = p.stride[i] = p.dilation[i] = 1;
  const auto axes = [&](const char* key, int64_t* to) {
    for (const Json& one : json[key].list()) *to++ = one.number();
  };
  axes("in", p.in), axes("out", p.out), axes("kernel", p.kernel), axes("stride", p.stride);
  axes("dilation", p.dilation), axes("pad_begin", p.pad_begin), axes("pad_end", p.pad_end);
  axes("output_padding", p.output_padding);
  p.padding = static_cast<convict_padding>(json["padding"].word({"same_upper", "same_lower", "valid"}));
  return p;
}

inline std::string quoted(const char* text) {
  std::string result = "\"";
  for (; *text; ++text) result += *text == '"' || *text == '\\' || *text < ' ' ? '\'' : *text;
  return result + '"';
}

/** One connection of convict, and the file of its operands. */
struct Connection {
  int link = -1, descriptor = -1;
  unsigned char* file = nullptr;
  size_t mapped = 0;
  std::string received;

  std::string hello(const convict_implementation& mine) const {
    const convict_contract& c = mine.contract;
    const char *algorithms[] = {"", "direct", "winograd", "fft"}, *types[] = {"", "f32", "f64", "f16", "bf16"},
               *summations[] = {"any_order", "blocked", "pairwise", "fixed_order"};
    const auto flag = [](const char* name, int value) {
      return std::string(",\"") + name + "\":" + (value ? "true" : "false");
    };
    const auto number = [](const char* name, int value) {
      return std::string(",\"") + name + "\":" + std::to_string(value);
    };
    return "\"hello\":{\"protocol\":1,\"version\":\"test\",\"implementations\":[{\"name\":" + quoted(mine.name) +
           ",\"description\":" + quoted(mine.description) + ",\"lineage\":" + quoted(mine.lineage) +
           ",\"batch\":32,\"contract\":{\"algorithm\":" + quoted(algorithms[c.algorithm]) +
           ",\"min_accumulator\":" + quoted(types[c.min_accumulator]) +
           ",\"summation\":" + quoted(summations[c.summation]) + number("sum_block", c.sum_block) +
           number("winograd_m", c.winograd_m) + number("winograd_r", c.winograd_r) +
           flag("flushes_subnormals", c.flushes_subnormals) + flag("deterministic", c.deterministic) +
           flag("accumulates", c.accumulates) + flag("fuses_relu", c.fuses_relu) + "}}]}";
  }

  std::string status(const convict_implementation& mine, const Json& json) const {
    const char* words[] = {"ok", "refused", "failed", "wrong_shape", "out_of_memory"};
    const convict_problem problem = problem_of(json);
    const convict_tensors tensors = tensors_of(json["tensors"], file);
    char error[512] = "";
    const convict_status status = mine.run(&mine, &problem, &tensors, error, sizeof error);
    return "{\"status\":" + quoted(words[status]) + ",\"error\":" + quoted(error) + "}";
  }

  std::string answer(const convict_implementation& mine, const Json& question) {
    const std::string id = "{\"id\":" + std::to_string(question["id"].number()) + ",";
    if (question["hello"]) return id + hello(mine) + "}\n";
    const Json ask = question["ask"], run = question["run"];
    const auto bytes = static_cast<size_t>(question["file_bytes"].number());
    if (run && mapped < bytes) {
      file = static_cast<unsigned char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
      mapped = bytes;
    }
    std::string list;
    for (const Json& one : (ask ? ask : run).list()) {
      const convict_problem problem = problem_of(one);
      const convict_tensors tensors = tensors_of(one["tensors"], nullptr);
      const char* why = ask ? mine.unsupported(&mine, &problem, &tensors) : nullptr;
      list += (list.empty() ? "" : ",") + (run ? status(mine, one) : why ? quoted(why) : std::string("null"));
    }
    return id + (ask ? "\"ask\":[" : "\"run\":[") + list + "]}\n";
  }

  /** Reads what has arrived, and answers what is complete. Returns false at the end. */
  bool attend(const convict_implementation& mine) {
    char buffer[1 << 16];
    const ssize_t count = read(link, buffer, sizeof buffer);
    if (count <= 0) return false;
    received.append(buffer, static_cast<size_t>(count));
    if (received.back() != '\n') return true;
    const std::string line = answer(mine, {received.c_str()});
    received.clear();
    return send(link, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
  }
};

/** What convict sends through the socket: a connection and a file. */
inline Connection accepted(int socket) {
  int both[2] = {-1, -1};
  char byte, control[CMSG_SPACE(sizeof both)];
  iovec content = {&byte, 1};
  msghdr message{};
  message.msg_iov = &content, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  Connection connection;
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&message)) return connection;
  std::memcpy(both, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof both);
  connection.link = both[0], connection.descriptor = both[1];
  return connection;
}

/** Answers until convict and its workers have ended. */
inline void serve(const convict_implementation& mine, int socket) {
  std::vector<Connection> open;
  while (true) {
    std::vector<pollfd> waits = {{socket, POLLIN, 0}};
    for (const Connection& one : open) waits.push_back({one.link, POLLIN, 0});
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    for (size_t i = open.size(); i-- > 0;)
      if (waits[i + 1].revents != 0 && !open[i].attend(mine)) {
        if (open[i].file) munmap(open[i].file, open[i].mapped);
        close(open[i].link), close(open[i].descriptor);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      }
    if (waits[0].revents == 0) continue;
    open.push_back(accepted(socket));
    if (open.back().link < 0) return;
  }
}

/** The command that judges the case, which is the last word of this one, in the test that runs. */
inline std::string command_here(const std::string& repro) {
  const size_t end = repro.back() == '\'' ? repro.rfind(" '") : repro.rfind(' ');
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  char program[4096] = "the_test";
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length > 0) program[length] = '\0';
  return "CONVICT_CASE=" + repro.substr(end + 1) + " " + program +
         (test ? std::string(" --gtest_filter=") + test->test_suite_name() + "." + test->name() : "");
}

/** What `convict fuzz` says of the implementation, up to its numbers, with commands that work here. */
inline std::string findings_in(const std::string& said) {
  std::string text;
  const std::string found = said.substr(0, said.find("\ncampaign "));
  for (size_t begin = 0; begin < found.size();) {
    size_t end = found.find('\n', begin);
    if (end == std::string::npos) end = found.size();
    std::string line = found.substr(begin, end - begin);
    if (const size_t lists = line.find("; `convict show cause"); lists != std::string::npos)
      line.erase(lists);  // from a database that is gone
    const size_t command = line.find("convict repro ");
    text += (command == std::string::npos ? line : line.substr(0, command) + command_here(line)) + "\n";
    begin = end + 1;
  }
  return text;
}

/** Runs `convict fuzz` on the implementation. A failure has what it prints of its findings, or why it cannot judge. */
inline testing::AssertionResult trial(const convict_implementation& mine, std::vector<std::string> flags) {
  int both[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) != 0)
    return testing::AssertionFailure() << "cannot create a socket";
  const int theirs = fcntl(both[1], F_DUPFD, 64);  // out of the way of the descriptors of workers
  close(both[1]);
  std::FILE* output = std::tmpfile();
  const char* named = std::getenv("CONVICT");
  std::vector<std::string> words = {named ? named : "convict",
                                    "fuzz",
                                    "-q",
                                    "--oracle=none",
                                    "--illegal=0",
                                    "",
                                    "--timeout=24h",
                                    "--command=fd:" + std::to_string(theirs)};
  char folder[] = "/tmp/convict-test-XXXXXX";
  if (!mkdtemp(folder)) return testing::AssertionFailure() << "cannot create a folder";
  words[5] = std::string("--db=") + folder + "/trial.db";
  words.insert(words.end(), flags.begin(), flags.end());
  if (const char* only = std::getenv("CONVICT_CASE"))
    words = {words[0], "repro", "-q", "--oracle=none", "--timeout=24h", words[7], only};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(fileno(output), STDOUT_FILENO), dup2(fileno(output), STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    std::perror(arguments[0]);
    _exit(127);
  }
  close(theirs);
  serve(mine, both[0]);
  close(both[0]);
  int status = 0;
  waitpid(child, &status, 0);
  std::remove((std::string(folder) + "/trial.db").c_str()), rmdir(folder);
  std::string said(static_cast<size_t>(lseek(fileno(output), 0, SEEK_END)), '\0');
  const ssize_t got = pread(fileno(output), said.data(), said.size(), 0);
  std::fclose(output);
  said.resize(got > 0 ? static_cast<size_t>(got) : 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << findings_in(said);
}

}  // namespace convict::gtest

#endif  // CONVICT_GTEST_H_
