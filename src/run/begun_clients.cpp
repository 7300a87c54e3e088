// SPDX-License-Identifier: Apache-2.0
#include "run/begun_clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "run/named_clients.h"
#include "run/plugin_check.h"

namespace convict::run {
namespace {

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

}  // namespace

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

}  // namespace convict::run
