// SPDX-License-Identifier: Apache-2.0
#include "run/loader.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "abi/native_kernel.h"
#include "core/error.h"
#include "core/names.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "core/verdict.h"
#include "run/flight_record.h"
#include "run/subject.h"

namespace convict::run {
namespace {

namespace fs = std::filesystem;

/// The clients of a roster. They are begun together and heard afterwards, so that they import side by side.
class BegunClients {
 public:
  explicit BegunClients(KeeperAddress keeper = {}) : keeper_(std::move(keeper)) {}

  /// Starts these, in an order that is the same for all workers: the first clients of two commands, each begun by
  /// another worker, do not wait for each other. A plugin is a command, or a client of ours (core/plugin_name.h);
  /// others are passed over. Throws UsageError if no client has the name.
  void begin(std::vector<std::string> plugins);

  /// The implementations of one, which is begun now if it was not. Waits until it has said what it has. Throws
  /// UsageError, CannotJudge if it is ours and not installed. Precondition: is_client(plugin).
  std::vector<Subject> take(const std::string& plugin);

 private:
  const KeeperAddress keeper_;
  std::map<std::string, std::shared_ptr<ProcessTarget>> begun_;  // by plugin
};

NamedClient client_called(std::string_view name) {
  for (NamedClient& one : named_clients(name))
    if (one.name == name) return std::move(one);
  throw UsageError(fmt::format("no client is called '{}'", printable(name)));
}

std::string command_of(const std::string& plugin) {
  return is_named_client(plugin) ? client_called(as_written(plugin)).command : std::string(as_written(plugin));
}

std::vector<Subject> subjects_behind(const std::shared_ptr<ProcessTarget>& process, const std::string& plugin) {
  const std::string shown = printable(as_written(plugin), 300);
  std::vector<Subject> subjects = subjects_of(&process->plugin(), shown);
  for (Subject& one : subjects) {
    one.plugin = plugin;
    one.is_foreign = false;  // what it does, it does in another process
    one.process = process;
    const Announced& announced = ProcessTarget::announced_by(*one.implementation);
    check_points(announced.declarations.transforms.points, *one.implementation, shown);
    check_matrix_unit(announced.declarations.matrix_unit, *one.implementation, shown);
    one.abilities = announced.abilities;
    one.declarations = announced.declarations;
    one.examples = announced.examples;
  }
  return subjects;
}

void BegunClients::begin(std::vector<std::string> plugins) {
  std::ranges::sort(plugins);
  for (const std::string& plugin : plugins)
    if (is_client(plugin) && !begun_.contains(plugin))
      begun_[plugin] = std::make_shared<ProcessTarget>(command_of(plugin), keeper_);
}

std::vector<Subject> BegunClients::take(const std::string& plugin) try {
  begin({plugin});
  return subjects_behind(begun_.extract(plugin).mapped(), plugin);
} catch (const UsageError&) {
  if (!is_named_client(plugin)) throw;
  const NamedClient client = client_called(as_written(plugin));
  if (installations_of({client}).front().is_there()) throw;
  throw CannotJudge(fmt::format("'{}' is {}", client.name, client.how_to_install()));
}

constexpr std::string_view kModulePrefix = "convict_", kModuleSuffix = ".so";

std::optional<fs::path> module_file(const std::string& name) {
  for (const fs::path& directory : module_folders()) {
    const fs::path file = directory / fmt::format("{}{}{}", kModulePrefix, name, kModuleSuffix);
    if (std::error_code ignored; fs::exists(file, ignored)) return file;
  }
  return std::nullopt;
}

/// Modules of Python find Python's own symbols only if those are global. A plugin that embeds it does not make
/// them so, because it is loaded for itself.
void share_python() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        const std::string_view name(info->dlpi_name);
        if (name.find("/libpython") != std::string_view::npos)
          dlopen(info->dlpi_name, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
        return 0;
      },
      nullptr);
}

/// What a library says that its implementations can, and the code paths that it names, each behind its implementation.
std::vector<Subject> with_abilities(std::vector<Subject> subjects, convict_abilities_function abilities_of,
                                    const std::string& shown) {
  std::vector<Subject> all;
  for (Subject& one : subjects) {
    if (const convict_abilities* abilities = abilities_of(one.implementation)) one.abilities = *abilities;
    check_abilities(one.abilities, *one.implementation, shown);
    all.push_back(one);
    for (const char* const* path = one.abilities.code_paths; path && *path; ++path) {
      Subject of_path = one;
      of_path.code_path = std::make_shared<const CodePath>(*one.implementation, one.abilities, *path);
      of_path.implementation = of_path.code_path.get();
      of_path.name = of_path.implementation->name;
      of_path.abilities = of_path.code_path->abilities();
      all.push_back(std::move(of_path));
    }
  }
  return all;
}

