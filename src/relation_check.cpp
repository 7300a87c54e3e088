#include "relation_check.h"
namespace convict {
std::optional<BrokenRelation> broken_relation(const Scene&, const convict_implementation&, int, GuardedMemory&,
                                              FlightRecord&) {
  return std::nullopt;
}
}  // namespace convict
