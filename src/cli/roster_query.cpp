// SPDX-License-Identifier: Apache-2.0
#include "cli/roster_query.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"

namespace convict {
namespace {

/// Work for nobody: only the roster is of interest.
class Query final : public Assignment {
 public:
  void on_roster(const std::vector<RosterEntry>& roster, const std::vector<std::string>&) override { roster_ = roster; }
  std::optional<Work> next_work(uint64_t) override { return std::nullopt; }
  nlohmann::json message(const Work&) const override { return {}; }
  void on_mismatch(uint64_t, const Mismatch&) override {}
  void on_casualty(const Casualty&) override {}

  std::vector<RosterEntry> roster_;
};

std::vector<RosterEntry> roster_of(RosterRequest request) {
  request.oracles = {std::string(kNoOracle)};
  SupervisorSettings settings;
  settings.worker.roster = std::move(request);
  Query query;
  supervise(query, settings);
  return query.roster_;
}

}  // namespace

Installed everything_installed(const std::vector<std::string>& plugins) {
  Installed installed;
  installed.entries = roster_of({{std::string(kAllNative)}, {}, {}, false});
  for (const std::string& module : installed_modules()) try {
      std::ranges::move(roster_of({{module + std::string(kWholeModule)}, {}, {}, false}),
                        std::back_inserter(installed.entries));
    } catch (const UsageError& error) {
      installed.failures.emplace_back(module, error.what());
    } catch (const CannotJudge& error) {
      installed.failures.emplace_back(module, error.what());
    }
  for (const std::string& plugin : plugins)
    std::ranges::move(offered_by(plugin), std::back_inserter(installed.entries));
  return installed;
}

std::vector<RosterEntry> offered_by(const std::string& plugin) { return roster_of({{}, {}, {plugin}, false}); }

}  // namespace convict