/// What to do with a file that is no library, or with a word that is no file.
std::string_view what_instead(const std::string& given) {
  constexpr std::pair<std::string_view, std::string_view> kByEnding[] = {
      {".c", "compile it first: cc -O2 -shared -fPIC -o mine.so mine.c"},
      {".cpp", "compile it first: c++ -O2 -shared -fPIC -o mine.so mine.cpp"},
      {".cc", "compile it first: c++ -O2 -shared -fPIC -o mine.so mine.cc"},
      {".py", "put a function in Python on trial by: python3 -m convict fuzz mine.py:FUNCTION"},
      {".db", "name a database by --db"},
      {".cases", "run a corpus by: convict replay FILE"}};
  if (given.find(".so:") != std::string::npos) return "name one of its implementations by --target NAME";
  if (given.starts_with("conv") && given.find('=') != std::string::npos) return "run one case by: convict repro 'CASE'";
  for (const auto& [ending, instead] : kByEnding)
    if (given.ends_with(ending) || given.find(std::string(ending) + ":") != std::string::npos) return instead;
  return "valid: a shared library, such as ./mine.so";
}

/// The processor that a file of machine code is for; 0 of another file.
int processor_of(const fs::path& path) {
  Elf64_Ehdr head = {};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(&head), sizeof head);
  return std::string_view(reinterpret_cast<const char*>(head.e_ident), SELFMAG) == ELFMAG ? head.e_machine : 0;
}

/// The loader calls such a file one that does not exist.
bool is_for_another_processor(const fs::path& path) {
  const int processor = processor_of(path);
  return processor != 0 && processor != processor_of("/proc/self/exe");
}

/// What a library says of its implementations beside their contracts.
void add_declarations(void* library, const std::string& shown, std::vector<Subject>& subjects) {
  const auto transforms_of = reinterpret_cast<convict_transforms_function>(dlsym(library, CONVICT_TRANSFORMS_SYMBOL));
  const auto unit_of = reinterpret_cast<convict_matrix_unit_function>(dlsym(library, CONVICT_MATRIX_UNIT_SYMBOL));
  for (Subject& one : subjects) {
    if (const convict_transforms* declared = transforms_of ? transforms_of(one.implementation) : nullptr)
      one.declarations.transforms = checked_transforms(*declared, *one.implementation, shown);
    if (const convict_matrix_unit* unit = unit_of ? unit_of(one.implementation) : nullptr)
      one.declarations.matrix_unit = {unit->operand_bits, unit->truncates != 0};
    check_matrix_unit(one.declarations.matrix_unit, *one.implementation, shown);
  }
}

std::vector<Subject> load_library(const fs::path& path, const std::string& shown) {
  void* library = dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed: convict.h promises it
  if (!library && is_for_another_processor(path))
    throw UsageError(fmt::format("plugin '{}' is for another processor; compile it for this one", shown));
  if (!library)
    throw UsageError(fmt::format("plugin '{}' cannot be loaded: {}; {}", shown, printable(dlerror(), 300),
                                 what_instead(path)));
  share_python();
  const auto entry = reinterpret_cast<convict_plugin_function>(dlsym(library, CONVICT_PLUGIN_SYMBOL));
  if (!entry)
    throw UsageError(fmt::format(
        "'{}' is not a convict plugin: it does not export {}{}", shown, CONVICT_PLUGIN_SYMBOL,
        dlsym(library, "_Z17convict_plugin_v1v") ? ", but a C++ function of that name; declare it extern \"C\""
                                                 : "; `convict new-plugin DIR` writes one that does"));
  const convict_plugin* plugin = entry();
  const std::string said(trim(end_of_stderr(300)));
  if (!plugin && !said.empty())
    throw UsageError(
        fmt::format("plugin '{}' says that it cannot work on this machine: {}", shown, printable(said, 300)));
  std::vector<Subject> subjects = subjects_of(plugin, shown);
  if (const auto examples_of = reinterpret_cast<convict_examples_function>(dlsym(library, CONVICT_EXAMPLES_SYMBOL)))
    for (Subject& one : subjects)
      for (const char* const* line = examples_of(one.implementation); line && *line; ++line)
        one.examples.emplace_back(*line);
  add_declarations(library, shown, subjects);
  const auto abilities_of = reinterpret_cast<convict_abilities_function>(dlsym(library, CONVICT_ABILITIES_SYMBOL));
  return abilities_of ? with_abilities(std::move(subjects), abilities_of, shown) : subjects;
}

