#include "source_kind.h"

#include <array>

#include "sluice/wiring/wire_upstreams.h"

#include "template_check.h"
#include "wire_apis.h"
#include "wire_ckan.h"
#include "wire_databases.h"
#include "wire_docs.h"
#include "wire_files.h"
#include "wire_git.h"
#include "wire_records.h"

namespace sluice::wiring {

std::span<const SourceKind> source_kinds() {
  static constexpr std::array kKinds = {
      SourceKind{.check = check_records},
      SourceKind{.check = check_files, .add = add_files, .describe = describe_files},
      SourceKind{.check = check_docs, .add = add_docs, .describe = describe_docs},
      SourceKind{.check = check_databases},
      SourceKind{.check = check_templates},
      SourceKind{.check = check_repositories, .add = add_repositories, .describe = describe_repositories},
      SourceKind{.check = check_apis, .add = add_apis, .describe = describe_apis},
      SourceKind{.check = check_upstreams},
      SourceKind{.check = check_portals, .describe = describe_portals}};
  return kKinds;
}

}  // namespace sluice::wiring