/// Resolves names against native kernels, plugins, modules and clients. Loads a module or a client when it is first
/// named.
class Catalogue {
 public:
  Catalogue(std::span<const NativeKernel* const> native, const std::vector<std::string>& plugins,
            const KeeperAddress& keeper)
      : clients_(keeper) {
    for (const NativeKernel* kernel : native)
      known_.push_back(
          {.implementation = kernel, .version = CONVICT_VERSION, .name = kernel->name, .abilities = kernel->abilities});
    native_count_ = known_.size();
    clients_.begin(plugins);
    for (const std::string& path : plugins) {
      std::vector<Subject> subjects = is_client(path) ? clients_.take(path) : load_plugin(path);
      for (const Subject& one : subjects)
        if (!is_named_client(path)) refuse_reserved(one.name, path);
      add(std::move(subjects));
    }
    plugin_end_ = known_.size();
  }

  std::span<const Subject> native() const { return std::span(known_).first(native_count_); }
  std::span<const Subject> from_plugins() const {
    return std::span(known_).subspan(native_count_, plugin_end_ - native_count_);
  }

  /// Starts the clients that these names will need.
  void begin(const std::vector<std::string>& names) {
    std::vector<std::string> plugins;
    for (const std::string& name : names)
      if (name != kAllNative && settled(name).empty() && !module_file(name.substr(0, name.find(':'))))
        for (const NamedClient& client : named_clients(name)) plugins.push_back(plugin_of(client));
    std::erase_if(plugins, [&](const std::string& one) { return is_loaded(one); });
    clients_.begin(std::move(plugins));
  }

  /// What an oracle of this name stands for: itself, unless it is a family of clients, of which one is a witness.
  std::string witness(const std::string& name, std::vector<std::string>& notes) const {
    if (name == kAllNative || name == kNoOracle || !settled(name).empty() || module_file(name)) return name;
    const std::string one = witness_of(name);
    if (one.empty()) return name;
    notes.push_back(fmt::format("oracle {}: {} is asked; others by their names, which `convict list` has", name, one));
    return one;
  }

  /// All implementations that a name stands for.
  std::vector<Subject> find(const std::string& name) {
    if (name == kAllNative) return {native().begin(), native().end()};
    if (auto found = settled(name); !found.empty()) return found;
    const std::string module = name.substr(0, name.find(':'));
    if (module_file(module)) {
      add(load_module(module));
      if (auto found = loaded(name); !found.empty()) return found;
    }
    if (const auto clients = named_clients(name); !clients.empty()) return of_clients(clients, name);
    throw_unknown(name, module);
  }

 private:
  static std::string plugin_of(const NamedClient& client) { return fmt::format("{}{}", kClientPrefix, client.name); }

  bool is_loaded(const std::string& plugin) const {
    return std::ranges::find(known_, plugin, &Subject::plugin) != known_.end();
  }

  /// What the name stands for of all that is loaded, if nothing else can have it: a client that is loaded may be one of
  /// several that a name stands for.
  std::vector<Subject> settled(const std::string& name) const {
    auto found = loaded(name);
    const bool is_part = !found.empty() && found[0].name != name && is_named_client(found[0].plugin);
    return is_part ? std::vector<Subject>() : found;
  }

  /// What the name stands for, of clients that are started unless they have been.
  std::vector<Subject> of_clients(const std::vector<NamedClient>& clients, const std::string& name) {
    std::vector<Subject> found;
    for (const NamedClient& client : clients) {
      const std::string plugin = plugin_of(client);
      if (!is_loaded(plugin)) add(clients_.take(plugin));
      std::ranges::copy_if(known_, std::back_inserter(found), [&](const Subject& one) {
        return one.plugin == plugin && client.is_meant(name, one.name);
      });
    }
    if (found.empty())
      throw CannotJudge(fmt::format("'{}' is not offered on this machine by the client that has it", printable(name)));
    return found;
  }

  /// The implementation of this name; else all of the module of this name.
  std::vector<Subject> loaded(const std::string& name) const {
    std::vector<Subject> found;
    const bool all = name.ends_with(kWholeModule);
    const std::string module = all ? name.substr(0, name.size() - kWholeModule.size()) : name;
    for (const Subject& subject : known_) {
      const std::string_view other = subject.name;
      if (other == name) return {subject};
      if ((all && other == module) || (other.starts_with(module) && other[module.size()] == ':'))
        found.push_back(subject);
    }
    return found;
  }

  void add(std::vector<Subject> subjects) {
    for (Subject& subject : subjects) {
      if (std::ranges::find(known_, subject.name, &Subject::name) != known_.end())
        throw UsageError(fmt::format("two implementations are called '{}'; valid: each name once", subject.name));
      known_.push_back(std::move(subject));
    }
  }

  /// Names that are taken: a plugin must not pass for LibTorch, or for the reference.
  static void refuse_reserved(std::string_view name, const std::string& path) {
    const auto is_of = [&](std::string_view module) {
      return name == module || (name.starts_with(module) && name[module.size()] == ':');
    };
    std::vector<std::string> modules = installed_modules();
    for (const DefaultOracle& oracle : kDefaultOracles) modules.emplace_back(module_of(oracle.name));
    const auto words = {kAllNative, kNoOracle, kUnattributed, kReference};
    if (std::ranges::find(words, name) == words.end() && std::ranges::none_of(modules, is_of)) return;
    throw UsageError(
        fmt::format("plugin '{}': an implementation is called '{}', which means something else here; give "
                    "it another name",
                    printable(as_written(path), 300), name));
  }

  [[noreturn]] void throw_unknown(const std::string& name, const std::string& module) const {
    for (const DefaultOracle& oracle : kDefaultOracles)
      if (module_of(oracle.name) == module && !module_file(module))
        throw CannotJudge(fmt::format("'{}' is not installed: no {}{}{} beside this program", module, kModulePrefix,
                                      module, kModuleSuffix));
    std::vector<std::string> names = {std::string(kAllNative)};
    for (const Subject& subject : known_) names.push_back(subject.name);
    for (const std::string& installed : installed_modules())
      if (installed != module) names.push_back(installed);
    std::vector<std::string> near = names;
    for (const NamedClient& client : named_clients()) {
      names.push_back(client.name);
      near.push_back(client.name);
      for (const auto& [offered, description] : client.implementations) near.push_back(offered);
    }
    throw UsageError(fmt::format("unknown implementation '{}'{}; valid: {}, and those of a --plugin", printable(name),
                                 suggestion(meant(kImplementationSynonyms, name), near), fmt::join(names, ", ")));
  }

  BegunClients clients_;
  std::vector<Subject> known_;
  size_t native_count_ = 0, plugin_end_ = 0;
};

/// What stands for implementations: targets and oracles, but for `none`.
std::vector<std::string> named_in(const RosterRequest& request) {
  std::vector<std::string> names = request.targets;
  std::ranges::remove_copy(request.oracles, std::back_inserter(names), kNoOracle);
  return names;
}

/// Adds the subjects that are not in the roster yet: a target is not its own witness.
void enlist(Roster& roster, std::span<const Subject> subjects, bool is_target) {
  for (Subject subject : subjects) {
    const auto same = [&](const Subject& other) { return other.implementation == subject.implementation; };
    if (std::ranges::any_of(roster.subjects, same)) continue;
    subject.is_target = is_target;
    roster.subjects.push_back(std::move(subject));
  }
}

/// Whether all targets are of one lineage, of which a witness would tell nothing new.
bool all_are_of(std::string_view lineage, std::span<const Subject> targets) {
  return std::ranges::all_of(targets, [&](const Subject& target) { return target.implementation->lineage == lineage; });
}

void enlist_default_oracles(Catalogue& catalogue, Roster& roster) {
  if (const std::string why = why_without_oracles(); !why.empty()) {
    roster.notes.push_back("judging without an oracle: " + why);
    return;
  }
  const std::vector<Subject> targets = roster.subjects;
  std::string_view missing;
  Turns turns = {0, 0, 0};
  for (const DefaultOracle& oracle : kDefaultOracles) {
    if (turns.end == kTurns) turns = {0, 0, turns.library + 1};
    turns = {turns.end, turns.end + oracle.turns, turns.library};
    if (module_of(oracle.name) == missing) continue;
    try {
      std::vector<Subject> found = catalogue.find(std::string(oracle.name));
      std::erase_if(found, [&](const Subject& one) { return all_are_of(one.implementation->lineage, targets); });
      for (Subject& one : found) one.turns = turns;
      enlist(roster, found, false);
    } catch (const CannotJudge& error) {
      missing = module_of(oracle.name);
      roster.notes.push_back(fmt::format("judging without an oracle: {}", error.what()));
    }
  }
}

}  // namespace

std::string why_without_oracles() {
  for (const DefaultOracle& oracle : kDefaultOracles)
    if (module_file(std::string(module_of(oracle.name)))) return "";
  const std::string frameworks = frameworks_of_python();
  const char* none = "no library is beside this program";
  if (frameworks.empty()) return none;
  return fmt::format(
      "{}; with {} in a Python environment, as `convict doctor` says, `--oracle NAME` has it as a witness", none,
      frameworks);
}

std::vector<std::string> installed_modules() {
  std::vector<std::string> names;
  for (const fs::path& directory : module_folders()) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
      const std::string file = entry.path().filename().string();
      if (!file.starts_with(kModulePrefix) || !file.ends_with(kModuleSuffix)) continue;
      names.push_back(file.substr(kModulePrefix.size(), file.size() - kModulePrefix.size() - kModuleSuffix.size()));
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string file_of_module(const std::string& name) { return module_file(name).value_or("").string(); }

std::vector<Subject> load_module(const std::string& name) {
  const auto file = module_file(name);
  if (!file) throw CannotJudge(fmt::format("'{}' is not installed", printable(name)));
  return load_library(*file, name);
}

std::vector<Subject> load_plugin(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    throw UsageError(fmt::format("plugin '{}' does not exist; {}", printable(path, 300), what_instead(path)));
  if (fs::is_directory(path, ignored))
    throw UsageError(fmt::format("plugin '{}' is a directory; valid: a shared library", printable(path, 300)));
  std::vector<Subject> subjects = load_library(path, printable(path, 300));
  for (Subject& one : subjects) one.plugin = path;
  return subjects;
}

bool is_native(std::string_view name) {
  const auto has_it = [&](const convict_implementation* one) { return one->name == name; };
  return name == kAllNative || std::ranges::any_of(native_kernels(), has_it);
}

bool loads_files(const RosterRequest& request) {
  const bool no_oracle = request.oracles == std::vector{std::string(kNoOracle)};
  return !no_oracle || !request.plugins.empty() || !std::ranges::all_of(request.targets, is_native);
}

bool loads_plugins(const RosterRequest& request) { return !std::ranges::all_of(request.plugins, is_client); }

bool starts_clients(const RosterRequest& request) {
  const auto is_of_client = [](const std::string& name) { return !is_native(name) && !named_clients(name).empty(); };
  return std::ranges::any_of(request.plugins, is_client) || std::ranges::any_of(named_in(request), is_of_client);
}

bool loads_modules_only(const RosterRequest& request) { return loads_files(request) && !loads_plugins(request); }

Roster load_roster(const RosterRequest& wanted, std::span<const NativeKernel* const> native,
                   const KeeperAddress& keeper) {
  Catalogue catalogue(native, wanted.plugins, keeper);
  Roster roster;
  RosterRequest request = wanted;
  for (std::string& name : request.oracles) name = catalogue.witness(name, roster.notes);
  catalogue.begin(named_in(request));
  if (request.targets.empty())
    enlist(roster, request.plugins.empty() ? catalogue.native() : catalogue.from_plugins(), true);
  for (const std::string& name : request.targets) enlist(roster, catalogue.find(name), true);
  const bool none = std::ranges::find(request.oracles, kNoOracle) != request.oracles.end();
  if (none && request.oracles.size() > 1) throw UsageError("--oracle none excludes other oracles");
  if (request.oracles.empty()) enlist_default_oracles(catalogue, roster);
  if (!none)
    for (const std::string& name : request.oracles) enlist(roster, catalogue.find(name), false);
  if (roster.subjects.size() > kMostImplementations)
    throw UsageError(fmt::format("{} implementations in one campaign; valid: at most {}", roster.subjects.size(),
                                 kMostImplementations));
  return roster;
}

}  // namespace convict::run
